package web

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"io/fs"
	"net/http"
	"path"
	"time"
)

// types of the files that there are: the system's own table may lack or bend them.
var types = map[string]string{
	".html": "text/html; charset=utf-8",
	".css":  "text/css; charset=utf-8",
	".js":   "text/javascript; charset=utf-8",
	".svg":  "image/svg+xml",
}

// file serves one embedded file. Browsers ask each time whether it is still the same: after an
// update all files of the page must be of one version.
func file(files fs.FS, name string) http.Handler {
	body, err := fs.ReadFile(files, name)
	if err != nil {
		panic(err) // listed, or named in the code, and so embedded
	}
	sum := sha256.Sum256(body)
	tag := `"` + hex.EncodeToString(sum[:8]) + `"`
	kind := types[path.Ext(name)]
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		h := w.Header()
		h.Set("Content-Type", kind)
		h.Set("Cache-Control", "no-cache")
		h.Set("ETag", tag)
		http.ServeContent(w, r, name, time.Time{}, bytes.NewReader(body))
	})
}

// names lists the files; there are no folders among them.
func names(files fs.FS) []string {
	entries, err := fs.ReadDir(files, ".")
	if err != nil {
		panic(err) // the folder is embedded
	}
	all := make([]string, len(entries))
	for i, e := range entries {
		all[i] = e.Name()
	}
	return all
}
