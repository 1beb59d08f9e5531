package lan

import (
	"net"
	"reflect"
	"testing"

	"github.com/hashicorp/mdns"
	"github.com/miekg/dns"
)

func TestWhatIsAnnouncedIsRead(t *testing.T) {
	at := net.IPv4(192, 0, 2, 7)
	zone, err := mdns.NewMDNSService("Ada's laptop", service, "", hostOf("Ada's laptop")+".local.", 7427, []net.IP{at}, nil)
	if err != nil {
		t.Fatal(err)
	}
	m := &dns.Msg{Answer: zone.Records(dns.Question{Name: service + ".local.", Qtype: dns.TypePTR})}
	packet, err := m.Pack()
	if err != nil {
		t.Fatal(err)
	}
	var got dns.Msg
	if err := got.Unpack(packet); err != nil {
		t.Fatal(err)
	}
	if found, want := read(&got, at), []Found{{"Ada's laptop", "http://192.0.2.7:7427/v1"}}; !reflect.DeepEqual(found, want) {
		t.Errorf("found %+v, want %+v", found, want)
	}
}

func TestWhatAGatewaySpeaksIsRead(t *testing.T) {
	name := "Ada." + service + ".local."
	srv := &dns.SRV{Hdr: dns.RR_Header{Name: name}, Port: 7427}
	for scheme, told := range map[string][]string{"http": {"path=/v1"}, "https": {"path=/v1", speaksHTTPS}} {
		m := &dns.Msg{Answer: []dns.RR{srv}, Extra: []dns.RR{&dns.TXT{Hdr: dns.RR_Header{Name: name}, Txt: told}}}
		if found, want := read(m, net.IPv4(192, 0, 2, 7)), []Found{{"Ada", scheme + "://192.0.2.7:7427/v1"}}; !reflect.DeepEqual(found, want) {
			t.Errorf("found %+v, want %+v", found, want)
		}
	}
}

func TestAnswersOfOthersAreNoGateways(t *testing.T) {
	for name, srv := range map[string]*dns.SRV{
		"another service": {Hdr: dns.RR_Header{Name: "x._http._tcp.local."}, Port: 80},
		"no port":         {Hdr: dns.RR_Header{Name: "x." + service + ".local."}},
	} {
		if found := read(&dns.Msg{Answer: []dns.RR{srv, &dns.A{}}}, net.IPv4zero); len(found) > 0 {
			t.Errorf("%s: %+v", name, found)
		}
	}
	if got := plain("a\x1b[31m\x00\xff\\ b"); got != "a[31m b" {
		t.Errorf("a name is shown as %q", got)
	}
}
