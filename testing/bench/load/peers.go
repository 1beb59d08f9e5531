//go:build linux

package main

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"time"
)

// peer is one gateway, or the provider itself.
type peer struct {
	name    string
	address string // host and port
	pid     int    // 0 for the provider: nothing is between it and the load
	headers []string
	passes  []string // one for each of its people; else nobody needs one
	spent   string   // a pass whose day is spent
}

// started are processes to end with the run.
type started []*exec.Cmd

func (s *started) stop() {
	for _, c := range *s {
		_ = c.Process.Signal(os.Interrupt)
	}
	for _, c := range *s {
		kill := time.AfterFunc(3*time.Second, func() { _ = c.Process.Kill() })
		_ = c.Wait()
		kill.Stop()
	}
}

// start runs a program on a core and returns the first line that it says.
func (s *started) start(ctx context.Context, core int, says io.Writer, env []string, program string, args ...string) (*exec.Cmd, string, error) {
	c := exec.CommandContext(ctx, "taskset", append([]string{"-c", strconv.Itoa(core), program}, args...)...)
	c.Env, c.Stderr = append(os.Environ(), env...), says
	c.Cancel = func() error { return c.Process.Signal(os.Interrupt) }
	out, err := c.StdoutPipe()
	if err != nil {
		return nil, "", err
	}
	if err := c.Start(); err != nil {
		return nil, "", err
	}
	*s = append(*s, c)
	lines := bufio.NewReader(out)
	line, err := lines.ReadString('\n')
	go func() { _, _ = lines.WriteTo(io.Discard) }() // a full pipe would stop it
	if err != nil {
		return nil, "", fmt.Errorf("%s said nothing: %w", program, err)
	}
	return c, strings.TrimSpace(line), nil
}

func startPeers(ctx context.Context, o options, dir string) (peers []peer, stop func(), err error) {
	var running started
	stop = running.stop
	self, err := os.Executable()
	if err != nil {
		return nil, stop, err
	}
	_, upstream, err := running.start(ctx, loadCore, os.Stderr, nil, self, "-role", "provider")
	if err != nil {
		return nil, stop, err
	}
	peers = append(peers, peer{name: "no gateway", address: upstream})
	c, address, err := running.start(ctx, gatewayCore, os.Stderr, nil, self, "-role", "proxy", "-upstream", "http://"+upstream)
	if err != nil {
		return nil, stop, err
	}
	peers = append(peers, peer{name: "ReverseProxy", address: address, pid: c.Process.Pid})
	p, err := startPerdiem(ctx, &running, o.perdiem, dir, upstream)
	if err != nil {
		return nil, stop, fmt.Errorf("start Perdiem: %w", err)
	}
	peers = append(peers, p)
	if o.portkey == "" {
		fmt.Println("Portkey's gateway is not here, and not measured.")
		return peers, stop, nil
	}
	if p, err = startPortkey(ctx, &running, o.portkey, upstream); err != nil {
		return nil, stop, fmt.Errorf("start Portkey's gateway: %w", err)
	}
	return append(peers, p), stop, nil
}

// team is how many people share the load.
const team = 32

// startPerdiem sets books up as an owner would, with a budget of every scope but a key's, and starts the gateway.
func startPerdiem(ctx context.Context, running *started, program, dir, upstream string) (peer, error) {
	env := []string{"PERDIEM_DATA=" + filepath.Join(dir, "books"), "PERDIEM_KEY_BENCH=sk-bench-0123456789", "PERDIEM_STORE="}
	tell := func(args ...string) ([]byte, error) {
		c := exec.CommandContext(ctx, program, args...)
		c.Env, c.Stderr = append(os.Environ(), env...), os.Stderr
		out, err := c.Output()
		if err != nil {
			return nil, fmt.Errorf("perdiem %s: %w", strings.Join(args, " "), err)
		}
		return out, nil
	}
	for _, command := range []string{
		"provider add bench --url http://" + upstream + "/v1",
		"model add bench/fast --context 1000000 --reply 1000",
		"model set bench/fast --input 1 --output 4",
		"model add bench/paced --context 1000000 --reply 1000",
		"model set bench/paced --input 1 --output 4",
		"allow everyone * --requests 1000000000 --tokens 1000000000000",
		"purse everyone --cost 100000000",
		"ceiling * --requests 1000000000 --tokens 1000000000000",
		"ceiling bench/fast --tokens 1000000000000",
		"rate everyone --requests 1000000000",
	} {
		if _, err := tell(strings.Fields(command)...); err != nil {
			return peer{}, err
		}
	}
	p := peer{name: "Perdiem"}
	for i := range team + 1 {
		out, err := tell("person", "add", fmt.Sprint("person ", i), "--json")
		if err != nil {
			return peer{}, err
		}
		var who struct{ ID, Pass string }
		if err := json.Unmarshal(out, &who); err != nil {
			return peer{}, err
		}
		p.passes = append(p.passes, who.Pass)
	}
	p.spent, p.passes = p.passes[team], p.passes[:team]
	if _, err := tell("allow", fmt.Sprint("person ", team), "*", "--tokens", "1"); err != nil {
		return peer{}, err
	}
	p.address = freeAddress(ctx)
	c, _, err := running.start(ctx, gatewayCore, os.Stderr, env, program, "serve", "--quiet", "--log-level", "warn", "--json", "--listen", p.address)
	if err != nil {
		return peer{}, err
	}
	p.pid = c.Process.Pid
	return p, await(ctx, p.address)
}

// startPortkey lets it say its errors to nobody: it says ten lines for each stream, and its status tells.
func startPortkey(ctx context.Context, running *started, script, upstream string) (peer, error) {
	address := freeAddress(ctx)
	_, port, err := net.SplitHostPort(address)
	if err != nil {
		return peer{}, err
	}
	c, _, err := running.start(ctx, gatewayCore, io.Discard, []string{"NODE_ENV=production"}, "node", script, "--headless", "--port="+port)
	if err != nil {
		return peer{}, err
	}
	headers := []string{"x-portkey-provider: openai", "x-portkey-custom-host: http://" + upstream + "/v1", "Authorization: Bearer sk-bench"}
	return peer{name: "Portkey", address: address, pid: c.Process.Pid, headers: headers}, await(ctx, address)
}

// freeAddress is a port that nobody has at this moment.
func freeAddress(ctx context.Context) string {
	l, err := (&net.ListenConfig{}).Listen(ctx, "tcp", "127.0.0.1:0")
	if err != nil {
		return "127.0.0.1:0"
	}
	defer l.Close()
	return l.Addr().String()
}

// await waits until something answers there.
func await(ctx context.Context, address string) error {
	ctx, cancel := context.WithTimeout(ctx, 20*time.Second)
	defer cancel()
	for {
		r, err := http.NewRequestWithContext(ctx, http.MethodGet, "http://"+address+"/", nil)
		if err != nil {
			return err
		}
		answer, err := http.DefaultClient.Do(r)
		if err == nil {
			return answer.Body.Close()
		}
		select {
		case <-ctx.Done():
			return fmt.Errorf("nothing answers at %s: %w", address, err)
		case <-time.After(50 * time.Millisecond):
		}
	}
}
