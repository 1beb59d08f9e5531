package translate

// messages is Anthropic's messages.
var messages = dialect{}
