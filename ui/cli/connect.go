package cli

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"perdiem/ui/cli/connect"
	"perdiem/ui/live"
)

type connectCmd struct {
	Tool        string `arg:"" enum:"claude-code,codex,gemini,opencode,continue,aider,env" help:"Which tool: ${enum}."`
	URL         string `name:"url" help:"The gateway's address, such as http://192.168.1.20:7427/v1." placeholder:"URL" xor:"where"`
	Join        string `help:"A join link, in place of an address and a pass; - reads it from the standard input. It works once; quote it." placeholder:"LINK" xor:"where,pass"`
	Device      string `help:"With --join: what the owner sees this device as (default: its own name)." placeholder:"NAME"`
	CA          string `name:"ca" help:"A file with the certificate to trust, where the gateway speaks HTTPS." placeholder:"FILE" type:"path" xor:"trust"`
	Fingerprint string `help:"The SHA-256 of that certificate instead, as its owner told it: it is fetched, and kept only if it fits." placeholder:"SHA256" xor:"trust"`
	Model       string `help:"The model that the tool begins with (default: the first that the pass may use)." placeholder:"MODEL"`
	Write       bool   `help:"Write the tool's configuration instead of printing what belongs there."`
	PassStdin   bool   `help:"Read the pass from the standard input; else --write asks for it." xor:"pass"`
	Undo        bool   `help:"Put the tool's configuration back as it was before --write."`
	Force       bool   `help:"With --undo: even where it was changed since."`
}

const passTo = "YOUR_PASS" // printed where no pass was given

func (c connectCmd) Run(ctx context.Context, s *session) error {
	tool, _ := connect.Find(c.Tool)
	connector := connect.Connector{Records: filepath.Join(s.data, "connect")}
	if c.Undo {
		return c.undo(s, connector, tool)
	}
	if c.Write && len(tool.Files) == 0 {
		return errors.New("environment variables have no file of their own; put what this command prints without --write where your shell reads it")
	}
	if c.Join != "" {
		return c.join(ctx, s, connector, tool)
	}
	if c.URL == "" {
		return errors.New("which gateway? Give its address with --url, or a join link with --join; its owner has both")
	}
	base, err := connect.Base(c.URL)
	if err != nil {
		return err
	}
	to := live.Target{Base: base, Model: c.Model, Pass: passTo, CA: c.CA}
	if c.Write || c.PassStdin || c.Fingerprint != "" {
		g, err := connect.Reach(ctx, base, connect.Trust{CA: c.CA, Fingerprint: c.Fingerprint}, connector.Records)
		if err != nil {
			return err
		}
		to.CA = g.CA
		if c.Write || c.PassStdin {
			if to.Pass, err = s.readPass(ctx, c.PassStdin); err != nil {
				return err
			}
			if to.Model, err = c.model(ctx, g, to.Pass); err != nil {
				return err
			}
		}
	}
	return c.put(s, connector, tool, to)
}

// model is the one that the tool begins with.
func (c connectCmd) model(ctx context.Context, g connect.Gateway, pass string) (string, error) {
	models, err := g.Models(ctx, pass)
	if err != nil {
		return "", err
	}
	return connect.Choose(c.Model, models)
}

// join gets a pass for the link's code. The code is used up by that: whatever fails afterwards, the
// pass is not lost.
func (c connectCmd) join(ctx context.Context, s *session, connector connect.Connector, tool connect.Tool) error {
	text := c.Join
	if text == "-" {
		var err error
		if text, err = s.readHidden(ctx, true, "", "join link"); err != nil {
			return err
		}
	}
	link, err := live.ParseJoinLink(text)
	if err != nil {
		return err
	}
	trust := connect.Trust{CA: c.CA, Fingerprint: cmp.Or(c.Fingerprint, link.Fingerprint)}
	g, err := connect.Reach(ctx, link.Base, trust, connector.Records)
	if err != nil {
		return err
	}
	_, pass, err := g.Join(ctx, link.Code, c.device(tool))
	if err != nil {
		return err
	}
	model, err := c.model(ctx, g, pass)
	if err == nil {
		err = c.put(s, connector, tool, live.Target{Base: link.Base, Model: model, Pass: pass, CA: g.CA})
	}
	if err != nil {
		return fmt.Errorf("%w\nThe link is used up, and gave you this pass, shown this once: %s", err, pass)
	}
	return nil
}

// device is what the owner sees this one as.
func (c connectCmd) device(tool connect.Tool) string {
	host, err := os.Hostname()
	if err != nil {
		host = "a terminal"
	}
	return cmp.Or(c.Device, host+", "+tool.Title)
}

// put writes the tool's configuration, or prints what belongs there.
func (c connectCmd) put(s *session, connector connect.Connector, tool connect.Tool, to live.Target) error {
	if !c.Write {
		return c.print(s, tool, to)
	}
	paths, err := connector.Write(tool, to)
	if err != nil {
		return err
	}
	value := map[string]any{"tool": tool.Name, "model": to.Model, "files": paths}
	more := ""
	if to.CA != "" && tool.Trusts != "" {
		value["environment"] = map[string]string{tool.Trusts: to.CA}
		more = fmt.Sprintf("\nIt must be told of the gateway's certificate, too. Put this where your shell reads it:\n  export %s=%q", tool.Trusts, to.CA)
	}
	return s.say(value, "%s now uses %s at %s. Written:\n  %s%s\nTake it back with: perdiem connect %s --undo",
		tool.Title, to.Model, to.Base, strings.Join(paths, "\n  "), more, tool.Name)
}

func (c connectCmd) print(s *session, tool connect.Tool, to live.Target) error {
	to.Model = cmp.Or(to.Model, "MODEL")
	for _, u := range append(live.SetUps(to), live.ToolSetUps(to)...) {
		if u.Tool == tool.Title {
			return s.say(map[string]string{"tool": tool.Name, "text": u.Text}, "%s", u.Text)
		}
	}
	return fmt.Errorf("there is no set-up text for %s", tool.Title)
}

func (c connectCmd) undo(s *session, connector connect.Connector, tool connect.Tool) error {
	paths, err := connector.Undo(tool, c.Force)
	if errors.Is(err, connect.ErrChanged) {
		return fmt.Errorf("%w; to do it all the same: perdiem connect %s --undo --force", err, tool.Name)
	}
	if err != nil {
		return fmt.Errorf("%s: %w", tool.Title, err)
	}
	return s.say(map[string]any{"tool": tool.Name, "files": paths}, "As it was before:\n  %s", strings.Join(paths, "\n  "))
}
