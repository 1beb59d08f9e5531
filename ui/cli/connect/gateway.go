package connect

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"slices"
	"strings"
)

// Base makes the gateway's base URL of what a person may give for it: an address with or without
// http://, with or without /v1.
func Base(address string) (string, error) {
	if !strings.Contains(address, "://") {
		address = "http://" + address
	}
	u, err := url.Parse(strings.TrimSpace(address))
	if err != nil || u.Host == "" || u.User != nil || u.Scheme != "http" && u.Scheme != "https" {
		return "", errors.New("the gateway's address looks like http://192.168.1.20:7427/v1")
	}
	return u.Scheme + "://" + u.Host + "/v1", nil
}

// Gateway is one that can be asked.
type Gateway struct {
	Base   string // with its /v1
	CA     string // the file with the authority to trust; empty where the machine trusts the gateway by itself
	client *http.Client
}

// Models asks which models a pass may use. Its errors are for the person to read.
func (g Gateway) Models(ctx context.Context, pass string) ([]string, error) {
	var answer struct {
		Data  []struct{ ID string }
		Error struct{ Message string }
	}
	status, err := g.ask(ctx, http.MethodGet, "/v1/models", pass, nil, &answer)
	if err != nil {
		return nil, err
	}
	if status != http.StatusOK && answer.Error.Message == "" {
		return nil, g.noGateway(status)
	}
	if status != http.StatusOK {
		return nil, fmt.Errorf("the gateway says: %s", answer.Error.Message)
	}
	models := make([]string, len(answer.Data))
	for i, m := range answer.Data {
		models[i] = m.ID
	}
	if len(models) == 0 {
		return nil, errors.New("this pass may not use any model yet; ask the owner of the gateway for an allowance")
	}
	return models, nil
}

// Join gets a pass for a join code, once. The device is what the owner will see it as.
func (g Gateway) Join(ctx context.Context, code, device string) (person, pass string, err error) {
	said, err := json.Marshal(map[string]string{"code": code, "device": device})
	if err != nil {
		return "", "", err
	}
	var answer struct{ Person, Pass string }
	var refused struct{ Error json.RawMessage }
	var body json.RawMessage
	status, err := g.ask(ctx, http.MethodPost, "/page/api/join", "", said, &body)
	if err != nil {
		return "", "", err
	}
	if status != http.StatusOK {
		if err := json.Unmarshal(body, &refused); err != nil || len(refused.Error) == 0 {
			return "", "", g.noGateway(status)
		}
		return "", "", fmt.Errorf("the gateway says: %s", wordsOf(refused.Error))
	}
	if err := json.Unmarshal(body, &answer); err != nil || answer.Pass == "" {
		return "", "", g.noGateway(status)
	}
	return answer.Person, answer.Pass, nil
}

// wordsOf reads an error in either shape: the page's, or that of a dialect.
func wordsOf(said json.RawMessage) string {
	var text string
	var object struct{ Message string }
	if json.Unmarshal(said, &text) == nil {
		return text
	}
	if json.Unmarshal(said, &object) == nil && object.Message != "" {
		return object.Message
	}
	return "no, without a reason"
}

// ask asks for JSON. The path is from the root.
func (g Gateway) ask(ctx context.Context, method, path, pass string, body []byte, answer any) (status int, err error) {
	ctx, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	req, err := http.NewRequestWithContext(ctx, method, strings.TrimSuffix(g.Base, "/v1")+path, bytes.NewReader(body))
	if err != nil {
		return 0, err
	}
	if pass != "" {
		req.Header.Set("Authorization", "Bearer "+pass)
	}
	res, err := g.client.Do(req)
	if err != nil {
		return 0, inWords(err, g.Base)
	}
	defer res.Body.Close()
	if err := json.NewDecoder(io.LimitReader(res.Body, 4<<20)).Decode(answer); err != nil {
		return res.StatusCode, g.noGateway(res.StatusCode)
	}
	return res.StatusCode, nil
}

func (g Gateway) noGateway(status int) error {
	return fmt.Errorf("what answers at %s is no gateway (status %d); compare the address with what its owner told you", g.Base, status)
}

// Choose takes the model that was asked for, or the first, of those that a pass may use.
func Choose(wanted string, models []string) (string, error) {
	if wanted == "" {
		return models[0], nil
	}
	if !slices.Contains(models, wanted) {
		return "", fmt.Errorf("this pass may not use %q; it may use %s", wanted, strings.Join(models, ", "))
	}
	return wanted, nil
}
