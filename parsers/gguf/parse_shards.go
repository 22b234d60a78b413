package gguf

import (
	"context"
	"fmt"
	"regexp"
	"strconv"

	"spandrel/model"
)

// shard is a file of a split model.
type shard struct {
	name    string
	size    int64
	there   bool
	tensors int64 // -1: not known
}

var splitName = regexp.MustCompile(`^(.*)-(\d{5})-of-(\d{5})\.gguf$`)

// findShards compares the pairs of a split with the name of the file, and looks for the other files.
func (f *file) findShards(c *model.Cursor) {
	s := c.Tree().Snapshot
	no, count, total := f.known[keyNo], f.known[keyCount], f.known[keyTotal]
	if s == nil || f.unsplit(c) {
		return
	}
	m := splitName.FindStringSubmatch(s.Primary)
	if m == nil {
		if n := int64(len(f.tensors)); count.Uint() > 1 && s.Folder() {
			c.Wrong(badSplit, count, s.Primary, fmt.Sprintf("NAME-%05d-of-%05d.gguf", no.Uint()+1, count.Uint()))
		} else if count.Uint() < 2 && total.Span != nil && n != total.Int() {
			c.Wrong(splitCount, total, nil, model.I(n), model.Doubtful, model.Graded(model.Warning)) // llama.cpp ignores it
		}
		return
	}
	named, _ := strconv.ParseUint(m[2], 10, 32)
	of, _ := strconv.ParseUint(m[3], 10, 32)
	whole := split{m[1], of}
	if named != no.Uint()+1 {
		more := []model.Detail{model.Doubtful, model.Saying("split.no is %d, but the file name says %d", no.Uint(), int64(named)-1)}
		if other := whole.name(no.Uint() + 1); whole.has(c, other, named) {
			more = append(more, model.About(exchanged(other)))
		}
		c.Wrong(badSplit, no, nil, model.U(named-1), more...)
	}
	if several := whole.find(f, c); of != count.Uint() && !several {
		c.Wrong(badSplit, count, nil, model.U(of), model.Doubtful, model.Saying("split.count is %d, but the file name says %d", count.Uint(),
			of))
	}
}

// split is a model split into several files, whose names share a prefix.
type split struct {
	prefix string
	of     uint64
}

// name is the name of file i of the model, from 1.
func (m split) name(i uint64) string {
	return fmt.Sprintf("%s-%05d-of-%05d.gguf", m.prefix, i, m.of)
}

// has tells whether a file of the model says that it is file i.
func (m split) has(c *model.Cursor, name string, i uint64) bool {
	other := headOf(c.Context(), c.Tree(), name)
	return other != nil && other.known[keyNo].Span != nil && other.known[keyNo].Uint()+1 == i
}

// exchanged is the file that has the name of another one, which has its own.
type exchanged string

// renumber offers to exchange two files that have each other's name.
func renumber(ctx context.Context, t *model.Tree, x *model.Finding) []model.Fix {
	other, ok := x.About.(exchanged)
	if !ok {
		return spell(ctx, t, x)
	}
	mine, err := t.Snapshot.Content(t.Snapshot.Primary)
	its, bad := t.Snapshot.Content(string(other))
	if err != nil || bad != nil {
		return nil
	}
	return []model.Fix{{Label: "swap the two files back", Safe: true, Copies: true, Exchanges: true,
		Says:  fmt.Sprintf("%s and %s have each other's name: split.no in each says so.", t.Snapshot.Primary, other),
		Edits: []model.Edit{model.FileEdit{File: t.Snapshot.Primary, Create: its}, model.FileEdit{File: string(other), Create: mine}}}}
}

// find looks for the files of the model that f belongs to. It tells whether they are of several models.
func (m split) find(f *file, c *model.Cursor) (several bool) {
	s, count, total := c.Tree().Snapshot, f.known[keyCount], f.known[keyTotal]
	list, more, err := s.List(".")
	if err != nil || !s.Folder() {
		return false
	}
	sizes := map[string]int64{}
	for _, e := range list {
		if e.Regular {
			sizes[e.Name] = e.Size
		}
	}
	sum, all := int64(0), true
	for i := uint64(1); i <= m.of; i++ {
		x := shard{name: m.name(i), tensors: -1}
		if x.size, x.there = sizes[x.name]; x.there {
			x.tensors = tensorsIn(s, x.name, f.tensorCount.Codec)
		} else if !more {
			c.Wrong(noShard, count, x.name, "a file of the folder", model.Saying("%s, file %d of %d of this model, is missing", x.name, i, m.of))
		}
		sum, all = sum+x.tensors, all && x.tensors >= 0
		f.shards = append(f.shards, x)
	}
	if !all || total.Span == nil || sum == total.Int() {
		return false
	}
	f.compared = true
	if says, at := mixed(c.Context(), c.Tree(), f); says != "" {
		c.Wrong(otherSplit, at, nil, nil, model.Saying("%s", says))
		return true
	}
	c.Wrong(splitCount, total, nil, model.Words("%s", model.Thousands(sum)), model.About(sum),
		model.Saying("split.tensors.count is %s, but the %d files have %s tensors", total.Value, m.of, model.Thousands(sum)))
	return false
}

// tensorsIn is the number of tensors in another file of the model, read from its header with the same codec; -1 if it has none that is plausible.
func tensorsIn(s *model.Snapshot, name string, number model.Codec) int64 {
	c, err := s.Content(name)
	b := make([]byte, 16)
	if err != nil {
		return -1
	}
	if n, _ := c.ReadAt(b, 0); n < 16 || string(b[:4]) != "GGUF" {
		return -1
	}
	v, _, _ := number.Decode(b[8:])
	if v.Uint() > 1<<32 {
		return -1
	}
	return v.Int()
}
