package translate

// words tells a piece of a message or of a thought. Words and a refusal are parts of one message.
func (e *responsesEncoder) words(dst []byte, kind PieceKind, text string) []byte {
	o := &e.open
	switch {
	case o.item != nil && o.kind == kind:
	case o.item != nil && o.item.Type == "message" && kind != Thinks:
		dst = e.beginPart(e.endPart(dst), kind)
	default:
		dst = e.shut(dst)
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

// shut ends the item that is open, if there is one. Where the reply was cut, that is the one that is not whole.
func (e *responsesEncoder) shut(dst []byte) []byte {
	o := &e.open
	if o.item == nil {
		return dst
	}
	if o.kind == Calls {
		dst = e.endCall(dst)
	} else {
		dst = e.endPart(dst)
	}
	item, index := o.item, o.index
	switch {
	case item.Type == "reasoning":
		if item.Proof == "" {
			item.Proof = e.mark(Proof{})
		}
	case e.ends == Length, e.ends == Filtered:
		item.Status = "incomplete"
	default:
		item.Status = "completed"
	}
	o.item = nil
	return e.event(dst, "response.output_item.done", responsesEvent{Output: &index, Item: item})
}

func (e *responsesEncoder) call(dst []byte, p Piece) []byte {
	dst = e.shut(dst)
	o := &e.open
	o.kind, o.call, o.tool, o.free = Calls, p.Call, e.q.tool(p.Name), freeText{}
	o.text.Reset()
	prefix := "fc_"
	if o.tool.Free {
		prefix = "ctc_"
	}
	item := callItem(e.itemID(prefix), "in_progress", p.ID, o.tool, "")
	dst, o.index = e.add(dst, item)
	o.item = item
	return dst
}

func (e *responsesEncoder) arguments(dst []byte, p Piece) []byte {
	o := &e.open
	switch {
	case o.item == nil || o.kind != Calls || o.call != p.Call: // decoders tell one call after the other
		return dst
	case o.tool.Free:
		return e.input(dst, o.free.add(p.Text))
	default:
		return e.input(dst, p.Text)
	}
}

// input tells a piece of what the open call is given.
func (e *responsesEncoder) input(dst []byte, text string) []byte {
	if text == "" {
		return dst
	}
	o := &e.open
	o.text.WriteString(text)
	return e.event(dst, o.events()+".delta", responsesEvent{ItemID: o.item.ID, Output: &o.index, Delta: &text})
}

func (o *openItem) events() string {
	if o.tool.Free {
		return "response.custom_tool_call_input"
	}
	return "response.function_call_arguments"
}

func (e *responsesEncoder) endCall(dst []byte) []byte {
	o := &e.open
	dst = e.input(dst, o.free.end())
	text := o.text.String()
	ev := responsesEvent{ItemID: o.item.ID, Output: &o.index}
	if o.tool.Free {
		ev.Input, o.item.Input = &text, &text
		return e.event(dst, o.events()+".done", ev)
	}
	if text == "" {
		text = "{}" // callers parse them
	}
	ev.Name, ev.Arguments, o.item.Arguments = o.tool.Said, &text, &text
	return e.event(dst, o.events()+".done", ev)
}
