package taridx

import (
	"fmt"
	"path"
	"slices"
	"sort"
	"strconv"
	"strings"
	"sync"

	"spandrel/model"
	"spandrel/parsers/internal/tarfile"
)

// shard is a tar file of the fold, named FOLD_SUFFIX.tar.
type shard struct {
	name, suffix string
	number       int64 // that the suffix is; −1 if it is no number
	entry        model.Entry
	span         *model.Span
	empty        bool // it has no members
	newer        bool // it was written after the index
	content      func() (*model.Content, error)
}

// at returns the range of n bytes at an offset of the shard.
func (h *shard) at(off, n int64) model.Range {
	return model.Range{Space: h.span.Range.Space, Off: off, Len: n}
}

// fold is an index and the shards beside it.
type fold struct {
	t         *model.Tree
	name      string
	shards    []*shard // in the readers' order: by suffix, as text
	order     []*shard // by fid, in the order that fits the rows; nil where a shard is missing
	orderName string
	asked     sync.Mutex
	whole     map[*shard]bool // of endings
}

// of returns the shard of a row in the order that fits the rows, or nil.
func (f *fold) of(fid uint16) *shard {
	if int(fid) < len(f.order) {
		return f.order[fid]
	}
	return nil
}

// read reads bytes of a shard and returns how many there are.
func (f *fold) read(h *shard, off int64, b []byte) int {
	c, err := h.content()
	if err != nil {
		return 0
	}
	n, _ := c.ReadAt(b, off)
	return n
}

// member reads the tar header that a row points at.
func (f *fold) member(fid uint16, off uint64) (tarfile.Head, bool) {
	h := f.of(fid)
	if h == nil {
		return tarfile.Head{}, false
	}
	return f.head(h, off)
}

func (f *fold) head(h *shard, off uint64) (tarfile.Head, bool) {
	var b [tarfile.Block]byte
	if off > 1<<62 || f.read(h, int64(off), b[:]) < tarfile.Block {
		return tarfile.Head{}, false
	}
	return tarfile.Parse(b[:]), true
}

// maxFold is how many shards a row can distinguish.
const maxFold = 1 << 16

// foldOf is the fold of an index, by its name. A backup has more after the extension.
func foldOf(name string) string {
	if fold, ok := strings.CutSuffix(name, ".taridx"); ok {
		return fold
	}
	fold, _, _ := strings.Cut(name, ".taridx")
	return fold
}

// neighbours are the indexes and shards of a folder, determined once for all indexes in it.
type neighbours struct {
	more    bool // the folder has more files than were listed
	indexes map[string]model.Entry
	shards  map[string][]model.Entry // by fold
	bare    []string                 // folds without an index
	misfits []string                 // names of tar files that belong to no fold
}

func neighboursOf(list []model.Entry, more bool) *neighbours {
	n := &neighbours{more: more, indexes: map[string]model.Entry{}, shards: map[string][]model.Entry{}}
	for _, e := range list {
		base, isTar := strings.CutSuffix(e.Name, ".tar")
		if strings.Contains(e.Name, ".taridx") { // backups too
			n.indexes[e.Name] = e
		} else if isTar && !e.Dir && strings.Count(base, "_") == 1 {
			fold, _, _ := strings.Cut(base, "_")
			n.shards[fold] = append(n.shards[fold], e)
		} else if isTar && !e.Dir {
			n.misfits = append(n.misfits, e.Name)
		}
	}
	for fold := range n.shards {
		if _, ok := n.indexes[fold+".taridx"]; !ok && !more {
			n.bare = append(n.bare, fold)
		}
	}
	slices.Sort(n.bare)
	return n
}

// companions lists the shards beside the index (section 7).
func (x parser) companions(c *model.Cursor) {
	s, f := c.Tree().Snapshot, x.fold
	f.name = foldOf(path.Base(s.Primary))
	around, err := model.Digest(s, ".", neighboursOf)
	if err != nil || !s.Folder() {
		return
	}
	if around.more {
		c.Wrong(model.RuleCap, nil, nil, nil, model.Saying("the folder contains more files than are listed"))
	}
	for _, name := range around.misfits {
		c.Wrong(misfitName, nil, name, "one underscore between fold and suffix")
	}
	for _, e := range around.shards[f.name] {
		if e.Regular {
			_, suffix, _ := strings.Cut(strings.TrimSuffix(e.Name, ".tar"), "_")
			f.add(suffix, e)
		}
	}
	for _, name := range around.bare {
		if name != f.name {
			c.Wrong(foldWithoutIndex, nil, model.Words("%s has shards but no %s.taridx", name, name), nil)
		}
	}
	sort.Slice(f.shards, func(i, j int) bool { return f.shards[i].suffix < f.shards[j].suffix })
	if n := len(f.shards); n > maxFold {
		c.Wrong(model.RuleCap, nil, nil, nil, model.Saying("there are %s shards beside the index, which can number only %s: the others are not read",
			model.Thousands(int64(n)), model.Thousands(maxFold)))
		f.shards = f.shards[:maxFold]
	}
	index := around.indexes[s.Primary]
	if slices.Contains(s.Edited(), s.Primary) {
		index = model.Entry{} // it is newer than all
	}
	f.place(c, index)
	if len(f.shards) == 0 && x.rows != nil {
		c.Wrong(unknownShard, x.rows, fmt.Sprintf("no %s_….tar in the folder", f.name), "the shards beside the index",
			model.Saying("none of the shards of this index, such as %s, is in the folder: it cannot be compared with them, and readers reject it", f.nameOf(0)))
	}
	x.choose(c)
}

// place adds the shards beside the index, and notes which are newer than it.
func (f *fold) place(c *model.Cursor, index model.Entry) {
	first := make([]byte, tarfile.Block)
	for _, h := range f.shards {
		h.span = c.Companion(&model.Field{Name: h.name, Doc: "a shard", Ref: "7"}, h.entry, tarfile.Field).Span
		if h.entry.Size < tarfile.Block || f.read(h, 0, first) < tarfile.Block || model.AllZero(first) {
			h.empty = true
		}
		if at := index.Stamp.ModTime; !at.IsZero() && h.entry.Stamp.ModTime.After(at.Add(2e9)) {
			h.newer = true
			c.Wrong(newerShard, h.span, h.name, nil)
		}
	}
}

func (f *fold) add(suffix string, e model.Entry) {
	n, err := strconv.ParseInt(suffix, 10, 64)
	if err != nil {
		n = -1
	}
	f.shards = append(f.shards, &shard{name: e.Name, suffix: suffix, number: n, entry: e,
		content: sync.OnceValues(func() (*model.Content, error) { return f.t.Snapshot.Content(e.Name) })})
}

// hypothesis is which shard a fid may mean (section 7).
type hypothesis struct {
	name  string
	order []*shard
}

func (f *fold) hypotheses() []hypothesis {
	out := []hypothesis{{"text order", f.shards}}
	numeric := append([]*shard(nil), f.shards...)
	sort.SliceStable(numeric, func(i, j int) bool { return numeric[i].number < numeric[j].number })
	out = append(out, hypothesis{"numeric order", numeric})
	if n := len(numeric); n > 0 && numeric[0].number >= 0 && numeric[n-1].number < 1<<16 {
		first := numeric[0].number
		for _, start := range []int64{first, 0, 1} { // the first shards may be missing
			if start > first || start != first && first > 1<<10 {
				continue
			}
			byNumber := make([]*shard, numeric[n-1].number-start+1)
			for _, h := range numeric {
				byNumber[h.number-start] = h
			}
			out = append(out, hypothesis{"number in the name", byNumber})
		}
	}
	var full []*shard
	for _, h := range f.shards {
		if !h.empty {
			full = append(full, h)
		}
	}
	return append(out, hypothesis{"text order without empty shards", full})
}

// sample is how many rows are tried against each order of the shards.
const sample = 128

// choose finds the order of the shards in which rows point at headers of the right stem and size. Text order, which the
// reference uses, wins unless it fails and another one is confirmed.
func (x parser) choose(c *model.Cursor) {
	all, f := x.fold.hypotheses(), x.fold
	f.order, f.orderName = all[0].order, all[0].name
	if x.n == 0 || len(f.shards) == 0 {
		return
	}
	best, most := 0, -1
	for i, h := range all {
		f.order = h.order
		if good := x.fitting(c); good > most {
			best, most = i, good
		}
	}
	f.order, f.orderName = all[best].order, all[best].name
	gone := f.missingShard()
	if gone != "" {
		c.Wrong(unknownShard, x.rows, nil, nil,
			model.Saying("%s is missing: its members cannot be read, and readers use the next shard instead", gone))
	}
	if best > 0 {
		var more []model.Detail
		if gone != "" {
			more = append(more, model.Saying("%s: %s is missing", shardOrder.Title, gone))
		}
		c.Wrong(shardOrder, x.rows, all[best].name, all[0].name, more...)
	}
}

// missingShard names the first shard that is missing in the order that fits the rows.
func (f *fold) missingShard() string {
	for fid, h := range f.order {
		if h != nil {
			continue
		}
		if name := f.nameOf(uint16(min(fid, 1<<16-1))); name != "" {
			return name
		}
		return "a shard"
	}
	return ""
}

// missingBefore names a missing shard whose number readers give to others, up to that of a row; "" for none.
func (f *fold) missingBefore(fid uint16) string {
	if gone := f.missingShard(); gone != "" && slices.Index(f.order, nil) <= int(fid) {
		return gone
	}
	if f.of(fid) == nil {
		return f.nameOf(fid)
	}
	return ""
}

// called is the name of a shard as readers count them.
func (f *fold) called(fid uint16) string {
	if int(fid) < len(f.shards) {
		return f.shards[fid].name
	}
	return fmt.Sprintf("shard %d", fid)
}

// nameOf is the name of the shard of a row, derived from the names of the others if it is missing; "" if that is not possible.
func (f *fold) nameOf(fid uint16) string {
	if h := f.of(fid); h != nil {
		return h.name
	}
	if len(f.shards) == 0 {
		return fmt.Sprintf("%s_%04d.tar", f.name, fid) // as writers number them
	}
	first, width := int64(-1), len(f.shards[0].suffix)
	for i, h := range f.order {
		if h == nil {
			continue
		}
		if h.number < 0 || len(h.suffix) != width || first >= 0 && h.number-int64(i) != first {
			return ""
		}
		first = h.number - int64(i)
	}
	if first < 0 {
		return ""
	}
	return fmt.Sprintf("%s_%0*d.tar", f.name, width, first+int64(fid))
}

// reader reads a shard.
func (f *fold) reader(h *shard) tarfile.Reader {
	return func(off, n int64) []byte {
		b := make([]byte, n)
		return b[:f.read(h, off, b)]
	}
}
