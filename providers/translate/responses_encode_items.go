package translate

// words tells a piece of a message or of a thought. Words and a refusal are parts of one message.
func (e *responsesEncoder) words(dst []byte, kind PieceKind, text string) []byte {
	o := &e.open
	switch {
	case o.item != nil && o.kind == kind:
	case o.item != nil && o.kind != Thinks && kind != Thinks:
		dst = e.beginPart(e.endPart(dst), kind)
	default:
		dst = e.shut(dst, "completed")
		if kind == Thinks {
			dst, o.index = e.add(dst, thoughtItem(e.itemID("rs_"), ""))
		} else {
			dst, o.index = e.add(dst, messageItem(e.itemID("msg_"), "in_progress"))
		}
		o.item = e.object.Output[o.index]
		dst = e.beginPart(dst, kind)
	}
	o.text.WriteString(text)
	ev := e.ofPart()
	ev.Delta = &text
	if kind == Says {
		ev.Logprobs = none
	}
	return e.event(dst, partEvents[kind]+".delta", ev)
}

// partEvents are the events that tell the words of a part.
var partEvents = map[PieceKind]string{Says: "response.output_text", Declines: "response.refusal", Thinks: "response.reasoning_summary_text"}

// parts are the parts of the item that is open.
func (o *openItem) parts() *[]responsesPart {
	if o.kind == Thinks {
		return o.item.Summary
	}
	return o.item.Content
}

func (o *openItem) part(text string) responsesPart {
	switch o.kind {
	case Thinks:
		return summaryPart(text)
	case Declines:
		return refusalPart(text)
	default:
		return textPart(text)
	}
}

// ofPart is an event about the part that is open.
func (e *responsesEncoder) ofPart() responsesEvent {
	o := &e.open
	ev, at := responsesEvent{ItemID: o.item.ID, Output: &o.index}, len(*o.parts())
	if o.kind == Thinks {
		ev.Summary = &at
	} else {
		ev.Content = &at
	}
	return ev
}

func (e *responsesEncoder) partName() string {
	if e.open.kind == Thinks {
		return "response.reasoning_summary_part"
	}
	return "response.content_part"
}

func (e *responsesEncoder) beginPart(dst []byte, kind PieceKind) []byte {
	e.open.kind = kind
	e.open.text.Reset()
	ev, part := e.ofPart(), e.open.part("")
	ev.Part = &part
	return e.event(dst, e.partName()+".added", ev)
}

func (e *responsesEncoder) endPart(dst []byte) []byte {
	o := &e.open
	text := o.text.String()
	ev, part := e.ofPart(), o.part(text)
	switch o.kind {
	case Declines:
		ev.Refusal = &text
	case Says:
		ev.Text, ev.Logprobs = &text, none
	default:
		ev.Text = &text
	}
	dst = e.event(dst, partEvents[o.kind]+".done", ev)
	ev = e.ofPart()
	ev.Part = &part
	dst = e.event(dst, e.partName()+".done", ev)
	*o.parts() = append(*o.parts(), part)
	return dst
}

// shut ends the message or thought that is open, if there is one.
func (e *responsesEncoder) shut(dst []byte, status string) []byte {
	o := &e.open
	if o.item == nil {
		return dst
	}
	dst = e.endPart(dst)
	item, index := o.item, o.index
	if item.Type == "message" {
		item.Status = status
	}
	o.item = nil
	return e.event(dst, "response.output_item.done", responsesEvent{Output: &index, Item: item})
}

func (e *responsesEncoder) call(dst []byte, p Piece) []byte {
	c := openCall{number: p.Call, tool: e.q.tool(p.Name)}
	prefix := "fc_"
	if c.tool.Free {
		prefix = "ctc_"
	}
	c.item = callItem(e.itemID(prefix), "in_progress", p.ID, c.tool, "")
	dst, c.index = e.add(dst, c.item)
	e.calls = append(e.calls, c)
	return dst
}

func (e *responsesEncoder) arguments(dst []byte, p Piece) []byte {
	for i := range e.calls {
		if c := &e.calls[i]; c.number == p.Call && !c.done {
			text := p.Text
			if c.tool.Free {
				text = c.free.add(text)
			}
			return e.input(dst, c, text)
		}
	}
	return dst
}

// input tells a piece of what a call is given.
func (e *responsesEncoder) input(dst []byte, c *openCall, text string) []byte {
	if text == "" {
		return dst
	}
	c.text.WriteString(text)
	return e.event(dst, c.events()+".delta", responsesEvent{ItemID: c.item.ID, Output: &c.index, Delta: &text})
}

func (c *openCall) events() string {
	if c.tool.Free {
		return "response.custom_tool_call_input"
	}
	return "response.function_call_arguments"
}

func (e *responsesEncoder) endCall(dst []byte, c *openCall, status string) []byte {
	if c.done {
		return dst
	}
	c.done = true
	dst = e.input(dst, c, c.free.end())
	text := c.text.String()
	if text == "" && !c.tool.Free {
		text = "{}" // callers parse them
	}
	ev := responsesEvent{ItemID: c.item.ID, Output: &c.index}
	if c.tool.Free {
		ev.Input, c.item.Input = &text, &text
	} else {
		ev.Name, ev.Arguments, c.item.Arguments = c.tool.Said, &text, &text
	}
	dst = e.event(dst, c.events()+".done", ev)
	c.item.Status = status
	return e.event(dst, "response.output_item.done", responsesEvent{Output: &c.index, Item: c.item})
}
