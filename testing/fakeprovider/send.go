package fakeprovider

import (
	"compress/gzip"
	"net"
	"net/http"
)

func (s *Server) write(w http.ResponseWriter, r *http.Request, reply Reply) {
	s.writeInto(w, r, &reply)
}

// writeInto sends the reply and notes in it how it ended and what it had carried by then.
func (s *Server) writeInto(w http.ResponseWriter, r *http.Request, reply *Reply) {
	out := sender{w: w, r: r, reply: reply, closing: s.closing}
	reply.ended = Whole
	if out.stopsAt(BeforeHeader) {
		return
	}
	for name, values := range reply.Header {
		w.Header()[name] = values
	}
	if reply.compress {
		w.Header().Set("Content-Encoding", "gzip")
		out.zip = gzip.NewWriter(w)
		defer func() {
			if reply.ended == Whole {
				_ = out.zip.Close() // fails only if the caller has left
			}
		}()
	}
	w.WriteHeader(reply.Status)
	for i := 0; ; i++ {
		switch {
		case i < len(reply.Chunks):
			if !out.send(reply.Chunks[i]) {
				return
			}
		case reply.endless == nil:
			out.stopsAt(out.sent) // a place at the very end, or past it
			return
		case !out.send(reply.endless(i)):
			return
		}
	}
}

// sender walks through a body, minding the places where something happens.
type sender struct {
	w       http.ResponseWriter
	r       *http.Request
	reply   *Reply
	closing <-chan struct{}
	zip     *gzip.Writer
	sent    int
}

// send sends a chunk up to the places within it, and reports whether the reply goes on.
func (o *sender) send(c Chunk) bool {
	rest := c.Data
	for len(rest) > 0 {
		if o.stopsAt(o.sent) {
			return false
		}
		n := len(rest)
		for _, place := range []struct {
			set bool
			at  int
		}{{o.reply.fault != "", o.reply.at}, {o.reply.gate != nil, o.reply.gateAt}} {
			if place.set && place.at > o.sent {
				n = min(n, place.at-o.sent)
			}
		}
		if !o.put(rest[:n]) {
			o.reply.ended = Left
			return false
		}
		o.sent += n
		o.reply.carriedInput = o.reply.Input
		rest = rest[n:]
	}
	o.reply.carriedOutput += c.Tokens
	return true
}

func (o *sender) put(b []byte) bool {
	if o.r.Context().Err() != nil {
		return false
	}
	var err error
	if o.zip == nil {
		_, err = o.w.Write(b)
	} else if _, err = o.zip.Write(b); err == nil {
		err = o.zip.Flush()
	}
	if err != nil {
		return false
	}
	return http.NewResponseController(o.w).Flush() == nil
}

// stopsAt does what is planned at a place of the body, and reports whether the reply ends there.
func (o *sender) stopsAt(place int) bool {
	reply := o.reply
	left := o.r.Context().Done()
	if gate := reply.gate; gate != nil && reply.gateAt == place {
		reply.gate = nil
		if !gate.pass(left, o.closing) {
			reply.ended = o.whoLeft()
			return true
		}
	}
	if reply.fault == "" || reply.at != place {
		return false
	}
	reply.ended = reply.fault
	switch reply.fault {
	case Reset:
		o.reset()
	case Hung:
		select {
		case <-left:
		case <-o.closing:
		}
		reply.ended = o.whoLeft()
	}
	return true
}

func (o *sender) whoLeft() Ending {
	if o.r.Context().Err() != nil {
		return Left
	}
	return Hung
}

// reset closes the connection with a TCP RST in place of a goodbye.
func (o *sender) reset() {
	conn, _, err := http.NewResponseController(o.w).Hijack()
	if err != nil {
		panic(http.ErrAbortHandler) // the connection is gone already
	}
	if tcp, ok := conn.(*net.TCPConn); ok {
		_ = tcp.SetLinger(0) // at worst the close is a polite one, which is a cut as well
	}
	_ = conn.Close() // nobody is left to tell
}
