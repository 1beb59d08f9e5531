package connect

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"time"
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

// Models asks a gateway which models a pass may use. Its errors are for the person to read.
func Models(ctx context.Context, client *http.Client, base, pass string) ([]string, error) {
	ctx, cancel := context.WithTimeout(ctx, 10*time.Second)
	defer cancel()
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, base+"/models", http.NoBody)
	if err != nil {
		return nil, err
	}
	req.Header.Set("Authorization", "Bearer "+pass)
	res, err := client.Do(req)
	if err != nil {
		return nil, fmt.Errorf("no gateway answers at %s: %w", base, err)
	}
	defer res.Body.Close()
	var answer struct {
		Data  []struct{ ID string }
		Error struct{ Message string }
	}
	if err := json.NewDecoder(io.LimitReader(res.Body, 4<<20)).Decode(&answer); err != nil {
		return nil, fmt.Errorf("what answers at %s is no gateway (status %d)", base, res.StatusCode)
	}
	if res.StatusCode != http.StatusOK {
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
