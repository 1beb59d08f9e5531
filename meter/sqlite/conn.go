package sqlite

import (
	"context"
	"database/sql"
	"database/sql/driver"
	"errors"
	"fmt"
	"io"
	"strings"

	"perdiem/meter"
)

// preparedConn is one connection that keeps its statements prepared by their text. It is not safe
// for concurrent use.
type preparedConn struct {
	conn   *sql.Conn
	stmts  map[string]*prepared // those that return rows
	execs  map[string]*direct
	broken bool

	marks    bool // savepoints are made; else they are only noted, and one cannot be gone back to
	unmarked bool // one was to be gone back to that was not made
	wrote    bool // since begin
}

// begin tells the connection that a new write begins, and whether its savepoints are made.
func (c *preparedConn) begin(marks bool) { c.marks, c.unmarked, c.wrote = marks, false, false }

// note takes down what a statement is, and tells whether it is a savepoint's that is not made.
func (c *preparedConn) note(query string) (skip bool, err error) {
	verb, rest, _ := strings.Cut(strings.TrimSpace(query), " ")
	switch {
	case verb == "SELECT":
		return false, nil
	case c.marks:
	case verb == "SAVEPOINT", verb == "RELEASE":
		return true, nil
	case verb == "ROLLBACK" && strings.HasPrefix(rest, "TO "):
		c.unmarked = true
		return true, errHalfWay
	}
	c.wrote = true
	return false, nil
}

var _ meter.Tx = (*preparedConn)(nil)

// maxPrepared bounds the statements kept; the meter has some thirty.
const maxPrepared = 200

func prepare(ctx context.Context, db *sql.DB) (*preparedConn, error) {
	conn, err := db.Conn(ctx)
	if err != nil {
		return nil, err
	}
	return &preparedConn{conn: conn, stmts: map[string]*prepared{}, execs: map[string]*direct{}}, nil
}

// revive takes a new connection if the last one broke.
func (c *preparedConn) revive(ctx context.Context, db *sql.DB) error {
	if !c.broken {
		return nil
	}
	_ = c.close()
	fresh, err := prepare(ctx, db)
	if err != nil {
		return fmt.Errorf("connect again: %w", err)
	}
	*c = *fresh
	return nil
}

// idle tells whether the connection works and is in no transaction.
func (c *preparedConn) idle(ctx context.Context) bool {
	return c.exec(ctx, "BEGIN") == nil && c.exec(ctx, "ROLLBACK") == nil
}

func (c *preparedConn) exec(ctx context.Context, query string) error {
	_, err := c.ExecContext(ctx, query)
	return err
}

func (c *preparedConn) stmt(ctx context.Context, query string) (*prepared, error) {
	if s, ok := c.stmts[query]; ok {
		return s, nil
	}
	text, order := byPosition(query)
	stmt, err := c.conn.PrepareContext(ctx, text)
	if err != nil {
		return nil, err
	}
	s := &prepared{Stmt: stmt, placing: placing{order: order}}
	makeRoom(c.stmts)
	c.stmts[query] = s
	return s, nil
}

// makeRoom closes some statement where there are too many.
func makeRoom[S io.Closer](stmts map[string]S) {
	if len(stmts) < maxPrepared {
		return
	}
	for old, s := range stmts {
		_ = s.Close()
		delete(stmts, old)
		return
	}
}

// ExecContext goes past database/sql, which looks at each argument anew, each time: that took a tenth
// of a hold.
func (c *preparedConn) ExecContext(ctx context.Context, query string, args ...any) (result sql.Result, err error) {
	if skip, err := c.note(query); skip || err != nil {
		return driver.ResultNoRows, err
	}
	err = c.conn.Raw(func(conn any) (err error) {
		defer caught(&err) // else Raw would close the connection under the statements that are kept for it
		s, ok := c.execs[query]
		if !ok {
			if s, err = prepareDirect(ctx, conn, query); err != nil {
				return err
			}
			makeRoom(c.execs)
			c.execs[query] = s
		}
		result, err = s.exec(ctx, args)
		return err
	})
	return result, err
}

func (c *preparedConn) QueryContext(ctx context.Context, query string, args ...any) (*sql.Rows, error) {
	if _, err := c.note(query); err != nil {
		return nil, err
	}
	s, err := c.stmt(ctx, query)
	if err != nil {
		return nil, err
	}
	return s.QueryContext(ctx, s.place(args)...)
}

// QueryRowContext is not prepared: *sql.Row has no way to carry an error of preparing.
func (c *preparedConn) QueryRowContext(ctx context.Context, query string, args ...any) *sql.Row {
	return c.conn.QueryRowContext(ctx, query, args...)
}

func (c *preparedConn) close() error {
	errs := make([]error, 0, len(c.stmts)+len(c.execs)+1)
	for _, s := range c.stmts {
		errs = append(errs, s.Close())
	}
	for _, s := range c.execs {
		errs = append(errs, s.Close())
	}
	return errors.Join(append(errs, c.conn.Close())...)
}
