package https

import (
	"net"
	"net/netip"
	"os"
	"slices"
	"strings"
)

// Names are what a machine goes by: lower-case host names, and addresses.
type Names struct {
	Hosts     []string
	Addresses []netip.Addr
}

// localDomains are names that mean something in a local network alone.
var localDomains = []string{"localhost", "local", "lan", "internal", "home.arpa"}

// NamesHere are what this machine goes by now: localhost, its own name, its addresses, and further
// names or addresses that its owner set.
func NamesHere(further []string) Names {
	n := Names{Hosts: []string{"localhost"}, Addresses: []netip.Addr{netip.MustParseAddr("127.0.0.1"), netip.IPv6Loopback()}}
	n.add(OwnHosts()...)
	n.add(further...)
	addrs, err := net.InterfaceAddrs()
	if err != nil {
		addrs = nil // the names are left, by which most are reached
	}
	for _, a := range addrs {
		if p, err := netip.ParsePrefix(a.String()); err == nil {
			n.Addresses = append(n.Addresses, p.Addr().Unmap().WithZone(""))
		}
	}
	slices.Sort(n.Hosts)
	slices.SortFunc(n.Addresses, netip.Addr.Compare)
	return Names{slices.Compact(n.Hosts), slices.Compact(n.Addresses)}
}

// OwnHosts are the names by which this machine is called: its own, that without its domain, and that in the local network.
func OwnHosts() []string {
	own, err := os.Hostname()
	if err != nil {
		return nil
	}
	short, _, _ := strings.Cut(own, ".")
	return []string{own, short, short + ".local"}
}

func (n *Names) add(hosts ...string) {
	for _, h := range hosts {
		if ip, err := netip.ParseAddr(h); err == nil {
			n.Addresses = append(n.Addresses, ip.Unmap().WithZone(""))
		} else if isHostName(h) {
			n.Hosts = append(n.Hosts, strings.ToLower(h))
		}
	}
}

// isHostName tells whether a name can stand in a certificate: some machines have names that cannot.
func isHostName(h string) bool {
	for label := range strings.SplitSeq(h, ".") {
		bad := strings.ContainsFunc(label, func(r rune) bool {
			return (r < 'a' || r > 'z') && (r < 'A' || r > 'Z') && (r < '0' || r > '9') && r != '-' && r != '_'
		})
		if label == "" || len(label) > 63 || bad {
			return false
		}
	}
	return len(h) <= 253
}

// within are the names for which an authority may sign.
func (n Names) within(a *Authority) Names {
	return Names{slices.DeleteFunc(slices.Clone(n.Hosts), func(h string) bool { return !a.Covers(h) }), n.Addresses}
}

func (n Names) equal(o Names) bool {
	return slices.Equal(n.Hosts, o.Hosts) && slices.Equal(n.Addresses, o.Addresses)
}

// domains are the names for which an authority of these may sign, and below them.
func (n Names) domains() []string {
	all := slices.Clone(localDomains)
	for _, h := range n.Hosts {
		if !slices.Contains(all, h) {
			all = append(all, h)
		}
	}
	return all
}
