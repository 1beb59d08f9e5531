package check

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/url"
	"strings"
	"syscall"

	openai "github.com/sashabaranov/go-openai"

	"perdiem/providers/keys"
)

// Problem is why a provider could not be asked, in words for the owner.
type Problem struct {
	Message string
	Status  int // the provider's HTTP status; 0 = it was not reached, or gave no usable answer
}

func (p *Problem) Error() string { return p.Message }

// KeyRefused tells whether it is the key that is at fault, not the address or the provider.
func (p *Problem) KeyRefused() bool {
	return p.Status == http.StatusUnauthorized || p.Status == http.StatusForbidden
}

// problem puts an error of the client into words.
func problem(err error, baseURL, secret string) *Problem {
	p := &Problem{Status: status(err)}
	var api *openai.APIError
	switch {
	case p.Status == 0:
		p.Message = unreachedWords(err, host(baseURL))
	case errors.As(err, &api):
		p.Message = statusWords(p.Status, api.Message)
	default:
		p.Message = statusWords(p.Status, "")
	}
	p.Message = keys.Redact(p.Message, secret)
	return p
}

// status is the HTTP status that an error of the client came from; 0 if it came from none.
func status(err error) int {
	var api *openai.APIError
	var request *openai.RequestError
	var redirect redirected
	switch {
	case errors.As(err, &request): // asked first: it may hold an APIError without its status
		return request.HTTPStatusCode
	case errors.As(err, &api):
		return api.HTTPStatusCode
	case errors.As(err, &redirect):
		return int(redirect)
	}
	return 0
}

// host is what an address is called in words; "" if it is none.
func host(baseURL string) string {
	u, err := url.Parse(baseURL)
	if err != nil {
		return ""
	}
	return u.Host
}

// statusWords says what an HTTP status means here. said is the provider's own message, which helps where the status alone
// says little.
func statusWords(status int, said string) string {
	var words string
	switch {
	case status == http.StatusUnauthorized:
		return "The provider does not accept this key. Copy it again, or make a new one."
	case status == http.StatusForbidden:
		words = "The provider knows this key but does not let it list models. Look at the key's permissions there."
	case status == http.StatusNotFound, status == http.StatusMethodNotAllowed:
		return "There is no OpenAI-compatible API at this address. Most end in /v1."
	case status == http.StatusTooManyRequests:
		words = "The provider turns requests away for now: too many, or the account is out of credit."
	case status >= 300 && status < 400:
		return "This address sends on to another one. Enter that one instead; a key is only sent to the address that you entered."
	case status >= 500:
		words = fmt.Sprintf("The provider is in trouble (it answered %d). Try again later.", status)
	default:
		words = fmt.Sprintf("The provider refused the request (it answered %d).", status)
	}
	if said = strings.TrimSpace(said); said != "" {
		words += " It says: " + shorten(said)
	}
	return words
}

// maxSaid is how much of a provider's message is shown, in characters.
const maxSaid = 200

func shorten(s string) string {
	if r := []rune(s); len(r) > maxSaid {
		return string(r[:maxSaid]) + "…"
	}
	return s
}

// unreachedWords says why there was no answer, or none of the kind expected.
func unreachedWords(err error, host string) string {
	var dns *net.DNSError
	var unknown x509.UnknownAuthorityError
	var name x509.HostnameError
	var certificate *tls.CertificateVerificationError
	var record tls.RecordHeaderError
	var network net.Error
	switch {
	case host == "":
		return "This is not a web address. One looks like https://api.example.com/v1."
	case errors.As(err, &dns):
		return fmt.Sprintf("There is no machine named %s. Check the address, and that this machine is online.", host)
	case errors.Is(err, syscall.ECONNREFUSED):
		return fmt.Sprintf("Nothing answers at %s. Is the server running there?", host)
	case errors.As(err, &unknown), errors.As(err, &name), errors.As(err, &certificate):
		return fmt.Sprintf("The certificate of %s is not to be trusted, so nothing was sent to it.", host)
	case errors.As(err, &record), strings.Contains(err.Error(), "server gave HTTP response to HTTPS client"):
		return fmt.Sprintf("%s does not speak https. If it is on your own network, enter its address with http://.", host)
	case errors.Is(err, context.DeadlineExceeded), errors.As(err, &network) && network.Timeout():
		return fmt.Sprintf("%s did not answer in %d seconds.", host, int(limit.Seconds()))
	case errors.Is(err, errTooLong):
		return "The provider's list of models is far too long to be one."
	case errors.As(err, &network):
		return fmt.Sprintf("The connection to %s broke off. Try again.", host)
	}
	return fmt.Sprintf("%s answers, but not like an OpenAI-compatible API. Most addresses end in /v1.", host)
}
