package translate

import (
	"bytes"
	"encoding/base64"
	"strings"

	"github.com/tidwall/gjson"
	"github.com/tidwall/sjson"

	"perdiem/providers"
)

// Native is a caller's body as a provider takes it who speaks their dialect: without the thoughts of other vendors' models,
// which the caller has from translated replies earlier in the conversation, and whose sealed proofs their own vendor would
// refuse. A body that has none is not touched. It must be one that the wire's Inspect accepted.
func Native(d providers.Dialect, model string, body []byte) []byte {
	if !hasSeal(body) {
		return body
	}
	root := gjson.ParseBytes(body)
	switch d {
	case providers.Anthropic:
		return []byte(editList(root, "messages", func(m gjson.Result) string {
			return editList(m, "content", func(b gjson.Result) string {
				return unless(b.Get("type").Str == "thinking" && foreign(ByAnthropic, b.Get("signature").Str), b)
			})
		}))
	case providers.Responses:
		return []byte(editList(root, "input", func(item gjson.Result) string {
			return unless(item.Get("type").Str == "reasoning" && foreign(ByOpenAI, item.Get("encrypted_content").Str), item)
		}))
	case providers.Gemini:
		return []byte(editList(root, "contents", func(turn gjson.Result) string {
			return editList(turn, "parts", func(p gjson.Result) string { return signedByGoogle(p, model) })
		}))
	}
	return body
}

// seals are how sealed proofs begin, behind a quote, as far as the base64 of all is the same.
var seals = func() (list [][]byte) {
	for _, mark := range []string{string(ByAnthropic) + ":", string(HiddenByAnthropic) + ":", string(ByGoogle) + ":", string(ByOpenAI) + ":", string(ByChat) + ":", thoughtsMark} {
		list = append(list, []byte(base64.RawStdEncoding.EncodeToString([]byte(mark))[:len(mark)*8/6]))
	}
	return list
}()

// hasSeal tells quickly whether a body may have a sealed proof; most have none. It looks behind the quotes alone.
func hasSeal(body []byte) bool {
	for {
		_, rest, found := bytes.Cut(body, []byte(`"`))
		if !found {
			return false
		}
		body = rest
		for _, seal := range seals {
			if bytes.HasPrefix(body, seal) {
				return true
			}
		}
	}
}

// foreign tells whether a field of a vendor's proofs has one that is not theirs.
func foreign(own Vendor, field string) bool {
	return field != "" && unseal(own, field).Vendor != own || unsealThoughts(field) != nil
}

// signedByGoogle is a part with what Google takes for a proof in place of another vendor's. Older models want none.
func signedByGoogle(p gjson.Result, model string) string {
	said := p.Raw
	for _, name := range []string{"thoughtSignature", "thought_signature"} {
		if !foreign(ByGoogle, p.Get(name).Str) {
			continue
		}
		if olderGemini(model) {
			said, _ = sjson.Delete(said, name) // of an object that is JSON, and so is the next
		} else {
			said, _ = sjson.Set(said, name, unsigned)
		}
	}
	return said
}

func unless(out bool, v gjson.Result) string {
	if out {
		return ""
	}
	return v.Raw
}

// editList is an object in whose list each item is what change makes of it: gone, if that is "". An object whose list has
// nothing left is gone, too.
func editList(object gjson.Result, field string, change func(gjson.Result) string) string {
	list := object.Get(field)
	if !list.IsArray() {
		return object.Raw
	}
	var items []string
	list.ForEach(func(_, item gjson.Result) bool {
		if said := change(item); said != "" {
			items = append(items, said)
		}
		return true
	})
	if items == nil && len(list.Array()) > 0 {
		return ""
	}
	said, _ := sjson.SetRaw(object.Raw, field, "["+strings.Join(items, ",")+"]") // of an object that is JSON
	return said
}
