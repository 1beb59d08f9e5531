package ui

import (
	"fmt"
	"testing"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/test"

	"perdiem/meter"
	"perdiem/ui/live"
)

// BenchmarkGrid is one update of the largest grid, 200 people by 20 models, in which ten figures have changed: what it takes
// to put the figures in place, and what it takes with a whole frame of 1600 × 1000 drawn after it, by the software painter.
func BenchmarkGrid(b *testing.B) {
	for _, drawn := range []bool{false, true} {
		b.Run(map[bool]string{false: "update", true: "update and frame"}[drawn], func(b *testing.B) {
			test.NewTempApp(b).Settings().SetTheme(NewTheme())
			g := newGrid()
			g.fitted = func(float32) {}
			w := test.NewWindow(g.content)
			defer w.Close()
			w.Resize(fyne.NewSize(1600, 1000))
			data := largeGrid(200, 20)
			g.set(data, live.Tokens)
			for i := 0; b.Loop(); i++ {
				for n := range 10 {
					data.Cells[(i+n*3)%40][n].Tokens.Used++
				}
				g.set(data, live.Tokens)
				if drawn {
					w.Canvas().Capture()
				}
			}
		})
	}
}

func largeGrid(people, models int) live.Grid {
	limit := int64(10_000)
	data := live.Grid{}
	for c := range models {
		data.Models = append(data.Models, fmt.Sprintf("provider/model-%d", c))
	}
	for r := range people {
		data.Rows = append(data.Rows, live.GridRow{Holder: meter.Holder{Kind: meter.ForPerson, ID: fmt.Sprint(r)}, Name: fmt.Sprintf("Person %d", r)})
		cells := make([]live.Cell, models)
		for c := range cells {
			cells[c] = live.Cell{Measured: true, Tokens: live.Budget{Used: int64(r * c), Max: &limit}, Requests: live.Budget{Used: 1}}
		}
		data.Cells = append(data.Cells, cells)
	}
	return data
}
