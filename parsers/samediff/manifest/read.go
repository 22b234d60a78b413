package manifest

import (
	"encoding/binary"
	"fmt"
	"strings"
	"sync"

	"spandrel/model"
)

// The manifest of SDNB is a java.util.LinkedHashMap<String, Pair<Long, Long>> in Java Object Serialization, protocol 5 (section
// 1.4.4). Only the five classes that it needs are known; nothing is ever instantiated.

// MaxEntries bounds the entries that are read of a manifest, of metadata, of a list of arrays: each has spans of its own.
const MaxEntries = 100_000

// Map is a manifest that has been read.
type Map struct {
	Tokens                        []token // every byte up to end, in order
	Bounds                        []int   // of tokens: the map, each entry, the end; less where it breaks off
	Size                          int64   // of the whole, with what is left behind end
	End                           int64
	Entries                       []Entry
	Declared, Capacity, Threshold int64
	CountTok                      int
	Err                           *fault
}

type Entry struct {
	Name                 string
	Offset, Length       int64
	From, To             int // its tokens
	OffsetTok, LengthTok int // -1: the number stands with another entry
}

// Sound tells whether the range of an entry lies where arrays may.
func (e *Entry) Sound(manifest int64) bool {
	return e.Offset >= 32 && e.Length >= 0 && e.Offset <= manifest && e.Length <= manifest-e.Offset
}

// faultKind is what stops the reading of a manifest.
type faultKind uint8

// The kinds of faults (section 4.3).
const (
	NoStream faultKind = iota // no Java object stream starts here
	Foreign                   // something else than a manifest stands here
	Broken                    // it breaks off, or refers to what is not there
	TooMany                   // more entries than are read
)

// fault is what stopped the reading of a manifest, and where.
type fault struct {
	Kind    faultKind
	At      int64
	Message string
}

// token is a leaf of the stream.
type token struct {
	Field *model.Field
	At, N int64
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
	classMap    = &class{"java.util.HashMap", "F loadFactor I threshold", 0x0507DAC1C31660D1, 3, nil}
	classLinked = &class{"java.util.LinkedHashMap", "Z accessOrder", 0x34C04E5C106CC0FB, 2, classMap}
	classPair   = &class{"org.nd4j.common.primitives.Pair", "L key L value", 119, 2, nil}
	classNumber = &class{"java.lang.Number", "", 0x86AC951D0B94E08B, 2, nil}
	classLong   = &class{"java.lang.Long", "J value", 0x3B8BE490CC8F23DF, 2, classNumber}
)

// stream reads a manifest token by token.
type stream struct {
	*Map
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

// leaves are the fields of all manifests, by tokenKind: an archive may have thousands of these, and there are some sixty kinds.
var leaves sync.Map

func (k tokenKind) leaf() *model.Field {
	f := &model.Field{Name: k.prefix + k.name, Ref: "1.4.4", Codec: k.codec}
	if k.codec != model.I64BE && k.codec != model.I32BE {
		f.Fixed = "it belongs to the Java stream; names are changed with the variable"
	}
	one, _ := leaves.LoadOrStore(k, f)
	return one.(*model.Field)
}

// fail ends reading; recovered by Read.
func (r *stream) fail(kind faultKind, at int64, format string, args ...any) {
	panic(&fault{kind, at, fmt.Sprintf(format, args...)})
}

// take reads n bytes as a leaf.
func (r *stream) take(name string, n int64, codec model.Codec) []byte {
	if n > int64(len(r.b))-r.End {
		r.fail(Broken, r.End, "the manifest ends inside %s%s", r.prefix, name)
	}
	b := r.b[r.End : r.End+n]
	kind := tokenKind{r.prefix, name, codec}
	f := r.known[kind]
	if f == nil {
		f = kind.leaf()
		r.known[kind] = f
	}
	r.Tokens = append(r.Tokens, token{f, r.End, n})
	r.End += n
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
	at := r.End
	t := r.u8(name)
	for _, w := range want {
		if t == w {
			return t
		}
	}
	r.fail(Foreign, at, "the tag %02X stands where one of % X is legal", t, want)
	return 0
}

func (r *stream) expect(at int64, ok bool, format string, args ...any) {
	if !ok {
		r.fail(Foreign, at, format, args...)
	}
}

// utf reads a length of 2 bytes and a text in modified UTF-8.
func (r *stream) utf(name string) string {
	n := r.u16(name + "/len")
	return FromModified(r.take(name+"/text", n, ModifiedUTF8))
}

// handle reads a reference back to what was there before.
func (r *stream) handle(name string) any {
	at := r.End
	h := int64(binary.BigEndian.Uint32(r.take(name, 4, model.U32BE))) - 0x7e0000
	if h < 0 || h >= int64(len(r.handles)) {
		r.fail(Broken, at, "a reference to object %d of %d", h, len(r.handles))
	}
	return r.handles[h]
}

func (r *stream) assign(v any) int {
	r.handles = append(r.handles, v)
	return len(r.handles) - 1
}

// class reads a class descriptor, or a reference to one.
func (r *stream) class(name string, want *class) {
	at := r.End
	if r.tag(name+"/tc", tcClassDesc, tcReference) == tcReference {
		if r.handle(name+"/handle") != want {
			r.fail(Broken, at, "a reference that is not to the class %s", want.name)
		}
		return
	}
	got := r.utf(name + "/name")
	r.expect(at, got == want.name, "the class %q stands where %s is legal", got, want.name)
	at = r.End
	uid := binary.BigEndian.Uint64(r.take(name+"/uid", 8, model.U64BE))
	r.expect(at, uid == want.uid, "serialVersionUID %016X of %s, not %016X", uid, want.name, want.uid)
	r.assign(want)
	at = r.End
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
	at := r.End
	want := strings.Fields(c.field)
	n := r.u16(name + "/fieldCount")
	r.expect(at, n == int64(len(want)/2), "%d fields of %s", n, c.name)
	for i := range int(n) {
		code, field := want[2*i][0], want[2*i+1]
		p := fmt.Sprintf("%s/field[%d]", name, i)
		at = r.End
		got := r.u8(p + "/code")
		called := r.utf(p + "/name")
		r.expect(at, got == code && called == field, "field %c %q of %s, not %c %s", got, called, c.name, code, field)
		if code == 'L' {
			at = r.End
			typ := r.text(p + "/type")
			r.expect(at, typ == "Ljava/lang/Object;", "the type %q of field %s", typ, field)
		}
	}
}

// text reads a string object, or a reference to one.
func (r *stream) text(name string) string {
	at := r.End
	switch r.tag(name+"/tc", tcString, tcLongString, tcReference) {
	case tcReference:
		s, ok := r.handle(name + "/handle").(string)
		if !ok {
			r.fail(Broken, at, "a reference that is not to a text")
		}
		return s
	case tcLongString:
		n := binary.BigEndian.Uint64(r.take(name+"/len", 8, model.U64BE))
		if n > uint64(len(r.b)) {
			r.fail(Broken, at, "a text of %d bytes", n)
		}
		s := FromModified(r.take(name+"/text", int64(n), ModifiedUTF8))
		r.assign(s)
		return s
	}
	s := r.utf(name)
	r.assign(s)
	return s
}

// long reads a boxed number, or a reference to one. tok is the leaf that holds it, or -1.
func (r *stream) long(name string) (v int64, tok int) {
	at := r.End
	if r.tag(name+"/tc", tcObject, tcReference) == tcReference {
		v, ok := r.handle(name + "/handle").(int64)
		if !ok {
			r.fail(Broken, at, "a reference that is not to a number")
		}
		return v, -1
	}
	r.class(name+"/class", classLong)
	h := r.assign(nil)
	v = int64(binary.BigEndian.Uint64(r.take(name+"/value", 8, model.I64BE)))
	r.handles[h] = v
	return v, len(r.Tokens) - 1
}

// Read reads a manifest. It always returns what it has; err says what stopped it.
func Read(b []byte) (m *Map) {
	m = &Map{CountTok: -1, Size: int64(len(b)), Bounds: []int{0}}
	defer func() {
		if n := len(m.Tokens); n > m.Bounds[len(m.Bounds)-1] {
			m.Bounds = append(m.Bounds, n)
		}
		if e := recover(); e != nil {
			bad, ok := e.(*fault)
			if !ok {
				panic(e)
			}
			m.Err = bad
		}
	}()
	r := &stream{Map: m, b: b, known: map[tokenKind]*model.Field{}}
	if len(b) < 4 || binary.BigEndian.Uint32(b) != 0xaced0005 {
		r.fail(NoStream, 0, "no Java object stream starts here")
	}
	r.u16("magic")
	r.u16("version")
	r.tag("tc", tcObject)
	r.class("class", classLinked)
	r.assign(nil)
	r.take("loadFactor", 4, model.F32BE)
	m.Threshold = r.i32("threshold")
	at := r.End
	if r.tag("block/tc", tcBlock, tcBlockLong) == tcBlockLong {
		n := r.i32("block/len")
		r.expect(at, n == 8, "a block of %d bytes, not 8", n)
	} else {
		n := r.u8("block/len")
		r.expect(at, n == 8, "a block of %d bytes, not 8", n)
	}
	m.Capacity = r.i32("capacity")
	m.Declared = r.i32("count")
	m.CountTok = len(m.Tokens) - 1
	m.Bounds = append(m.Bounds, len(m.Tokens))
	for r.End < int64(len(b)) && b[r.End] != tcEnd {
		if len(m.Entries) == MaxEntries {
			panic(&fault{TooMany, r.End, model.Words("more than %d entries: the others are not read", MaxEntries)})
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
	e := Entry{From: len(r.Tokens)}
	e.Name = r.text("key")
	at := r.End
	if r.tag("pair/tc", tcObject, tcReference, tcNull) != tcObject {
		r.fail(Foreign, at, "an entry without a pair of its own")
	}
	r.class("pair/class", classPair)
	r.assign(nil)
	e.Offset, e.OffsetTok = r.long("offset")
	e.Length, e.LengthTok = r.long("length")
	e.To = len(r.Tokens)
	r.Bounds = append(r.Bounds, len(r.Tokens))
	r.Entries = append(r.Entries, e)
}

// MapSizes returns the capacity and threshold that Java writes for a map of n entries.
func MapSizes(n int) (capacity, threshold int64) {
	capacity, threshold = 16, 12
	for int64(n) > threshold {
		capacity, threshold = 2*capacity, 2*threshold
	}
	if n == 0 {
		threshold = 0
	}
	return capacity, threshold
}
