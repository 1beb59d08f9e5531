package gateway

// Answers are every reason, and how it is told.
var Answers = answers
