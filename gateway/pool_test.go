package gateway_test

import (
	"bytes"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"perdiem/gateway"
	"perdiem/meter"
	"perdiem/providers"
	"perdiem/testing/fakeprovider"
)

func TestARefusedKeyIsDisabledAndTheNextServes(t *testing.T) {
	keys := &keyring{keys: []gateway.Credential{{KeyID: "bad", Secret: "sk-wrong"}, {KeyID: "good", Secret: fakeprovider.Key}}}
	b := newBare(t, keys)
	for range 2 {
		if status := b.call(); status != http.StatusOK {
			t.Fatalf("status %d", status)
		}
	}
	if !slices.Equal(keys.disabled, []string{"bad"}) {
		t.Errorf("disabled %v", keys.disabled)
	}
	b.wantBooked(2, 28)
	b.upstream.On("", func(r fakeprovider.Request) fakeprovider.Reply {
		return fakeprovider.EchoKey(r.Header.Get("Authorization"))
	})
	if status := b.call(); status != http.StatusUnauthorized {
		t.Errorf("the last key's refusal came as %d", status)
	}
	if status := b.call(); status != http.StatusServiceUnavailable {
		t.Errorf("without a key: %d", status)
	}
	b.wantBooked(2, 28)
}

func TestAKeyRestsAfterA429AndAnotherServes(t *testing.T) {
	keys := &keyring{keys: []gateway.Credential{{KeyID: "a", Secret: fakeprovider.Key}, {KeyID: "b", Secret: fakeprovider.Key}}}
	b := newBare(t, keys)
	slow := fakeprovider.Error(429, "slow_down", "Slow down.", "Retry-After", "60").Always()
	b.upstream.Next(slow)
	for range 3 { // the first is sent again with the other key; then that one serves
		if status := b.call(); status != http.StatusOK {
			t.Fatalf("status %d", status)
		}
	}
	if got := len(b.upstream.Requests()); got != 4 {
		t.Errorf("%d requests reached the provider, want 4", got)
	}
	b.upstream.Next(slow)
	if status := b.call(); status != http.StatusTooManyRequests { // both rest now: the provider's own word
		t.Errorf("status %d", status)
	}
	if status := b.call(); status != http.StatusOK { // the one that rests the shortest is still tried
		t.Errorf("status %d", status)
	}
	b.wantBooked(4, 56)
}

// How long to rest may stand in the body, but what never comes holds nobody up.
func TestAnErrorWhoseBodyDoesNotComeIsWaitedForOnlySoLong(t *testing.T) {
	for name, c := range map[string]struct {
		status int
		keys   int
		want   int
	}{
		"a busy key, and another serves":    {429, 2, http.StatusOK},
		"a busy key, which is the only one": {429, 1, http.StatusTooManyRequests},
		"a request that is refused":         {400, 2, http.StatusBadRequest},
		"a provider that fails":             {500, 2, http.StatusInternalServerError},
	} {
		t.Run(name, func(t *testing.T) {
			keys := []gateway.Credential{{KeyID: "a", Secret: fakeprovider.Key}, {KeyID: "b", Secret: fakeprovider.Key}}
			b := newBare(t, &keyring{keys: keys[:c.keys]})
			b.Limits.ErrorTime, b.Limits.Deadline = 50*time.Millisecond, 20*time.Second
			b.upstream.Next(fakeprovider.Error(c.status, "slow", "Slow down.").HangAt(10).Always())
			if status := b.call(); status != c.want {
				t.Errorf("status %d, want %d", status, c.want)
			}
			served := int64(0)
			if c.want == http.StatusOK {
				served = 1
			}
			b.wantBooked(served, 14*served)
		})
	}
	b := newBare(t, &keyring{keys: []gateway.Credential{{Secret: fakeprovider.Key}}})
	b.Limits.ErrorTime, b.Limits.Deadline = time.Minute, 50*time.Millisecond
	b.upstream.Next(fakeprovider.Error(500, "slow", "Slow down.").HangAt(10).Always())
	if status := b.call(); status != http.StatusGatewayTimeout {
		t.Errorf("at the deadline: status %d", status)
	}
	b.wantBooked(0, 0)
}

// Counting tokens costs nothing, and yet finds out which keys are good for nothing.
func TestCountingTokensTriesTheNextKey(t *testing.T) {
	keys := &keyring{keys: []gateway.Credential{{KeyID: "bad", Secret: "sk-wrong"}, {KeyID: "good", Secret: fakeprovider.Key}}}
	b := newBare(t, keys)
	count := strings.Replace(b.url, "/chat/completions", "/messages/count_tokens", 1)
	if status := b.post(count); status != http.StatusOK {
		t.Errorf("status %d", status)
	}
	if !slices.Equal(keys.disabled, []string{"bad"}) {
		t.Errorf("disabled %v", keys.disabled)
	}
	b.upstream.Next(fakeprovider.HTML(200).Always())
	if status := b.post(count); status != http.StatusBadGateway {
		t.Errorf("a page came with status %d", status)
	}
	b.wantBooked(0, 0)
}

func TestAKeysDailyCapSendsCallsToTheNext(t *testing.T) {
	one := int64(1)
	keys := &keyring{keys: []gateway.Credential{
		{KeyID: "free", Secret: fakeprovider.Key, Caps: meter.Caps{Requests: &one}},
		{KeyID: "also free", Secret: fakeprovider.Key, Caps: meter.Caps{Requests: &one}},
	}}
	b := newBare(t, keys)
	for _, want := range []int{200, 200, 429} {
		if status := b.call(); status != want {
			t.Errorf("status %d, want %d", status, want)
		}
	}
	if got := len(b.upstream.Requests()); got != 2 {
		t.Errorf("%d requests reached the provider", got)
	}
	b.wantBooked(2, 28)
}

func TestAProviderThatIsDownIsLeftAlone(t *testing.T) {
	b := newBare(t, &keyring{keys: []gateway.Credential{{KeyID: "a", Secret: fakeprovider.Key}}})
	b.upstream.On("", fakeprovider.Error(503, "down", "Down for now.").Always())
	if err := b.meter.SetRate(t.Context(), meter.Rate{Holder: meter.Holder{Kind: meter.ForEveryone}}); err != nil {
		t.Fatal(err)
	}
	for range 15 {
		if status := b.call(); status != http.StatusServiceUnavailable {
			t.Fatalf("status %d", status)
		}
	}
	if got := len(b.upstream.Requests()); got != 10 {
		t.Errorf("%d requests reached the provider, want 10", got)
	}
	all, err := b.meter.Refusals(t.Context(), meter.RefusalFilter{Reason: gateway.ProviderDown})
	if err != nil || len(all) != 5 {
		t.Errorf("%d refusals, %v", len(all), err)
	}
	b.wantBooked(0, 0)
}

// A server that never had a key needs none; one whose last key is gone must not be sent prompts without.
func TestAProviderWhoseLastKeyIsGoneIsNotCalledWithout(t *testing.T) {
	h, p, pass := house(t)
	for _, c := range []struct {
		name   string
		had    bool
		status int
	}{{"open", false, 401}, {"locked", true, 503}} { // the fake provider's own 401 is that of one that was called
		if _, err := h.Providers.AddProvider(t.Context(), providers.Provider{Name: c.name, BaseURL: h.Upstream.URL}); err != nil {
			t.Fatal(err)
		}
		if _, err := h.Providers.AddModel(t.Context(), providers.Model{Provider: c.name, Upstream: "m"}); err != nil {
			t.Fatal(err)
		}
		h.Allow(p, c.name+"/m", nil, nil)
		if c.had {
			key, err := h.Providers.AddKey(t.Context(), c.name, "", providers.Environment)
			if err != nil {
				t.Fatal(err)
			}
			if err := h.Providers.RemoveKey(t.Context(), key.ID); err != nil {
				t.Fatal(err)
			}
		}
		a := exchange{body: ask(c.name + "/m"), header: bearer(pass)}.do(t, h)
		if a.WantStatus(t, c.status); c.had {
			wantReason(t, a, 503, gateway.ProviderNotConfigured)
		}
	}
	h.AtRest()
}

// Google says with a 400 that a key is not valid.
func TestAKeyThatGoogleDoesNotKnowIsDisabledAndTheNextServes(t *testing.T) {
	keys := &keyring{keys: []gateway.Credential{{KeyID: "a", Secret: fakeprovider.Key}, {KeyID: "b", Secret: fakeprovider.Key}}}
	b := newBare(t, keys)
	b.upstream.Next(fakeprovider.Body(400, "application/json", `[{"error":{"code":400,"message":"API key not valid.","status":"INVALID_ARGUMENT",`+
		`"details":[{"@type":"type.googleapis.com/google.rpc.ErrorInfo","reason":"API_KEY_INVALID","domain":"googleapis.com"}]}}]`).Always())
	if status := b.call(); status != http.StatusOK {
		t.Errorf("status %d", status)
	}
	b.upstream.Next(fakeprovider.Error(400, "bad", "Not so.").Always())
	if status := b.call(); status != http.StatusBadRequest {
		t.Errorf("a request that was refused for itself came as %d", status)
	}
	if !slices.Equal(keys.disabled, []string{"a"}) {
		t.Errorf("disabled %v", keys.disabled)
	}
	b.wantBooked(1, 14)
}

// OpenAI says with the 401 of a key that is not valid that a restricted one may not do this: it may do other things.
func TestAKeyThatMayNotDoThisGoesOnServing(t *testing.T) {
	const said = `"You have insufficient permissions for this operation. Missing scopes: api.responses.write."`
	for name, body := range map[string]string{
		"an error":             `{"error":{"message":` + said + `,"type":"invalid_request_error","param":null,"code":null}}`,
		"an error of one text": `{"error":` + said + `}`,
	} {
		t.Run(name, func(t *testing.T) {
			keys := &keyring{keys: []gateway.Credential{{KeyID: "a", Secret: fakeprovider.Key}, {KeyID: "b", Secret: fakeprovider.Key}}}
			b := newBare(t, keys)
			restricted := fakeprovider.Body(401, "application/json", body).Always()
			b.upstream.Next(restricted)
			if status := b.call(); status != http.StatusOK {
				t.Errorf("the other key, which may, was not asked: %d", status)
			}
			for range keys.keys {
				b.upstream.Next(restricted)
			}
			if status := b.call(); status != http.StatusUnauthorized {
				t.Errorf("what no key may do came as %d", status)
			}
			if status := b.call(); status != http.StatusOK || len(keys.disabled) > 0 {
				t.Errorf("another call came as %d, with %v disabled", status, keys.disabled)
			}
			b.wantBooked(2, 28)
		})
	}
}

// An error is looked at before it is passed on, and passed on whole all the same.
func TestALongErrorIsPassedOnWhole(t *testing.T) {
	h, _, pass := house(t)
	for _, status := range []int{400, 429} {
		reply := fakeprovider.Error(status, "bad", strings.Repeat("Not so. ", 20_000))
		h.Upstream.Next(reply.Always())
		if a := (exchange{header: bearer(pass)}).do(t, h); a.Status != status || !bytes.Equal(a.Body, reply.Bytes()) {
			t.Errorf("%d: got %d with %d of %d bytes", status, a.Status, len(a.Body), len(reply.Bytes()))
		}
	}
	h.AtRest()
}
