// Package libsql runs the meter, its statements unchanged, on libSQL's own engine.
package libsql

import (
	"bufio"
	"context"
	"database/sql"
	"database/sql/driver"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"sync"
	"testing"
)

// engine is a Node.js process with libSQL in it, as a driver for database/sql.
type engine struct {
	mu     sync.Mutex
	in     io.WriteCloser
	out    *bufio.Reader
	opened int
}

// start starts the engine for as long as t runs; see .ci/clients for what is installed.
func start(t *testing.T) *engine {
	t.Helper()
	installed := os.Getenv("PERDIEM_TEST_JS")
	if installed == "" {
		t.Skip("libSQL's engine is not installed here: make test installs it, and sets PERDIEM_TEST_JS")
	}
	script, err := filepath.Abs("engine.mjs")
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.CommandContext(context.WithoutCancel(t.Context()), filepath.Join(installed, "node_modules", ".bin", "node"), script)
	cmd.Stderr = os.Stderr
	e := &engine{}
	if e.in, err = cmd.StdinPipe(); err != nil {
		t.Fatal(err)
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	e.out = bufio.NewReader(out)
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := errors.Join(e.in.Close(), cmd.Wait()); err != nil {
			t.Errorf("end the engine: %v", err)
		}
	})
	return e
}

type request struct {
	Action     string  `json:"action"`
	Connection int     `json:"connection"`
	Path       string  `json:"path,omitempty"`
	SQL        string  `json:"sql,omitempty"`
	Args       []value `json:"args,omitempty"`
}

type answer struct {
	Error   string    `json:"error"`
	Changes int64     `json:"changes"`
	Columns []string  `json:"columns"`
	Rows    [][]value `json:"rows"`
}

// value is a number, a text, bytes, or NULL.
type value struct {
	Number *string `json:"number,omitempty"`
	Text   *string `json:"text,omitempty"`
	Bytes  *[]byte `json:"bytes,omitempty"`
}

func (e *engine) ask(r request) (answer, error) {
	e.mu.Lock()
	defer e.mu.Unlock()
	line, err := json.Marshal(r)
	if err != nil {
		return answer{}, err
	}
	if _, err := e.in.Write(append(line, '\n')); err != nil {
		return answer{}, fmt.Errorf("ask libSQL: %w", err)
	}
	var a answer
	if line, err = e.out.ReadBytes('\n'); err != nil {
		return a, fmt.Errorf("libSQL gave no answer: %w", err)
	}
	if err := json.Unmarshal(line, &a); err != nil {
		return a, fmt.Errorf("read libSQL's answer: %w", err)
	}
	if a.Error != "" {
		return a, fmt.Errorf("libSQL: %s", a.Error)
	}
	return a, nil
}

// file is a database on the engine; it makes connections to it.
type file struct {
	*engine
	path string
}

func (f file) Driver() driver.Driver { return nil } // database/sql asks only for connections

func (f file) Connect(context.Context) (driver.Conn, error) {
	f.mu.Lock()
	f.opened++
	c := &conn{f.engine, f.opened}
	f.mu.Unlock()
	if _, err := f.ask(request{Action: "open", Connection: c.number, Path: f.path}); err != nil {
		return nil, err
	}
	_, err := f.ask(request{Action: "script", Connection: c.number, SQL: "PRAGMA journal_mode = wal; PRAGMA foreign_keys = 1"})
	return c, err
}

type conn struct {
	*engine
	number int
}

func (c *conn) Close() error {
	_, err := c.ask(request{Action: "close", Connection: c.number})
	return err
}

func (c *conn) ExecContext(_ context.Context, query string, args []driver.NamedValue) (driver.Result, error) {
	if len(args) == 0 { // maybe several statements, as in a migration
		_, err := c.ask(request{Action: "script", Connection: c.number, SQL: query})
		return driver.RowsAffected(0), err
	}
	a, err := c.statement(query, args)
	return driver.RowsAffected(a.Changes), err
}

func (c *conn) QueryContext(_ context.Context, query string, args []driver.NamedValue) (driver.Rows, error) {
	a, err := c.statement(query, args)
	return &rows{a.Columns, a.Rows}, err
}

func (c *conn) statement(query string, args []driver.NamedValue) (answer, error) {
	r := request{Action: "statement", Connection: c.number, SQL: query}
	for _, arg := range args {
		var v value
		switch of := arg.Value.(type) {
		case nil:
		case int64:
			n := strconv.FormatInt(of, 10)
			v.Number = &n
		case string:
			v.Text = &of
		case []byte:
			if of != nil {
				v.Bytes = &of
			}
		default:
			return answer{}, fmt.Errorf("the meter uses no %T", of)
		}
		r.Args = append(r.Args, v)
	}
	return c.ask(r)
}

// Begin begins a transaction that reads; one that writes is begun by the store, at once for writing.
func (c *conn) Begin() (driver.Tx, error) {
	_, err := c.statement("BEGIN", nil)
	return tx{c}, err
}

func (c *conn) Prepare(string) (driver.Stmt, error) {
	return nil, errors.New("statements are run as they are")
}

type tx struct{ *conn }

func (t tx) Commit() error {
	_, err := t.statement("COMMIT", nil)
	return err
}

func (t tx) Rollback() error {
	_, err := t.statement("ROLLBACK", nil)
	return err
}

type rows struct {
	columns []string
	left    [][]value
}

func (r *rows) Columns() []string { return r.columns }
func (r *rows) Close() error      { return nil }

func (r *rows) Next(into []driver.Value) error {
	if len(r.left) == 0 {
		return io.EOF
	}
	for i, v := range r.left[0] {
		switch {
		case v.Number != nil:
			n, err := strconv.ParseInt(*v.Number, 10, 64)
			if err != nil {
				return err
			}
			into[i] = n
		case v.Text != nil:
			into[i] = *v.Text
		case v.Bytes != nil:
			into[i] = *v.Bytes
		default:
			into[i] = nil
		}
	}
	r.left = r.left[1:]
	return nil
}

func (f file) open() *sql.DB { return sql.OpenDB(f) }
