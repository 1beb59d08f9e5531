package cli

import (
	"fmt"
	"slices"
	"strings"
)

// unknownError says that nothing goes by a name, and which names are nearest to it.
type unknownError struct {
	what, name string
	known      []string
	hint       string // what to do where there is none at all
	all        bool   // whether each of them is told, where none is near
}

func (e unknownError) Error() string {
	text := fmt.Sprintf("there is no %s %q", e.what, e.name)
	switch near := nearest(e.name, e.known); {
	case len(near) > 0:
		return text + "; did you mean " + strings.Join(near, " or ") + "?"
	case len(e.known) > 0:
		told := len(e.known)
		if !e.all {
			told = min(told, 12)
		}
		return text + "; there are: " + strings.Join(e.known[:told], ", ")
	case e.hint != "":
		return text + "; " + e.hint
	}
	return text
}

// nearest returns up to three names that may have been meant, the nearest first: those that differ
// in few letters, or that contain what was typed.
func nearest(name string, known []string) []string {
	type candidate struct {
		name     string
		distance int
	}
	var near []candidate
	typed := strings.ToLower(name)
	for _, k := range known {
		lower := strings.ToLower(k)
		d := distance(typed, lower)
		if strings.Contains(lower, typed) && len(typed) > 1 {
			d = min(d, 1)
		}
		if d <= max(1, len([]rune(typed))/3) {
			near = append(near, candidate{k, d})
		}
	}
	slices.SortStableFunc(near, func(a, b candidate) int { return a.distance - b.distance })
	var names []string
	for _, c := range near[:min(len(near), 3)] {
		names = append(names, c.name)
	}
	return names
}

// distance is Levenshtein's: how many letters must be added, dropped or changed.
func distance(a, b string) int {
	from, to := []rune(a), []rune(b)
	row := make([]int, len(to)+1)
	for j := range row {
		row[j] = j
	}
	for i, x := range from {
		diagonal := row[0]
		row[0] = i + 1
		for j, y := range to {
			change := diagonal
			if x != y {
				change++
			}
			diagonal = row[j+1]
			row[j+1] = min(change, row[j]+1, row[j+1]+1)
		}
	}
	return row[len(to)]
}
