package metertest

import (
	"bytes"
	"context"
	"errors"
	"sync/atomic"
	"testing"
	"time"

	"perdiem/meter"
)

func (b *Books) keyed(p meter.Person, key, hash string) (meter.Hold, error) {
	return b.Reserve(context.Background(), meter.Request{
		ID: "r", PersonID: p.ID, Model: model, Input: 10, Output: 10, MinOutput: 10, Idempotency: &meter.Idempotency{Key: key, Hash: hash},
	})
}

func (b *Books) wantReplay(err error, body string) {
	b.t.Helper()
	var again *meter.Replay
	if !errors.As(err, &again) || string(again.Answer.Body) != body || again.Answer.Status != 200 || again.Answer.ContentType != "text/plain" {
		b.t.Fatalf("got %v (%+v), want the answer %q again", err, again, body)
	}
}

func testIdempotency(t *testing.T, b *Books) {
	ctx := context.Background()
	p, other := b.person("Ada", nil, nil), b.person("Bo", nil, nil)
	// The same key at the same moment: one holds, the others are told to wait.
	var holds, waits atomic.Int64
	var first meter.Hold
	inParallel(20, func(int) {
		h, err := b.keyed(p, "k", "hash")
		if err == nil {
			first = h
			holds.Add(1)
			return
		}
		if no := refusalIn(t, err, meter.InProgress); no.RetryAfter(b.Now()) > 0 {
			waits.Add(1)
		}
	})
	if holds.Load() != 1 || waits.Load() != 19 {
		t.Fatalf("%d held and %d waited", holds.Load(), waits.Load())
	}
	_, err := b.keyed(p, "k", "of other parameters")
	wantRefusal(t, err, meter.KeyReused)
	_, err = b.keyed(other, "k", "hash") // another person's key is another key
	must(t, err)

	answer := &meter.Answer{Status: 200, ContentType: "text/plain", Body: []byte("hello")}
	must(t, b.SettleWith(ctx, first.ID, meter.Usage{Input: 5, Output: 5}, meter.Reported, answer))
	must(t, b.SettleWith(ctx, first.ID, meter.Usage{Input: 5, Output: 5}, meter.Reported, answer))
	_, err = b.keyed(p, "k", "hash")
	b.wantReplay(err, "hello")
	_, err = b.keyed(p, "k", "of other parameters")
	wantRefusal(t, err, meter.KeyReused)
	b.wantStanding(p, model, 1, 0, 10, 0)

	b.Clock.Add(24*time.Hour - time.Second)
	_, err = b.keyed(p, "k", "hash")
	b.wantReplay(err, "hello")
	b.Clock.Add(time.Second)
	fresh, err := b.keyed(p, "k", "of other parameters")
	must(t, err)
	must(t, b.Release(ctx, fresh.ID, "refused")) // frees the key
	fresh, err = b.keyed(p, "k", "of a third")
	must(t, err)
	b.settle(fresh, 1, 1) // without an answer: as if it had never been asked
	fresh, err = b.keyed(p, "k", "of a fourth")
	must(t, err)
	must(t, b.SettleWith(ctx, fresh.ID, meter.Usage{}, meter.Reported, &meter.Answer{Status: 200, Body: bytes.Repeat([]byte("x"), meter.MaxAnswer+1)}))
	_, err = b.keyed(p, "k", "of a fourth")
	wantRefusal(t, err, meter.AnswerNotKept)

	// A refusal frees its key with everything else.
	b.allow(meter.Holder{Kind: meter.ForPerson, ID: p.ID}, model, n(2), nil)
	_, err = b.keyed(p, "refused", "hash")
	wantRefusal(t, err, meter.DailyRequestLimit)
	b.allow(meter.Holder{Kind: meter.ForPerson, ID: p.ID}, model, nil, nil)
	_, err = b.keyed(p, "refused", "another hash")
	must(t, err)
}

func testIdempotencyExpiry(t *testing.T, b *Books) {
	p := b.person("Ada", nil, nil)
	dead, err := b.keyed(p, "k", "hash")
	if err != nil {
		t.Fatal(err)
	}
	b.Clock.Add(meter.HoldTTL)
	again, err := b.keyed(p, "k", "hash") // its own Reserve ends the dead hold, and so frees the key
	if err != nil {
		t.Fatalf("after the crash of the first: %v", err)
	}
	// The first was not dead after all: it is booked, but the key is the second's.
	answer := func(text string) *meter.Answer {
		return &meter.Answer{Status: 200, ContentType: "text/plain", Body: []byte(text)}
	}
	for h, text := range map[string]string{dead.ID: "late", again.ID: "right"} {
		if err := b.SettleWith(context.Background(), h, meter.Usage{Input: 1}, meter.Reported, answer(text)); err != nil {
			t.Fatal(err)
		}
	}
	_, err = b.keyed(p, "k", "hash")
	b.wantReplay(err, "right")
	b.wantStanding(p, model, 2, 0, 2, 0)
}
