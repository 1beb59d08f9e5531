package translate

// chat is OpenAI's chat completions.
var chat = dialect{}
