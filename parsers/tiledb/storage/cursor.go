package storage

import (
	"sort"
	"strconv"
	"strings"

	"spandrel/model"
	"spandrel/parsers/tiledb/filter"
	"spandrel/parsers/tiledb/rule"
)

// Trailing reports bytes after the last field of a payload.
func Trailing(c *model.Cursor, rule *model.Rule) {
	if n := c.Left(); n > 0 {
		c.Wrong(rule, c.Range(c.Pos(), n), filter.Text(n)+" bytes", "none")
	}
}

// Cuts shows bytes as values with given starts, named by their numbers.
type Cuts struct {
	At    []int64
	Field *model.Field
}

func (p *Cuts) Count() int64 { return int64(len(p.At)) - 1 }

func (p *Cuts) Part(i int64) (model.Part, int64) {
	f := *p.Field
	f.Name = strconv.FormatInt(i, 10)
	if n := f.Codec.Size(); n >= 0 && int64(n) != p.At[i+1]-p.At[i] { // several values in a cell
		f.Codec = model.RawBytes
	}
	return model.Part{Field: &f, Len: p.At[i+1] - p.At[i]}, p.At[i]
}

func (p *Cuts) Find(off int64) int64 {
	if k := sort.Search(int(p.Count()), func(k int) bool { return p.At[k+1] > off }); k < int(p.Count()) {
		return int64(k)
	}
	return -1
}

func (p *Cuts) Named(path string) int64 {
	name, _, _ := strings.Cut(path, "/")
	if i, err := strconv.ParseInt(name, 10, 64); err == nil && i >= 0 && i < p.Count() {
		return i
	}
	return -1
}

// Eager is how many bytes of small records are read at once; longer runs are a sequence that is read on demand.
const Eager = 256 << 10

// Records reads variable-size records to the end of the frame, or n of them. For a long run ok is false, because their number is not known.
func Records(c *model.Cursor, list, elem *model.Field, n uint64, read func(*model.Cursor)) (all model.Node, ok bool) {
	if c.Left() > Eager {
		c.Sequence(list, elem, c.Left(), read)
		return all, false
	}
	return c.List(list, func(c *model.Cursor) {
		for i := uint64(0); i < n && c.More(); i++ {
			c.Struct(elem, read)
		}
	}), true
}

// MostFields is how many attributes, labels or enumerations of a schema are read: far more than in real ones.
const MostFields = 1 << 16

// ReadList reads n elements of at least least bytes; an impossible count is TDB-065 and ends the frame.
func ReadList(c *model.Cursor, n model.Node, f *model.Field, least int64, element func(*model.Cursor)) {
	CountFits(c, rule.CountTooLarge, n, least)
	if n.Uint() > MostFields {
		c.Wrong(model.RuleCap, n.Span, n.Value.String(), "at most "+filter.Text(MostFields))
		c.Stop()
	}
	if n.Uint() == 0 {
		return
	}
	c.CountOf(n, c.List(f, func(c *model.Cursor) {
		for range n.Uint() {
			element(c)
		}
	}))
}

// CountFits ends the frame with a finding if fewer than n elements of least bytes remain.
func CountFits(c *model.Cursor, rule *model.Rule, n model.Node, least int64) {
	if most := c.Left() / least; n.Int() > most {
		c.Wrong(rule, n, n.Value, "at most "+filter.Text(most))
		c.Stop()
	}
}

// ReadText reads a length and a text of that length.
func ReadText(c *model.Cursor, length, text *model.Field) model.Node {
	_, t := c.Prefixed(length, text)
	return t
}

// OpenNow reads a lazy span now, because others depend on it.
func OpenNow(c *model.Cursor, n model.Node) {
	if n.Span != nil {
		c.Tree().Open(c.Context(), n.Span)
	}
}

// Want is the value that repairs a field if the expected value is described in words.
func Want(v model.Value) model.Detail { return func(f *model.Finding) { f.Want = v } }

// WantIf is Want under a condition.
func WantIf(ok bool, v model.Value) model.Detail {
	if !ok {
		v = model.Value{}
	}
	return Want(v)
}

// StartsOf turns stored start offsets into ascending ones inside n bytes, followed by n; the first is 0.
func StartsOf(raw []byte, n int64) []int64 {
	out := make([]int64, 0, len(raw)/8+1)
	at := int64(0)
	for i := range len(raw) / 8 {
		v := filter.Uint(raw[8*i:], 8)
		if i > 0 && v <= uint64(n) && int64(v) >= at {
			at = int64(v)
		}
		out = append(out, at)
	}
	return append(out, n)
}
