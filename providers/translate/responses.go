package translate

// responses is OpenAI's responses: for callers alone, as who serves them serves chat completions, too.
var responses = dialect{}
