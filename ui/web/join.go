package web

import (
	"context"
	"encoding/json"
	"errors"
	"net/http"
	"time"

	"perdiem/gateway/throttle"
	"perdiem/meter"
)

// JoinBooks give out a pass for a join code; meter.ErrJoinInvalid if it is not good, or not any more.
type JoinBooks interface {
	RedeemJoinCode(ctx context.Context, code, device string) (meter.Person, meter.Pass, string, error)
}

// joining is what a device sends that wants to join. The code comes in the body, and so in no
// address, history or log.
type joining struct {
	Code   string `json:"code"`
	Device string `json:"device"`
}

// joined is what it gets, this once.
type joined struct {
	Person string `json:"person"`
	Pass   string `json:"pass"`
	PassID string `json:"passId"`
}

var errJoin = problem{http.StatusForbidden, "This join link is not good, or not any more: it lasts ten minutes, and for one device. Ask the owner of the gateway for another."}

// maxJoining bounds what is read, in bytes.
const maxJoining = 4 << 10

// join gives a device a pass for a code.
func (p *page) join(r *http.Request) (any, error) {
	network := throttle.NetworkOf(r)
	if p.tries.Full(network) {
		return nil, errTooWrong
	}
	var j joining
	if err := json.NewDecoder(http.MaxBytesReader(nil, r.Body, maxJoining)).Decode(&j); err != nil {
		return nil, problem{http.StatusBadRequest, "This is no request to join."}
	}
	// A device that leaves must not break off halfway.
	ctx, cancel := context.WithTimeout(context.WithoutCancel(r.Context()), 10*time.Second)
	defer cancel()
	who, pass, secret, err := p.Books.RedeemJoinCode(ctx, j.Code, j.Device)
	switch {
	case errors.Is(err, meter.ErrJoinInvalid):
		p.tries.Count(network)
		return nil, errJoin
	case errors.Is(err, meter.ErrInvalid):
		return nil, problem{http.StatusBadRequest, "A device cannot have this name. Give it another, of at most 80 characters."}
	case err != nil:
		return nil, err
	}
	return joined{who.Name, secret, pass.ID}, nil
}
