package ui

import (
	"context"
	"fmt"
	"sync/atomic"
	"time"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/container"
	"fyne.io/fyne/v2/theme"
	"fyne.io/fyne/v2/widget"

	"perdiem/providers"
	"perdiem/providers/catalog"
	"perdiem/ui/live"
)

// Registry is the owner's providers, their keys' names and their models.
type Registry interface {
	live.ShelfBooks
	live.Registry
	EnableKey(ctx context.Context, id string) error
	CapKey(ctx context.Context, id string, caps providers.Caps) error
	RemoveModel(ctx context.Context, id string) error
	UpdateModel(ctx context.Context, m providers.Model) error
}

// Secrets reads and keeps the secrets of keys, each bounded in time.
type Secrets interface {
	live.Secrets
	Get(ctx context.Context, key providers.Key) (string, error)
}

// Vendors knows the vendors and what their models are like, and asks a provider which it has.
type Vendors interface {
	Vendors() []providers.Vendor
	// List asks the provider for its models with this secret, and returns them with the limits and prices that are known.
	// It tests the key at the same time: an error says in words what was wrong, without the secret.
	List(ctx context.Context, p providers.Provider, secret string) ([]providers.Model, error)
}

// asking is how long a provider may take to answer a test before the owner is told.
const asking = 20 * time.Second

// models is the providers, and beside them the one in focus with its keys and models.
type models struct {
	d       *Desk
	body    fyne.CanvasObject
	list    *rows
	shelf   []live.Provider
	focus   atomic.Pointer[string] // the provider in focus, by name
	picked  string                 // the model selected, by id
	pane    *either
	name    *text
	address *text
	key     *chip
	table   *rows
	test    *widget.Button
	remove  *widget.Button // the model picked
	edit    *widget.Button // the same
	form    *providerForm  // opened last
}

func newModels(d *Desk) *models {
	m := &models{d: d, name: subheading("").clipped(), address: caption("").clipped(), key: newChip()}
	first := widget.NewButton("Add a provider", m.add)
	m.list = newRows(columns{{title: "Provider", share: 3}, {title: "Key", share: 3}, {title: "Models", width: 48, right: true}},
		emptyState(chipIcon, "No providers yet", "A provider is an account at a vendor, or a local server such as Ollama. Its key goes to this computer's keychain.", first), m.fill)
	m.list.list.OnSelected = func(i widget.ListItemID) { m.lookAt(m.shelf[i].Name) }
	m.table = newRows(modelColumns,
		quietWords("No models yet: import those that the team may use."), m.fillModel)
	m.table.list.OnSelected = func(i widget.ListItemID) { m.picked = m.current().Models[i].ID; m.remove.Enable(); m.edit.Enable() }
	m.test = widget.NewButton("Test the key", m.testKey)
	replace := widget.NewButton("Replace the key", m.replaceKey)
	pool := widget.NewButton("Keys …", m.openKeys)
	away := widget.NewButton("Remove …", m.askRemove)
	m.remove = widget.NewButton("Remove", m.askRemoveModel)
	m.remove.Disable()
	m.edit = widget.NewButton("Edit …", m.editModel)
	m.edit.Disable()
	importer := widget.NewButtonWithIcon("Import models", theme.DownloadIcon(), func() { m.importModels(m.current().Provider) })
	importer.Importance = widget.HighImportance
	head := stack(gap, m.name, m.address, m.key.content, line(gap, m.test, replace, pool, away))
	body := container.NewBorder(stack(edge, head, across(subheading("Models"), m.edit, m.remove, importer)), nil, nil, nil, m.table.content)
	nothing := quietWords("Choose a provider to see its models.")
	m.pane = newEither(body, nothing)
	m.pane.show(false)
	add := widget.NewButtonWithIcon("Add a provider", theme.ContentAddIcon(), m.add)
	add.Importance = widget.HighImportance
	m.body = container.NewBorder(inset(across(heading("Models & providers"), add), 0, 0, edge, 0), nil, nil, nil,
		container.New(shares{2, 3}, panel(m.list.content), panel(m.pane.content)))
	return m
}

func (m *models) title() string              { return "Models & providers" }
func (m *models) icon() fyne.Resource        { return chipIcon }
func (m *models) content() fyne.CanvasObject { return m.body }
func (m *models) tick(time.Time) func()      { return nil }
func (m *models) find()                      { m.d.findAnywhere() }

func (m *models) load(ctx context.Context) (func(), error) {
	shelf, err := live.ReadShelf(ctx, m.d.services.Registry)
	return func() { m.shelf = shelf; m.redraw() }, err
}

func (m *models) lookAt(name string) {
	m.focus.Store(&name)
	m.picked = ""
	m.table.list.UnselectAll()
	m.redraw()
}

// current is the provider in focus, or nil.
func (m *models) current() *live.Provider {
	name := m.focus.Load()
	for i := range m.shelf {
		if name != nil && m.shelf[i].Name == *name {
			return &m.shelf[i]
		}
	}
	return nil
}

func (m *models) redraw() {
	m.list.set(len(m.shelf))
	p := m.current()
	m.pane.show(p != nil)
	if p == nil {
		return
	}
	m.name.say(p.Name)
	m.address.say(m.vendorTitle(p.Vendor) + " · " + p.BaseURL)
	words, why, ok := p.KeyState(m.needsKey(p.Vendor))
	if why != "" {
		words += ": " + why
	}
	words = live.Sentence(words)
	if ok {
		m.key.set(theme.ConfirmIcon(), words, colorGood)
	} else {
		m.key.set(theme.WarningIcon(), words, colorAmber)
	}
	m.table.set(len(p.Models))
	if m.picked == "" {
		m.remove.Disable()
		m.edit.Disable()
	}
}

func (m *models) fill(i int, row fyne.CanvasObject) {
	p := m.shelf[i]
	words, _, ok := p.KeyState(m.needsKey(p.Vendor))
	tone := colorQuiet
	if !ok {
		tone = colorAmber
	}
	cell(row, 0).set(p.Name, theme.ColorNameForeground)
	cell(row, 1).set(words, tone)
	cell(row, 2).set(fmt.Sprint(len(p.Models)), theme.ColorNameForeground)
}

func (m *models) fillModel(i int, row fyne.CanvasObject) {
	one := m.current().Models[i]
	cell(row, 0).set(one.ID, theme.ColorNameForeground)
	figures(row, one)
}

// modelColumns are what is told of a model; figures fills the last three of them.
var modelColumns = columns{{title: "Model", share: 5}, {title: "Context", width: 80, right: true}, {title: "Longest reply", width: 80, right: true}, {title: "Price of a million tokens", width: 168, right: true}}

// figures fills the last three columns of a row about a model.
func figures(row fyne.CanvasObject, one providers.Model) {
	cell(row, 1).set(live.TokensOrUnknown(one.Context), unknownTone(one.Context == 0))
	cell(row, 2).set(live.TokensOrUnknown(one.MaxReply), unknownTone(one.MaxReply == 0))
	cell(row, 3).set(live.PriceWords(one.Price), unknownTone(one.Price == nil))
}

func unknownTone(unknown bool) fyne.ThemeColorName {
	if unknown {
		return colorAmber
	}
	return colorQuiet
}

func (m *models) vendor(id string) (providers.Vendor, bool) {
	for _, v := range m.d.services.Vendors.Vendors() {
		if v.ID == id {
			return v, true
		}
	}
	return providers.Vendor{}, false
}

func (m *models) vendorTitle(id string) string {
	if v, ok := m.vendor(id); ok {
		return v.Title
	}
	return "OpenAI-compatible"
}

func (m *models) needsKey(id string) bool {
	v, ok := m.vendor(id)
	return ok && !v.NoKey && v.ID != catalog.Custom
}
