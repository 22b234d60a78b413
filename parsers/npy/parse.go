package npy

import (
	"bytes"
	"context"
	"fmt"
	"path"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"

	"spandrel/model"
	"spandrel/parsers/internal/npyfile"
	"spandrel/parsers/internal/zipfile"
)

var (
	content  = &model.Field{Name: "content", Doc: "an array", Ref: "numpy.savez"}
	anything = &model.Field{Name: "bytes", Doc: "the content of a member that is not an array", Ref: "numpy.savez", Codec: model.RawBytes}
)

// file is stored with a tree: an array, or an archive of arrays.
type file struct {
	array   *npyfile.Array
	zip     *zipfile.Archive
	mu      sync.Mutex
	pickles []*model.Span // of the arrays of Python objects
	joined  atomic.Bool   // heads of other arrays are among the values
}

func detect(name string, head, _ []byte, _ int64) (sure model.Confidence, reason string) {
	ext := strings.ToLower(name[strings.LastIndexByte(name, '.')+1:])
	switch {
	case bytes.HasPrefix(head, []byte(npyfile.Magic)):
		return 95, ""
	case ext == "npz" && bytes.HasPrefix(head, []byte("PK")):
		return 95, ""
	case ext == "npy" || ext == "npz":
		return 15, ""
	case bytes.HasPrefix(head, []byte("PK\x03\x04")) && len(head) > 30 && bytes.Contains(head[30:min(len(head), 300)], []byte(".npy")):
		return 50, ""
	}
	return 0, fmt.Sprintf("begins with %s, not 93 4E 55 4D 50 59 (.NUMPY), and is not an archive of arrays", model.Opening(head))
}

func parse(c *model.Cursor) {
	f := &file{}
	if !isArchive(c) {
		f.array = npyfile.Read(c)
		c.Tree().State = f // only now: if the file shrinks meanwhile there is no half of an array
		report(c, f.array)
		return
	}
	if head := string(c.Peek(4)); head != "PK\x03\x04" && head != "PK\x05\x06" { // readers only check the beginning
		c.Wrong(badMagic, c.Range(0, min(magicSize, c.Left())), model.Opening(c.Peek(magicSize)), "50 4B 03 04 (PK..)")
	}
	f.zip = zipfile.Read(c, zipfile.Client{Rules: zipRules, Content: func(c *model.Cursor, m *zipfile.Member) {
		m.Leaf(c)
		if m.Method != 0 && m.Method != 8 || m.Encrypted() { // numpy may read it
			c.Wrong(model.RuleCap, m.Data, nil, nil, model.Saying("%s is not checked: only unencrypted members that are stored or deflated can be decoded", m.Name))
			return
		}
		if !bytes.HasPrefix(m.Front, []byte(npyfile.Magic)) {
			c.Wrong(noArray, m.Data, model.Opening(m.Front), "the beginning of an array", model.Saying("%s is not a NumPy array", m.Name))
			m.Derive(c, content, zipfile.Deflated, func(c *model.Cursor) { c.Rest(anything) }, nil) // decoded so that its checksum is compared
			return
		}
		m.Derive(c, content, zipfile.Deflated, func(c *model.Cursor) { report(c, npyfile.Read(c)) }, nil)
	}})
	c.Tree().State = f
}

// isArchive tells whether a file begins like a ZIP archive, or begins like nothing known and is called one.
func isArchive(c *model.Cursor) bool {
	if head := c.Peek(6); bytes.HasPrefix(head, []byte("PK")) || bytes.HasPrefix(head, []byte(npyfile.Magic)) {
		return head[0] == 'P'
	}
	return strings.EqualFold(path.Ext(c.Tree().Snapshot.Primary), ".npz")
}

// magicSize is how many bytes precede the header of an array: a magic, a version.
const magicSize = 8

// report reports the problems of an array that was read.
func report(c *model.Cursor, a *npyfile.Array) {
	want := a.Count * a.Item
	if f := model.StateOf[*file](c.Tree()); a.Pickle != nil {
		f.mu.Lock() // members are opened at the same time
		f.pickles = append(f.pickles, a.Pickle)
		f.mu.Unlock()
	}
	if a.Err == nil && a.Width == 0 && a.Length.Span != nil {
		var more []model.Detail
		if npyfile.Objects(a.Head.Type) {
			more = append(more, model.Graded(model.Warning), model.Saying("the elements are Python objects, which readers load only if told to trust the file; they are shown as pickle instructions, which are never run"))
		}
		c.Wrong(notDecoded, a.Header, a.Head.Type, "numbers, Booleans, strings, dates or bytes", more...)
	}
	retype(c, a)
	switch {
	case a.Length.Span == nil:
		c.Wrong(badMagic, c.Range(c.Base(), min(magicSize, c.Span().Range.Len)), model.Opening(c.PeekAt(c.Base(), 8)), "93 4E 55 4D 50 59 (.NUMPY)")
	case a.Ends > 0:
		wrongEnd(c, a)
		return
	case a.Err != nil:
		c.Wrong(badHeader, model.Spot{Span: a.Header, Range: a.Header.Range}, a.Err, "{'descr': …, 'fortran_order': …, 'shape': …}")
	case a.Item == 0:
	case a.Bytes < want:
		c.Wrong(tooShort, a.Header, model.Words("%s of %s elements", model.Thousands(a.Bytes/a.Item), model.Thousands(a.Count)), model.Words("%s bytes instead of %s", model.Thousands(want), model.Thousands(a.Bytes)))
	case a.Bytes > want:
		c.Wrong(bytesBehind, c.Range(c.Base()+a.Head.Data+want, a.Bytes-want), model.Words("%s bytes", model.Thousands(a.Bytes-want)), "the end of the file")
	}
	if end := a.Head.Data - 1; a.Err == nil && a.Header != nil && !bytes.Equal(c.PeekAt(c.Base()+end, 1), []byte("\n")) {
		c.Wrong(noFeed, a.Length, model.Opening(c.PeekAt(c.Base()+end, 1)), "0A")
	}
	if a.Err == nil && a.Header != nil && a.Header.Range.Len > npyfile.MaxHeader {
		c.Wrong(longHeader, a.Header, a.Header.Range.Len, npyfile.MaxHeader)
	}
}

// wrongEnd reports a header that does not end where header_len says: numpy can only read it if it gets all of the text.
func wrongEnd(c *model.Cursor, a *npyfile.Array) {
	rule, means := badHeader, ", so numpy cannot read it"
	if a.Err == nil && a.Ends > a.Length.Int() {
		if rule, means = wrongLength, "; numpy reads the values from the wrong place"; a.Bytes < a.Count*a.Item {
			means = "; from there on numpy finds too few values"
		}
	}
	c.Wrong(rule, a.Header, model.Words("%d bytes up to its line feed", a.Ends), model.Words("%d bytes", a.Length.Int()),
		model.Saying("the header is %d bytes long, but its length says %d%s", a.Ends, a.Length.Int(), means))
}

// extents says how long the file should be according to its shape.
func extents(ctx context.Context, t *model.Tree) []model.Extent {
	f, peek := model.StateOf[*file](t), t.Peek(ctx, t.Root.Range.Space)
	switch {
	case f == nil:
	case f.joined.Load():
		return []model.Extent{{Size: t.Root.Range.Len, Says: "arrays of that length are joined in it"}}
	case f.zip != nil:
		e, ok := f.zip.Extent(peek, t.Root.Range.Len)
		if !ok {
			e = model.Extent{Size: t.Root.Range.Len, Guess: true}
		}
		e.Magics = []model.Magic{{Bytes: "PK\x03\x04"}}
		return []model.Extent{e}
	case f.array != nil:
		return extentsOf(ctx, t, f.array, npyfile.Cut(peek(0, 12+npyfile.MaxHeader)))
	}
	return nil
}

// extentsOf returns how long the file of an array should be; if its header is truncated, cut is the length that the header should have.
func extentsOf(ctx context.Context, t *model.Tree, a *npyfile.Array, cut int64) []model.Extent {
	if cut > 0 {
		return []model.Extent{{Size: cut, Least: true, Says: "it ends inside its header"}}
	}
	if s := a.Pickle; s != nil {
		if _, stopped, err := npyfile.PickleEnd(ctx, t, s); err == nil && !stopped {
			return []model.Extent{{Size: t.Root.Range.Len + 1, Least: true, Says: "the pickle of its objects has no end"}}
		}
	}
	if a.Ends > 0 {
		return []model.Extent{{Size: sizeByFeed(ctx, t, a), Says: "the line feed of the header and the shape give its length"}}
	}
	if a.Err != nil || a.Item == 0 {
		return nil
	}
	e := model.Extent{Size: a.Head.Data + a.Count*a.Item, Says: "the shape in the header gives its length", Content: "elements", Unit: a.Item, Overhead: a.Head.Data}
	if len(a.Dims) == 1 {
		e.By = a.Dims[0].Span
	}
	for _, x := range model.Fitting(a.Dims, a.Item, a.Bytes) {
		if x.N > 0 && (x.Step >= fewEnds || x.Step*misread(a.Dims[x.Dim].Int(), x.N) >= fewEnds) {
			e.Else = fmt.Sprintf("its shape is wrong: it ends exactly where it would if dimension %d were %s", x.Dim, model.Thousands(x.N))
		}
	}
	if other := retyped(a); other != "" {
		e.Else, e.Misread = other, true
	}
	return []model.Extent{e}
}

// retyped says with which type the file would end where it does; "" if there is none.
func retyped(a *npyfile.Array) string {
	if a.Retyped != "" {
		return "its type is wrong: the values are those of " + a.Retyped + ", and it ends exactly where it would with that type"
	}
	if name := narrower(a); name != "" {
		return "its type is wrong: it ends exactly where it would with " + name
	}
	return ""
}

// sizeByFeed is how long the file of an array should be if header_len is wrong: as long as it is if an edited shape explains that.
func sizeByFeed(ctx context.Context, t *model.Tree, a *npyfile.Array) int64 {
	in := t.Root.Range.Space
	if c, err := t.Snapshot.Content(t.Snapshot.Primary); err == nil && len(npyfile.Reshape(in, t.Peek(ctx, in)(0, 12+npyfile.MaxHeader), c)) > 0 {
		return t.Root.Range.Len
	}
	return a.Whole
}

// fewEnds is how many bytes one more in a dimension must add for a file that ends at a whole number of it to be no coincidence.
const fewEnds = 64

// misread is the number of possible lengths of a dimension among which one differs from another in a single digit, as these two do; 0 if they do not.
func misread(is, n int64) int64 {
	a, b := strconv.FormatInt(is, 10), strconv.FormatInt(n, 10)
	if model.Differ(a, b) != 1 {
		return 0
	}
	return is / int64(9*len(a))
}

// quantities is the number of elements according to the shape and the file.
func quantities(_ context.Context, t *model.Tree) []model.Quantity {
	f := model.StateOf[*file](t)
	if f == nil || f.array == nil || f.array.Err != nil || f.array.Item == 0 || f.array.Ends > 0 || f.array.Bytes%f.array.Item != 0 {
		return nil
	}
	a := f.array
	shape := model.Witness{Text: "the shape", Value: model.I(a.Count)}
	if len(a.Dims) == 1 {
		shape.Field = a.Dims[0].Span
	}
	return []model.Quantity{{Name: "elements", Witnesses: []model.Witness{shape, {Text: "the file size", Value: model.I(a.Bytes / a.Item), Weak: true}}}}
}

// fitShape offers the one number of the shape with which it fits the bytes: a choice, because the bytes may be wrong instead.
func fitShape(ctx context.Context, t *model.Tree, _ *model.Finding) []model.Fix {
	f := model.StateOf[*file](t)
	if f == nil || f.array == nil {
		return nil
	}
	a := f.array
	out := model.FitShape(a.Dims, a.Item, a.Bytes, true)
	head, err := t.Bytes(ctx, model.Range{Space: t.Root.Range.Space, Len: a.Head.Data})
	for i, x := range model.Fitting(a.Dims, a.Item, a.Bytes) {
		if err != nil || int64(len(strconv.FormatInt(x.N, 10))) == a.Dims[x.Dim].Span.Range.Len {
			continue
		}
		if with := a.Resized(head, x.Dim, x.N); with != nil { // the data stay where they are
			out[i].Edits = []model.Edit{model.Replace(a.Header.Range, with[a.Header.Range.Off:])}
		}
	}
	return out
}

// correctHeader offers to make the length of a header and its text agree, or the one byte of the head with which it is valid.
func correctHeader(ctx context.Context, t *model.Tree, x *model.Finding) []model.Fix {
	c, err := t.Snapshot.Content(t.Snapshot.Primary)
	if f := model.StateOf[*file](t); err != nil || f == nil || f.array == nil {
		return refit(ctx, t, x.Where().Space)
	}
	return npyfile.CorrectHeader(ctx, t.Root.Range.Space, c)
}

// refit offers to make the length of a header and its text agree, in an array of an archive.
func refit(ctx context.Context, t *model.Tree, in model.SpaceID) []model.Fix {
	size, err := t.Size(ctx, in)
	if err != nil || in == t.Root.Range.Space {
		return nil
	}
	b := t.Peek(ctx, in)(0, 12+npyfile.MaxHeader)
	return npyfile.Refit(in, b, size, false) // sizes and checksums of the archive follow a replacement
}

// turnedOrder turns the byte order of a type.
var turnedOrder = strings.NewReplacer("<", ">", ">", "<")

// otherOrder offers to state the other byte order in the header, or to reverse the numbers: either may be wrong.
func otherOrder(ctx context.Context, t *model.Tree, x *model.Finding) []model.Fix {
	f := model.StateOf[*file](t)
	if f == nil || f.array == nil || f.array.Head.IsRecord() { // an archive, or an order for each field
		return nil
	}
	state := model.SetTo(f.array.Descr.Span, model.S(turnedOrder.Replace(f.array.Head.Descr)))
	state.Safe = false
	return append([]model.Fix{state}, model.TurnNumbers(ctx, t, x)...)
}
