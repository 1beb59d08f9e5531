package translate

import (
	"strings"

	"github.com/tidwall/gjson"
)

// dataURL is what a data URL in base64 holds; false for other URLs.
func dataURL(url string) (mime, data string, ok bool) {
	head, data, found := strings.Cut(url, ",")
	head, isData := strings.CutPrefix(head, "data:")
	mime, isBase64 := strings.CutSuffix(head, ";base64")
	return mime, data, found && isData && isBase64
}

// toDataURL is the way back.
func toDataURL(mime, data string) string { return "data:" + mime + ";base64," + data }

// image is an image by its URL, which may hold it.
func (r *reading) image(path string, url gjson.Result) Part {
	s := r.str(path, url)
	if mime, data, ok := dataURL(s); ok {
		return Part{Kind: Image, MIME: mime, Data: data}
	}
	if strings.HasPrefix(s, "data:") {
		r.refuse(path, "it is a data URL without base64")
	}
	return Part{Kind: Image, URL: s}
}

// file is a file as a data URL.
func (r *reading) file(path string, url gjson.Result) Part {
	mime, data, ok := dataURL(r.str(path, url))
	if !ok {
		r.refuse(path, "it is not a data URL in base64")
	}
	return Part{Kind: File, MIME: mime, Data: data}
}

// media are the parts that are no text; what is to be held must be there. Its type is said as it is registered: many write
// that of JPEG as the ending of a file's name.
func (r *reading) media(path string, p Part) []Part {
	p.MIME, _, _ = strings.Cut(strings.ToLower(p.MIME), ";")
	if p.MIME == "image/jpg" {
		p.MIME = "image/jpeg"
	}
	if p.URL == "" && (p.Data == "" || p.MIME == "") {
		r.refuse(path, "it holds nothing, or does not say what")
	}
	return []Part{p}
}
