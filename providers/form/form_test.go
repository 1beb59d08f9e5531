package form

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"mime/multipart"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/iotest"

	"pgregory.net/rapid"

	"perdiem/providers/wire"
)

const boundary = "x-b0undary"

const contentType = `multipart/form-data; boundary="x-b0undary"`

// part is a form's part as clients write it.
func part(disposition, value string) string {
	return "--" + boundary + "\r\nContent-Disposition: form-data; " + disposition + "\r\n\r\n" + value + "\r\n"
}

const end = "--" + boundary + "--\r\n"

func read(t *testing.T, body io.Reader) (*Form, error) {
	t.Helper()
	t.Setenv("TMPDIR", t.TempDir())
	f, err := Read(contentType, body)
	if f != nil {
		t.Cleanup(func() {
			if err := f.Close(); err != nil {
				t.Error(err)
			}
			if left, _ := filepath.Glob(filepath.Join(os.TempDir(), "*")); len(left) > 0 {
				t.Errorf("left behind: %q", left)
			}
		})
	}
	return f, err
}

func opened(t *testing.T, f *Form, model string) string {
	t.Helper()
	b, err := io.ReadAll(f.Open(model))
	if err != nil || int64(len(b)) != f.Size(model) {
		t.Errorf("%d bytes, told were %d, %v", len(b), f.Size(model), err)
	}
	return string(b)
}

func TestTheModelIsFoundWhereverItStands(t *testing.T) {
	file := part(`name="file"; filename="a.wav"`, "RIFF\r\n--x-b0undar\r\n--\x00\xff\n--x-b0undary\r\nhm\n"+strings.Repeat("A", 200_000)+"\r")
	model, more := part(`name="model"`, "whisper-1"), part(`name="n"`, "2")+part(`name="stream"`, "True")
	for name, body := range map[string]string{
		"first": model + file + more + end, "last": file + more + model + end, "between": file + model + more + end,
		"with a preamble": "hello\r\n" + file + model + more + end + "epilogue", "without the last line break": file + model + more + "--" + boundary + "--",
		"as Java's clients write a field": strings.Replace(model, "\r\n\r\n", "\r\nContent-Type: text/plain; charset=ISO-8859-1\r\nContent-Transfer-Encoding: 8bit\r\n\r\n", 1) + file + more + end,
		"padded delimiters":               strings.ReplaceAll(file+model+more+end, "--"+boundary+"\r\n", "--"+boundary+" \t\r\n"),
	} {
		for how, r := range map[string]io.Reader{"at once": strings.NewReader(body), "byte by byte": iotest.OneByteReader(strings.NewReader(body))} {
			t.Run(name+", "+how, func(t *testing.T) {
				f, err := read(t, r)
				if want := (wire.Facts{Model: "whisper-1", Replies: 2, Stream: true, UsageAsked: true, NoReply: true, ByRequest: true}); err != nil || f.Facts() != want {
					t.Fatalf("got %+v, %v", f.Facts(), err)
				}
				for _, to := range []string{"whisper-1", "gpt-4o-transcribe", "w"} { // and again, for another try
					if got := opened(t, f, to); got != strings.Replace(body, "\r\nwhisper-1\r\n", "\r\n"+to+"\r\n", 1) {
						t.Errorf("to %s: got %d bytes of %d", to, len(got), len(body))
					}
				}
			})
		}
	}
}

func TestAFileLongerThanMemoryGoesToTheDisk(t *testing.T) {
	before := part(`name="model"`, "m") + "--" + boundary + "\r\nContent-Disposition: form-data; name=\"image\"; filename=\"a.png\"\r\n\r\n"
	size := int64(20 << 20)
	f, err := read(t, io.MultiReader(strings.NewReader(before), io.LimitReader(zeros{}, size), strings.NewReader("\r\n"+end)))
	if err != nil || f.body.file == nil || f.body.memory.Cap() > 0 {
		t.Fatalf("got %v, file %v", err, f.body.file)
	}
	n, err := io.Copy(io.Discard, f.Open("longer"))
	if want := int64(len(before)+len("longer")-1+2+len(end)) + size; n != want || n != f.Size("longer") || err != nil {
		t.Errorf("%d bytes, want %d, %v", n, want, err)
	}
}

type zeros struct{}

func (zeros) Read(p []byte) (int, error) { clear(p); return len(p), nil }

func TestWhatCouldMeanSomethingElseUpstreamIsRefused(t *testing.T) {
	model := part(`name="model"`, "m")
	for name, c := range map[string]struct{ body, param, model string }{
		"nothing":              {"", "", ""},
		"no form":              {`{"model":"m"}`, "", ""},
		"cut short":            {model + "--" + boundary, "", ""},
		"cut in a file":        {model + part(`name="file"; filename="f"`, "abc"), "", "m"},
		"no model":             {part(`name="file"; filename="f"`, "abc") + end, "model", ""},
		"an empty model":       {part(`name="model"`, "") + end, "model", ""},
		"an escaped second":    {model + strings.Replace(model, `"model"`, `"mod\el"`, 1) + end, "", "m"},
		"a rooted second":      {model + strings.Replace(model, `"model"`, `"/model"`, 1) + end, "", "m"},
		"model twice":          {model + model + end, "model", ""},
		"model by case":        {model + part(`name="Model"`, "x") + end, "model", "m"},
		"model in a file":      {part(`name="model"; filename="f"`, "m") + end, "model", ""},
		"model as base64":      {strings.Replace(model, "\r\n\r\n", "\r\nContent-Transfer-Encoding: base64\r\n\r\n", 1) + end, "model", ""},
		"model too long":       {part(`name="model"`, strings.Repeat("m", 2000)) + end, "model", ""},
		"n odd":                {model + part(`name="n"`, "-1") + end, "n", "m"},
		"n absurd":             {model + part(`name="n"`, "1000000") + end, "n", "m"},
		"stream odd":           {model + part(`name="stream"`, "yes") + end, "stream", "m"},
		"a part without name":  {model + "--" + boundary + "\r\nX: y\r\n\r\nz\r\n" + end, "", "m"},
		"two dispositions":     {strings.Replace(model, "\r\n\r\n", "\r\nContent-Disposition: form-data; name=\"n\"\r\n\r\n", 1) + end, "", ""},
		"headers without end":  {"--" + boundary + "\r\n" + strings.Repeat("X: y\r\n", 10_000) + end, "", ""},
		"an odd disposition":   {part(`name="model`, "m") + end, "", ""},
		"LF alone":             {strings.ReplaceAll(model+end, "\r\n", "\n"), "", ""},
		"too many parts":       {strings.Repeat(part(`name="x"`, "y"), 1001) + end, "", ""},
		"another one's bounds": {strings.ReplaceAll(model+end, boundary, "other"), "", ""},
	} {
		t.Run(name, func(t *testing.T) {
			f, err := read(t, strings.NewReader(c.body))
			var bad *wire.Invalid
			if !errors.As(err, &bad) || bad.Param != c.param || bad.Message == "" || f.Facts().Model != c.model {
				t.Errorf("got %#v, %+v; want about %q, model %q", err, f.Facts(), c.param, c.model)
			}
		})
	}
	for _, kind := range []string{"", "application/json", "multipart/form-data", "multipart/mixed; boundary=x", "multipart/form-data; boundary=" + strings.Repeat("x", 71)} {
		f, err := Read(kind, strings.NewReader(model+end))
		if bad := (*wire.Invalid)(nil); !errors.As(err, &bad) || f != nil {
			t.Errorf("%q: got %v", kind, err)
		}
	}
}

func TestAReadersErrorIsItsOwn(t *testing.T) {
	broken := errors.New("broken")
	if _, err := read(t, iotest.ErrReader(broken)); !errors.Is(err, broken) {
		t.Errorf("got %v", err)
	}
}

func TestAFullDiskIsAnErrorOfItsOwn(t *testing.T) {
	t.Setenv("TMPDIR", filepath.Join(t.TempDir(), "none"))
	f, err := Read(contentType, strings.NewReader(part(`name="model"`, "m")+part(`name="f"; filename="f"`, strings.Repeat("x", 2*maxMemory))+end))
	var bad *wire.Invalid
	if err == nil || errors.As(err, &bad) || f.Close() != nil {
		t.Errorf("got %v", err)
	}
}

// What another parser sees in the form is what was written, whatever stands in its files.
func TestOtherParsersSeeTheSameFormWithAnotherModel(t *testing.T) {
	pieces := []string{"\r\n", "--", boundary, "\n", "\r", "a", "\x00", "--" + boundary, "Content-Disposition: form-data; name=\"model\"", strings.Repeat("z", lineBytes-3)}
	rapid.Check(t, func(t *rapid.T) {
		var body bytes.Buffer
		w := multipart.NewWriter(&body)
		files := rapid.SliceOfN(rapid.SliceOfN(rapid.SampledFrom(pieces), 0, 12), 0, 3).Draw(t, "files")
		at := rapid.IntRange(0, len(files)).Draw(t, "at")
		for i := range len(files) + 1 {
			if i == at {
				_ = w.WriteField("model", "old")
			}
			if i < len(files) {
				file, _ := w.CreateFormFile(fmt.Sprint("file", i), "f")
				_, _ = io.WriteString(file, strings.Join(files[i], ""))
			}
		}
		_ = w.Close()
		f, err := Read(w.FormDataContentType(), bytes.NewReader(body.Bytes()))
		if err != nil || f.Facts().Model != "old" {
			t.Fatalf("got %+v, %v", f.Facts(), err)
		}
		defer func() { _ = f.Close() }()
		got, err := multipart.NewReader(f.Open("new-name"), w.Boundary()).ReadForm(64 << 20)
		if err != nil || len(got.Value["model"]) != 1 || got.Value["model"][0] != "new-name" {
			t.Fatalf("got %+v, %v", got, err)
		}
		for i, want := range files {
			file, err := got.File[fmt.Sprint("file", i)][0].Open()
			if err != nil {
				t.Fatal(err)
			}
			if b, _ := io.ReadAll(file); string(b) != strings.Join(want, "") {
				t.Fatalf("file %d: got %q", i, b)
			}
			_ = file.Close()
		}
	})
}

func FuzzRead(f *testing.F) {
	f.Add([]byte(part(`name="file"; filename="f"`, "abc\r\n--x") + part(`name="model"`, "m") + part(`name="n"`, "3") + end))
	f.Add([]byte("--x-b0undary\r\n\r\n\r\n--x-b0undary--"))
	f.Fuzz(func(t *testing.T, body []byte) {
		form, err := Read(contentType, bytes.NewReader(body))
		defer func() { _ = form.Close() }()
		if err != nil {
			return
		}
		same, err := io.ReadAll(form.Open(form.Facts().Model))
		if err != nil || !bytes.Equal(same, body) {
			t.Fatalf("got %q, %v", same, err)
		}
		other, err := io.ReadAll(form.Open("another"))
		if err != nil || int64(len(other)) != form.Size("another") {
			t.Fatalf("got %d bytes, told were %d, %v", len(other), form.Size("another"), err)
		}
		again, err := Read(contentType, bytes.NewReader(other))
		if err != nil || again.Facts().Model != "another" {
			t.Fatalf("the edited form says %+v, %v", again.Facts(), err)
		}
		_ = again.Close()
	})
}
