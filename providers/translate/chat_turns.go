package translate

// chatTurns has calls told one after the other, as other dialects cannot tell two at once. Nearly every server does so
// anyway; where one mixes the pieces of calls, those of the later ones wait until the arguments of the first are whole.
type chatTurns struct {
	telling   bool // a call has begun
	call      int
	arguments jsonEnd
	waiting   []Piece
}

// maxWaiting bounds the pieces that wait: each call whose turn comes looks through all of them.
const maxWaiting = 1 << 16

func (t *chatTurns) say(p Piece, emit func(Piece)) {
	mine := t.telling && p.Kind == Arguments && p.Call == t.call
	switch {
	case p.Kind == Finish || p.Kind == Fails:
		t.flush(emit)
		t.telling = false
		emit(p)
		return
	case t.telling && !mine && (len(t.waiting) > 0 || !t.arguments.whole()):
		if len(t.waiting) == maxWaiting {
			emit(tooMuch)
			return
		}
		t.waiting = append(t.waiting, p)
		return
	case mine:
		t.arguments.add(p.Text)
	case p.Kind == Calls:
		t.telling, t.call, t.arguments = true, p.Call, jsonEnd{}
	case p.Kind == Arguments:
		return // behind the end of a call that was whole
	default:
		t.telling = false
	}
	emit(p)
	if mine && len(t.waiting) > 0 && t.arguments.whole() {
		t.next(emit)
	}
}

// next tells what waits, as far as it has to wait no more.
func (t *chatTurns) next(emit func(Piece)) {
	waiting := t.waiting
	t.telling, t.waiting = false, nil
	for _, p := range waiting {
		t.say(p, emit)
	}
}

// flush tells all that waits: nothing more comes to the calls before it.
func (t *chatTurns) flush(emit func(Piece)) {
	for len(t.waiting) > 0 {
		t.next(emit)
	}
}
