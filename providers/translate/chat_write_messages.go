package translate

import (
	"crypto/sha256"
	"encoding/hex"
	"strings"
)

// maxCallID is the longest id of a tool call that OpenAI takes, in bytes.
const maxCallID = 40

// chatCallID is an id that OpenAI takes: the same one to the same id.
func chatCallID(id string) string {
	if len(id) <= maxCallID {
		return id
	}
	sum := sha256.Sum256([]byte(id))
	return "call_" + hex.EncodeToString(sum[:16])
}

// chatMessages says messages. The results of parallel calls must follow each other, so that what of them is no text comes
// behind the last.
func (w *writing) chatMessages(list []Message) []chatMessage {
	said := make([]chatMessage, 0, len(list))
	var seen []chatPart
	for _, m := range list {
		if m.Role != ToolRole && seen != nil {
			said = append(said, chatMessage{Role: User, Content: seen})
			seen = nil
		}
		switch m.Role {
		case Assistant:
			if a, some := w.chatAssistant(m.Parts); some {
				said = append(said, a)
			}
		case ToolRole:
			for _, p := range m.Parts {
				result, more := w.chatResult(p)
				said, seen = append(said, result), append(seen, more...)
			}
		default:
			said = append(said, chatMessage{Role: m.Role, Content: w.chatContent(m.Parts)})
		}
	}
	if seen != nil {
		said = append(said, chatMessage{Role: User, Content: seen})
	}
	return said
}

// chatAssistant says what the assistant said; false if that is nothing. A thought goes back only to who wants it, and only
// with the calls that it led to: https://api-docs.deepseek.com/guides/thinking_mode
func (w *writing) chatAssistant(parts []Part) (m chatMessage, some bool) {
	m.Role = Assistant
	var text strings.Builder
	for _, p := range parts {
		switch p.Kind {
		case Text:
			text.WriteString(p.Text)
		case Refusal:
			m.Refusal += p.Text
		case Call:
			arguments := p.Arguments
			if arguments == "" {
				arguments = "{}"
			}
			m.Calls = append(m.Calls, chatCall{ID: chatCallID(p.ID), Type: "function", Function: &chatCallFunction{p.Name, arguments}})
		case Thought:
			thought(&m, p)
		default:
			w.refuse("messages", "the assistant cannot have said images or files")
		}
	}
	if text.Len() > 0 {
		m.Content = text.String()
	}
	if m.Calls == nil {
		m.Thinking, m.Reasoning = "", ""
	}
	return m, m.Content != nil || m.Refusal != "" || m.Calls != nil
}

func thought(m *chatMessage, p Part) {
	switch p.Proof {
	case Proof{ByChat, chatThinking}:
		m.Thinking += p.Text
	case Proof{ByChat, chatReasoning}:
		m.Reasoning += p.Text
	}
}

// chatResult says a result, and as parts for the user's message behind it what tools cannot say here.
func (w *writing) chatResult(p Part) (m chatMessage, more []chatPart) {
	m = chatMessage{Role: ToolRole, CallID: chatCallID(p.ID)}
	var words []string
	if p.Failed {
		words = append(words, "The tool failed.")
	}
	for _, c := range p.Content {
		if c.Kind == Text {
			words = append(words, c.Text)
			continue
		}
		if more == nil {
			words = append(words, "(What else the tool gave is in the message after the results.)")
			more = append(more, chatPart{Type: "text", Text: "Given by the tool call " + m.CallID + ":"})
		}
		more = append(more, w.chatPart(c))
	}
	m.Content = strings.Join(words, "\n")
	return m, more
}

// chatContent is a string where all is text, else a list of parts.
func (w *writing) chatContent(parts []Part) any {
	list := make([]chatPart, 0, len(parts))
	words := make([]string, 0, len(parts))
	for _, p := range parts {
		if p.Kind == Text {
			words = append(words, p.Text)
		}
		list = append(list, w.chatPart(p))
	}
	if len(words) == len(parts) {
		return strings.Join(words, "\n")
	}
	return list
}

func (w *writing) chatPart(p Part) chatPart {
	switch p.Kind {
	case Text:
		return chatPart{Type: "text", Text: p.Text}
	case Image:
		url := p.URL
		if url == "" {
			url = toDataURL(p.MIME, p.Data)
		}
		return chatPart{Type: "image_url", Image: &chatImage{url, p.Detail}}
	case File:
		return w.chatFile(p)
	case Audio:
		return w.chatAudio(p)
	}
	w.refuse("messages", "there is a part in them that only the assistant can say")
	return chatPart{}
}

// chatFile says a file by its data: the dialect has no addresses of files.
func (w *writing) chatFile(p Part) chatPart {
	if p.URL != "" {
		w.refuse("messages", "a file in them is given by its address; please send its data")
	}
	name := p.Name
	if name == "" {
		name = "file" // OpenAI wants one
	}
	return chatPart{Type: "file", File: &chatFile{name, toDataURL(p.MIME, p.Data)}}
}

func (w *writing) chatAudio(p Part) chatPart {
	format, _, _ := strings.Cut(strings.TrimPrefix(p.MIME, "audio/"), ";")
	switch format {
	case "wav", "x-wav", "wave", "vnd.wave":
		format = "wav"
	case "mp3", "mpeg":
		format = "mp3"
	default:
		w.refuse("messages", "sounds must be WAV or MP3, not %s", p.MIME)
	}
	return chatPart{Type: "input_audio", Audio: &chatAudio{p.Data, format}}
}
