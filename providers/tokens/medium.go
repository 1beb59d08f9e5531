package tokens

import (
	"bytes"
	"encoding/base64"
	"image"
	_ "image/gif"  // to read sizes
	_ "image/jpeg" // to read sizes
	_ "image/png"  // to read sizes
	"strings"
)

const (
	// imageTokens is the most that OpenAI's tile rule gives: 85, and 170 for each of 8 tiles of 512 pixels, as an image
	// is scaled to fit 2048 × 2048 and then to 768 on its short side; Anthropic's rule, width × height / 750, ends at
	// 1,600 as larger images are scaled down. It also stands for what is only linked.
	// https://platform.openai.com/docs/guides/images-vision#calculating-costs
	// https://docs.anthropic.com/en/docs/build-with-claude/vision#calculate-image-costs
	imageTokens  = 1600
	anthropicPer = 750 // pixels a token

	// Gemini's rule is 258 for an image of up to 384 pixels a side, and for each tile of 768 of a larger one.
	// https://ai.google.dev/gemini-api/docs/tokens#multimodal-tokens
	geminiTile, geminiSmall, geminiSide = 258, 384, 768

	// fileBytes is how many base64 bytes of a file count as a token. No vendor has a rule by bytes; a page of a PDF's text
	// costs one in ten. It only shapes the hold: the settle corrects it.
	fileBytes = 16
	// soundBytes is the same for sounds: Gemini counts 32 tokens a second, OpenAI 10, and a second of speech has 2,700
	// base64 bytes at the least that is usual.
	soundBytes = 80
	// sealedBytes is the same for reasoning that a vendor sealed, and wants back: base64 of what was four bytes a token.
	sealedBytes = 5
)

// medium is what a string costs that holds an image, a file or a sealed text; false for all other strings. holder is the
// key of the object that it stands in, where that tells the vendor. An image_url was paid for at its key.
func medium(holder, key, s []byte) (int64, bool) {
	inURL := bytes.HasPrefix(s, []byte("data:"))
	switch string(key) {
	case "url", "image_url":
		switch {
		case inURL && bytes.HasPrefix(s, []byte("data:image")):
			return 0, true
		case string(holder) == "source" && string(key) == "url":
			return imageTokens, true
		}
		return int64(len(s)) / fileBytes, inURL
	case "data", "file_data", "document_url":
		if string(key) == "document_url" && !inURL {
			return imageTokens, true
		}
		return fileTokens(holder, s), inURL || isBase64(s)
	case "file_id", "file_url", "fileUri", "file_uri":
		return imageTokens, true
	case "signature", "thoughtSignature", "thought_signature", "encrypted_content":
		return int64(len(s)) / sealedBytes, isBase64(s)
	}
	return 0, false
}

// fileTokens is what a file in base64 costs, by what its first bytes tell.
func fileTokens(holder, s []byte) int64 {
	if i := bytes.Index(s[:min(len(s), 200)], []byte(";base64,")); i >= 0 {
		s = s[i+len(";base64,"):]
	}
	head := start(s)
	gemini := bytes.HasPrefix(holder, []byte("inline"))
	switch {
	case isSound(head):
		return int64(len(s)) / soundBytes
	case isImage(head):
		size, _, err := image.DecodeConfig(bytes.NewReader(head))
		if err != nil { // a WebP, or a size that stands further behind: as for a photograph of 1,536 pixels a side
			size.Width, size.Height = 2*geminiSide, 2*geminiSide
		}
		if gemini {
			return geminiTokens(size.Width, size.Height)
		}
		return min(int64(min(size.Width, maxSide))*int64(min(size.Height, maxSide))/anthropicPer+1, imageTokens)
	}
	return int64(len(s)) / fileBytes
}

func geminiTokens(width, height int) int64 {
	if width <= geminiSmall && height <= geminiSmall {
		return geminiTile
	}
	tiles := func(side int) int64 { return int64(min(side, maxSide)+geminiSide-1) / geminiSide }
	return geminiTile * tiles(width) * tiles(height)
}

// maxSide bounds what an image may say of its size, in pixels.
const maxSide = 8192

// headBytes is how much of a file is looked at: a photograph's size stands behind its preview.
const headBytes = 64 << 10

// start decodes the first bytes of a file in base64, as far as it is base64; escaped slashes are read, too.
func start(s []byte) []byte {
	s = bytes.ReplaceAll(s[:min(len(s), headBytes)], []byte(`\/`), []byte("/"))
	s = s[:len(s)/4*4]
	head := make([]byte, base64.StdEncoding.DecodedLen(len(s)))
	n, _ := base64.StdEncoding.Decode(head, s)
	return head[:n]
}

func isImage(head []byte) bool {
	return hasAny(head, "\x89PNG", "\xff\xd8\xff", "GIF8") || bytes.HasPrefix(head, []byte("RIFF")) && len(head) > 12 && string(head[8:12]) == "WEBP"
}

func isSound(head []byte) bool {
	return hasAny(head, "ID3", "\xff\xfb", "\xff\xf3", "OggS", "fLaC") || bytes.HasPrefix(head, []byte("RIFF")) && len(head) > 12 && string(head[8:12]) == "WAVE"
}

func hasAny(head []byte, marks ...string) bool {
	for _, mark := range marks {
		if bytes.HasPrefix(head, []byte(mark)) {
			return true
		}
	}
	return false
}

// isBase64 looks at the first characters, which is enough: text has blanks or marks in any hundred.
func isBase64(s []byte) bool {
	if len(s) < 100 {
		return false
	}
	for _, c := range s[:100] {
		inside := c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= '0' && c <= '9' || strings.IndexByte(`+/-_\`, c) >= 0
		if !inside {
			return false
		}
	}
	return true
}
