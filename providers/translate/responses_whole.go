package translate

// whole is a response that came whole.
func (e *responsesEncoder) whole(a Answer) any {
	e.name(a.ID, a.Model, true)
	if len(a.Choices) > 0 {
		c := a.Choices[0]
		e.settle(c.Reason)
		for _, b := range c.Blocks {
			e.block(b)
		}
	} else {
		e.settle(Stopped)
	}
	e.object.Usage = responsesUsageOf(a.Usage)
	return &e.object
}

// block adds one part of a reply. Words and a refusal are parts of one message.
func (e *responsesEncoder) block(b Block) {
	list := &e.object.Output
	proof := ""
	if e.proofs {
		proof = b.Proof.seal(ByOpenAI)
	}
	status := e.object.Status
	switch b.Kind {
	case Thinks:
		if b.Text != "" {
			*list = append(*list, thoughtItem(e.itemID("rs_"), e.mark(b.Proof), summaryPart(b.Text)))
		} else if proof != "" {
			*list = append(*list, thoughtItem(e.itemID("rs_"), proof))
		}
	case Says, Declines:
		e.wholeWords(b, status)
	case Calls:
		e.wholeCall(b, status)
		if proof != "" {
			*list = append(*list, thoughtItem(e.itemID("rs_"), proof))
		}
	}
}

func (e *responsesEncoder) wholeWords(b Block, status string) {
	part := textPart(b.Text)
	if b.Kind == Declines {
		part = refusalPart(b.Text)
	}
	last := len(e.object.Output) - 1
	if last < 0 || e.object.Output[last].Type != "message" {
		e.object.Output = append(e.object.Output, messageItem(e.itemID("msg_"), status, part))
		return
	}
	parts := e.object.Output[last].Content
	switch end := &(*parts)[len(*parts)-1]; {
	case end.Text != nil && part.Text != nil:
		*end = textPart(*end.Text + *part.Text)
	case end.Refusal != nil && part.Refusal != nil:
		*end = refusalPart(*end.Refusal + *part.Refusal)
	default:
		*parts = append(*parts, part)
	}
}

func (e *responsesEncoder) wholeCall(b Block, status string) {
	tool, prefix, text := e.q.tool(b.Name), "fc_", b.Text
	if tool.Free {
		prefix, text = "ctc_", unwrapFree(text)
	} else if text == "" {
		text = "{}"
	}
	e.object.Output = append(e.object.Output, callItem(e.itemID(prefix), status, b.ID, tool, text))
}
