// Package form reads requests that are multipart forms: files with a few fields beside them, as in image edits and
// transcriptions. It finds the model wherever its field stands, and passes the form on byte for byte, with only the
// model's name replaced.
//
// Invariants:
//   - A file is never held in memory: what is above maxMemory goes to a temporary file, which Close removes.
//   - All bytes but the model's name are passed on as they came, as often as they are needed.
//   - A field that decides what is held or booked stands there once; a delimiter is one only in the strict spelling, so
//     that no other parser sees another form. https://www.rfc-editor.org/rfc/rfc2046#section-5.1
package form

import (
	"fmt"
	"io"
	"mime"
	"strconv"
	"strings"

	"perdiem/providers/wire"
)

// maxMemory is how much of a form is kept in memory, in bytes.
const maxMemory = 256 << 10

// Form is a form that was read. Its methods are safe for concurrent use, but for Close.
type Form struct {
	facts wire.Facts
	model span // where the model's name stands
	body  spool
}

// span is a range of a form's bytes.
type span struct{ start, end int64 }

// Read reads a form to its end; contentType is that of the request. An error that is a *wire.Invalid says what is wrong
// with the form, whose Facts then still name the model where they can; others come from the reader or the disk. The
// caller closes the form in any case where it is not nil.
func Read(contentType string, body io.Reader) (*Form, error) {
	kind, params, err := mime.ParseMediaType(contentType)
	boundary := params["boundary"]
	if err != nil || kind != "multipart/form-data" || boundary == "" || len(boundary) > 70 {
		return nil, &wire.Invalid{Message: "The body must be a multipart form, and its Content-Type must name the boundary."}
	}
	f := &Form{}
	fields, err := scan(io.TeeReader(body, &f.body), boundary)
	if f.body.err != nil {
		err = fmt.Errorf("keeping a form: %w", f.body.err)
	}
	if err != nil {
		f.facts.Model = fields["model"].value
		return f, err
	}
	err = f.take(fields)
	return f, err
}

// take makes facts of the fields that matter.
func (f *Form) take(fields map[string]field) error {
	f.facts = wire.Facts{Replies: 1, NoReply: true, ByRequest: true}
	model, ok := fields["model"]
	if !ok || model.value == "" {
		return &wire.Invalid{Param: "model", Message: "The form needs a field \"model\" that names a model."}
	}
	f.facts.Model, f.model = model.value, model.at
	if v, ok := fields["stream"]; ok {
		stream, err := strconv.ParseBool(strings.ToLower(v.value))
		if err != nil {
			return &wire.Invalid{Param: "stream", Message: "The field \"stream\" must be true or false."}
		}
		f.facts.Stream, f.facts.UsageAsked = stream, stream
	}
	if v, ok := fields["n"]; ok {
		n, err := strconv.ParseInt(v.value, 10, 64)
		if err != nil || n < 1 || n > wire.MaxReplies {
			return &wire.Invalid{Param: "n", Message: fmt.Sprintf("The field \"n\" must be a whole number from 1 to %d.", wire.MaxReplies)}
		}
		f.facts.Replies = n
	}
	return nil
}

// Facts are what the request asks for; wire.Media reads its reply.
func (f *Form) Facts() wire.Facts { return f.facts }

// Size is how many bytes Open gives, for the Content-Length.
func (f *Form) Size(model string) int64 {
	return f.body.size - (f.model.end - f.model.start) + int64(len(model))
}

// Open returns the form with the model's name replaced, from its start; it may be called again, for another try. Only
// forms that Read accepted may be opened.
func (f *Form) Open(model string) io.Reader {
	return io.MultiReader(f.body.section(0, f.model.start), strings.NewReader(model), f.body.section(f.model.end, f.body.size))
}

// Close removes what was put on the disk.
func (f *Form) Close() error { return f.body.close() }
