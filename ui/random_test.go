package ui

import (
	"fmt"
	"math"
	"math/rand"
	"os"
	"testing"
	"time"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/driver/desktop"

	"spandrel/model"
	"spandrel/testdata"
	"spandrel/ui/rows"
)

// user does what someone without a plan does, from a seed.
type user struct {
	*rand.Rand
	b    *testBench
	d    *tab
	out  string   // a folder for what is written
	done []string // what was done, for whoever has to find out
}

var randomKeys = []fyne.KeyName{fyne.KeyUp, fyne.KeyDown, fyne.KeyLeft, fyne.KeyRight, fyne.KeyPageUp, fyne.KeyPageDown, fyne.KeyHome, fyne.KeyEnd,
	fyne.KeyReturn, fyne.KeySpace, fyne.KeyEscape, fyne.KeyTab, fyne.KeyDelete, fyne.KeyBackspace, fyne.KeyInsert, fyne.KeyF2, fyne.KeyF3, fyne.KeyF6, fyne.KeyF8}

// randomCommands are those that neither end the program nor wait for another one.
var randomCommands = []string{"undo", "redo", "undo", "unlock", "edit-value", "insert", "repair-links", "copy", "paste", "delete", "find-next", "full-pane", "problems",
	"table", "coverage", "changes", "graph", "logical", "wider", "narrower", "back", "forward", "next-problem", "previous-problem", "next-difference", "bookmark",
	"next-bookmark", "bookmarks", "next-pane", "preview", "fix-all", "sort", "check", "copy-path", "copy-value", "select-all", "theme",
	"picture", "hashes", "records", "layout-data", "layout-bytes", "layout-both", "next-document"}

// views are the panes with rows that are shown.
func (u *user) views() []*rows.View {
	list := []*rows.View{u.d.left.View(), u.d.hex.View, u.d.info.View}
	rows.EachView(u.d.Lower.Bottom.Selected().Content, func(v *rows.View) { list = append(list, v) })
	return list
}

// act does one thing.
func (u *user) act() {
	v := u.views()[u.Intn(len(u.views()))]
	switch u.Intn(9) {
	case 0:
		name := randomCommands[u.Intn(len(randomCommands))]
		u.note("command %s", name)
		u.b.menus.run(name)
	case 1, 2:
		row, x := v.Top+u.Int63n(max(1, min(v.Page(), v.Rows.Count()+2))), u.Float32()*v.Rows.Width()
		e := rows.Press{Button: desktop.MouseButtonPrimary, Double: u.Intn(6) == 0}
		if u.Intn(5) == 0 {
			e.Mod = fyne.KeyModifierShift
		}
		u.note("press %T %d %v %+v", v.Rows, row, x, e)
		v.Rows.Hover(row, x)
		v.Rows.Press(row, x, e)
	case 3:
		u.note("header of %T", v.Rows)
		v.Rows.Press(-1, u.Float32()*v.Rows.Width(), rows.Press{Button: desktop.MouseButtonPrimary})
		if u.Intn(3) == 0 {
			v.Rows.Press(-1, u.Float32()*v.Rows.Width(), rows.Press{Drag: true, Button: desktop.MouseButtonPrimary})
		}
		v.MouseUp(nil)
	case 4:
		r := []rune("0123456789abcdefTRUE-. x")[u.Intn(24)]
		u.note("type %c in %T", r, v.Rows)
		v.Rows.Typed(r)
		if f := u.b.win.Canvas().Focused(); f != nil && u.Intn(2) == 0 {
			f.TypedRune(r)
		}
	case 5:
		u.note("scroll %T", v.Rows)
		v.ScrollTo(u.Int63n(v.Rows.Count() + 1))
	case 6:
		u.look()
	case 7:
		k := randomKeys[u.Intn(len(randomKeys))]
		u.note("key %s to what has the keyboard", k)
		u.b.press(k)
	default:
		k := randomKeys[u.Intn(len(randomKeys))]
		u.note("key %s in %T", k, v.Rows)
		v.Rows.Key(k, 0)
	}
}

// look shows the document in another way: in another view of it, as numbers, as a plot.
func (u *user) look() {
	what := u.Intn(6)
	u.note("look in way %d", what)
	switch t := u.d.table; what {
	case 0:
		if len(u.b.docs) < 2 {
			u.b.openView(u.d)
		}
	case 1:
		u.b.show(u.b.docs[u.Intn(len(u.b.docs))])
	case 2:
		if u.d != u.b.docs[0] {
			u.b.close(u.d)
		}
	case 3:
		u.d.hex.Words.Show([]string{"text", "f32 LE", "u64 BE", "i16 LE"}[u.Intn(4)])
	case 4:
		if t.Table != nil && len(t.Table.Columns) > 0 {
			t.Plot.Draw(u.Intn(len(t.Table.Columns)), u.Intn(len(t.Table.Columns)+1)-1)
		}
	default:
		if list := t.List.Lines(); len(list) > 0 {
			t.Choose(u.Int63n(t.Count()+1), 1+u.Intn(4))
		}
	}
}

func (u *user) note(format string, args ...any) {
	u.done = append(u.done, fmt.Sprintf(format, args...))
}

// check says what is wrong with the selection: it has to be a span of the tree that is shown, and bytes that are there.
func (u *user) check(t *testing.T) error {
	s, tree := u.d.Sel.Now, u.d.Tree()
	if s.Span == nil {
		return fmt.Errorf("nothing is selected")
	}
	root := s.Span
	for root.Parent() != nil {
		root = root.Parent()
	}
	if root != tree.Root {
		return fmt.Errorf("%s is of a tree that is not shown any more", s.Span.Path())
	}
	if s.Range.Len > 0 && tree.Space(s.Range.Space) != nil {
		if n, err := tree.Size(t.Context(), s.Range.Space); err == nil && s.Range.End() > max(n, 1) && s.From != u.d.hex {
			return fmt.Errorf("bytes to %d of %d are selected", s.Range.End(), n)
		}
	}
	if c := s.Cell; c != nil && u.d.table.Table != nil && c.Table == u.d.table.Table.Name {
		if at := u.d.table.RangeOf(c); at.Len > 0 && s.Range.Len > 0 && !at.Contains(model.Range{Space: s.Range.Space, Off: s.Range.Off, Len: 1}) {
			return fmt.Errorf("the cell %s, row %d lies at %+v and %+v is selected", c.Column, c.Row, at, s.Range)
		}
	}
	return nil
}

// TestRandomInput does random things with a sample of each format: nothing panics, and what is selected is always there. SPANDREL_SOAK
// is for how long, with new seeds, instead of a minute.
func TestRandomInput(t *testing.T) {
	seeds, steps, most := int64(2), 150, 50*time.Second // a busy machine does less
	if testing.Short() {
		seeds, steps = 1, 60
	}
	if long, err := time.ParseDuration(os.Getenv("SPANDREL_SOAK")); err == nil {
		seeds, most = math.MaxInt64, long
	}
	begin := time.Now()
	for seed := range seeds {
		for _, sample := range testdata.Samples {
			if time.Since(begin) > most {
				t.Logf("the time is over after %d seeds", seed)
				return
			}
			t.Run(fmt.Sprint(sample.Format, " ", seed), func(t *testing.T) { randomInput(t, sample, seed, steps) })
		}
	}
}

func randomInput(t *testing.T, sample testdata.Sample, seed int64, steps int) {
	path, err := sample.Copy(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	b := emptyBench(t)
	u := &user{Rand: rand.New(rand.NewSource(seed)), b: b, d: b.open(t, path)}
	defer func() {
		if r := recover(); r != nil || t.Failed() {
			t.Errorf("%v after %d steps, the last of them: %q", r, len(u.done), u.done[max(0, len(u.done)-12):])
			if r != nil {
				panic(r)
			}
		}
	}()
	for range steps {
		u.act()
		b.settle(t)
		u.d = b.current
		for range 3 { // a question is answered by leaving it
			if b.Shell.Modal() {
				b.press(fyne.KeyEscape)
				b.settle(t)
			}
		}
		if o := b.win.Canvas().Overlays().Top(); o != nil {
			b.win.Canvas().Overlays().Remove(o)
		}
		if err := u.check(t); err != nil {
			t.Error(err)
			return
		}
		if u.Intn(25) == 0 {
			b.win.Canvas().Capture()
		}
	}
}
