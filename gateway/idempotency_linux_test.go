package gateway

import (
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"

	"perdiem/providers/form"
)

// A form that the disk does not give back is no other request's twin, not even that of one which it does not give back either.
func TestAFormThatCannotBeReadBackIsNoOtherRequestsTwin(t *testing.T) {
	call := func(id, file string) *call {
		t.Helper()
		const head = "--b\r\nContent-Disposition: form-data; name=\"model\"\r\n\r\nm\r\n--b\r\nContent-Disposition: form-data; name=\"file\"; filename=\"a\"\r\n\r\n"
		f, err := form.Read("multipart/form-data; boundary=b", strings.NewReader(head+file+"\r\n--b--\r\n"))
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { _ = f.Close() })
		return &call{id: id, r: httptest.NewRequest(http.MethodPost, "/v1/audio/transcriptions", nil), form: f, facts: f.Facts()}
	}
	one, other := strings.Repeat("one ", 100_000), strings.Repeat("other ", 100_000)
	first, retry, second := call("a", one), call("b", one), call("c", other)
	if first.parameterHash() != retry.parameterHash() || first.parameterHash() == second.parameterHash() {
		t.Error("a retry and another request are not told apart")
	}
	breakReading(t, "perdiem-form-")
	if first.parameterHash() == second.parameterHash() {
		t.Error("two that cannot be read back are taken for the same")
	}
}

// breakReading has every read of this process's open files fail whose names begin so, as a broken disk does.
func breakReading(t *testing.T, name string) {
	t.Helper()
	writeOnly, err := os.OpenFile(os.DevNull, os.O_WRONLY, 0)
	if err != nil {
		t.Fatal(err)
	}
	defer writeOnly.Close()
	open, err := filepath.Glob("/proc/self/fd/*")
	if err != nil {
		t.Fatal(err)
	}
	for _, fd := range open {
		if to, err := os.Readlink(fd); err != nil || !strings.HasPrefix(filepath.Base(to), name) {
			continue
		}
		n, err := strconv.Atoi(filepath.Base(fd))
		if err == nil {
			err = syscall.Dup3(int(writeOnly.Fd()), n, syscall.O_CLOEXEC)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
}
