package sqlite

import (
	"context"
	"database/sql"
	"database/sql/driver"
	"fmt"
	"regexp"
	"strconv"
)

// prepared is a statement whose parameters go by position.
type prepared struct {
	*sql.Stmt
	placing
}

// direct is prepared for the driver itself, on whose connection alone it may be used.
type direct struct {
	driver.Stmt
	placing
	values []driver.NamedValue // scratch
}

func prepareDirect(ctx context.Context, conn any, query string) (*direct, error) {
	text, order := byPosition(query)
	stmt, err := conn.(driver.ConnPrepareContext).PrepareContext(ctx, text)
	return &direct{Stmt: stmt, placing: placing{order: order}}, err
}

func (d *direct) exec(ctx context.Context, args []any) (driver.Result, error) {
	d.values = d.values[:0]
	for i, arg := range d.place(args) {
		switch arg.(type) {
		case nil, int64, string:
		default:
			var err error
			if arg, err = driver.DefaultParameterConverter.ConvertValue(arg); err != nil {
				return nil, fmt.Errorf("parameter %d: %w", i+1, err)
			}
		}
		d.values = append(d.values, driver.NamedValue{Ordinal: i + 1, Value: arg})
	}
	return d.Stmt.(driver.StmtExecContext).ExecContext(ctx, d.values)
}

// placing is the order of a statement's parameters. The driver asks SQLite for the name of each
// parameter on each run, and SQLite looks for it in a list: for the forty to sixty of a hold's and a
// settle's statement that took a tenth of their time.
type placing struct {
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
func (p *placing) place(args []any) []any {
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
