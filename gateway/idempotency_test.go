package gateway_test

import (
	"bytes"
	"context"
	"net/http"
	"strings"
	"testing"

	"perdiem/meter"
	"perdiem/providers"
	"perdiem/testing/fakeprovider"
	"perdiem/testing/harness"
)

func TestARetryUnderItsKeyIsAnsweredOnceAndChargedOnce(t *testing.T) {
	h, _, pass := house(t)
	streamed := askWith(`,"stream":true`)
	for name, body := range map[string]string{"whole": ask(model), "streamed": streamed} {
		before := len(h.Upstream.Requests())
		first := exchange{header: keyed(pass, name), body: body}.do(t, h)
		first.WantStatus(t, 200)
		again := exchange{header: keyed(pass, name), body: body}.do(t, h)
		again.WantStatus(t, 200)
		if !bytes.Equal(again.Body, first.Body) || again.Header.Get("Content-Type") != first.Header.Get("Content-Type") || again.Header.Get("Idempotent-Replayed") != "true" {
			t.Errorf("%s: the retry got %v %s", name, again.Header, again.Body)
		}
		if got := len(h.Upstream.Requests()) - before; got != 1 {
			t.Errorf("%s: %d requests reached the provider", name, got)
		}
		wantReason(t, exchange{header: keyed(pass, name), body: body + " "}.do(t, h), 422, "KEY_REUSED")
	}
	if got := h.Booked(); got.Requests != 2 {
		t.Errorf("booked %+v", got)
	}
	h.AtRest()
}

// A guest is nobody in particular: another's answer could be theirs.
func TestAGuestsKeyForRetriesIsNone(t *testing.T) {
	h, _, _ := house(t)
	changeModel(t, h, model, func(m *providers.Model) { m.Guests = true })
	h.Ceiling(meter.Ceiling{Guests: true, Model: model})
	for range 2 {
		a := exchange{header: http.Header{"Idempotency-Key": {"the same"}}}.do(t, h)
		if a.WantStatus(t, 200); a.Header.Get("Idempotent-Replayed") != "" {
			t.Error("a guest got what was answered before")
		}
	}
	if got := len(h.Upstream.Requests()); got != 2 {
		t.Errorf("%d requests reached the provider", got)
	}
	h.AtRest()
}

func TestAConcurrentRetryIsToldToWait(t *testing.T) {
	h, _, pass := house(t)
	gate := fakeprovider.NewGate()
	h.Upstream.Next(fakeprovider.Chat{}.Held(fakeprovider.BeforeHeader, gate))
	first := h.Begin(pass, model, harness.Question{Header: http.Header{"Idempotency-Key": {"k"}}, Body: ask(model)})
	gate.Await(t, 1)
	a := exchange{header: keyed(pass, "k")}.do(t, h)
	wantReason(t, a, 409, "IN_PROGRESS")
	if a.Header.Get("Retry-After") == "" || a.Header.Get("X-Should-Retry") != "true" {
		t.Errorf("headers %v", a.Header)
	}
	gate.Open()
	first().WantStatus(t, 200)
	exchange{header: keyed(pass, "k")}.do(t, h).WantStatus(t, 200)
	h.AtRest()
	if got := h.Booked(); got.Requests != 1 {
		t.Errorf("booked %+v", got)
	}
}

// The caller's connection broke in the middle of the stream: that is what keys are for.
func TestAKeyedStreamIsWholeForItsRetryThoughItsCallerLeft(t *testing.T) {
	h, _, pass := house(t)
	asked := fakeprovider.Request{Model: "m", Stream: true, IncludeUsage: true}
	gate := fakeprovider.NewGate()
	place := len(fakeprovider.Chat{}.Answer(asked).Chunks[0].Data) + 1
	h.Upstream.Next(fakeprovider.Chat{}.Answer(asked).HoldAt(place, gate).Always())
	body := askWith(`,"stream":true`)
	ctx, leave := context.WithCancel(t.Context())
	defer leave()
	h.AskSeeing(ctx, pass, model, harness.Question{Header: http.Header{"Idempotency-Key": {"k"}}, Body: body}, "data: {", leave)
	gate.Open()
	h.AtRest()
	again := exchange{header: keyed(pass, "k"), body: body}.do(t, h)
	again.WantStatus(t, 200)
	if !strings.HasSuffix(string(again.Body), "data: [DONE]\n\n") || strings.Count(string(again.Body), " word") != 5 {
		t.Errorf("the retry got %s", again.Body)
	}
	if got := h.Booked(); got.Requests != 1 || got.Tokens != 14 || len(h.Upstream.Requests()) != 1 {
		t.Errorf("booked %+v, %d upstream", got, len(h.Upstream.Requests()))
	}
}

func TestARefusedOrFailedRequestFreesItsKey(t *testing.T) {
	h, p, pass := house(t)
	h.Allow(p, model, nil, n(1))
	wantReason(t, exchange{header: keyed(pass, "k")}.do(t, h), 429, "DAILY_TOKEN_LIMIT")
	h.Allow(p, model, nil, nil)
	h.Upstream.Next(fakeprovider.Error(500, "down", "The provider is down.").Always())
	exchange{header: keyed(pass, "k")}.do(t, h).WantStatus(t, 500)
	exchange{header: keyed(pass, "k")}.do(t, h).WantStatus(t, 200)
	wantReason(t, exchange{header: keyed(pass, strings.Repeat("k", 300))}.do(t, h), 400, "INVALID_REQUEST")
	h.AtRest()
}
