package translate

// gemini is Google's generateContent.
var gemini = dialect{}
