package gguf

import (
	"context"
	"slices"
	"strconv"
	"strings"

	"spandrel/model"
)

// What the tensors imply about the metadata: numbers and keys that a reader needs, though it may continue without an error.

// The keys that are read here.
const (
	keyArchitecture = "general.architecture"
	keyAlignment    = "general.alignment"
	keyNo           = "split.no"
	keyCount        = "split.count"
	keyTotal        = "split.tensors.count"
)

var readKeys = []string{keyArchitecture, keyAlignment, keyNo, keyCount, keyTotal}

// misspelt is a key that differs from one of the known ones in one byte.
type misspelt struct {
	span *model.Span
	key  string
}

// similar notes an unknown key that differs from a known one in one byte.
func (f *file) similar(k, v model.Node) {
	for _, want := range readKeys {
		if model.Differ(k.Text(), want) == 1 && f.misspelt[want].span == nil {
			f.misspelt[want] = misspelt{k.Span, want}
			f.values[want] = v
		}
	}
}

// spell offers the right spelling of a pair's key.
func spell(_ context.Context, _ *model.Tree, x *model.Finding) []model.Fix {
	if m, ok := x.About.(misspelt); ok && m.span != nil {
		return []model.Fix{model.SetTo(m.span, model.S(m.key))}
	}
	return nil
}

// realign looks for an alignment with which all offsets and the end of the file agree, if they do not agree with the one in the metadata: the
// tensors are then read with it. If several put all tensors at the same places, it is the one of writers without the key.
func (f *file) realign(c *model.Cursor) {
	if len(f.tensors) < 2 || f.lost || f.laidBy(c, f.alignment) {
		return
	}
	was, fits := f.alignment, []int64{}
	for n := int64(1); n <= maxAlignment; n *= 2 {
		if n != was && f.laidBy(c, n) && f.zerosBy(c, n) {
			fits = append(fits, n)
		}
	}
	i, more := 0, []model.Detail(nil)
	if len(fits) != 1 {
		i, more = slices.Index(fits, standardAlignment), append(more, model.Doubtful)
	}
	if i < 0 {
		return
	}
	by, n := f.known[keyAlignment], fits[i]
	more = append(more, model.Saying("the tensors are aligned to %d bytes, not to %d", n, was))
	if by.Span != nil {
		c.Wrong(otherAlignment, by, nil, model.I(n), more...)
	} else {
		m := f.misspelt[keyAlignment]
		if v := f.values[keyAlignment]; v.Span == nil || v.Range.Len != 4 || v.Int() != n {
			m = misspelt{}
		}
		c.Wrong(otherAlignment, f.head, nil, nil, append(more, model.About(m))...)
	}
	f.alignment = n
	delete(f.known, keyAlignment) // it does not determine the padding
}

// zerosBy tells whether all padding under an alignment is zero: otherwise the bytes after the last tensor fit it by chance.
func (f *file) zerosBy(c *model.Cursor, n int64) bool {
	was := f.alignment
	defer func() { f.alignment = was }()
	f.alignment = n
	start := f.filled(c.Pos())
	ends := []int64{c.Pos()}
	for _, t := range f.tensors {
		size, _ := t.size()
		ends = append(ends, start+t.at+size)
	}
	for _, at := range ends {
		if model.Zeros(model.Raw(c.PeekAt(at, f.filled(at)-at))) != "" {
			return false
		}
	}
	return true
}

const (
	standardAlignment = 32
	maxAlignment      = 1 << 16 // the largest that is tried
)

// laidBy tells whether, under an alignment, every tensor begins where the previous one ends, and the last one ends with the file.
func (f *file) laidBy(c *model.Cursor, n int64) bool {
	was := f.alignment
	defer func() { f.alignment = was }()
	f.alignment = n
	size := c.Left() - (f.filled(c.Pos()) - c.Pos())
	for i, t := range f.tensors {
		if t.at < 0 || t.at > mostSize || i == 0 && t.at > 0 || !f.fits(i, size) {
			return false
		}
	}
	return true
}

// unsplit reports that a file is not part of a split model, or that its metadata do not say which part: all three keys of a split must be present, each of the
// type that llama.cpp requires. For a single file it reads split.count only, which is optional.
func (f *file) unsplit(c *model.Cursor) bool {
	keys := []string{keyCount, keyNo, keyTotal}
	if f.lost || !slices.ContainsFunc(keys, func(k string) bool { return f.known[k].Span != nil }) {
		return true
	}
	bad := false
	severity := model.Warning
	if f.known[keyCount].Uint() > 1 || splitName.MatchString(c.Tree().Snapshot.Primary) {
		severity = model.Error
	}
	for _, k := range keys {
		v, width, typ := f.known[k], int64(2), "UINT16"
		if k == keyTotal {
			width, typ = 4, "INT32"
		}
		switch {
		case v.Span == nil:
			c.Wrong(badSplit, f.head, nil, nil, model.Saying("%s is missing, but other keys of a split model are present", k),
				model.About(f.misspelt[k]), model.Graded(severity))
			bad = bad || k == keyCount
		case v.Range.Len != width || v.Value.Kind == model.Text:
			if k == keyCount {
				severity = model.Error
			}
			c.Wrong(badSplit, v, nil, model.Words("a value of type %s", typ), model.Graded(severity))
			bad = true
		}
	}
	return bad
}

// The suffixes of the keys for the number of blocks and the length of embeddings; their prefix is the architecture.
const (
	suffixBlocks = ".block_count"
	suffixLength = ".embedding_length"
)

// reversed is what a finding is about if the dimensions of all tensors are in the order of numpy.
type reversed struct{}

// sizes compares those with the tensors of a model in one file: llama.cpp requires each tensor that it expects, and refuses the model if one is
// missing or has another shape.
func (f *file) sizes(c *model.Cursor) {
	if f.lost || len(f.shards) > 0 || f.known[keyNo].Span != nil {
		return
	}
	arch := f.known[keyArchitecture].Text()
	last, embedding, table := int64(-1), int64(0), (*tensor)(nil)
	for _, t := range f.tensors {
		if in, ok := strings.CutPrefix(t.name, "blk."); ok {
			number, _, _ := strings.Cut(in, ".")
			if n, err := strconv.ParseUint(number, 10, 31); err == nil {
				last = max(last, int64(n))
			}
		}
		if t.name == "token_embd.weight" && len(t.dims) == 2 {
			embedding, table = t.dims[0].Int(), t
		}
	}
	if v := f.values[arch+suffixBlocks]; v.Span != nil && last >= 0 && v.Int() != last+1 {
		c.Wrong(otherSize, v, nil, model.I(last+1), model.Doubtful, model.Saying("the metadata says %s blocks, but the tensors have %d", v.Value, last+1))
	}
	switch v := f.values[arch+suffixLength]; {
	case v.Span == nil || embedding <= 0 || v.Int() == embedding:
	case v.Int() == table.dims[1].Int() && slices.ContainsFunc(f.tensors, func(t *tensor) bool { return len(t.dims) == 1 && t.dims[0].Int() == v.Int() }): // as norms are
		c.Wrong(otherSize, table.dims[0], nil, nil, model.About(reversed{}),
			model.Saying("the dimensions are in the order of numpy, the fastest last: token_embd.weight has rows of %d, but the metadata says embeddings of %s", embedding, v.Value))
	default:
		c.Wrong(otherSize, v, nil, model.I(embedding), model.Doubtful,
			model.Saying("the metadata says embeddings of %s, but token_embd.weight has rows of %d", v.Value, embedding))
	}
}

// checkNames reports tensors whose names differ from those in the other layers.
func checkNames(c *model.Cursor, tensors []*tensor) {
	var names []string
	for _, t := range tensors {
		names = append(names, t.name)
	}
	for i, right := range model.Misnamed(names) {
		c.Wrong(misnamed, tensors[i].entry.Get(name.Name), names[i], model.S(right))
	}
}
