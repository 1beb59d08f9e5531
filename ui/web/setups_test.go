package web_test

import (
	"encoding/json"
	"net/http"
	"strings"
	"testing"

	"perdiem/testing/harness"
	"perdiem/ui/web"
)

func TestSetUpTextsSayWhatToTrustWhereThePortIsEncrypted(t *testing.T) {
	h := harness.Start(t, harness.Options{HTTPS: true})
	_, pass := h.Person("Ada")
	req, err := http.NewRequestWithContext(t.Context(), http.MethodGet, strings.TrimSuffix(h.URL, "/v1")+"/page/api/setups", http.NoBody)
	if err != nil {
		t.Fatal(err)
	}
	req.Header.Set("Authorization", "Bearer "+pass)
	client := &http.Client{Transport: &http.Transport{TLSClientConfig: h.ClientTLS(), DisableKeepAlives: true}}
	res, err := client.Do(req)
	if err != nil {
		t.Fatal(err)
	}
	defer res.Body.Close()
	var all setUps
	if err := json.NewDecoder(res.Body).Decode(&all); err != nil {
		t.Fatal(err)
	}
	https, err := h.HTTPS(t.Context())
	if err != nil || all.Fingerprint != https.Fingerprint || all.CA != web.CAPath {
		t.Errorf("%+v, %v", all, err)
	}
	for _, s := range all.Tools {
		if !strings.Contains(s.Text, "$HOME/perdiem-ca.pem") {
			t.Errorf("%s: %s", s.Tool, s.Text)
		}
	}
}

func TestSetUpTextsHaveTheirPassAndAddressFilledInByTheBrowser(t *testing.T) {
	c := newCaller(t)
	_, pass := c.person("Ada")
	all := get[setUps](c, "/page/api/setups", pass)
	if len(all.Tools) < 8 || all.Fingerprint != "" || all.CA != "" {
		t.Errorf("only %+v", all)
	}
	for _, s := range all.Tools {
		if strings.Contains(s.Text, "pdm_") || !strings.Contains(s.Text, "{{pass}}") || !strings.Contains(s.Text, "{{origin}}") {
			t.Errorf("%s: %s", s.Tool, s.Text)
		}
	}
}
