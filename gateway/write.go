package gateway

import (
	"encoding/json"
	"net/http"
	"strconv"
	"time"
)

// writePiece is how much is written to a caller under one deadline, in bytes.
const writePiece = 64 << 10

// writeWhole answers with a whole body.
func (c *call) writeWhole(status int, body []byte) {
	c.w.WriteHeader(status)
	_ = c.writePieces(body) // a caller who left or is stuck is nobody to tell
}

// writePieces writes in pieces that a slow caller can take in time.
func (c *call) writePieces(b []byte) error {
	for len(b) > 0 {
		n := min(len(b), writePiece)
		if _, err := c.w.Write(b[:n]); err != nil {
			return err
		}
		b = b[n:]
	}
	return nil
}

// bounded lets go of a caller who does not take what any handler writes; else a few of them could fill
// the memory with replies. A deadline is for one write: a stream may take hours.
type bounded struct {
	http.ResponseWriter
	stuckFor time.Duration
}

func (b bounded) Write(p []byte) (int, error) {
	b.begin()
	return b.ResponseWriter.Write(p)
}

func (b bounded) WriteHeader(status int) {
	b.begin()
	b.ResponseWriter.WriteHeader(status)
}

// begin also takes away the deadline of the request before. It fails only where there is no connection.
func (b bounded) begin() {
	_ = http.NewResponseController(b.ResponseWriter).SetWriteDeadline(time.Now().Add(b.stuckFor))
}

// Unwrap lets a ResponseController through.
func (b bounded) Unwrap() http.ResponseWriter { return b.ResponseWriter }

func writeJSON(w http.ResponseWriter, status int, v any) {
	body, err := json.Marshal(v)
	if err != nil {
		http.Error(w, "internal error", http.StatusInternalServerError)
		return
	}
	h := w.Header()
	h.Set("Content-Type", "application/json")
	h.Set("Content-Length", strconv.Itoa(len(body)))
	w.WriteHeader(status)
	_, _ = w.Write(body) // a caller who left is nobody to tell
}
