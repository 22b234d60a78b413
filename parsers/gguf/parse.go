package gguf

import (
	"bytes"
	"context"
	"encoding/binary"
	"strings"
	"sync"

	"spandrel/model"
)

const (
	maxParts = 1 << 16 // parsed pairs, tensors and nested arrays: models have some thousands
	maxDepth = 8       // depth of nested arrays
	maxKey   = 1<<16 - 1
	maxText  = 1 << 24 // bytes of a string, or strings of an array; a larger number is damaged, not truncated
)

// file is stored with a tree.
type file struct {
	*fields
	head, data     *model.Span
	read           bool                  // the whole header was read
	lost           bool                  // the header was not read completely, for another reason than the end of the file
	known          map[string]model.Node // the values of the keys used here
	tensors        []*tensor
	names          map[string]bool // names of keys, and of tensors after a NUL
	alignment      int64
	start          int64 // start of the data according to the alignment in the metadata
	late           int64 // bytes after that at which the data begin
	final, clipped bool  // the header has no tensors, and its last value is a text that does not fit
	parts          int
	ends           string // where the file is truncated
	needs, mostEnd int64  // minimum length of the file, and its length with the padding of the last tensor
	shards         []shard
	compared       bool                  // the other files of the model were read
	recount        model.Recount         // how the offsets are counted, if not as readers count them
	lengthens      bool                  // the length of a text is wrong, and with the right one the file ends where it should
	recent         []int64               // where the lengths of the last texts of the header are
	ended, stated  int64                 // where the header ends, if all of it was read, and the alignment that it states
	misspelt       map[string]misspelt   // keys that differ from one used here in one byte
	values         map[string]model.Node // and their values
	fill           filling
	effect         func() model.Does // on the data of tensors if only the header states their places
}

// filling is how much room the first tensors take.
type filling struct {
	tensors            int
	all, last, largest int64 // with the padding of each, the padding of the last, and the size of the largest
	unknown            bool
}

// tensor is an entry of the header, and its bytes once they are found.
type tensor struct {
	name, label string // label is unique in the data
	entry       *model.Span
	typ, offset model.Node
	kind        uint64 // the number of the type: the stated one, unless the sizes are those of another
	at          int64  // where it is in the data, usually according to its offset
	dims        []model.Node
	values      *model.Span
	either      bool // other types have the same sizes
	whole       bool // all its bytes exist and belong to no other tensor, and its type is known
}

func parse(c *model.Cursor) { parseFile(c, false) }

// parseFile reads a file; if not just to try a length, it looks for wrong ones.
func parseFile(c *model.Cursor, trial bool) {
	f := &file{fields: little, alignment: standardAlignment, known: map[string]model.Node{}, names: map[string]bool{},
		misspelt: map[string]misspelt{}, values: map[string]model.Node{}}
	c.Tree().State = f
	f.effect = sync.OnceValue(func() model.Does { return mapped(f, c.Tree().Root.Range.Len) })
	if b := c.PeekAt(c.Base()+4, 20); len(b) >= 4 && b[0] == 0 && b[1] == 0 && !small(b[4:]) {
		f.fields = big
	}
	defer func() {
		if f.ended == 0 && !trial {
			relengthen(c, f)
		}
	}()
	head := c.Struct(header, f.header)
	f.read = true
	if f.known[keyArchitecture].Span == nil && f.known[keyNo].Uint() == 0 {
		c.Wrong(noArchitecture, head, nil, nil, model.About(f.misspelt[keyArchitecture]))
	}
	checkNames(c, f.tensors)
	f.start = f.filled(c.Pos())
	f.place(c)
	if f.late = lateness(f, c); f.late == 0 {
		f.realign(c)
		retype(f, c)
	}
	c.Aligned(between, f.alignment, f.known[keyAlignment], head)
	if f.late > 0 {
		c.Wrong(lateData, c.FieldN(surplus, f.late), nil, nil,
			model.Saying("the data begin %s later than the alignment says: the padding after the header was not renewed", model.Count(f.late, "bytes")))
	}
	if len(f.tensors) > 0 || c.More() {
		f.data = c.Block(data, c.Left(), f.layData).Span
	}
	for _, t := range f.tensors {
		if t.values != nil {
			c.OffsetOf(t.offset, model.Node{Span: t.values}).Since(model.Node{Span: f.data}).As(badOffset).When(f.recount.Times == 0)
		}
	}
	f.findShards(c)
	f.sizes(c)
}

// small tells whether the counts of tensors and pairs are plausible in little-endian: then a version that looks big-endian is
// damaged.
func small(b []byte) bool {
	return len(b) == 16 && binary.LittleEndian.Uint64(b) < maxParts && binary.LittleEndian.Uint64(b[8:]) < maxParts &&
		len(bytes.Trim(b, "\x00")) > 0
}

func (f *file) header(c *model.Cursor) {
	f.head = c.Span()
	c.Field(magic)
	version := c.Field(f.version)
	if f.fields == big {
		c.Wrong(bigEndian, version, nil, nil)
	}
	if f.version.Check(version.Value) != "" {
		f.abandon(c)
	}
	tensors, pairs := c.Field(f.tensorCount), c.Field(f.pairCount)
	c.CountedBy(pairs, metadata, 13, func(c *model.Cursor, i int64) {
		c.Struct(pair, func(c *model.Cursor) { f.pair(c, tensors.Uint() == 0 && uint64(i+1) == pairs.Uint()) })
	})
	over := false // the count is
	c.CountedBy(tensors, infos, leastInfo, func(c *model.Cursor, _ int64) {
		if over = over || f.uncounted(c, 1) == 0 && f.described(c); !over {
			c.Struct(info, f.info)
		}
	})
	if f.stated = f.alignment; uint64(len(f.tensors)) == tensors.Uint() {
		f.ended = c.Pos()
	}
	if n := f.uncounted(c, maxParts+1); 0 < n && n <= maxParts && uint64(len(f.tensors)) == tensors.Uint() {
		c.Wrong(headGoesOn, tensors, nil, model.U(tensors.Uint()+n), model.Saying("%s described after those that the header counts", model.Count(int64(n), "tensors are")))
	}
}

// uncounted counts the tensors, up to most, whose descriptions follow.
func (f *file) uncounted(c *model.Cursor, most uint64) (n uint64) {
	ahead := *f
	ahead.read = true
	c.Try(func(c *model.Cursor) {
		for n < most && c.More() {
			name, _, typ, _ := ahead.describe(c)
			if _, known := types[typ.Uint()]; name.Text() == "" || printable(name.Value) != "" || !known {
				c.Stop()
			}
			n++
		}
	})
	return n
}

// described tells whether the described tensors fill the file: what follows is the padding after the header, or their values. A damaged header may
// have it asked after each of them.
func (f *file) described(c *model.Cursor) bool {
	x := &f.fill
	for _, t := range f.tensors[x.tensors:] {
		n, ok := t.size()
		if x.unknown = x.unknown || !ok || n > c.Left(); x.unknown {
			break
		}
		x.all, x.last, x.largest = x.all+f.filled(n), f.filled(n)-n, max(x.largest, n)
	}
	x.tensors = len(f.tensors)
	end, size := f.filled(c.Pos())+x.all, c.Pos()+c.Left()
	return len(f.tensors) > 0 && !x.unknown && x.largest <= c.Left() && end-x.last <= size && size <= end
}

// leastInfo is the size of a tensor's description without its name and dimensions. All zeros have no name, which every tensor has.
const leastInfo = 24

// part counts what takes memory of its own, and ends the frame if there is too much of it.
func (f *file) part(c *model.Cursor) {
	if f.parts++; f.parts > maxParts {
		c.Wrong(model.RuleCap, c.Span(), nil, nil, model.Saying("only %d pairs, tensors and arrays of a header are parsed", maxParts))
		f.abandon(c)
	}
}

// abandon ends reading if what follows is unknown, for another reason than the end of the file.
func (f *file) abandon(c *model.Cursor) {
	f.lost = true
	c.Stop()
}

// text reads a length and a text of that length. One that does not fit is longer than any that writers write if the length is
// wrong, and its existing part is no text if something before it is.
func (f *file) text(c *model.Cursor, length, text *model.Field, most uint64) model.Node {
	if !f.read { // texts of arrays are read again later
		f.recent = append(f.recent[max(0, len(f.recent)-mostRecent+1):], c.Pos())
	}
	if n, _, err := length.Codec.Decode(c.Peek(8)); err == nil && n.Uint() > uint64(c.Left()) {
		f.clipped = f.final
		is := c.PeekAt(c.Pos()+8, c.Left()-8)
		f.lost = f.lost || n.Uint() > most || text.Check != nil && printable(model.S(string(is))) != ""
	}
	_, v := c.Prefixed(length, text)
	return v
}

func (f *file) pair(c *model.Cursor, final bool) {
	f.part(c)
	k := f.text(c, f.keyLength, key, maxKey)
	checkName(c, k)
	f.final = final
	if f.isDuplicate(k.Text()) {
		c.Wrong(keyTwice, k, nil, "another key")
	}
	switch kind := c.Field(f.kind); k.Text() {
	case keyAlignment:
		if kind.Uint() != kindU32 {
			c.Wrong(badAlignment, kind, kinds[kind.Uint()], "a number of type UINT32")
			f.value(c, kind, 0)
			return
		}
		f.known[k.Text()] = c.Field(f.fields.alignment)
		if v := f.known[k.Text()].Value; f.fields.alignment.Check(v) == "" {
			f.alignment = v.Int()
		}
	case keyArchitecture, keyNo, keyCount, keyTotal:
		f.known[k.Text()] = f.value(c, kind, 0)
	default:
		v := f.value(c, kind, 0)
		f.similar(k, v)
		if strings.HasSuffix(k.Text(), suffixBlocks) || strings.HasSuffix(k.Text(), suffixLength) {
			f.values[k.Text()] = v
		}
	}
}

// isDuplicate tells whether a name was there before.
func (f *file) isDuplicate(name string) bool {
	was := f.names[name]
	f.names[name] = true
	return was
}

// value reads a value of a type; for an array it returns the number of items.
func (f *file) value(c *model.Cursor, kind model.Node, depth int) (v model.Node) {
	scalar := f.scalars[kind.Uint()]
	switch {
	case scalar != nil:
		return c.Field(scalar)
	case kind.Uint() == kindString:
		return f.text(c, f.length, text, maxText)
	case kind.Uint() != kindArray:
		f.abandon(c) // the check of the type has reported it
	}
	of, count := c.Field(f.itemKind), c.Field(f.count)
	scalar = f.scalars[of.Uint()]
	switch {
	case scalar != nil:
		list := c.Elements(items, scalar, count.Int())
		if c.CountOf(count, list); list.Count() < count.Int() {
			f.lost = f.lost || count.Uint() > maxText
			c.Stop()
		}
	case of.Uint() == kindString:
		f.strings(c, count)
	case of.Uint() == kindArray && depth < maxDepth:
		if depth == 0 {
			c.Wrong(nested, of, nil, "an array of single values")
		}
		c.CountedBy(count, items, 12, func(c *model.Cursor, _ int64) {
			c.Struct(item, func(c *model.Cursor) {
				f.part(c)
				f.value(c, model.Node{Value: model.U(kindArray)}, depth+1)
			})
		})
	case count.Uint() == 0: // the array is empty, so the unknown type does not matter
	default:
		if of.Uint() == kindArray {
			c.Wrong(model.RuleCap, of, nil, nil, model.Saying("nested arrays are parsed only %d levels deep", maxDepth))
		}
		f.abandon(c)
	}
	return count
}

// strings reads the strings of an array on demand, because a vocabulary has some hundred thousands.
func (f *file) strings(c *model.Cursor, count model.Node) {
	n, ok := c.Try(func(c *model.Cursor) { // only whether they fit, not whether they are valid text
		for i := int64(0); i < count.Int() && c.Context().Err() == nil; i++ {
			f.text(c, f.length, anyText, maxText)
		}
	})
	if !ok {
		c.Wrong(badStrings, count, nil, model.Words("strings that fit into %s bytes", model.Thousands(c.Left())), model.Doubtful)
		c.Rest(raw.Named("items"))
		f.lost = f.lost || count.Uint() > maxText
		c.Stop()
	}
	c.CountOf(count, c.Sequence(items, item, n, func(c *model.Cursor) { f.text(c, f.length, text, maxText) }))
}

// checkName reports a key or a name that is not text. The reader in Python refuses one that is not UTF-8.
func checkName(c *model.Cursor, n model.Node) {
	switch want := printable(n.Value); {
	case decodable(n.Value) != "":
		c.Wrong(notText, n, nil, want, model.Graded(model.Error))
	case want != "":
		c.Wrong(notText, n, nil, want)
	}
}

func (f *file) info(c *model.Cursor) {
	f.part(c)
	n, shape, typ, offset := f.describe(c)
	checkName(c, n)
	t := &tensor{name: n.Text(), entry: c.Span(), typ: typ, kind: typ.Uint(), offset: offset, at: offset.Int()}
	if f.isDuplicate("\x00" + t.name) {
		c.Wrong(nameTwice, n, nil, "another name")
	}
	for i, v := range c.Values(shape, maxDims) {
		t.dims = append(t.dims, model.Node{Span: shape.Child(int64(i)), Value: v})
	}
	if _, ok := t.size(); !ok && types[t.kind].size > 0 {
		c.Wrong(badRow, shape, t.shape(), model.Words("a first dimension that is a multiple of %d", types[t.kind].block))
	}
	f.tensors = append(f.tensors, t)
}

// describe reads the description of a tensor.
func (f *file) describe(c *model.Cursor) (called, shape, typ, offset model.Node) {
	called = f.text(c, f.nameLength, name, maxName)
	if n, _, err := f.dimCount.Codec.Decode(c.Peek(4)); err == nil && n.Uint() > maxDims && int64(n.Uint()) > c.Left()/8 {
		f.lost = true // the number is wrong, not the length of the file
	}
	_, shape = c.CountedElements(f.dimCount, dims, f.dim)
	return called, shape, c.Field(f.typ), c.Field(f.offset)
}

// count is the number of a tensor's values; ok is false if it overflows 64 bits.
func (t *tensor) count() (n int64, ok bool) {
	total := uint64(1)
	for _, d := range t.dims {
		if total, ok = model.Times(total, d.Uint(), 1<<56); !ok {
			return 0, false
		}
	}
	return int64(total), true
}

// size is the size of a tensor in bytes according to its shape and type; ok is false if they do not say.
func (t *tensor) size() (n int64, ok bool) {
	typ, row := types[t.kind], int64(1)
	if len(t.dims) > 0 {
		row = t.dims[0].Int()
	}
	n, ok = t.count()
	if !ok || typ.size == 0 || row%typ.block != 0 {
		return 0, false
	}
	return n / typ.block * typ.size, true
}

func (t *tensor) shape() string {
	out := make([]string, len(t.dims))
	for i, d := range t.dims {
		out[i] = d.Value.String()
	}
	return strings.Join(out, ", ")
}

// extents says how long the file is by the sizes of its tensors.
func extents(_ context.Context, t *model.Tree) (out []model.Extent) {
	f := model.StateOf[*file](t)
	switch {
	case f != nil && f.lengthens:
		return []model.Extent{{Size: t.Root.Range.Len, Says: "with the right length of a text, the sizes of its tensors give its length"}}
	case f == nil || f.lost || f.read && f.mostEnd == 0:
		return nil
	case !f.read: // the header itself is truncated
		return []model.Extent{{Size: t.Root.Range.Len + 1, Least: true, Says: "it ends inside its header"}}
	}
	e := model.Extent{Size: min(max(t.Root.Range.Len, f.needs), f.mostEnd), Says: "the sizes of its tensors give its length"}
	if f.ends != "" {
		e.Says += "; " + f.ends
	}
	for _, x := range f.shards {
		if !x.there {
			out = append(out, model.Extent{File: x.name, Size: 24, Least: true, Magics: magics, Says: "split.count and the names of the other files require it"})
		}
	}
	return append(out, e)
}
