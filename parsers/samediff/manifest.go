package samediff

import (
	"encoding/binary"
	"fmt"
	"strings"

	"spandrel/model"
)

// The manifest of SDNB is a java.util.LinkedHashMap<String, Pair<Long, Long>> in Java Object Serialization, protocol 5 (section
// 1.4.4). Only the five classes that it needs are known; nothing is ever instantiated.

// maxEntries bounds the entries that are read of a manifest, of metadata, of a list of arrays: each has spans of its own.
const maxEntries = 100_000

// manifest is a manifest that has been read.
type manifest struct {
	tokens                     []token // every byte up to end, in order
	bounds                     []int   // of tokens: the map, each entry, the end; less where it breaks off
	size                       int64   // of the whole, with what is left behind end
	end                        int64
	entries                    []manifestEntry
	count, capacity, threshold int64
	countNode                  model.Node
	countTok                   int
	shared                     bool // an entry refers back to a number of another
	err                        *manifestError
}

type manifestEntry struct {
	name                   string
	offset, length         int64
	from, to               int // its tokens
	offsetTok, lengthTok   int // -1: the number stands with another entry
	span                   *model.Span
	offsetNode, lengthNode model.Node
	blob                   *blobArray
}

// sound tells whether the range of an entry lies where arrays may.
func (e *manifestEntry) sound(manifest int64) bool {
	return e.offset >= 32 && e.length >= 0 && e.offset <= manifest && e.length <= manifest-e.offset
}

type manifestError struct {
	rule    *model.Rule
	at      int64
	message string
}

// token is a leaf of the stream.
type token struct {
	field *model.Field
	at, n int64
}

// Tags of the stream.
const (
	tcNull, tcReference, tcClassDesc, tcObject, tcString = 0x70, 0x71, 0x72, 0x73, 0x74
	tcBlock, tcEnd, tcBlockLong, tcLongString            = 0x77, 0x78, 0x7a, 0x7c
)

// class is a class that may occur: its fields by type code and name, and the class above it.
type class struct {
	name, field string
	uid         uint64
	flags       byte
	super       *class
}

var (
	javaMap    = &class{"java.util.HashMap", "F loadFactor I threshold", 0x0507DAC1C31660D1, 3, nil}
	javaLinked = &class{"java.util.LinkedHashMap", "Z accessOrder", 0x34C04E5C106CC0FB, 2, javaMap}
	javaPair   = &class{"org.nd4j.common.primitives.Pair", "L key L value", 119, 2, nil}
	javaNumber = &class{"java.lang.Number", "", 0x86AC951D0B94E08B, 2, nil}
	javaLong   = &class{"java.lang.Long", "J value", 0x3B8BE490CC8F23DF, 2, javaNumber}
)

// stream reads a manifest token by token.
type stream struct {
	*manifest
	b       []byte
	handles []any // *class, string, int64 of a Long, or nil for an object
	prefix  string
	known   map[tokenKind]*model.Field
}

// tokenKind is what a leaf is called and how it is read; leaves of one kind share a field.
type tokenKind struct {
	prefix, name string
	codec        model.Codec
}

// fail ends reading; recovered by readManifest.
func (r *stream) fail(rule int, at int64, format string, args ...any) {
	panic(&manifestError{sdf(rule), at, fmt.Sprintf(format, args...)})
}

// take reads n bytes as a leaf.
func (r *stream) take(name string, n int64, codec model.Codec) []byte {
	if n > int64(len(r.b))-r.end {
		r.fail(58, r.end, "the manifest ends inside %s%s", r.prefix, name)
	}
	b := r.b[r.end : r.end+n]
	f := r.known[tokenKind{r.prefix, name, codec}]
	if f == nil {
		f = &model.Field{Name: r.prefix + name, Ref: "1.4.4", Codec: codec}
		if codec != model.I64BE && codec != model.I32BE {
			f.Fixed = "it belongs to the Java stream; names are changed with the variable"
		}
		r.known[tokenKind{r.prefix, name, codec}] = f
	}
	r.tokens = append(r.tokens, token{f, r.end, n})
	r.end += n
	return b
}

func (r *stream) u8(name string) byte { return r.take(name, 1, model.U8)[0] }
func (r *stream) u16(name string) int64 {
	return int64(binary.BigEndian.Uint16(r.take(name, 2, model.U16BE)))
}
func (r *stream) i32(name string) int64 {
	return int64(int32(binary.BigEndian.Uint32(r.take(name, 4, model.I32BE))))
}

// tag reads a tag that must be one of those given.
func (r *stream) tag(name string, want ...byte) byte {
	at := r.end
	t := r.u8(name)
	for _, w := range want {
		if t == w {
			return t
		}
	}
	r.fail(56, at, "the tag %02X stands where one of % X is legal", t, want)
	return 0
}

func (r *stream) expect(at int64, ok bool, format string, args ...any) {
	if !ok {
		r.fail(56, at, format, args...)
	}
}

// utf reads a length of 2 bytes and a text in modified UTF-8.
func (r *stream) utf(name string) string {
	n := r.u16(name + "/len")
	return fromModified(r.take(name+"/text", n, modifiedUTF8))
}

// handle reads a reference back to what was there before.
func (r *stream) handle(name string) any {
	at := r.end
	h := int64(binary.BigEndian.Uint32(r.take(name, 4, model.U32BE))) - 0x7e0000
	if h < 0 || h >= int64(len(r.handles)) {
		r.fail(58, at, "a reference to object %d of %d", h, len(r.handles))
	}
	return r.handles[h]
}

func (r *stream) assign(v any) int {
	r.handles = append(r.handles, v)
	return len(r.handles) - 1
}

// class reads a class descriptor, or a reference to one.
func (r *stream) class(name string, want *class) {
	at := r.end
	if r.tag(name+"/tc", tcClassDesc, tcReference) == tcReference {
		if r.handle(name+"/handle") != want {
			r.fail(58, at, "a reference that is not to the class %s", want.name)
		}
		return
	}
	got := r.utf(name + "/name")
	r.expect(at, got == want.name, "the class %q stands where %s is legal", got, want.name)
	at = r.end
	uid := binary.BigEndian.Uint64(r.take(name+"/uid", 8, model.U64BE))
	r.expect(at, uid == want.uid, "serialVersionUID %016X of %s, not %016X", uid, want.name, want.uid)
	r.assign(want)
	at = r.end
	flags := r.u8(name + "/flags")
	r.expect(at, flags == want.flags, "flags %02X of %s, not %02X", flags, want.name, want.flags)
	r.fields(name, want)
	r.tag(name+"/endAnnotations", tcEnd)
	if want.super != nil {
		r.class(name+"/super", want.super)
	} else {
		r.tag(name+"/super/tc", tcNull)
	}
}

// fields reads the fields of a class descriptor.
func (r *stream) fields(name string, c *class) {
	at := r.end
	want := strings.Fields(c.field)
	n := r.u16(name + "/fieldCount")
	r.expect(at, n == int64(len(want)/2), "%d fields of %s", n, c.name)
	for i := range int(n) {
		code, field := want[2*i][0], want[2*i+1]
		p := fmt.Sprintf("%s/field[%d]", name, i)
		at = r.end
		got := r.u8(p + "/code")
		called := r.utf(p + "/name")
		r.expect(at, got == code && called == field, "field %c %q of %s, not %c %s", got, called, c.name, code, field)
		if code == 'L' {
			at = r.end
			typ := r.text(p + "/type")
			r.expect(at, typ == "Ljava/lang/Object;", "the type %q of field %s", typ, field)
		}
	}
}

// text reads a string object, or a reference to one.
func (r *stream) text(name string) string {
	at := r.end
	switch r.tag(name+"/tc", tcString, tcLongString, tcReference) {
	case tcReference:
		s, ok := r.handle(name + "/handle").(string)
		if !ok {
			r.fail(58, at, "a reference that is not to a text")
		}
		return s
	case tcLongString:
		n := binary.BigEndian.Uint64(r.take(name+"/len", 8, model.U64BE))
		if n > uint64(len(r.b)) {
			r.fail(58, at, "a text of %d bytes", n)
		}
		s := fromModified(r.take(name+"/text", int64(n), modifiedUTF8))
		r.assign(s)
		return s
	}
	s := r.utf(name)
	r.assign(s)
	return s
}

// long reads a boxed number, or a reference to one. tok is the leaf that holds it, or -1.
func (r *stream) long(name string) (v int64, tok int) {
	at := r.end
	if r.tag(name+"/tc", tcObject, tcReference) == tcReference {
		v, ok := r.handle(name + "/handle").(int64)
		if !ok {
			r.fail(58, at, "a reference that is not to a number")
		}
		r.shared = true
		return v, -1
	}
	r.class(name+"/class", javaLong)
	h := r.assign(nil)
	v = int64(binary.BigEndian.Uint64(r.take(name+"/value", 8, model.I64BE)))
	r.handles[h] = v
	return v, len(r.tokens) - 1
}

// readManifest reads a manifest. It always returns what it has; err says what stopped it.
func readManifest(b []byte) (m *manifest) {
	m = &manifest{countTok: -1, size: int64(len(b)), bounds: []int{0}}
	defer func() {
		if n := len(m.tokens); n > m.bounds[len(m.bounds)-1] {
			m.bounds = append(m.bounds, n)
		}
		if e := recover(); e != nil {
			bad, ok := e.(*manifestError)
			if !ok {
				panic(e)
			}
			m.err = bad
		}
	}()
	r := &stream{manifest: m, b: b, known: map[tokenKind]*model.Field{}}
	if len(b) < 4 || binary.BigEndian.Uint32(b) != 0xaced0005 {
		r.fail(55, 0, "no Java object stream starts here")
	}
	r.u16("magic")
	r.u16("version")
	r.tag("tc", tcObject)
	r.class("class", javaLinked)
	r.assign(nil)
	r.take("loadFactor", 4, model.F32BE)
	m.threshold = r.i32("threshold")
	at := r.end
	if r.tag("block/tc", tcBlock, tcBlockLong) == tcBlockLong {
		n := r.i32("block/len")
		r.expect(at, n == 8, "a block of %d bytes, not 8", n)
	} else {
		n := r.u8("block/len")
		r.expect(at, n == 8, "a block of %d bytes, not 8", n)
	}
	m.capacity = r.i32("capacity")
	m.count = r.i32("count")
	m.countTok = len(m.tokens) - 1
	m.bounds = append(m.bounds, len(m.tokens))
	for r.end < int64(len(b)) && b[r.end] != tcEnd {
		if len(m.entries) == maxEntries {
			panic(&manifestError{model.RuleCap, r.end, fmt.Sprintf("more than %d entries: the others are not read", maxEntries)})
		}
		r.entry()
	}
	r.prefix = ""
	r.tag("end", tcEnd)
	r.u8("accessOrder")
	return m
}

// entry reads a key and its pair of numbers.
func (r *stream) entry() {
	r.prefix = ""
	e := manifestEntry{from: len(r.tokens)}
	e.name = r.text("key")
	at := r.end
	if r.tag("pair/tc", tcObject, tcReference, tcNull) != tcObject {
		r.fail(56, at, "an entry without a pair of its own")
	}
	r.class("pair/class", javaPair)
	r.assign(nil)
	e.offset, e.offsetTok = r.long("offset")
	e.length, e.lengthTok = r.long("length")
	e.to = len(r.tokens)
	r.bounds = append(r.bounds, len(r.tokens))
	r.entries = append(r.entries, e)
}

// mapSizes returns the capacity and threshold that Java writes for a map of n entries.
func mapSizes(n int) (capacity, threshold int64) {
	capacity, threshold = 16, 12
	for int64(n) > threshold {
		capacity, threshold = 2*capacity, 2*threshold
	}
	if n == 0 {
		threshold = 0
	}
	return capacity, threshold
}
