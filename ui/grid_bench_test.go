package ui

import (
	"fmt"
	"testing"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/test"

	"perdiem/meter"
	"perdiem/ui/live"
)

// BenchmarkGridTick is one update of a grid of 40 people by 12 models in which ten figures have changed.
func BenchmarkGridTick(b *testing.B) {
	test.NewTempApp(b).Settings().SetTheme(NewTheme())
	g := newGrid()
	w := test.NewWindow(g.content)
	defer w.Close()
	w.Resize(fyne.NewSize(1600, 1000))
	limit := int64(10_000)
	data := live.Grid{}
	for c := range 12 {
		data.Models = append(data.Models, fmt.Sprintf("provider/model-%d", c))
	}
	for r := range 40 {
		data.Rows = append(data.Rows, live.GridRow{Holder: meter.Holder{Kind: meter.ForPerson, ID: fmt.Sprint(r)}, Name: fmt.Sprintf("Person %d", r)})
		cells := make([]live.Cell, 12)
		for c := range cells {
			cells[c] = live.Cell{Measured: true, Tokens: live.Budget{Used: int64(r * c), Max: &limit}, Requests: live.Budget{Used: 1}}
		}
		data.Cells = append(data.Cells, cells)
	}
	g.set(data, live.Tokens)
	for i := 0; b.Loop(); i++ {
		for n := range 10 {
			data.Cells[(i+n*3)%40][n].Tokens.Used++
		}
		g.set(data, live.Tokens)
	}
}
