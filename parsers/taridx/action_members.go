package taridx

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"path"
	"slices"
	"strings"

	"github.com/cespare/xxhash/v2"

	"spandrel/model"
	"spandrel/parsers/internal/tarfile"
)

// onRow tells whether an action applies to a row, not to the bytes behind the last whole one.
func onRow(t *model.Tree, s *model.Span) bool {
	return stateOf(t) != nil && s.Parent() != nil && s.Parent().Field == rowsField && s.Index() >= 0
}

// renameSample renames all members of a row's sample, in their shards and in the index together.
func renameSample(ctx context.Context, t *model.Tree, s *model.Span, args map[string]string) ([]model.Edit, error) {
	x := editor{stateOf(t)}
	r, err := x.readRow(ctx, s.Index())
	if err != nil {
		return nil, err
	}
	return renameSamples(ctx, x, map[[2]uint64]string{r.key(): args["name"]})
}

// renameSamples renames samples, given by what their rows share, with all their members.
func renameSamples(ctx context.Context, x editor, names map[[2]uint64]string) ([]model.Edit, error) {
	stems, now := map[uint64]string{}, map[uint64]string{} // new names, by the old hash and by the new one
	for key, stem := range names {
		hash := xxhash.Sum64String(stem)
		switch {
		case stem == "" || strings.ContainsAny(stem, "./\\") || strings.ContainsFunc(stem, space):
			return nil, fmt.Errorf("%q: the name of a sample cannot be empty or contain a dot, a slash or white space", stem)
		case key[1] > 0 || slices.Contains(x.stemHash, key[0]):
			return nil, errors.New("other samples have the same hash: rename this one with the writer of the dataset")
		case now[hash] != "":
			return nil, fmt.Errorf("two samples would be called %s, or have names with the same hash", stem)
		}
		stems[key[0]], now[hash] = stem, stem
	}
	var edits []model.Edit
	mine, taken := members{}, ""
	if err := x.each(ctx, func(i int64, r entryRow) {
		if stem, ok := names[r.key()]; ok {
			mine.add(r)
			edits = append(edits, model.SetValue(x.rows.Child(i).Child(keyHash), model.U(xxhash.Sum64String(stem))))
		} else {
			taken = cmp.Or(taken, now[r.hash])
		}
	}); err != nil {
		return nil, err
	}
	if taken != "" {
		return nil, fmt.Errorf("sample %s already exists, or another with the same hash", taken)
	}
	more, err := x.renameMembers(ctx, mine, func(base string) string {
		old, _ := nameParts(base)
		return cmp.Or(stems[xxhash.Sum64String(old)], old) + strings.TrimPrefix(base, old)
	})
	return append(edits, more...), err
}

// members are rows by shard and offset.
type members map[uint16]map[int64]entryRow

func (m members) add(r entryRow) {
	if m[r.fid] == nil {
		m[r.fid] = map[int64]entryRow{}
	}
	m[r.fid][int64(r.off)] = r
}

// renameMembers gives members other base names, in their headers and in the PAX headers before them.
func (x editor) renameMembers(ctx context.Context, all members, to func(base string) string) (edits []model.Edit, err error) {
	for fid, rows := range all {
		for _, r := range rows {
			if _, _, err := x.memberOf(r); err != nil {
				return nil, err
			}
		}
		more, err := x.renameIn(x.fold.walk(ctx, x.fold.of(fid)), rows, to)
		if err != nil {
			return nil, err
		}
		edits = append(edits, more...)
	}
	return edits, nil
}

// renameIn renames the members of a shard that rows refer to; rows are by member offset.
func (x editor) renameIn(w *walk, rows map[int64]entryRow, to func(base string) string) (edits []model.Edit, err error) {
	left := len(rows)
	for at, head := range w.members {
		if _, listed := rows[at]; !listed {
			continue
		}
		left--
		if base := path.Base(head.Name); isHelper(head) { // it is renamed with the member after it
			if len(to(base)) != len(base) {
				return nil, errHelperRow
			}
			continue
		}
		more, err := x.renameAt(w, at, to)
		if err != nil {
			return nil, err
		}
		edits = append(edits, more...)
	}
	if w.err == nil && left > 0 {
		w.err = fmt.Errorf("%d members are not on the member chain of %s", left, w.h.name)
	}
	return edits, w.err
}

// renameAt renames the member at an offset, which a walk has reached.
func (x editor) renameAt(w *walk, off int64, to func(base string) string) ([]model.Edit, error) {
	h, helper, before := w.h, w.helper, w.helperAt
	head := make([]byte, tarfile.Block)
	x.fold.read(h, off, head)
	dir, rest := path.Split(tarfile.Parse(head).Name)
	b, err := renamed(head, dir+to(rest))
	edits := []model.Edit{inShard(h, off, b)}
	if err != nil || before < 0 {
		return edits, err
	}
	if helper.Typ == 'L' {
		return nil, errors.New("the name is in a GNU header before the member, which cannot be changed")
	}
	records := make([]byte, max(0, min(helper.Size, 1<<20)))
	if n := x.fold.read(h, before+tarfile.Block, records); int64(n) < helper.Size {
		return nil, errors.New("the PAX header before the member is truncated")
	}
	full := record(records, "path")
	if full == "" {
		return edits, nil
	}
	dir, rest = path.Split(full)
	now := withPath(records, dir+to(rest))
	if tarfile.Padded(int64(len(now))) != tarfile.Padded(helper.Size) {
		return nil, errors.New("the new name does not fit in the PAX header before the member")
	}
	x.fold.read(h, before, head)
	if at, base := path.Split(helper.Name); base == rest { // GNU tar names the header after the member
		if head, err = renamed(head, at+to(base)); err != nil {
			return nil, err
		}
	}
	block := append(resized(head, int64(len(now))), now...)
	block = append(block, make([]byte, tarfile.Block+tarfile.Padded(helper.Size)-int64(len(block)))...)
	return append(edits, inShard(h, before, block)), nil
}

// errHelperRow is for a row of a PAX header that would change with the length of the header.
var errHelperRow = errors.New("the index has rows for helper headers, which are not files: remove these first (drop-helpers)")

// maxRenamed is how many members get another extension in one step: each is an edit of its shard.
const maxRenamed = 200_000

// renameExtension gives all members of an extension another one, in their shards and in the table together.
func renameExtension(ctx context.Context, t *model.Tree, s *model.Span, args map[string]string) ([]model.Edit, error) {
	x, ext, id := editor{stateOf(t)}, args["name"], s.Index()
	if _, low := nameParts("s." + ext); ext == "" || low != ext || strings.ContainsAny(ext, "/\\") || strings.ContainsFunc(ext, space) {
		return nil, fmt.Errorf("%q: an extension must be in lower case, and cannot be empty or contain a slash or white space", ext)
	}
	if slices.Contains(x.exts, ext) {
		return nil, fmt.Errorf("extension %s already exists", ext)
	}
	mine, n := members{}, 0
	if err := x.each(ctx, func(_ int64, r entryRow) {
		if int64(r.ext) == id && n <= maxRenamed {
			mine.add(r)
			n++
		}
	}); err != nil {
		return nil, err
	}
	if n > maxRenamed {
		return nil, fmt.Errorf("more than %d members have this extension: rewrite the shards with the writer of the dataset", maxRenamed)
	}
	edits, err := x.renameMembers(ctx, mine, func(base string) string {
		stem, _ := nameParts(base)
		return stem + "." + ext
	})
	name := s.Child(0)
	return append(edits, model.Splice{Range: name.Range, With: model.Memory([]byte(ext)), Into: name.Path()}), err
}

// memberOf is the shard and the header of a row's member, or an error if it is missing.
func (x *index) memberOf(r entryRow) (*shard, tarfile.Head, error) {
	h := x.fold.of(r.fid)
	if h == nil {
		return nil, tarfile.Head{}, fmt.Errorf("the shard of the member at 0x%x is missing", r.off)
	}
	head, ok := x.fold.head(h, r.off)
	if stem, _ := nameParts(head.Name); !ok || !head.SumOK || xxhash.Sum64String(stem) != r.hash {
		return nil, head, fmt.Errorf("the member at 0x%x of %s is missing, or is a different one", r.off, h.name)
	}
	return h, head, nil
}

// helperRow is the offset of the PAX or GNU header before a row's member, or −1.
func (x *index) helperRow(ctx context.Context, r entryRow) int64 {
	w := x.fold.walk(ctx, x.fold.of(r.fid))
	for off := range w.members {
		if off == int64(r.off) {
			return w.helperAt
		}
	}
	return -1
}

// inShard replaces bytes of a shard by as many others.
func inShard(h *shard, off int64, b []byte) model.Edit {
	return model.Splice{Range: h.at(off, int64(len(b))), With: model.Memory(b), Loose: true}
}

// renameOne renames one member, in its shard and in the index: it may become one of another sample.
func renameOne(ctx context.Context, t *model.Tree, s *model.Span, args map[string]string) ([]model.Edit, error) {
	x, name := editor{stateOf(t)}, args["name"]
	stem, ext := nameParts(name)
	if stem == "" || ext == "" || strings.ContainsAny(name, "/\\") || strings.ContainsFunc(name, space) {
		return nil, fmt.Errorf("%q: the name of a member is a sample, a dot and an extension, without slashes or white space", name)
	}
	rows, err := x.allRows(ctx)
	if err != nil {
		return nil, err
	}
	row := &rows[s.Index()]
	if _, head, err := x.memberOf(*row); err != nil {
		return nil, err
	} else if row.crash > 0 || slices.Contains(x.stemHash, row.hash) || slices.Contains(x.stemHash, xxhash.Sum64String(stem)) || head.Typ == 'x' {
		return nil, errors.New("other samples have the same hash: rename this one with the writer of the dataset")
	}
	mine := members{}
	mine.add(*row)
	edits, err := x.renameMembers(ctx, mine, func(string) string { return name })
	if err != nil {
		return nil, err
	}
	exts := slices.Clone(x.exts)
	id := slices.Index(exts, ext)
	if id < 0 {
		if id = len(exts); id == noExt {
			return nil, errors.New("more than 65535 extensions")
		}
		exts = append(exts, ext)
	}
	if err := x.refile(ctx, rows, s.Index(), name, uint16(id)); err != nil {
		return nil, err
	}
	edits = append(edits, x.derived(rows)...)
	if len(exts) > len(x.exts) {
		edits = append(edits, x.named(x.extSpan, exts)...)
	}
	return edits, nil
}

// refile gives a row the key of another name, together with the row of the PAX header before its member, which is renamed too. It refuses a name
// that another member has, or whose hash another sample has.
func (x editor) refile(ctx context.Context, rows []entryRow, row int64, name string, ext uint16) error {
	stem, _ := nameParts(name)
	was, at := rows[row], x.helperRow(ctx, rows[row])
	now := &rows[row]
	now.hash, now.ext = xxhash.Sum64String(stem), ext
	for i, o := range rows {
		if at >= 0 && o.fid == now.fid && o.off == uint64(at) && o.hash == was.hash && o.ext == was.ext {
			rows[i].hash, rows[i].ext = now.hash, now.ext
			continue
		}
		if o.hash != now.hash || int64(i) == row {
			continue
		}
		if other := x.memberStem(o); other != stem {
			return fmt.Errorf("%s and %s have the same hash: rename it with the writer of the dataset", stem, other)
		}
		if o.ext == now.ext {
			return fmt.Errorf("member %s already exists", name)
		}
	}
	return nil
}
