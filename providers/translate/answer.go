package translate

import "strings"

// Answer is a whole reply, gathered from its pieces.
type Answer struct {
	ID, Model string
	Choices   []AnswerChoice
	Usage     *Usage // nil = not reported
}

// AnswerChoice is one of the replies asked for.
type AnswerChoice struct {
	Blocks []Block
	Reason Reason
	Stop   string
}

// Block is one part of a reply, its pieces joined. Kind is Says, Thinks, Declines or Calls.
type Block struct {
	Kind     PieceKind
	Text     string // for Calls, the arguments
	ID, Name string
	Proof    Proof
}

// gather joins the pieces of a reply.
func gather(pieces []Piece) Answer {
	var a Answer
	open := map[[2]int]int{} // choice and call: where its block is
	for _, p := range pieces {
		switch p.Kind {
		case Begin:
			a.ID, a.Model = p.ID, p.Model
			continue
		case Figures:
			usage := p.Usage
			a.Usage = &usage
			continue
		case Fails, End:
			continue
		}
		for len(a.Choices) <= p.Choice {
			a.Choices = append(a.Choices, AnswerChoice{})
		}
		c := &a.Choices[p.Choice]
		switch p.Kind {
		case Finish:
			c.Reason, c.Stop = p.Reason, p.Stop
		case Calls:
			open[[2]int{p.Choice, p.Call}] = len(c.Blocks)
			c.Blocks = append(c.Blocks, Block{Kind: Calls, ID: p.ID, Name: p.Name})
		case Arguments:
			if at, ok := open[[2]int{p.Choice, p.Call}]; ok {
				c.Blocks[at].Text += p.Text
			}
		case Proves:
			if n := len(c.Blocks); n > 0 && c.Blocks[n-1].Proof.Token == "" && (c.Blocks[n-1].Kind == Thinks || c.Blocks[n-1].Kind == Calls) {
				c.Blocks[n-1].Proof = p.Proof
			} else {
				c.Blocks = append(c.Blocks, Block{Kind: Thinks, Proof: p.Proof})
			}
		default:
			if n := len(c.Blocks); n > 0 && c.Blocks[n-1].Kind == p.Kind && c.Blocks[n-1].Proof.Token == "" {
				c.Blocks[n-1].Text += p.Text
			} else {
				c.Blocks = append(c.Blocks, Block{Kind: p.Kind, Text: p.Text})
			}
		}
	}
	return a
}

// text is all that a choice says in words.
func (c AnswerChoice) text(kind PieceKind) string {
	var b strings.Builder
	for _, block := range c.Blocks {
		if block.Kind == kind {
			b.WriteString(block.Text)
		}
	}
	return b.String()
}
