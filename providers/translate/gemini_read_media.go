package translate

import (
	"strings"

	"github.com/tidwall/gjson"
)

func (g *geminiReading) blob(path string, v gjson.Result) []Part {
	var p Part
	g.each(path, v, func(name, path string, v gjson.Result) bool {
		switch name {
		case "mimeType":
			p.MIME = g.str(path, v)
		case "data":
			p.Data = standardBase64(g.str(path, v))
		case "displayName":
			p.Name = g.str(path, v)
		default:
			return false
		}
		return true
	})
	p.Kind = mediaKind(p.MIME)
	return g.held(path, p)
}

// address reads a file by its address. Those of Google's own store are for Google's models alone.
func (g *geminiReading) address(path string, v gjson.Result) []Part {
	var p Part
	g.each(path, v, func(name, path string, v gjson.Result) bool {
		switch name {
		case "mimeType":
			p.MIME = g.str(path, v)
		case "fileUri":
			p.URL = g.str(path, v)
		case "displayName":
			p.Name = g.str(path, v)
		default:
			return false
		}
		return true
	})
	switch p.Kind = mediaKind(p.MIME); {
	case !strings.HasPrefix(p.URL, "https://") && !strings.HasPrefix(p.URL, "http://") || strings.Contains(p.URL, "generativelanguage.googleapis.com/"):
		g.refuse(path, "what it names is stored at Google")
	case p.Kind == Audio || strings.HasPrefix(p.MIME, "video/"):
		g.refuse(path, "only images and documents can be given by their address")
	}
	return g.held(path, p)
}

// held are the parts of a file. Only documents have names elsewhere.
func (g *geminiReading) held(path string, p Part) []Part {
	if p.Kind != File && p.Name != "" {
		p.Name = ""
		g.leave(join(path, "displayName"))
	}
	return g.media(path, p)
}

func mediaKind(mime string) PartKind {
	switch kind, _, _ := strings.Cut(mime, "/"); kind {
	case "image":
		return Image
	case "audio":
		return Audio
	}
	return File
}

var standardAlphabet = strings.NewReplacer("-", "+", "_", "/")

// standardBase64 is base64 in its standard alphabet, as Google takes both.
func standardBase64(data string) string {
	if strings.ContainsAny(data, "-_") {
		data = standardAlphabet.Replace(data)
		if n := len(data) % 4; n > 0 {
			data += "=="[:4-max(n, 2)]
		}
	}
	return data
}
