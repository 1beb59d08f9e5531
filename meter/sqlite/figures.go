package sqlite

import (
	"context"
	"runtime"
	"sync"
)

// figures reads single numbers that every call asks for, such as which edition of the team stands. Those
// who ask at the same time share one reading, which begins after the last of them asked.
type figures struct {
	read  *readPool
	queue chan figureAsk
	quit  chan struct{}
	done  chan struct{}
	once  sync.Once
}

type figureAsk struct {
	query  string
	answer chan figure
}

type figure struct {
	n   int64
	err error
}

func startFigures(read *readPool) *figures {
	f := &figures{read: read, queue: make(chan figureAsk, maxBatch), quit: make(chan struct{}), done: make(chan struct{})}
	go f.run()
	return f
}

func (f *figures) ask(ctx context.Context, query string) (int64, error) {
	a := figureAsk{query, make(chan figure, 1)}
	select {
	case f.queue <- a:
	case <-ctx.Done():
		return 0, ctx.Err()
	case <-f.done:
		return 0, ErrClosed
	}
	select {
	case got := <-a.answer:
		return got.n, got.err
	case <-ctx.Done():
		return 0, ctx.Err()
	case <-f.done:
		return 0, ErrClosed
	}
}

func (f *figures) stop() {
	f.once.Do(func() { close(f.quit) })
	<-f.done
}

func (f *figures) run() {
	defer close(f.done)
	asked := map[string][]chan figure{}
	for {
		select {
		case a := <-f.queue:
			asked[a.query] = append(asked[a.query], a.answer)
		case <-f.quit:
			return
		}
		runtime.Gosched() // whoever can run now may ask, too
		for more := true; more; {
			select {
			case a := <-f.queue:
				asked[a.query] = append(asked[a.query], a.answer)
			default:
				more = false
			}
		}
		for query, waiting := range asked {
			if len(waiting) == 0 {
				continue
			}
			var got figure
			got.err = f.read.QueryRowContext(context.Background(), query).Scan(&got.n)
			for _, answer := range waiting {
				answer <- got
			}
			asked[query] = waiting[:0]
		}
	}
}
