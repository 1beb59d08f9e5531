package translate

// responses is OpenAI's responses: for callers alone, as who serves them serves chat completions, too.
// https://platform.openai.com/docs/api-reference/responses
//
// Nothing is kept here between two requests, so that each must bring its whole conversation, as coding agents do.
var responses = dialect{read: readResponses, encoder: newResponsesEncoder}
