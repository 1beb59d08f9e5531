package gateway

import (
	"net/http"
	"time"

	"perdiem/gateway/peer"
)

// newClient is the client for calls to providers. It bounds how long a connection takes and
// nothing else: a good reply may take minutes, so http.Client.Timeout, which covers the body too,
// stays unset. Redirects are not followed: they could carry a key elsewhere.
func newClient() *http.Client {
	dialer := peer.Dialer()
	dialer.Timeout = 10 * time.Second
	return &http.Client{
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
		Transport: &http.Transport{
			Proxy:                 http.ProxyFromEnvironment,
			DialContext:           dialer.DialContext,
			TLSHandshakeTimeout:   10 * time.Second,
			ExpectContinueTimeout: time.Second,
			ForceAttemptHTTP2:     true,
			MaxIdleConns:          1024,
			MaxIdleConnsPerHost:   512, // a burst's connections serve the next one: a handshake costs more than a call
			IdleConnTimeout:       90 * time.Second,
			HTTP2: &http.HTTP2Config{ // notices a connection that died while the machine slept
				SendPingTimeout: 15 * time.Second,
				PingTimeout:     10 * time.Second,
			},
		},
	}
}
