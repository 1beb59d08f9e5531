// Package metertest is the conformance suite of the meter: the same cases run on every store.
package metertest

import (
	"testing"

	"perdiem/meter"
)

// T is what a case asks of its test, or of one try of a property.
type T interface {
	Helper()
	Cleanup(func())
	Failed() bool
	Errorf(format string, args ...any)
	Fatal(args ...any)
	Fatalf(format string, args ...any)
}

// Open opens a fresh, empty store for one test and closes it at the test's end.
type Open func(t T) meter.Store

// Run runs every case on stores that open makes.
func Run(t *testing.T, open Open) {
	for name, test := range map[string]func(*testing.T, *Books){
		"the first to write a setting once decides": testSettings,
		"an object is its maker's":                  testObjects,
		"people and passes":                         testPeople,
		"names spelled otherwise in Unicode":        testNamesInUnicode,
		"a pass opens until revoked or expired":     testPasses,
		"a pass is replaced once":                   testReplacingPasses,
		"a join code gives one pass, once":          testJoin,
		"room for ten admits ten of two hundred":    testParallel,
		"a ceiling is shared across models":         testSharedCeiling,
		"limits are looked up in order":             testLookupOrder,
		"a limit counts from the next request":      testLimitEdit,
		"every edit of the team is seen by others":  testTeamEditions,
		"a team that goes back is seen":             testTeamGoesBack,
		"a grant admits for today":                  testGrant,
		"a reply is cut to the room left":           testCut,
		"a refusal names the first budget":          testRefusalOrder,
		"a purse limits money":                      testPurse,
		"the key with the most room serves":         testKeys,
		"a lost key's room goes to the next":        testLastRoomOfAKey,
		"credit pays when the day is out":           testCredit,
		"a hold moves to another key or model":      testMove,
		"a budget tells 50, 80 and 100 once a day":  testAlerts,
		"what is old is pruned, and usage stays":    testPrune,
		"one key gives one record and one charge":   testIdempotency,
		"a dead request frees its key":              testIdempotencyExpiry,
		"guests are held to their ceilings":         testGuests,
		"every end ends a hold once":                testEnds,
		"a move whose answer is lost stands":        testLostMove,
		"the worst case can be given back":          testGiveBack,
		"an expired hold books what was observed":   testExpiry,
		"a settle after expiry books the rest":      testLateSettle,
		"a hold settles on its own day":             testMidnight,
		"recover ends what dead gateways left":      testRecover,
		"verify finds a row that was tampered with": testVerify,
		"rates slide over the minute":               testRates,
		"rates slide in a shared store":             testSharedRates,
		"rates outlive a restart":                   testRatesAcrossARestart,
		"refusals are logged with their figures":    testRefusalLog,
		"the day divides into hours":                testHours,
		"reports add up days, people and models":    testReports,
		"how requests ended is told in order":       testActivity,
		"the books hold under any sequence":         testProperties,
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			test(t, newBooks(t, open))
		})
	}
}
