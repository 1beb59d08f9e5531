package gateway

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"io"
	"net"
	"net/url"
	"syscall"

	"github.com/sony/gobreaker/v2"
)

// connectionWords says in plain words why a connection failed. The error's own text is not passed
// on: it names addresses, and some name keys.
func connectionWords(err error) string {
	var dns *net.DNSError
	var certificate *tls.CertificateVerificationError
	var authority x509.UnknownAuthorityError
	var timeout net.Error
	if u := (*url.Error)(nil); errors.As(err, &u) {
		err = u.Err // it calls itself a timeout only for what is directly inside
	}
	switch {
	case errors.Is(err, gobreaker.ErrOpenState), errors.Is(err, gobreaker.ErrTooManyRequests):
		return "it has failed many times in a row, and is left alone for a moment"
	case errors.As(err, &dns):
		return "its name is not known"
	case errors.As(err, &certificate), errors.As(err, &authority):
		return "its certificate is not trusted"
	case errors.Is(err, syscall.ECONNREFUSED):
		return "it refused the connection"
	case errors.Is(err, syscall.ENETUNREACH), errors.Is(err, syscall.EHOSTUNREACH):
		return "the network is down"
	case errors.Is(err, io.EOF), errors.Is(err, io.ErrUnexpectedEOF), errors.Is(err, syscall.ECONNRESET), errors.Is(err, syscall.EPIPE):
		return "it closed the connection"
	case errors.Is(err, context.DeadlineExceeded), errors.As(err, &timeout) && timeout.Timeout():
		return "it did not answer in time"
	default:
		return "the connection failed"
	}
}
