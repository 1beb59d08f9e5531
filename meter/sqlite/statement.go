package sqlite

import (
	"database/sql"
	"regexp"
	"strconv"
)

// prepared is a statement whose parameters go by position. The driver asks SQLite for the name of each
// parameter on each run, and SQLite looks for it in a list: for the forty to sixty of a hold's and a
// settle's statement that took a tenth of their time.
type prepared struct {
	*sql.Stmt
	order  []int // of the arguments, by position; nil where that is their own order
	placed []any // scratch
}

// parameter is a numbered parameter, and the cast around it that PostgreSQL needs and SQLite does not.
var parameter = regexp.MustCompile(`CAST\(\$\d+ AS (?:TEXT|BIGINT)\)|\$\d+`)

var digits = regexp.MustCompile(`\d+`)

// byPosition rewrites numbered parameters.
func byPosition(query string) (text string, order []int) {
	straight := true
	text = parameter.ReplaceAllStringFunc(query, func(p string) string {
		n, _ := strconv.Atoi(digits.FindString(p))
		straight = straight && n == len(order)+1
		order = append(order, n-1)
		return "?"
	})
	if straight {
		order = nil
	}
	return text, order
}

// place puts arguments where their parameters are.
func (p *prepared) place(args []any) []any {
	if p.order == nil {
		return args
	}
	p.placed = p.placed[:0]
	for _, i := range p.order {
		if i < len(args) { // else the driver tells that one is missing
			p.placed = append(p.placed, args[i])
		}
	}
	return p.placed
}
