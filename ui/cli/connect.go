package cli

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"path/filepath"
	"strings"

	"perdiem/ui/cli/connect"
	"perdiem/ui/live"
)

type connectCmd struct {
	Tool      string `arg:"" enum:"claude-code,codex,gemini,opencode,continue,aider,env" help:"Which tool: ${enum}."`
	URL       string `name:"url" help:"The gateway's address, such as http://192.168.1.20:7427/v1." placeholder:"URL"`
	Model     string `help:"The model that the tool begins with (default: the first that the pass may use)." placeholder:"MODEL"`
	Write     bool   `help:"Write the tool's configuration instead of printing what belongs there."`
	PassStdin bool   `help:"Read the pass from the standard input; else --write asks for it."`
	Undo      bool   `help:"Put the tool's configuration back as it was before --write."`
	Force     bool   `help:"With --undo: even where it was changed since."`
}

const passTo = "YOUR_PASS" // printed where no pass was given

func (c connectCmd) Run(ctx context.Context, s *session) error {
	tool, _ := connect.Find(c.Tool)
	connector := connect.Connector{Records: filepath.Join(s.data, "connect")}
	if c.Undo {
		return c.undo(s, connector, tool)
	}
	if c.URL == "" {
		return errors.New("which gateway? Give its address with --url; its owner reads it off the window")
	}
	base, err := connect.Base(c.URL)
	if err != nil {
		return err
	}
	to := connect.Target{Base: base, Root: strings.TrimSuffix(base, "/v1"), Model: c.Model, Pass: passTo}
	if c.Write || c.PassStdin {
		if to.Pass, err = s.readPass(c.PassStdin); err != nil {
			return err
		}
		models, err := connect.Models(ctx, http.DefaultClient, base, to.Pass)
		if err != nil {
			return err
		}
		if to.Model, err = connect.Choose(c.Model, models); err != nil {
			return err
		}
	}
	if !c.Write {
		return c.print(s, tool, to)
	}
	if len(tool.Files) == 0 {
		return errors.New("environment variables have no file of their own; put what this command prints without --write where your shell reads it")
	}
	paths, err := connector.Write(tool, to)
	if err != nil {
		return err
	}
	return s.say(map[string]any{"tool": tool.Name, "model": to.Model, "files": paths},
		"%s now uses %s at %s. Written:\n  %s\nTake it back with: perdiem connect %s --undo",
		tool.Title, to.Model, base, strings.Join(paths, "\n  "), tool.Name)
}

func (c connectCmd) print(s *session, tool connect.Tool, to connect.Target) error {
	if to.Model == "" {
		to.Model = "MODEL"
	}
	for _, u := range append(live.SetUps(to.Base, to.Pass, to.Model), live.ToolSetUps(to.Base, to.Pass, to.Model)...) {
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
