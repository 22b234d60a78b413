package taridx

import (
	"context"
	"encoding/binary"
	"fmt"
	"math"
	"path"
	"slices"
	"sort"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/cespare/xxhash/v2"
	"golang.org/x/text/cases"
	"golang.org/x/text/language"

	"spandrel/model"
	"spandrel/parsers/internal/tarfile"
)

// shard is a tar file of the index's fold.
type shard struct {
	name, suffix string
	number       int64 // of the suffix; −1 when it is none
	entry        model.Entry
	span         *model.Span
	empty        bool // it has no members
}

// entryRow is one row, decoded.
type entryRow struct {
	fid, ext  uint16
	crash     uint32
	off, size uint64
	hash      uint64
}

func decode(b []byte) entryRow {
	le, _ := binary.LittleEndian, b[rowSize-1]
	return entryRow{fid: le.Uint16(b), off: le.Uint64(b[2:]), size: le.Uint64(b[10:]), ext: le.Uint16(b[18:]), crash: le.Uint32(b[20:]), hash: le.Uint64(b[24:])}
}

// nameParts returns the stem and the extension of a member name as the indexer derives them (section 6.1).
func nameParts(name string) (stem, ext string) {
	name = name[strings.LastIndexByte(name, '/')+1:]
	stem, ext, _ = strings.Cut(name, ".")
	return stem, pythonLower(ext)
}

// pythonLower is Unicode lower-casing of whole texts, as Python has it: İ becomes two characters, and a Σ at the end of a word ς.
func pythonLower(s string) string {
	if strings.IndexFunc(s, func(r rune) bool { return r >= utf8.RuneSelf }) < 0 {
		return strings.ToLower(s)
	}
	return cases.Lower(language.Und).String(s)
}

// companions lists the shards beside the index (section 7).
func (x *index) companions(c *model.Cursor) {
	s := c.Tree().Snapshot
	list, more, err := s.List(".")
	if err != nil || !s.Folder() {
		return
	}
	if more {
		c.Report(model.Finding{Rule: model.RuleCap, Span: c.Span(), Message: "the folder holds more files than are listed"})
	}
	fold := strings.TrimSuffix(path.Base(s.Primary), ".taridx")
	folds, indexed := map[string]bool{}, map[string]bool{}
	var index model.Entry
	for _, e := range list {
		base, isTar := strings.CutSuffix(e.Name, ".tar")
		switch parts := strings.Split(base, "_"); {
		case e.Name == s.Primary:
			index = e
			indexed[fold] = true
		case strings.HasSuffix(e.Name, ".taridx"):
			indexed[strings.TrimSuffix(e.Name, ".taridx")] = true
		case !isTar || e.Dir:
		case len(parts) != 2:
			x.misfits = append(x.misfits, e.Name)
			c.Report(model.Finding{Rule: tix056, Span: c.Span(), Found: e.Name, Expected: "one underscore between fold and suffix"})
		default:
			folds[parts[0]] = true
			if parts[0] == fold && e.Regular {
				n, err := strconv.ParseInt(parts[1], 10, 64)
				if err != nil {
					n = -1
				}
				x.shards = append(x.shards, &shard{name: e.Name, suffix: parts[1], number: n, entry: e})
			}
		}
	}
	for f := range folds {
		if !indexed[f] {
			c.Report(model.Finding{Rule: tix057, Span: c.Span(), Found: f + " has shards and no " + f + ".taridx"})
		}
	}
	sort.Slice(x.shards, func(i, j int) bool { return x.shards[i].suffix < x.shards[j].suffix })
	for _, h := range x.shards {
		h.span = c.Companion(&model.Field{Name: h.name, Doc: "a shard", Ref: "7"}, h.entry, tarfile.Field).Span
		first := make([]byte, tarfile.Block)
		if n := x.readShard(h, 0, first); n < tarfile.Block || tarfile.Zero(first) {
			h.empty = true
		}
		if at := index.Stamp.ModTime; !at.IsZero() && h.entry.Stamp.ModTime.After(at.Add(2e9)) { // an edited index is newer than all
			c.Report(model.Finding{Rule: tix059, Span: h.span, Found: h.name})
		}
	}
	x.choose(c)
}

// readShard reads bytes of a shard and returns how many are there.
func (x *index) readShard(h *shard, off int64, b []byte) int {
	c, err := x.t.Snapshot.Content(h.name)
	if err != nil {
		return 0
	}
	n, _ := c.ReadAt(b, off)
	return n
}

// orders lists the hypotheses of section 7: which shard a fid means.
func (x *index) orders() (names []string, orders [][]*shard) {
	add := func(name string, order []*shard) {
		names, orders = append(names, name), append(orders, order)
	}
	add("text order", x.shards)
	numeric := append([]*shard(nil), x.shards...)
	sort.SliceStable(numeric, func(i, j int) bool { return numeric[i].number < numeric[j].number })
	add("numeric order", numeric)
	if len(numeric) > 0 && numeric[0].number >= 0 && numeric[len(numeric)-1].number-numeric[0].number < 1<<16 {
		byNumber := make([]*shard, numeric[len(numeric)-1].number-numeric[0].number+1)
		for _, h := range numeric {
			byNumber[h.number-numeric[0].number] = h
		}
		add("number in the name", byNumber)
	}
	var full []*shard
	for _, h := range x.shards {
		if !h.empty {
			full = append(full, h)
		}
	}
	add("text order without empty shards", full)
	return names, orders
}

// sample is how many rows are tried against each order of the shards.
const sample = 128

// choose finds the order of the shards in which rows point at headers of the right stem and size. Text order, which the
// reference uses, wins unless it fails and another verifies (rule 058).
func (x *index) choose(c *model.Cursor) {
	names, orders := x.orders()
	x.order, x.orderName = orders[0], names[0]
	if x.n == 0 || len(x.shards) == 0 {
		return
	}
	best, bestGood := 0, -1
	for i, order := range orders {
		good := 0
		for k := range int64(sample) {
			row := k * x.n / sample
			if k > 0 && row == (k-1)*x.n/sample {
				continue
			}
			b := c.PeekAt(x.rows.Range.Off+row*rowSize, rowSize)
			if len(b) < rowSize {
				continue
			}
			if r := decode(b); int(r.fid) < len(order) && order[r.fid] != nil {
				if h, ok := x.member(order[r.fid], r.off); ok && h.SumOK && h.Size == int64(r.size) {
					if stem, _ := nameParts(h.Name); xxhash.Sum64String(stem) == r.hash {
						good++
					}
				}
			}
		}
		if good > bestGood {
			best, bestGood = i, good
		}
	}
	x.order, x.orderName = orders[best], names[best]
	if best > 0 {
		c.Report(model.Finding{Rule: tix058, Span: x.rows, Found: names[best], Expected: names[0], Fixes: []model.Fix{{Label: "renumber the shard ids to text order", Build: x.renumber}}})
	}
}

// header reads the tar header that a row points at.
func (x *index) member(h *shard, off uint64) (tarfile.Head, bool) {
	var b [tarfile.Block]byte
	if off > 1<<62 || x.readShard(h, int64(off), b[:]) < tarfile.Block {
		return tarfile.Head{}, false
	}
	return tarfile.Parse(b[:]), true
}

// renumber makes the edits that give each row the position of its shard in text order. Rows whose shard is not there get
// numbers behind those.
func (x *index) renumber(_ context.Context, t *model.Tree) ([]model.Edit, error) {
	to, behind := map[uint16]uint16{}, len(x.shards)
	for fid, h := range x.order {
		if i := slices.Index(x.shards, h); i >= 0 {
			to[uint16(fid)] = uint16(i)
		} else { // its shard is not there: a number that no other shard has
			to[uint16(fid)] = uint16(min(behind, math.MaxUint16))
			behind++
		}
	}
	src, err := t.Mapped(x.rows.Range, rowSize, func(_ int64, b []byte) {
		fid := binary.LittleEndian.Uint16(b)
		n, ok := to[fid]
		if !ok {
			n = uint16(min(int(fid)-len(x.order)+behind, math.MaxUint16))
		}
		binary.LittleEndian.PutUint16(b, n)
	})
	return []model.Edit{model.Splice{Range: x.rows.Range, With: src, Into: x.rows.Path()}}, err
}

// rowOf decodes the row that a span of its fields belongs to.
func (x *index) rowOf(s *model.Span) (r entryRow, ok bool) {
	row := s.Parent()
	if row == nil || row.Index() < 0 {
		return r, false
	}
	b, ok := x.t.Cached(row.Range)
	if !ok || len(b) < rowSize {
		return r, false
	}
	return decode(b), true
}

// of returns the index of a tree and the row of a span.
func of(t *model.Tree, s *model.Span) (x *index, r entryRow, ok bool) {
	x, ok = t.State.(*index)
	if ok {
		r, ok = x.rowOf(s)
	}
	return x, r, ok
}

// shard returns the shard of a row in the order that verifies, or nil.
func (x *index) shard(fid uint16) *shard {
	if int(fid) < len(x.order) {
		return x.order[fid]
	}
	return nil
}

func target(t *model.Tree, s *model.Span) (model.Range, bool) {
	x, r, ok := of(t, s)
	if !ok || x.shard(r.fid) == nil || r.off > 1<<62 {
		return model.Range{}, false
	}
	h := x.shard(r.fid)
	at := model.Range{Space: h.span.Range.Space, Off: int64(r.off), Len: tarfile.Block}
	return at, at.End() <= h.entry.Size
}

func shardNote(ctx context.Context, t *model.Tree, s *model.Span) string {
	x, r, ok := of(t, s)
	if !ok || x.shard(r.fid) == nil {
		return ""
	}
	return x.shard(r.fid).name
}

func memberNote(ctx context.Context, t *model.Tree, s *model.Span) string {
	x, r, ok := of(t, s)
	if !ok || x.shard(r.fid) == nil {
		return ""
	}
	h, ok := x.member(x.shard(r.fid), r.off)
	if !ok || !h.SumOK {
		return ""
	}
	return h.Name
}

func stemNote(ctx context.Context, t *model.Tree, s *model.Span) string {
	x, r, ok := of(t, s)
	if !ok {
		return ""
	}
	return x.stem(r)
}

// stem returns the stem of a row: from the collision table, or from the member's name.
func (x *index) stem(r entryRow) string {
	if r.crash > 0 && int(r.crash) <= len(x.crashes) {
		return x.crashes[r.crash-1]
	}
	return x.memberStem(r)
}

// memberStem returns the stem of the member that a row points at, if it has the row's hash.
func (x *index) memberStem(r entryRow) string {
	if h := x.shard(r.fid); h != nil {
		if head, ok := x.member(h, r.off); ok && head.SumOK {
			if stem, _ := nameParts(head.Name); xxhash.Sum64String(stem) == r.hash {
				return stem
			}
		}
	}
	return ""
}

func extNote(ctx context.Context, t *model.Tree, s *model.Span) string {
	if x, r, ok := of(t, s); ok && int(r.ext) < len(x.exts) {
		return x.exts[r.ext]
	}
	return ""
}

func crashNote(ctx context.Context, t *model.Tree, s *model.Span) string {
	if x, r, ok := of(t, s); ok && r.crash > 0 && int(r.crash) <= len(x.crashes) {
		return x.crashes[r.crash-1]
	}
	return ""
}

// scan walks the chain of members of a shard as the indexer does (section 6.3) and hands each header to f.
func (x *index) scan(ctx context.Context, h *shard, f func(off int64, head tarfile.Head) error) (end int64, err error) {
	b := make([]byte, tarfile.Block)
	for at := int64(0); ; {
		if err := ctx.Err(); err != nil {
			return at, err
		}
		if x.readShard(h, at, b) < tarfile.Block || tarfile.Zero(b) {
			return at, nil
		}
		head := tarfile.Parse(b)
		if head.Size < 0 {
			return at, fmt.Errorf("%s at 0x%x: the size is not a number", h.name, at)
		}
		if err := f(at, head); err != nil {
			return at, err
		}
		at += tarfile.Block + tarfile.Padded(head.Size)
	}
}
