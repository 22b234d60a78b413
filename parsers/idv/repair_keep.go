package idv

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"spandrel/model"
	"spandrel/parsers/idv/block"
	"spandrel/parsers/internal/zipfile"
)

// salvage makes a new file of what can still be read: from a model archive the intact members; from a stream with a directory,
// or the rest of one, its columns and groups of rows; without one, the blocks that inflate, with guessed types.
func salvage(ctx context.Context, t *model.Tree) (*model.Salvaged, error) {
	st := stateOf(t)
	name := t.Snapshot.Primary
	if st.zip != nil {
		src, part, _ := zipfile.Salvage(ctx, t.Peek(ctx, t.Root.Range.Space), t.Root.Range.Len)
		if src == nil {
			return nil, fmt.Errorf("no member of the archive is intact")
		}
		return &model.Salvaged{Files: map[string]model.Source{name: src}, Parts: []model.SalvagedPart{part}}, nil
	}
	if len(st.streams) == 0 {
		return nil, fmt.Errorf("there is no stream in this file")
	}
	s := st.all()[0]
	f, parts, err := s.in(ctx, t).keep()
	left := s.in(ctx, t).left()
	if err != nil || f == nil || left != nil && left.instead {
		if f, parts, err = (lostColumns{s.in(ctx, t)}).fileOfLost(); err != nil {
			return nil, err
		}
	}
	out := &model.Salvaged{Files: map[string]model.Source{name: f.write()}, Parts: parts, Aligned: left != nil && left.by != 0}
	if left != nil && left.doubt != "" {
		out.Doubts = []string{left.doubt}
	}
	return out, ctx.Err()
}

// salvaging is a stream whose columns are copied as far as their blocks can be read.
type salvaging struct {
	contents
	rpb, total int64
	counts     []int64 // rows of each group
	good       map[*column][]*fileBlock
	suspect    map[extent]bool // blocks that may be at the places of others
	kept       []*column
	lost       []string // columns
	buf        []byte
	looked     int64 // entries of tables of blocks
	skipped    int64 // unchecked blocks: they decode to more than is kept, or the previous ones to more than a file of this size can contain
}

// keep copies the columns that the directory names, as far as their blocks can be read. A group of rows is kept if all kept columns
// have its block; a column that would cost more than half the groups is dropped instead. It returns nothing if no column has a name.
func (s contents) keep() (*file, []model.SalvagedPart, error) {
	y := &salvaging{contents: s, total: s.stream.rows, good: map[*column][]*fileBlock{}, suspect: suspects(&s.stream.division)}
	if !y.groups() {
		return nil, nil, nil
	}
	most, sound := int64(0), map[*column]int64{}
	for _, c := range y.losing().named() {
		if y.good[c], sound[c] = y.soundBlocks(c); s.ctx.Err() != nil {
			return nil, nil, s.ctx.Err()
		}
		most = max(most, sound[c])
	}
	for _, c := range y.losing().named() {
		if n := sound[c]; c.readable() && 2*n >= most && (n > 0 || len(y.counts) == 0) {
			y.kept = append(y.kept, c)
		} else {
			y.lost = append(y.lost, c.name.s)
		}
	}
	if len(y.kept) == 0 {
		return nil, nil, nil
	}
	return y.file()
}

// groups determines the number of rows in each group of blocks, and tells whether there is anything to copy.
func (y *salvaging) groups() bool {
	groups := int64(0)
	for _, c := range y.losing().named() {
		if c.readable() && c.rpb > 0 {
			y.rpb = c.rpb
			n := int64(len(c.listed))
			if c.listed == nil {
				n = (y.stream.tableEnd(c) - c.lookup) / 16
			}
			groups = max(groups, min(n, maxBlocks))
		}
	}
	if n, err := y.agreedRows(); err == nil {
		y.total = n
	}
	if y.total > 0 && y.rpb > 0 {
		groups = min(groups, (y.total-1)/y.rpb+1)
	}
	y.counts = make([]int64, groups)
	for k := range y.counts {
		y.counts[k] = min(y.rpb, y.total-int64(k)*y.rpb)
	}
	return len(y.stream.cols) > 0 && (groups > 0 || y.stream.rows == 0)
}

// file makes a file of the kept columns and groups.
func (y *salvaging) file() (*file, []model.SalvagedPart, error) {
	f := &file{version: y.stream.version, compatible: y.stream.compatible, rpb: max(1, y.rpb)}
	if y.stream.compatible > y.stream.version || y.stream.compatible < versionBase+4 || y.stream.compatible > versionBase+6 {
		f.version, f.compatible = versionBase+6, versionBase+6
	}
	unread := false
	for _, c := range y.kept {
		column, err := y.keepColumn(c)
		if err != nil {
			return nil, nil, err
		}
		f.columns = append(f.columns, column)
		unread = unread || c.unread
	}
	if unread {
		y.lost = append(y.lost, "the metadata after the first "+model.Thousands(maxMetadata)+", which is all that is read")
	}
	lost := y.keepGroups(f)
	nameless := y.nameless(f)
	if n := int(y.stream.columnCount) - len(y.losing().named()); n > nameless {
		y.lost = append(y.lost, "those that the directory no longer lists")
	} else if nameless > 0 {
		y.lost = append(y.lost, fmt.Sprintf("the names and types of %s: the types are guessed from the values", model.Count(int64(nameless), "columns")))
	}
	if y.skipped > 0 {
		y.lost = append(y.lost, model.Count(y.skipped, "blocks")+" that were not checked, because they decode to more than fits in memory, or than the file could contain")
	}
	columns := model.SalvagedPart{What: "columns", Saved: int64(len(f.columns)), Of: max(y.stream.columnCount, int64(len(y.stream.cols))),
		Lost: strings.Join(y.lost, ", ")}
	return f, []model.SalvagedPart{columns, {What: "rows", Saved: f.rows, Of: max(y.total, 0), Lost: lostRows(lost)}}, nil
}

// keepGroups adds the groups of rows that all kept columns have, and returns the runs of the other rows.
func (y *salvaging) keepGroups(f *file) (lost [][2]int64) {
	for k, n := range y.counts {
		if slices.ContainsFunc(y.kept, func(c *column) bool { return y.good[c][k] == nil }) {
			first := int64(k) * y.rpb
			if i := len(lost) - 1; i >= 0 && lost[i][1] == first {
				lost[i][1] += n
			} else {
				lost = append(lost, [2]int64{first, first + n})
			}
			continue
		}
		f.rows += n
		for j, c := range y.kept {
			f.columns[j].blocks = append(f.columns[j].blocks, *y.good[c][k])
		}
	}
	return lost
}

// mostRuns is how many runs of lost rows are listed.
const mostRuns = 4

// lostRows says which runs of rows are lost.
func lostRows(runs [][2]int64) string {
	var out []string
	for _, r := range runs[:min(len(runs), mostRuns)] {
		out = append(out, model.Thousands(r[0])+" to "+model.Thousands(r[1]-1))
	}
	switch n := len(runs) - mostRuns; {
	case len(runs) == 0:
		return ""
	case n > 0:
		return fmt.Sprintf("rows %s, and %s more, whose blocks cannot be read", strings.Join(out, ", "), model.Count(int64(n), "ranges"))
	}
	return "rows " + strings.Join(out, ", ") + ", whose blocks cannot be read"
}

// nameless adds the columns that the directory does not name, if nothing kept is lost by that, and returns how many.
func (y *salvaging) nameless(f *file) (n int) {
	left := y.left()
	if left == nil || f.rows != y.stream.rows {
		return 0
	}
	z := &salvaging{contents: left.of.in(y.ctx, y.t), counts: y.counts}
	for _, c := range left.of.cols {
		blocks, sound := z.soundBlocks(c)
		if !c.readable() || sound != int64(len(y.counts)) {
			continue
		}
		column, err := z.keepColumn(c)
		if err != nil {
			continue
		}
		for _, b := range blocks {
			column.blocks = append(column.blocks, *b)
		}
		f.columns = append(f.columns, column)
		n++
	}
	return n
}

func (y *salvaging) losing() lostColumns { return lostColumns{y.contents} }

// soundBlocks returns the blocks of a column that contain all values of their group, nil for others, and their number.
func (y *salvaging) soundBlocks(c *column) (out []*fileBlock, n int64) {
	out = make([]*fileBlock, len(y.counts))
	if !c.readable() {
		return out, 0
	}
	if y.looked += int64(len(out)); y.looked > max(maxBlocks, y.stream.size/16) { // columns share a table: more entries than the file could hold
		y.skipped += int64(len(out))
		return nil, 0
	}
	for k := range out {
		at := c.lookup + 16*int64(k)
		if c.listed == nil && (at < headerSize || at > y.stream.size-16) || y.ctx.Err() != nil {
			break
		}
		b, err := y.entry(c, int64(k))
		if err != nil {
			break
		}
		if out[k] = y.soundBlock(c, b); out[k] != nil {
			n++
		}
	}
	return out, n
}

// soundBlock is the block of an entry if it contains all values of its group; nil if it does not, or is not examined.
func (y *salvaging) soundBlock(c *column, b extent) *fileBlock {
	if b.off < headerSize || b.n <= 0 || b.dec <= 0 || b.end() > y.stream.size || y.suspect[b] {
		return nil
	}
	sh := y.stream.shape(b)
	sh.rows = y.counts[b.k]
	if sh.over() || !y.affords(&sh) {
		y.skipped++
		return nil
	}
	in, err := y.t.Bytes(y.ctx, sh.at)
	if err != nil {
		return nil
	}
	decoded, how := sh.decode(y.ctx, in, y.buf)
	if sh.compression == 1 {
		y.buf = decoded[:0]
	}
	if how.Err != nil || how.More || int64(len(decoded)) < sh.declared || !block.Fits(c.codec, decoded[:sh.declared], sh.rows) {
		return nil
	}
	return &fileBlock{y.t.Slice(y.ctx, sh.at), sh.declared}
}
