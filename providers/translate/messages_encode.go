package translate

import "perdiem/providers/wire"

// messagesEncoder tells one reply to a caller of Anthropic's. Blocks follow one another; only a call whose arguments are
// not whole yet stays open while others come, since some providers mix the arguments of parallel calls.
type messagesEncoder struct {
	request *Request
	options ReplyOptions

	begun  bool
	next   int           // the index of the next block
	open   messagesBegun // the text or thought that is open
	calls  []*messagesCalling
	reason Reason
	stop   string
	usage  Usage // the estimate, until the provider tells
}

// messagesBegun is a text or a thought that goes on.
type messagesBegun struct {
	is     bool
	kind   PieceKind
	index  int
	proved bool
}

// messagesCalling is a call that began.
type messagesCalling struct {
	number, index int
	open          bool
	arguments     jsonEnd
}

func (e *messagesEncoder) piece(dst []byte, p Piece) []byte {
	if p.Choice > 0 { // callers of this dialect ask for one reply
		return dst
	}
	switch p.Kind {
	case Begin:
		return e.begin(dst, p.ID, p.Model)
	case Fails:
		return append(dst, wire.Messages.ErrorEvent(p.Failure)...)
	case Figures:
		e.usage = p.Usage
		return dst
	}
	dst = e.begin(dst, "", "")
	switch p.Kind {
	case Says, Declines:
		if p.Text != "" {
			dst = e.goOn(dst, Says)
			dst = appendDelta(dst, e.open.index, messagesTextDelta{"text_delta", p.Text})
		}
	case Thinks:
		dst = e.goOn(dst, Thinks)
		if p.Text != "" {
			dst = appendDelta(dst, e.open.index, messagesThoughtDelta{"thinking_delta", p.Text})
		}
	case Proves:
		return e.prove(dst, p)
	case Calls:
		return e.call(dst, p)
	case Arguments:
		return e.argue(dst, p)
	case Finish:
		e.reason, e.stop = p.Reason, p.Stop
		return e.close(dst)
	case End:
		return e.end(e.close(dst))
	}
	return dst
}

// begin tells that the reply begins, once, with whatever comes first.
func (e *messagesEncoder) begin(dst []byte, id, model string) []byte {
	if e.begun {
		return dst
	}
	e.begun = true
	return appendEvent(dst, "message_start", messagesStarted{"message_start", e.message(id, model)})
}

// goOn makes sure that a text, or a thought, is open.
func (e *messagesEncoder) goOn(dst []byte, kind PieceKind) []byte {
	if e.open.is && e.open.kind == kind && !e.open.proved {
		return dst
	}
	dst = e.closeWhole(dst)
	if kind == Thinks {
		dst = e.start(dst, messagesThought{Type: "thinking"})
	} else {
		dst = e.start(dst, messagesText{Type: "text"})
	}
	e.open = messagesBegun{is: true, kind: kind, index: e.next - 1}
	return dst
}

// prove gives the proof of a thought. That of a call has no place in this dialect.
func (e *messagesEncoder) prove(dst []byte, p Piece) []byte {
	if !e.open.is || e.open.kind != Thinks || e.open.proved {
		return dst
	}
	e.open.proved = true
	return appendDelta(dst, e.open.index, messagesProofDelta{"signature_delta", p.Proof.mark(ByAnthropic)})
}

func (e *messagesEncoder) call(dst []byte, p Piece) []byte {
	dst = e.closeWhole(dst)
	c := &messagesCalling{number: p.Call, index: e.next, open: true}
	e.calls = append(e.calls, c)
	return e.start(dst, messagesCall{"tool_use", p.ID, e.request.tool(p.Name).Said, []byte("{}")})
}

func (e *messagesEncoder) argue(dst []byte, p Piece) []byte {
	for i := len(e.calls) - 1; i >= 0 && p.Text != ""; i-- {
		if c := e.calls[i]; c.number == p.Call {
			c.arguments.add(p.Text)
			return appendDelta(dst, c.index, messagesArgumentsDelta{"input_json_delta", p.Text})
		}
	}
	return dst
}

// closeWhole ends what cannot go on once another block begins: all but calls whose arguments are not whole.
func (e *messagesEncoder) closeWhole(dst []byte) []byte {
	if e.open.is {
		dst = e.prove(dst, Piece{}) // a thought that nobody signed
		dst = appendStop(dst, e.open.index)
		e.open = messagesBegun{}
	}
	for _, c := range e.calls {
		if c.open && c.arguments.whole() {
			c.open = false
			dst = appendStop(dst, c.index)
		}
	}
	return dst
}

// close ends all that is open.
func (e *messagesEncoder) close(dst []byte) []byte {
	dst = e.closeWhole(dst)
	for _, c := range e.calls {
		if c.open {
			c.open = false
			dst = appendStop(dst, c.index)
		}
	}
	return dst
}

func (e *messagesEncoder) end(dst []byte) []byte {
	stop := messagesStopped{Reason: messagesReason(e.reason, e.stop, len(e.calls) > 0)}
	if stop.Reason == "stop_sequence" {
		stop.Sequence = &e.stop
	}
	dst = appendEvent(dst, "message_delta", messagesDelta{"message_delta", stop, sayMessagesUsage(e.usage)})
	return appendEvent(dst, "message_stop", messagesTyped{"message_stop"})
}

func (e *messagesEncoder) start(dst []byte, block any) []byte {
	e.next++
	return appendEvent(dst, "content_block_start", messagesBlockStart{"content_block_start", e.next - 1, block})
}

func appendDelta(dst []byte, index int, delta any) []byte {
	return appendEvent(dst, "content_block_delta", messagesBlockDelta{"content_block_delta", index, delta})
}

func appendStop(dst []byte, index int) []byte {
	return appendEvent(dst, "content_block_stop", messagesBlockStop{"content_block_stop", index})
}
