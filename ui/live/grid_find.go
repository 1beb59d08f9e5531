package live

import (
	"slices"
	"strings"

	"perdiem/meter"
)

// Matching is the part of the grid that words ask for. A word that begins a name of a person or a tier keeps those rows, one
// that is part of a model's id keeps those columns; one that does both, both. One that does neither leaves nothing. The
// column of any model always stays: what is inherited comes from there, and a purse stands in it.
func (g Grid) Matching(words string) Grid {
	rows, cols := all(len(g.Rows)), all(len(g.Models))
	for word := range strings.FieldsSeq(strings.ToLower(words)) {
		inRow := func(i int) bool { return g.Rows[i].called(word) }
		inCol := func(j int) bool {
			return g.Models[j] == meter.AnyModel || strings.Contains(strings.ToLower(g.Models[j]), word)
		}
		people, models := kept(rows, inRow), kept(cols, inCol)
		found := len(models) > 1
		if !found && len(people) == 0 {
			return Grid{}
		}
		if len(people) > 0 {
			rows = people
		}
		if found {
			cols = models
		}
	}
	if len(rows) == len(g.Rows) && len(cols) == len(g.Models) {
		return g
	}
	part := Grid{}
	for _, j := range cols {
		part.Models = append(part.Models, g.Models[j])
	}
	for _, i := range rows {
		cells := make([]Cell, len(cols))
		for n, j := range cols {
			cells[n] = g.Cells[i][j]
		}
		part.Rows, part.Cells = append(part.Rows, g.Rows[i]), append(part.Cells, cells)
	}
	return part
}

// called tells whether one of the words of a row's name or tier begins so. Scripts that write no spaces have no such words:
// there the name only has to contain it.
func (r GridRow) called(word string) bool {
	name := strings.ToLower(r.Name + " " + r.Tier)
	if strings.ContainsFunc(word, func(c rune) bool { return c >= 0x0e00 }) {
		return strings.Contains(name, word)
	}
	return slices.ContainsFunc(strings.FieldsFunc(name, func(c rune) bool { return c == ' ' || c == '-' }), func(part string) bool { return strings.HasPrefix(part, word) })
}

func all(n int) []int {
	is := make([]int, n)
	for i := range is {
		is[i] = i
	}
	return is
}

func kept(is []int, keep func(int) bool) []int {
	var some []int
	for _, i := range is {
		if keep(i) {
			some = append(some, i)
		}
	}
	return some
}

// Find is where a holder and a model stand in the grid.
func (g Grid) Find(h meter.Holder, model string) (row, col int, ok bool) {
	row = slices.IndexFunc(g.Rows, func(r GridRow) bool { return r.Holder == h })
	col = slices.Index(g.Models, model)
	return row, col, row >= 0 && col >= 0
}
