package taridx

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/cespare/xxhash/v2"

	"spandrel/model"
	"spandrel/parsers/internal/tarfile"
)

// request is a requested row: the given cells, by column.
type request map[int]string

// found is a member that a row is made of.
type found struct {
	spot
	head tarfile.Head
}

// fill replaces the table's rows from a place on. Existing rows stay unchanged; any other is made from its member, identified by
// shard and offset, or by the name of the member. Rows in the order of the shards stay in it, and those of a sample together, if they
// were.
func (x editor) fill(ctx context.Context, given model.GivenRows) ([]model.Edit, error) {
	from, n := given.From, given.N
	before, err := x.allRows(ctx)
	if err != nil {
		return nil, err
	}
	if from < 0 || n < 0 || from > x.n || n > maxRewrite-from {
		return nil, fmt.Errorf("%s rows are too many to write at once", model.Thousands(n))
	}
	requests := make([]request, n)
	for i := range requests {
		requests[i] = request{}
		for column := fid; column <= memberName; column++ {
			if c := given.Cell(from+int64(i), column); !c.Missing {
				requests[i][column] = c.Text
			}
		}
	}
	rows, names, err := x.resolve(ctx, before[:from], before[from:], requests)
	if err != nil {
		return nil, err
	}
	if slices.IsSortedFunc(before, inShards) {
		slices.SortStableFunc(rows, inShards)
	}
	if _, grouped := groups(before); grouped == 1 {
		group(rows)
	}
	return x.settled(ctx, before, rows, names.exts, names.stems)
}

// refusal says which cell of the new rows is impossible.
func refusal(i, column int, format string, args ...any) error {
	name := [...]string{"fid", "offset", "size", "extid", "crashid", "keyhash", "extension", "stem", "shard", "member"}[column]
	return fmt.Errorf("row %d of the new rows, column %q: %w", i, name, fmt.Errorf(format, args...))
}

// resolve returns the rows that stay and those of the requests, with the names that they need. gone are rows that the index had, which may
// be requested.
func (x editor) resolve(ctx context.Context, stay, gone []entryRow, requests []request) ([]entryRow, *numbering, error) {
	had := map[spot][]entryRow{}
	for _, r := range gone {
		had[spot{r.fid, r.off}] = append(had[spot{r.fid, r.off}], r)
	}
	members, err := x.locate(ctx, had, requests)
	if err != nil {
		return nil, nil, err
	}
	names := x.numbering(slices.Concat(stay, gone), had, members)
	rows := slices.Clone(stay)
	for i, w := range requests {
		var r entryRow
		if list, old := had[members[i].spot]; old {
			k, err := x.keep(i, w, list)
			if err != nil {
				return nil, nil, err
			}
			r = list[k]
			had[members[i].spot] = slices.Delete(list, k, k+1)
		} else if r, err = x.fresh(names, i, w, members[i]); err != nil {
			return nil, nil, err
		}
		rows = append(rows, r)
	}
	return rows, names, unique(rows, len(stay), had)
}

// keep picks the requested row from those that the index had for its member.
func (x editor) keep(i int, w request, list []entryRow) (k int, err error) {
	for k, r := range list {
		if err = w.agrees(i, x.cells(r)); err == nil {
			return k, nil
		}
	}
	return 0, cmp.Or(err, refusal(i, w.says(), "another new row refers to the same member"))
}

// place is the member's place in a request; ok is false if it has none.
func (x editor) place(i int, w request) (at spot, ok bool, err error) {
	number, hasShard := w[fid]
	off, hasOffset := w[offset]
	if name, named := w[shardName]; named && !hasShard {
		k := slices.IndexFunc(x.fold.order, func(h *shard) bool { return h != nil && h.name == name })
		if k < 0 {
			return at, false, refusal(i, shardName, "there is no shard %q beside the index", name)
		}
		number, hasShard = strconv.Itoa(k), true
	}
	if !hasShard || !hasOffset {
		return at, false, nil
	}
	id, err := strconv.ParseUint(number, 0, 16)
	if err != nil {
		return at, false, refusal(i, fid, "%q is not a shard number", number)
	}
	if at.off, err = strconv.ParseUint(off, 0, 62); err != nil {
		return at, false, refusal(i, offset, "%q is not an offset", off)
	}
	at.fid = uint16(id)
	return at, true, nil
}

// locate finds the members of the requests in the shards. Rows that the index had need none.
func (x editor) locate(ctx context.Context, had map[spot][]entryRow, requests []request) ([]found, error) {
	l := &locating{x, requests, make([]found, len(requests)), make([]int, len(requests)), map[spot][]int{}, map[[2]string][]int{}, map[uint16]bool{}}
	if err := l.sort(had); err != nil {
		return nil, err
	}
	broken := ""
	for k, h := range x.fold.order {
		if h == nil || len(l.names) == 0 && !l.shards[uint16(k)] {
			continue
		}
		w := x.fold.walk(ctx, h)
		for off, head := range w.members {
			l.see(found{spot{uint16(k), uint64(off)}, head})
		}
		if ctx.Err() != nil {
			return nil, ctx.Err()
		}
		if w.err != nil {
			broken = "; " + w.err.Error()
		}
	}
	for i, n := range l.hits {
		switch {
		case n == 0:
			return nil, refusal(i, requests[i].says(), "the shards have no such member%s", broken)
		case n > 1:
			return nil, refusal(i, requests[i].says(), "%d members have this name: give the shard and the offset of one", n)
		}
	}
	return l.out, nil
}

// locating is requests whose members are searched for: by place, or by name.
type locating struct {
	x        editor
	requests []request
	out      []found
	hits     []int // for each request: the number of members that match it
	places   map[spot][]int
	names    map[[2]string][]int
	shards   map[uint16]bool // shards with requested places
}

// sort groups the requests by how they identify their members.
func (l *locating) sort(had map[spot][]entryRow) error {
	for i, w := range l.requests {
		at, placed, err := l.x.place(i, w)
		if err != nil {
			return err
		}
		name := w.name()
		switch _, old := had[at]; {
		case placed && old:
			l.out[i].spot, l.hits[i] = at, 1
		case placed && l.x.fold.of(at.fid) == nil:
			return refusal(i, fid, "shard %d is not beside the index, and a row is read from its member", at.fid)
		case placed:
			l.places[at], l.shards[at.fid] = append(l.places[at], i), true
		case name[0] == "" || name[1] == "":
			return refusal(i, memberName, "a row needs a member, or the shard and the offset of one")
		default:
			l.names[name] = append(l.names[name], i)
		}
	}
	return nil
}

// see assigns a member to the requests that mean it.
func (l *locating) see(m found) {
	stem, ext := nameParts(m.head.Name)
	for _, i := range l.places[m.spot] {
		l.out[i], l.hits[i] = m, 1
	}
	for _, i := range l.names[[2]string{stem, ext}] {
		if l.x.matches(l.requests[i], m) {
			l.out[i], l.hits[i] = m, l.hits[i]+1
		}
	}
}

// name is the stem and the extension of the requested member.
func (w request) name() [2]string {
	if stem, ext := nameParts(w[memberName]); stem != "" {
		return [2]string{stem, ext}
	}
	return [2]string{w[stemName], w[extension]}
}

// says is the column that identifies the requested member.
func (w request) says() int {
	for _, column := range []int{offset, memberName} {
		if _, ok := w[column]; ok {
			return column
		}
	}
	return stemName
}

// matches tells whether a member matches a request.
func (x editor) matches(w request, m found) bool {
	return w.matches(fid, strconv.Itoa(int(m.fid))) && w.matches(offset, strconv.FormatUint(m.off, 10)) && w.matches(shardName, x.fold.of(m.fid).name) &&
		w.matches(memberName, m.head.Name)
}

// matches tells whether a cell is as given, if it was given: numbers may be written in any way.
func (w request) matches(column int, is string) bool {
	given, ok := w[column]
	if v, err := strconv.ParseUint(given, 0, 64); column <= keyHash && err == nil {
		given = strconv.FormatUint(v, 10)
	}
	return !ok || given == is
}

// numbering is that of the present index, with the first stems of the hashes of new members.
func (x editor) numbering(rows []entryRow, had map[spot][]entryRow, members []found) *numbering {
	n := newNumbering()
	n.exts, n.stems, n.extID, n.stemID = slices.Clone(x.exts), slices.Clone(x.stems), idsOf(x.exts), maps.Clone(x.stemIDs)
	come := map[uint64]string{}
	for _, m := range members {
		if _, old := had[m.spot]; !old {
			stem, _ := nameParts(m.head.Name)
			come[xxhash.Sum64String(stem)] = stem
		}
	}
	for _, r := range rows {
		if stem, ok := come[r.hash]; ok && r.crash == 0 && n.first[r.hash] == "" {
			n.first[r.hash] = cmp.Or(x.memberStem(r), stem) // a missing shard cannot tell
		}
	}
	return n
}

// fresh is the row of a member that the index does not have.
func (x editor) fresh(names *numbering, i int, w request, m found) (entryRow, error) {
	h := x.fold.of(m.fid)
	stem, ext := nameParts(m.head.Name)
	switch room := h.entry.Size - int64(m.off) - tarfile.Block; {
	case !m.head.SumOK:
		return entryRow{}, refusal(i, offset, "the header at 0x%x of %s is damaged", m.off, h.name)
	case !usable(m.head):
		return entryRow{}, refusal(i, memberName, "%q is not a file with an extension: readers could not load the index", m.head.Name)
	case strings.ContainsFunc(ext, space):
		return entryRow{}, refusal(i, extension, "%q has white space: readers could not load the index", ext)
	case m.head.Size > room:
		return entryRow{}, refusal(i, memberName, "%s ends before the content of %s does", h.name, m.head.Name)
	}
	stems := len(names.stems)
	r, err := names.row(m.fid, int64(m.off), m.head)
	if err == nil && len(names.stems) > stems && strings.ContainsFunc(stem, space) {
		err = fmt.Errorf("%q has the same hash as another stem, and contains white space: readers could not tell them apart", stem)
	}
	if err != nil {
		return r, refusal(i, memberName, "%w", err)
	}
	cells := x.cells(r)
	cells[extension] = ext // which may be new
	return r, w.agrees(i, cells)
}

// cells are the table's cells of a row, including what follows from the tables and the shards.
func (x editor) cells(r entryRow) (out []string) {
	for _, v := range []uint64{fid: uint64(r.fid), offset: r.off, size: r.size, extID: uint64(r.ext), crashID: uint64(r.crash), keyHash: r.hash} {
		out = append(out, strconv.FormatUint(v, 10))
	}
	for _, c := range x.followers(r) {
		out = append(out, c.Value.Text())
	}
	return out
}

// agrees compares the given cells with those of a row.
func (w request) agrees(i int, cells []string) error {
	for column, is := range cells {
		if !w.matches(column, is) {
			return refusal(i, column, "the member says %q, not %.80q", is, w[column])
		}
	}
	return nil
}

// unique rejects rows of members that have one, and of samples that have a member with the extension; only rows after the first n, which the index
// had, are checked.
func unique(rows []entryRow, n int, had map[spot][]entryRow) error {
	places, parts := map[spot]int{}, map[entryRow]int{}
	part := func(r entryRow) entryRow { return entryRow{hash: r.hash, crash: r.crash, ext: r.ext} }
	for i, r := range rows[n:] {
		if _, old := had[spot{r.fid, r.off}]; !old {
			places[spot{r.fid, r.off}], parts[part(r)] = n+i, n+i
		}
	}
	if len(places) == 0 {
		return nil
	}
	for i, r := range rows {
		if k, ok := places[spot{r.fid, r.off}]; ok && k != i {
			return refusal(k-n, offset, "row %d refers to the same member", i)
		}
		if k, ok := parts[part(r)]; ok && k != i {
			return refusal(k-n, extension, "row %d has the same sample and extension: readers reject samples with duplicate extensions", i)
		}
	}
	return nil
}
