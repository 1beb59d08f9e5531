package meter

import (
	"fmt"
	"strconv"
	"strings"
)

// What a hold and a ledger entry keep about budgets is written as lines of fields between tabs. Each
// request writes three such texts, and JSON's reflection was a tenth of what a hold and its settle cost.

// terms are what a hold was made on; its end is computed from them and from nothing newer. The first
// line is whether the request has an idempotency key, and the price if it has one; a line for each
// part follows.
type terms struct {
	Keyed bool // the request came with an idempotency key, which the hold's end completes or frees
	Parts []part
	Price *Price
}

// part is what a hold took of one budget, and how that budget counts.
type part struct {
	budget
	Amount
	Counts Counts
}

// change is what one ledger entry adds to one row of usage_daily.
type change struct {
	budget
	Used, Held, Granted Amount
	Input, Output       int64
}

const keyedMark = "keyed"

func (t terms) encode() string {
	b := make([]byte, 0, 96*(len(t.Parts)+1))
	if t.Keyed {
		b = append(b, keyedMark...)
	}
	if t.Price != nil {
		b = appendNumbers(b, t.Price.Input, t.Price.Cached, t.Price.Written, t.Price.Output)
	}
	for _, p := range t.Parts {
		b = append(b, '\n')
		b = p.append(b)
		b = appendName(append(b, '\t'), string(p.Counts))
		b = appendNumbers(b, p.Requests, p.Tokens, p.Cost)
	}
	return string(b)
}

func decodeTerms(text string) (terms, error) {
	head, rest, _ := strings.Cut(text, "\n")
	f := fields{rest: head}
	t := terms{Keyed: f.name() == keyedMark}
	if f.more {
		t.Price = &Price{f.number(), f.number(), f.number(), f.number()}
	}
	for line := range strings.Lines(rest) {
		f := fields{rest: strings.TrimSuffix(line, "\n"), err: f.err}
		t.Parts = append(t.Parts, part{f.budget(), Amount{}, Counts(f.name())})
		t.Parts[len(t.Parts)-1].Amount = f.amount()
		if f.err != nil {
			return t, f.err
		}
	}
	return t, f.err
}

func encodeChanges(changes []change) string {
	b := make([]byte, 0, 96*len(changes))
	for i, c := range changes {
		if i > 0 {
			b = append(b, '\n')
		}
		b = c.append(b)
		b = appendNumbers(b, c.Used.Requests, c.Used.Tokens, c.Used.Cost, c.Held.Requests, c.Held.Tokens, c.Held.Cost,
			c.Granted.Requests, c.Granted.Tokens, c.Granted.Cost, c.Input, c.Output)
	}
	return string(b)
}

func decodeChanges(text string) ([]change, error) {
	var all []change
	for line := range strings.Lines(text) {
		f := fields{rest: strings.TrimSuffix(line, "\n")}
		c := change{budget: f.budget()}
		c.Used, c.Held, c.Granted = f.amount(), f.amount(), f.amount()
		c.Input, c.Output = f.number(), f.number()
		if f.err != nil {
			return nil, f.err
		}
		all = append(all, c)
	}
	return all, nil
}

func (b budget) append(to []byte) []byte {
	to = appendName(to, string(b.Scope))
	to = appendName(append(to, '\t'), b.Subject)
	to = appendName(append(to, '\t'), b.Model)
	return appendName(append(to, '\t'), b.Day)
}

// Names come from people and providers, and may hold what parts fields and lines.
var (
	escape   = strings.NewReplacer("\\", `\\`, "\t", `\t`, "\n", `\n`, "\r", `\r`)
	unescape = strings.NewReplacer(`\\`, "\\", `\t`, "\t", `\n`, "\n", `\r`, "\r")
)

func appendName(to []byte, name string) []byte {
	if strings.ContainsAny(name, "\\\t\n\r") {
		name = escape.Replace(name)
	}
	return append(to, name...)
}

func appendNumbers(to []byte, numbers ...int64) []byte {
	for _, n := range numbers {
		to = strconv.AppendInt(append(to, '\t'), n, 10)
	}
	return to
}

// fields takes a line apart from its start. The first error stays.
type fields struct {
	rest string
	more bool // a field follows the one that was taken last
	err  error
}

func (f *fields) name() string {
	var name string
	name, f.rest, f.more = strings.Cut(f.rest, "\t")
	if strings.Contains(name, `\`) {
		name = unescape.Replace(name)
	}
	return name
}

func (f *fields) number() int64 {
	text := f.name()
	n, err := strconv.ParseInt(text, 10, 64)
	if err != nil && f.err == nil {
		f.err = fmt.Errorf("%q is no number", text)
	}
	return n
}

func (f *fields) budget() budget { return budget{Scope(f.name()), f.name(), f.name(), f.name()} }

func (f *fields) amount() Amount { return Amount{f.number(), f.number(), f.number()} }
