package safetensors

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"unicode/utf8"

	"spandrel/model"
	"spandrel/parsers/internal/jsontext"
)

// file is stored with a tree.
type file struct {
	entries *model.Span
	head    *model.Span // the header, without its length
	data    *model.Span
	tensors []*tensor
	unread  int64         // entries that are no tensor
	size    int64         // length of the data according to the last offset
	cut     bool          // the file ends before the data does
	needs   int64         // minimum length of the file if it ends inside its header
	filling int64         // bytes of padding after the stated end of the header
	lost    int64         // bytes that are missing in the header, at least: it continues as values
	recount model.Recount // how the offsets are counted, if not as readers count them
	broken  bool          // a tensor could not be placed, so that holes in the data say nothing new

	checkpoint *index // the checkpoint, if the document is one

	searched atomic.Int64 // bytes that were parsed in search of one that is wrong
	indexed  sync.Once
	byPath   map[string]*tensor // by the path of the entry, and of the bytes
	typed    map[string]int     // how many tensors have each type
	retyped  sync.Map           // the repairs of sizes that a type does not have, by type
}

// tensor is an entry of the header, and its bytes once they are found.
type tensor struct {
	name       string
	entry      *model.Span
	typ        model.Node
	shape      []int64
	dims       []model.Node
	begin, end model.Node
	from, to   int64 // where it is in the data, usually according to them
	values     *model.Span
	odd        bool   // one of the three is not what it should be
	part       string // of the entry: the member whose value is read
	extra      bool   // the entry has another value
	cut        bool   // the file ends inside its bytes
}

// errBehind means that a text continues after its value.
var errBehind = errors.New("text follows the object")

func parse(c *model.Cursor) {
	f := &file{}
	c.Tree().State = f
	switch snap := c.Tree().Snapshot; {
	case snap != nil && snap.Primary == "" && snap.Folder():
		f.folder(c)
	case snap != nil && isIndex(snap.Primary):
		if x := f.readIndex(c); x != nil {
			f.findShards(c, x)
		}
	default:
		f.tensorFile(c)
	}
}

// tensorFile reads a file of tensors: the document, or a shard of it.
func (f *file) tensorFile(c *model.Cursor) {
	if c.Left() < 8 {
		f.needs = 8
		c.Wrong(headerLong, c.Span(), model.Words("%d bytes", c.Left()), "an 8-byte length and a header")
		return
	}
	n := c.Field(headerSize)
	size, named := n.Int(), bytes.HasPrefix(c.Peek(min(1, c.Left())), []byte("{"))
	switch {
	case n.Uint() > maxHeader && !named:
		c.Wrong(headerHuge, n, nil, fmt.Sprintf("at most %d", maxHeader))
		return
	case n.Uint() > maxHeader:
		size = f.headerEnd(c, n, headerHuge)
	case size > c.Left():
		size = f.headerEnd(c, n, headerLong)
	case named && endsElsewhere(c, size):
		size = f.headerEnd(c, n, notJSON)
	}
	head := c.Block(header, size, f.header)
	f.head = head.Span
	if f.needs == 0 {
		c.LengthOf(n, head).As(headerLong).When(size == n.Int())
	}
	if at := head.Range.End(); at%8 != 0 && len(f.tensors) > 0 {
		c.Wrong(misaligned, head, at, "a multiple of 8")
	}
	f.blanks(c, n)
	f.layData(c)
}

// blanks separates header padding from the data, if the header was edited and is longer than its stated length: the
// data are longer than its tensors by as many bytes.
func (f *file) blanks(c *model.Cursor, size model.Node) {
	need := int64(0)
	for _, t := range f.tensors {
		need = max(need, t.end.Int())
	}
	n := c.Left() - need
	if n <= 0 || n > maxBlanks || len(f.tensors) == 0 || len(bytes.Trim(c.Peek(n), " ")) > 0 {
		return
	}
	c.Wrong(hole, size, nil, model.U(size.Uint()+uint64(n)), func(f *model.Finding) { f.Doubt = n < leastBlanks },
		model.Saying("the header is %d bytes longer than its length says: its padding spaces come before the data", n))
	c.FieldN(filling, n)
	f.filling = n
}

// leastBlanks is how many spaces before the data are no coincidence.
const leastBlanks = 3

// endsElsewhere tells whether a header ends inside its object, or goes on as values with which the file is complete.
func endsElsewhere(c *model.Cursor, size int64) bool {
	last := bytes.TrimRight(c.PeekAt(c.Pos()+max(0, size-maxBlanks), min(size, maxBlanks)), blanks)
	if inner, ends := bytes.CutSuffix(last, []byte("}")); ends && bytes.HasSuffix(bytes.TrimRight(inner, blanks), []byte("}")) || size > maxTaken {
		return false
	}
	text := c.Peek(size)
	_, end, err := jsontext.Tokens(text)
	return errors.Is(err, io.ErrUnexpectedEOF) || err == nil && len(bytes.Trim(text[end:], blanks)) > 0 && filledUp(c, end) >= 0
}

// blanks are the characters that JSON allows between others.
const blanks = " \t\r\n"

// filledUp is how many blanks follow the object of a header according to the offsets in it, if its tensors then fill the data; otherwise -1.
func filledUp(c *model.Cursor, end int64) int64 {
	text := c.Peek(end)
	var entries map[string]struct {
		At []int64 `json:"data_offsets"`
	}
	need := int64(0)
	if json.Unmarshal(text, &entries) != nil {
		return -1
	}
	for _, e := range entries {
		if len(e.At) == 2 {
			need = max(need, e.At[1])
		}
	}
	n := c.Left() - end - need
	if n < 0 || n > maxPadding || len(bytes.Trim(c.PeekAt(c.Pos()+end, n), blanks)) > 0 || !whole(text, need) {
		return -1
	}
	return n
}

// errBroken means that a JSON object is no complete header.
var errBroken = errors.New("the object ends inside the header")

// maxBlanks is how far before the end of a header its object is searched for: files pad it by a few bytes.
const maxBlanks = 64

// maxPadding is how many blanks may follow the object of a header: some writers align the data to a page.
const maxPadding = 1 << 16

// headerEnd is the length of a header whose stated length is impossible: up to the end of the JSON object and the spaces after it.
func (f *file) headerEnd(c *model.Cursor, n model.Node, as *model.Rule) (size int64) {
	var want any = fmt.Sprintf("at most %d", min(c.Left(), maxHeader))
	size = c.Left()
	_, end, err := jsontext.Tokens(c.Peek(min(size, maxTaken)))
	if err == nil && bytes.HasPrefix(c.PeekAt(c.Pos()+end, min(1, c.Left()-end)), []byte(",")) {
		err = errBroken // a surplus brace or a missing piece: continue
	}
	if err == nil {
		padding := c.PeekAt(c.Pos()+end, -end&7) // writers pad to a multiple of 8; later spaces are values
		size = end + int64(len(padding)-len(bytes.TrimLeft(padding, " ")))
		if n := filledUp(c, end); n >= 0 {
			size = end + n
		}
	}
	switch {
	case errors.Is(err, io.ErrUnexpectedEOF) && size <= maxTaken && bytes.IndexByte(c.Peek(size), 0) < 0: // values follow it, so it is not truncated
		f.needs = c.Pos() + n.Int()
	case err != nil && size < n.Int() && n.Int() <= 2*size: // bytes of it are missing
		f.needs = c.Pos() + n.Int()
	case err != nil:
	case size == c.Left() && size%8 != 0 && n.Int()-size < 8: // it is cut in the blanks that writers fill it up with
		f.needs = c.Pos() + n.Int()
	case size == c.Left() && size%8 != 0: // writers fill up to a multiple of 8
		f.needs = c.Pos() + (size+7)/8*8
	default:
		want = model.I(size)
	}
	c.Wrong(as, n, nil, want)
	return size
}

// header parses the JSON object, or shows it as one text.
func (f *file) header(c *model.Cursor) {
	base, n := c.Pos(), c.Left()
	if n > maxTaken {
		c.Report(model.Finding{Rule: model.RuleCap, Span: c.Span(), Message: model.Words("the header has %d bytes: only %d are parsed", n, maxTaken)})
		c.Rest(headerText)
		return
	}
	seen := map[string]bool{}
	again := func(t *tensor) { // readers take the last of those with one name
		f.tensors = slices.DeleteFunc(f.tensors, func(o *tensor) bool { return o.name == t.name })
	}
	list, whole := objectText{entries, entry, headerText, 8}.lay(c, func(c *model.Cursor, base int64, tokens []jsontext.Token) {
		t := &tensor{name: tokens[0].Text, entry: c.Span()}
		jsontext.Lay(c, base, tokens, t.field, t.got)
		if seen[t.name] {
			c.Wrong(nameTwice, t.entry, t.name, "another name")
			again(t)
		}
		seen[t.name] = true
		switch {
		case t.name == metadata:
		case t.typ.Span == nil || t.shape == nil || t.odd || t.begin.Span == nil || t.end.Span == nil:
			c.Wrong(badEntry, t.entry, t.name, "dtype, shape and two data_offsets")
			f.broken, f.unread = true, f.unread+1
		default:
			if t.extra {
				c.Wrong(badEntry, t.entry, t.name, "dtype, shape and two data_offsets", model.Graded(model.Warning),
					model.Saying("an entry of the header has more than dtype, shape and data_offsets, which readers ignore"))
			}
			f.tensors = append(f.tensors, t)
		}
	})
	f.entries, f.broken = list, f.broken || !whole
	f.checkNames(c)
	text := c.PeekAt(base, n)
	if !whole {
		f.lost = continued(text)
		return
	}
	if utf8.Valid(text) {
		return
	}
	at := int64(0)
	for r, k := utf8.DecodeRune(text); r != utf8.RuneError || k > 1; r, k = utf8.DecodeRune(text[at:]) {
		at += int64(k)
	}
	c.Wrong(notJSON, c.Range(base+at, 1), fmt.Sprintf("the byte 0x%02x, which is not valid in text", text[at]), "UTF-8", model.Saying("the header is not text"))
}

// leastValues is how many bytes that text never contains, after as many of text, show that values begin there, and not just a damaged byte.
const leastValues = 8

// continued is how many bytes at the end of a header are values; 0 if all of it may be text.
func continued(text []byte) int64 {
	begins, n := 0, 0
	for i := 0; i < len(text); {
		r, k := utf8.DecodeRune(text[i:])
		if r == utf8.RuneError && k == 1 || r > 0 && r < ' ' && r != '\n' && r != '\r' && r != '\t' { // zeros may have been written over text
			if n++; n == 1 {
				begins = i
			}
		}
		i += k
	}
	if begins < leastValues || n < leastValues || 4*n < len(text)-begins {
		return 0
	}
	return int64(len(text) - begins)
}

// maxDims is how many dimensions of a tensor are read: NumPy and PyTorch have the same limit.
const maxDims = 64

// name is the name of a tensor. It leads to the index of a model in several files.
var name = &model.Field{Name: "name", Codec: jsontext.Scalar{Of: model.Text}, Ref: "Format", Target: toIndex}

// metadata is the name of the entry that is no tensor.
const metadata = "__metadata__"

// field is the field of a token of an entry; nil for syntax.
func (t *tensor) field(tok jsontext.Token) *model.Field {
	count := tok.Kind == jsontext.Number && tok.Codec().Kind() == model.Int && !strings.HasPrefix(tok.Text, "-") && tok.Depth == 3
	switch {
	case tok.Kind == jsontext.Key && tok.Depth == 1:
		return name
	case tok.Kind == jsontext.Key && tok.Depth == 2:
		t.part = tok.Text
	case tok.Kind == jsontext.Open && tok.Depth == 2 && t.part == "shape":
		t.shape = []int64{}
	}
	switch {
	case tok.Kind <= jsontext.Key:
		return nil
	case t.name == metadata && tok.Depth == 1 && tok.Text == "null":
		return &model.Field{Name: "none", Codec: tok.Codec()}
	case t.name == metadata && (tok.Kind != jsontext.Text || tok.Depth > 2): // also a text inside a value
		return &model.Field{Name: cmp.Or(tok.Key, "text"), Codec: tok.Codec(), Rule: badMetadata, Check: func(model.Value) string { return "a text" }}
	case t.name == metadata:
		return &model.Field{Name: cmp.Or(tok.Key, "text"), Codec: tok.Codec(), Ref: "Format"}
	case t.part == "dtype" && tok.Kind == jsontext.Text && tok.Depth == 2:
		return dtypeField
	case t.part == "shape" && count && tok.Index >= maxDims:
		t.odd = true
		return nil
	case t.part == "shape" && count:
		return dim.Named("dim%d", tok.Index)
	case t.part == "data_offsets" && count && tok.Index < 2:
		return []*model.Field{begin, end}[tok.Index]
	}
	if t.part == "dtype" || t.part == "shape" || t.part == "data_offsets" || tok.Depth == 1 {
		t.odd = true
	}
	t.extra = true
	return &model.Field{Name: "other " + tok.Key, Codec: tok.Codec()}
}

// got stores the value of a token.
func (t *tensor) got(tok jsontext.Token, n model.Node) {
	switch {
	case t.odd || tok.Kind == jsontext.Key || n.Span != nil && strings.HasPrefix(n.Field.Name, "other "):
	case t.part == "dtype":
		t.typ = n
	case t.part == "shape":
		t.shape, t.dims = append(t.shape, n.Int()), append(t.dims, n)
	case t.part == "data_offsets" && tok.Index == 0:
		t.begin = n
	case t.part == "data_offsets":
		t.end = n
	}
}
