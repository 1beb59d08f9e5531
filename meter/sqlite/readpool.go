package sqlite

import (
	"context"
	"database/sql"
	"sync"

	"perdiem/meter"
)

// readPool is the read-only pool with its statements prepared by their text; preparing costs more
// than most of them. It is safe for concurrent use.
type readPool struct {
	*sql.DB
	mu    sync.RWMutex
	stmts map[string]*sql.Stmt
}

var _ meter.Tx = (*readPool)(nil)

// prepared finds a statement; nil where it cannot be prepared, or there are too many already: the
// query then tells the error, or goes unprepared.
func (p *readPool) prepared(query string) *sql.Stmt {
	p.mu.RLock()
	s, n := p.stmts[query], len(p.stmts)
	p.mu.RUnlock()
	if s != nil || n >= maxPrepared {
		return s
	}
	s, err := p.Prepare(query) //nolint:noctx // it outlives whoever asked first
	if err != nil {
		return nil
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	if first := p.stmts[query]; first != nil {
		defer s.Close()
		return first
	}
	if p.stmts == nil {
		p.stmts = map[string]*sql.Stmt{}
	}
	p.stmts[query] = s
	return s
}

func (p *readPool) QueryContext(ctx context.Context, query string, args ...any) (*sql.Rows, error) {
	if s := p.prepared(query); s != nil { //nolint:sqlclosecheck // kept for the next time; closed with the pool
		return s.QueryContext(ctx, args...)
	}
	return p.DB.QueryContext(ctx, query, args...)
}

func (p *readPool) QueryRowContext(ctx context.Context, query string, args ...any) *sql.Row {
	if s := p.prepared(query); s != nil { //nolint:sqlclosecheck // kept for the next time; closed with the pool
		return s.QueryRowContext(ctx, args...)
	}
	return p.DB.QueryRowContext(ctx, query, args...)
}
