package bytes

import (
	"cmp"
	"context"
	"crypto/md5"
	"crypto/sha1"
	"crypto/sha256"
	"errors"
	"fmt"
	"hash"
	"hash/crc32"
	"slices"
	"strconv"

	"fyne.io/fyne/v2/container"
	"fyne.io/fyne/v2/widget"

	"spandrel/model"
	"spandrel/ui/doc"
	"spandrel/ui/kit"
	"spandrel/ui/rows"
)

// Sums shows what does not depend on the format: hashes, entropy, and byte frequencies.
type Sums struct {
	d      *doc.Document
	Facts  doc.List
	Values doc.List
	about  *widget.Label
	Tab    *container.TabItem
	of     model.Range // no bytes: none are asked for
	tree   *model.Tree
	cancel kit.Running
}

// NewSums makes the pane, which is shown on request.
func NewSums(d *doc.Document) *Sums {
	s := &Sums{d: d, Facts: doc.NewList(d, rows.Column{Title: "measure", Width: 76}, rows.Column{Title: "value", Width: 280}),
		Values: doc.NewList(d, rows.Column{Title: "hex", Width: 38}, rows.Column{Width: 61}, rows.Column{Title: "count", Width: 83, Right: true}, rows.Column{Width: 6})}
	s.Facts.Bind(&s.Facts)
	s.Values.Bind(&s.Values)
	s.about = kit.NewLine("")
	lists := container.NewHSplit(s.Facts.View, s.Values.View)
	lists.Offset = 0.64 // hashes and characters are whole in a window of 1024 units
	s.Tab = d.Lower.Aside("Hashes", "the hashes", s.about, lists, s.Close)
	return s
}

// Show reads the selected bytes, or the whole current space if no more than one byte is selected.
func (s *Sums) Show() {
	r := s.d.Sel.Now.Range
	if r.Len < 2 {
		view := s.d.Shown()
		r = model.Range{Space: view.Space, Len: view.Size}
	}
	s.d.Lower.Offer(s.Tab, true)
	s.read(r)
}

func (s *Sums) read(r model.Range) {
	s.cancel.Stop()
	t := s.d.Tree()
	s.of, s.tree = r, t
	name := fmt.Sprintf("%s, %s from 0x%x", s.d.SpaceTab(r.Space), model.Count(r.Len, "bytes"), r.Off)
	s.about.SetText(name + ": reading…")
	s.cancel = kit.Watched(s.d.Window, "hashing "+s.d.SpaceTab(r.Space), model.Index, func(ctx context.Context, progress kit.Progress) (*sums, error) {
		return sumsOf(ctx, t, r, progress)
	}, func(x *sums, err error) {
		s.cancel = nil
		switch {
		case errors.Is(err, context.Canceled):
			s.about.SetText(name + ": cancelled")
		case err != nil:
			s.about.SetText(name + ": " + kit.PlainError(err))
		default:
			s.about.SetText(name)
			s.Facts.Set(x.facts())
			s.Values.Set(x.values())
			return
		}
		s.Facts.Set(nil)
		s.Values.Set(nil)
	})
}

// Close takes the pane away.
func (s *Sums) Close() {
	s.cancel.Stop()
	s.of = model.Range{}
	s.d.Lower.Offer(s.Tab, false)
}

func (s *Sums) Selected(doc.Selection) {}
func (s *Sums) Hovered(model.Range)    {}

// Changed reads the same bytes again after an edit.
func (s *Sums) Changed() {
	t := s.d.Tree()
	if s.of.Len == 0 || s.tree == t {
		return
	}
	sp := t.Space(s.of.Space)
	if sp == nil || sp.Root == nil || sp.Derived() { // a decoded space is another one after an edit
		s.Close()
		return
	}
	whole := s.tree.Space(s.of.Space)
	r := s.of
	if whole != nil && whole.Root != nil && r.Off == 0 && r.Len >= whole.Root.Range.Len {
		r.Len = sp.Root.Range.Len
	}
	r.Off = min(r.Off, sp.Root.Range.Len)
	r.Len = min(r.Len, sp.Root.Range.Len-r.Off)
	s.read(r)
}

// sums is what is known about bytes after reading them.
type sums struct {
	n      int64
	counts [256]int64
	names  []string
	hashes []hash.Hash
}

// sumsOf reads bytes from the first to the last.
func sumsOf(ctx context.Context, t *model.Tree, r model.Range, progress func(done, total int64)) (*sums, error) {
	x := &sums{names: []string{"CRC-32", "MD5", "SHA-1", "SHA-256"}, hashes: []hash.Hash{crc32.NewIEEE(), md5.New(), sha1.New(), sha256.New()}}
	err := t.Stream(ctx, r, 1<<18, func(_ int64, b []byte) error {
		for _, c := range b {
			x.counts[c]++
		}
		for _, h := range x.hashes {
			h.Write(b)
		}
		x.n += int64(len(b))
		progress(x.n, r.Len)
		return nil
	})
	return x, cmp.Or(ctx.Err(), err)
}

// hashLine is the number of digits of a hash per line, because longer lines are cut in a narrow pane.
const hashLine = 32

// facts are the hashes, and the kinds of bytes.
func (x *sums) facts() (out []doc.Place) {
	add := func(label, text string, mono bool) {
		out = append(out, doc.Place{Cells: []rows.Cell{{Text: label, Dim: true}, {Text: text, Mono: mono}}})
	}
	for i, h := range x.hashes {
		label, text := x.names[i], fmt.Sprintf("%x", h.Sum(nil))
		for part := range slices.Chunk([]byte(text), hashLine) {
			add(label, string(part), true)
			out[len(out)-1].Copy, label = x.names[i]+"\t"+text, ""
		}
	}
	var distinct, text int64
	for c, n := range x.counts {
		if n > 0 {
			distinct++
		}
		if c >= 0x20 && c < 0x7f || c == '\t' || c == '\n' || c == '\r' {
			text += n
		}
	}
	add("entropy", fmt.Sprintf("%.3f of 8 bits per byte", 8*entropyOf(&x.counts, x.n)), false)
	add("values", model.Words("%d of 256", distinct), false)
	add("zeros", x.share(x.counts[0]), false)
	add("ASCII text", x.share(text), false)
	return out
}

// share is a number of bytes, and its percentage.
func (x *sums) share(n int64) string {
	return fmt.Sprintf("%s (%.1f %%)", model.Thousands(n), 100*float64(n)/float64(max(1, x.n)))
}

// values lists byte values, the most frequent first.
func (x *sums) values() (out []doc.Place) {
	var order []int
	for c, n := range x.counts {
		if n > 0 {
			order = append(order, c)
		}
	}
	slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(x.counts[b], x.counts[a]) })
	for _, c := range order {
		n, char := x.counts[c], ""
		if c < 0x80 { // others are no characters by themselves
			char = strconv.QuoteRune(rune(c))
		}
		out = append(out, doc.Place{Cells: []rows.Cell{{Text: fmt.Sprintf("%02x", c), Mono: true}, {Text: char, Mono: true},
			{Text: model.Thousands(n), Right: true}, {Bar: float32(n) / float32(x.counts[order[0]])}}})
	}
	return out
}
