package gguf

import (
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
	if named != no.Uint()+1 {
		c.Wrong(badSplit, no, nil, model.U(named-1), model.Doubtful, model.Saying("split.no is %d, but the file name says %d", no.Uint(),
			int64(named)-1))
	}
	if several := (split{m[1], of}).find(f, c); of != count.Uint() && !several {
		c.Wrong(badSplit, count, nil, model.U(of), model.Doubtful, model.Saying("split.count is %d, but the file name says %d", count.Uint(),
			of))
	}
}

// split is a model split into several files, whose names share a prefix.
type split struct {
	prefix string
	of     uint64
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
		x := shard{name: fmt.Sprintf("%s-%05d-of-%05d.gguf", m.prefix, i, m.of), tensors: -1}
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
