// Package lan announces a gateway to its local networks by DNS-SD, and finds those that are announced.
//
// What is announced is a name and a port: whoever is in the network could find the same by trying.
// What is found is only as trustworthy as the network: a pass belongs to the gateway whose address
// its owner told.
package lan

import (
	"context"
	"fmt"
	"io"
	"log"
	"log/slog"
	"net"
	"net/netip"
	"strings"
	"time"

	"github.com/hashicorp/mdns"
)

const service = "_perdiem._tcp"

// speaksHTTPS is told of a port that does; without it plain HTTP is meant.
const speaksHTTPS = "scheme=https"

// again is how often the networks are looked at: a laptop changes them.
const again = 30 * time.Second

// silent keeps the library's own log away: what it says of other machines' packets helps nobody.
var silent = log.New(io.Discard, "", 0)

// network is an interface with its IPv4 addresses, at which others reach this machine.
type network struct {
	net.Interface
	ips []net.IP
}

func (n network) String() string { return fmt.Sprint(n.Index, n.ips) }

// networks lists the interfaces that others can hear.
func networks() ([]network, error) {
	all, err := net.Interfaces()
	if err != nil {
		return nil, err
	}
	var found []network
	for _, i := range all {
		if i.Flags&net.FlagUp == 0 || i.Flags&net.FlagMulticast == 0 || i.Flags&net.FlagLoopback != 0 {
			continue
		}
		addrs, err := i.Addrs()
		if err != nil {
			continue // it went away meanwhile
		}
		n := network{Interface: i}
		for _, a := range addrs {
			if p, err := netip.ParsePrefix(a.String()); err == nil && p.Addr().Unmap().Is4() {
				n.ips = append(n.ips, p.Addr().Unmap().AsSlice())
			}
		}
		if len(n.ips) > 0 {
			found = append(found, n)
		}
	}
	return found, nil
}

// Gateway is what is announced.
type Gateway struct {
	Name  string
	Port  int
	HTTPS bool // what the port speaks
}

// Announce announces a gateway in every network, also in those that come later, until ctx ends.
// A network in which it cannot is left out: the address works there all the same.
func Announce(ctx context.Context, g Gateway, l *slog.Logger) {
	var told string // the networks in which it is announced
	var servers []*mdns.Server
	stop := func() {
		for _, s := range servers {
			_ = s.Shutdown() // closes sockets; there is no more to do if that fails
		}
		servers = nil
	}
	defer stop()
	look := time.NewTicker(again)
	defer look.Stop()
	for {
		if now, err := networks(); err == nil && fmt.Sprint(now) != told {
			stop()
			told = fmt.Sprint(now)
			for _, n := range now {
				s, err := serve(n, g)
				if err != nil {
					l.Debug("not announced in a network", "interface", n.Name, "error", err)
					continue
				}
				servers = append(servers, s)
			}
		}
		select {
		case <-ctx.Done():
			return
		case <-look.C:
		}
	}
}

func serve(n network, g Gateway) (*mdns.Server, error) {
	told := []string{"path=/v1"}
	if g.HTTPS {
		told = append(told, speaksHTTPS)
	}
	// The host is named after the gateway, not the machine, whose own responder answers for that.
	zone, err := mdns.NewMDNSService(g.Name, service, "", hostOf(g.Name)+".local.", g.Port, n.ips, told)
	if err != nil {
		return nil, fmt.Errorf("describe the gateway: %w", err)
	}
	return mdns.NewServer(&mdns.Config{Zone: zone, Iface: &n.Interface, Logger: silent})
}

// hostOf makes a host name of a gateway's.
func hostOf(name string) string {
	return "perdiem-" + strings.Map(func(r rune) rune {
		switch {
		case r >= 'a' && r <= 'z', r >= '0' && r <= '9', r == '-':
			return r
		case r >= 'A' && r <= 'Z':
			return r - 'A' + 'a'
		}
		return '-'
	}, name)
}
