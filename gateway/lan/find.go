package lan

import (
	"context"
	"errors"
	"fmt"
	"net"
	"slices"
	"strings"
	"time"

	"github.com/miekg/dns"
	"golang.org/x/net/ipv4"
)

// Found is a gateway that was announced.
type Found struct {
	Name string `json:"name"`
	URL  string `json:"url"` // the base URL for tools, with its /v1
}

// group is where questions about services are asked (RFC 6762).
var group = &net.UDPAddr{IP: net.IPv4(224, 0, 0, 251), Port: 5353}

// askTwice is how long after the first question it is asked again: packets to a group get lost.
const askTwice = 300 * time.Millisecond

// Find asks every network which gateways there are, and gathers answers for a time.
func Find(ctx context.Context, wait time.Duration) ([]Found, error) {
	all, err := networks()
	if err != nil {
		return nil, fmt.Errorf("list the networks: %w", err)
	}
	ctx, cancel := context.WithTimeout(ctx, wait)
	defer cancel()
	type answer struct {
		found []Found
		err   error
	}
	answers := make(chan answer)
	for _, n := range all {
		go func() {
			found, err := ask(ctx, n)
			answers <- answer{found, err}
		}()
	}
	var found []Found
	var errs []error
	for range all {
		a := <-answers
		found = append(found, a.found...)
		if a.err != nil {
			errs = append(errs, a.err)
		}
	}
	if len(all) > 0 && len(errs) == len(all) {
		return nil, fmt.Errorf("ask the networks: %w", errors.Join(errs...))
	}
	slices.SortFunc(found, func(a, b Found) int { return strings.Compare(a.Name+" "+a.URL, b.Name+" "+b.URL) })
	return slices.Compact(found), nil
}

// ask asks one network until ctx ends. It asks from a port of its own, so that answers come to that
// port alone, and the machine's own responder keeps the usual one.
func ask(ctx context.Context, n network) ([]Found, error) {
	conn, err := net.ListenUDP("udp4", &net.UDPAddr{IP: n.ips[0]})
	if err != nil {
		return nil, err
	}
	defer conn.Close()
	defer context.AfterFunc(ctx, func() { _ = conn.SetReadDeadline(time.Unix(1, 0)) })() // ends a Read
	if err := ipv4.NewPacketConn(conn).SetMulticastInterface(&n.Interface); err != nil {
		return nil, err
	}
	question := new(dns.Msg).SetQuestion(service+".local.", dns.TypePTR)
	question.RecursionDesired = false
	packet, err := question.Pack()
	if err != nil {
		return nil, err
	}
	if _, err := conn.WriteTo(packet, group); err != nil {
		return nil, err
	}
	again := time.AfterFunc(askTwice, func() { _, _ = conn.WriteTo(packet, group) }) // the first may have been enough
	defer again.Stop()
	var found []Found
	buffer := make([]byte, 9000) // the longest packet there is (RFC 6762, section 17)
	for {
		size, from, err := conn.ReadFromUDP(buffer)
		if err != nil {
			return found, nil // the time is up
		}
		var m dns.Msg
		if m.Unpack(buffer[:size]) == nil && m.Response {
			found = append(found, read(&m, from.IP)...)
		}
	}
}

// read takes the gateways out of an answer. A gateway is reached at the address that answered: it
// may have others in other networks.
func read(m *dns.Msg, from net.IP) []Found {
	var found []Found
	records := slices.Concat(m.Answer, m.Extra)
	secure := map[string]bool{}
	for _, record := range records {
		if txt, ok := record.(*dns.TXT); ok {
			secure[txt.Hdr.Name] = slices.Contains(txt.Txt, speaksHTTPS)
		}
	}
	for _, record := range records {
		srv, ok := record.(*dns.SRV)
		if !ok || srv.Port == 0 {
			continue
		}
		if name, ok := strings.CutSuffix(srv.Hdr.Name, "."+service+".local."); ok {
			scheme := "http://"
			if secure[srv.Hdr.Name] {
				scheme = "https://"
			}
			found = append(found, Found{plain(name), scheme + net.JoinHostPort(from.String(), fmt.Sprint(srv.Port)) + "/v1"})
		}
	}
	return found
}

// plain writes a name as its owner did, without what cannot be shown.
func plain(name string) string {
	name = strings.ReplaceAll(name, `\`, "")
	return strings.Map(func(r rune) rune {
		if r < ' ' || r == 0x7f {
			return -1
		}
		return r
	}, strings.ToValidUTF8(name, ""))
}
