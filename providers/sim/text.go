package sim

import (
	"math/rand/v2"
	"strings"
	"unicode"
)

// Sentences with %s take a word of the question.
var (
	openings = []string{
		"Happy to help with %s.",
		"Good question about %s; here is how I would go about it.",
		"Let us take %s one step at a time.",
		"There are two sides to %s, and both matter.",
		"Short answer first: %s is simpler than it looks.",
	}
	middles = []string{
		"Begin with what you already know about %s, and write it down before you change anything.",
		"Most trouble with %s comes from doing two things at once.",
		"Measure before and after; a guess about %s is worth little, even a good one.",
		"If %s still looks wrong after that, make the example smaller until it fits on one screen.",
		"A colleague who has never seen %s will ask the question that everyone else skipped.",
		"Name things for what they do, and half of the explanation is done.",
		"Keep the old way working until the new one has been used for a week.",
		"It helps to ask who notices first when %s goes wrong, and to make that moment come sooner.",
		"Where two rules disagree, choose the one that is easier to check.",
		"Leave room for the unusual day; it comes more often than the calendar says.",
		"I would not automate %s before it has been done by hand three times.",
		"The cheap fix is fine for today, as long as its end date is written beside it.",
		"Numbers about %s want a unit, a date and a source, in that order.",
		"When in doubt, prefer the choice that can be undone.",
		"One more thing on %s: the edge cases are where the promises are kept.",
		"A short list that is read beats a long one that is filed.",
		"Try it with the smallest real case, not with the prettiest one.",
		"What surprised people about %s last time will surprise them again unless it is written down.",
		"Split the work so that each part can be thrown away on its own.",
		"If you explain %s aloud and stumble, that is the place to look.",
	}
	closings = []string{
		"That should be enough to start; tell me what you find.",
		"If %s turns out differently, come back and we will look again.",
		"Take the first step today and leave the rest for tomorrow.",
		"That is all there is to it, apart from doing it.",
	}
)

// write makes up a model's reply to a question. The same seed gives the same reply.
func write(m Model, question string, seed uint64) string {
	random := rand.New(rand.NewPCG(seed, 0x5eed))
	topics := topicsOf(question)
	fill := func(sentence string) string {
		return strings.Replace(sentence, "%s", topics[random.IntN(len(topics))], 1)
	}
	out := []string{fill(openings[random.IntN(len(openings))])}
	order := random.Perm(len(middles))
	for i := range m.replies[0] + random.IntN(m.replies[1]-m.replies[0]+1) {
		out = append(out, fill(middles[order[i%len(order)]]))
		if i%5 == 4 {
			out[len(out)-1] += "\n\n"
		}
	}
	out = append(out, fill(closings[random.IntN(len(closings))]))
	return strings.ReplaceAll(strings.Join(out, " "), "\n\n ", "\n\n")
}

// topicsOf are the words of a question that a reply can speak of.
func topicsOf(question string) (topics []string) {
	words := strings.FieldsFunc(question, func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsDigit(r) && r != '-' })
	for _, word := range words {
		if n := len([]rune(word)); n >= 5 && n <= 24 && len(topics) < 12 {
			topics = append(topics, strings.ToLower(word))
		}
	}
	if len(topics) == 0 {
		return []string{"this"}
	}
	return topics
}

// pieces cuts a text into words, each with the blank before it: what a token of a real model mostly is.
func pieces(text string) (out []string) {
	start := 0
	for i, r := range text {
		if i > start && unicode.IsSpace(r) && !unicode.IsSpace(rune(text[i-1])) {
			out = append(out, text[start:i])
			start = i
		}
	}
	return append(out, text[start:])
}
