package translate

import "encoding/json"

// Request is what a caller asks for, in the middle form. Zero values were not said.
type Request struct {
	Model      string // as the caller named it
	Stream     bool
	UsageAsked bool // a stream that is to end with a usage event; only callers of chat completions have the choice
	Messages   []Message
	Tools      []Tool
	Choice     Choice
	Parallel   *bool // whether several tools may be called in one reply
	MaxTokens  int64 // the most tokens of a reply, thinking included
	Replies    int64 // n
	Stop       []string
	Format     *Format
	Thinking   *Thinking
	User       string // an opaque name of the end user

	// Sampling, in the caller's own digits; "" = not said.
	Temperature, TopP, TopK, Presence, Frequency, Seed json.Number
	Logprobs                                           bool // the probabilities of tokens are asked for

	// Asked is the caller's body, for dialects whose replies repeat what was asked.
	Asked []byte
}

// Role is who says a message.
type Role string

// The roles. The results of tools are messages of their own, as in chat completions.
const (
	System    Role = "system" // developer, too
	User      Role = "user"
	Assistant Role = "assistant"
	ToolRole  Role = "tool"
)

// Message is one turn. One of ToolRole has exactly one part, a result; parallel calls are answered by as many messages.
type Message struct {
	Role  Role
	Parts []Part
}

// PartKind is what a part of a message is.
type PartKind int

// The kinds of parts, and which fields of Part they use.
const (
	Text    PartKind = iota // Text
	Image                   // MIME and Data, or URL; Detail
	File                    // MIME and Data, or URL; Name
	Audio                   // MIME and Data
	Call                    // ID, Name, Arguments; Proof
	Result                  // ID, Name (where the dialect gives it), Content, Failed
	Thought                 // Text, Proof
	Refusal                 // Text: the assistant declined
)

// Part is a piece of a message.
type Part struct {
	Kind      PartKind
	Text      string
	MIME      string
	Data      string // base64, standard alphabet, as it came
	URL       string
	Detail    string // low, high, auto
	Name      string
	ID        string
	Arguments string // JSON, as it came
	Content   []Part // of a result
	Failed    bool   // the tool failed
	// Proof is what a vendor signs thoughts and calls with, to be given back to the same vendor: Anthropic's signature,
	// Google's thoughtSignature, OpenAI's encrypted_content. Others are not told it.
	Proof Proof
}

// Proof is an opaque token of a vendor's.
type Proof struct {
	Vendor Vendor
	Token  string
}

// Vendor tells whose proof it is.
type Vendor string

// The vendors that sign.
const (
	ByAnthropic Vendor = "anthropic"
	// HiddenByAnthropic signs nothing: the token is the thought, which Anthropic alone can read.
	HiddenByAnthropic Vendor = "anthropic-redacted"
	ByGoogle          Vendor = "google"
	ByOpenAI          Vendor = "openai"
	// ByChat stands for a server of chat completions that signs nothing, but wants its thoughts back in the field that it
	// told them in: the token is that field's name.
	ByChat Vendor = "chat"
)

// Tool is a function that the model may call. Tools that run at the provider have no counterpart elsewhere and are not
// here.
type Tool struct {
	Name        string
	Description string
	Parameters  json.RawMessage // a JSON schema; nil = none given
	Strict      *bool
	// Free tells a tool that takes free text (OpenAI's custom tools): it is offered as a function with one string, input.
	Free bool
	// Said is the name, and Space the group, by which the caller knows the tool where Name had to be made from both.
	Said, Space string
}

// Mode is whether tools are called.
type Mode string

// The modes.
const (
	ChooseAuto     Mode = "auto"
	ChooseNone     Mode = "none"
	ChooseRequired Mode = "required"
	ChooseOne      Mode = "one" // Choice.Name
)

// Choice is which tools the model is to call; the zero value was not said.
type Choice struct {
	Mode Mode
	Name string
	// Allowed narrows the tools to these; empty = all.
	Allowed []string
}

// Format is the form of the answer's text.
type Format struct {
	Name, Description string
	Schema            json.RawMessage // nil = any JSON
	Strict            *bool
}

// Thinking is how much the model is to think before it answers.
type Thinking struct {
	Off    bool
	Effort string // minimal, low, medium, high, xhigh, max; "" = not said
	Budget int64  // tokens; 0 = not said
	Shown  bool   // thoughts, or a summary of them, are asked for
}
