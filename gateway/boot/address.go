package boot

import (
	"cmp"
	"net"
	"net/netip"
	"net/url"
	"os"
	"slices"
	"strconv"
	"strings"
)

// Address is where teammates reach the gateway.
type Address struct {
	URL   string // the base URL for tools, with its /v1
	Label string // which network it is in
}

// Addresses lists where the gateway can be reached at this moment, the LAN first. The interfaces
// are read anew each time: a laptop changes networks.
func (a *App) Addresses() []Address {
	host, port, err := net.SplitHostPort(a.Listen())
	if err != nil {
		return nil
	}
	var all []Address
	for _, name := range a.encryption.Load().names() {
		all = append(all, Address{name, "by the name in your certificate"})
	}
	if ip, err := netip.ParseAddr(host); err == nil && !ip.IsUnspecified() {
		all = append(all, Address{host, networkOf("", ip).label})
	} else if err != nil && host != "" {
		all = append(all, Address{host, "this machine"})
	} else {
		all = append(all, hostsHere()...)
	}
	scheme := a.scheme()
	for i := range all {
		all[i].URL = scheme + "://" + net.JoinHostPort(all[i].URL, port) + "/v1"
	}
	return all
}

// scheme is what the port speaks, or would.
func (a *App) scheme() string {
	if a.encryption.Load() != nil || !a.On() && a.encrypted(*a.settings.Load()) {
		return "https"
	}
	return "http"
}

// host is the name or IP address in an address.
func (a Address) host() string {
	u, err := url.Parse(a.URL)
	if err != nil {
		return ""
	}
	return u.Hostname()
}

// network is a kind of network, by how likely a teammate is in it.
type network struct {
	rank  int
	label string
}

// hostsHere are the IP addresses of this machine, in place of URLs.
func hostsHere() []Address {
	interfaces, err := net.Interfaces()
	if err != nil {
		return []Address{{"localhost", "this machine"}}
	}
	type found struct {
		network
		ip netip.Addr
	}
	var all []found
	for _, i := range interfaces {
		if i.Flags&net.FlagUp == 0 {
			continue
		}
		addrs, err := i.Addrs()
		if err != nil {
			continue // the interface went away meanwhile
		}
		for _, addr := range addrs {
			prefix, err := netip.ParsePrefix(addr.String())
			if err != nil || !prefix.Addr().Unmap().Is4() {
				continue // IPv6 addresses are no use read aloud, and change
			}
			ip := prefix.Addr().Unmap()
			if ip.IsLinkLocalUnicast() {
				continue
			}
			all = append(all, found{networkOf(i.Name, ip), ip})
		}
	}
	slices.SortStableFunc(all, func(a, b found) int {
		return cmp.Or(cmp.Compare(a.rank, b.rank), a.ip.Compare(b.ip))
	})
	addresses := make([]Address, len(all))
	for i, f := range all {
		addresses[i] = Address{f.ip.String(), f.label}
	}
	return addresses
}

// virtual begin the names of interfaces that lead to containers, virtual machines or tunnels,
// where no teammate is.
var virtual = []string{"docker", "br-", "veth", "virbr", "vmnet", "vboxnet", "vethernet", "podman", "cni", "flannel", "lxc", "lxd"}

var tunnels = []string{"tun", "tap", "utun", "wg", "tailscale", "zt", "ppp", "nordlynx"}

func networkOf(name string, ip netip.Addr) network {
	has := func(prefixes []string) bool {
		return slices.ContainsFunc(prefixes, func(p string) bool { return strings.HasPrefix(strings.ToLower(name), p) })
	}
	switch {
	case ip.IsLoopback():
		return network{4, "this machine only"}
	case has(virtual):
		return network{3, "virtual network (" + name + ")"}
	case has(tunnels):
		return network{1, "VPN (" + name + ")"}
	case ip.IsPrivate():
		return network{0, label("LAN", name)}
	default:
		return network{2, label("public", name)}
	}
}

func label(what, name string) string {
	if name == "" {
		return what
	}
	return what + " (" + name + ")"
}

// Listen is the address that the gateway listens on, or would.
func (a *App) Listen() string {
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.serving != nil {
		return a.serving.listener.Addr().String() // the port that ":0" became
	}
	return a.options.Listen
}

// Port is the port that the gateway listens on, or would.
func (a *App) Port() int {
	_, port, _ := net.SplitHostPort(a.Listen())
	n, _ := strconv.Atoi(port)
	return n
}

// announced tells by which name and port a gateway that listens at an address is announced in the
// local network, if it is: not where the owner wants it quiet, or where nobody there could reach it.
func (a *App) announced(at net.Addr) (name string, port int, ok bool) {
	settings := a.settings.Load()
	tcp, isTCP := at.(*net.TCPAddr)
	if a.options.Quiet || settings != nil && settings.Quiet || !isTCP || tcp.IP.IsLoopback() {
		return "", 0, false
	}
	name, err := os.Hostname()
	if err != nil {
		name = "Perdiem"
	}
	return name, tcp.Port, true
}
