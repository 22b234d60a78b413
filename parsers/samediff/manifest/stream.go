package manifest

import (
	"fmt"
	"slices"
	"strings"
	"sync"

	"spandrel/model"
)

// The manifest of SDNB is a java.util.LinkedHashMap<String, Pair<Long, Long>> in Java Object Serialization, protocol 5 (section
// 1.4.4). Only the five classes that it needs are known; nothing is ever instantiated.

// faultKind is the kind of an error that ends the reading of a manifest.
type faultKind uint8

// The kinds of faults (section 4.3).
const (
	NoStream faultKind = iota // not the start of a Java object stream
	Foreign                   // bytes that do not belong to a manifest
	Broken                    // it ends early, or refers to a missing object
	TooMany                   // more entries than are read
)

// fault is what ended the reading of a manifest, and where.
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

// stream is a manifest being read, token by token, or written: both use the same grammar.
type stream struct {
	*Map
	b       []byte
	writing bool
	handles []any // *class, string, int64 of a Long, or nil for what nothing refers to
	known   map[tokenKind]*model.Field
}

// tokenKind is the name of a leaf and how it is read; leaves of one kind share a field.
type tokenKind struct {
	name  string
	codec model.Codec
}

// leaves are the fields of all manifests, by tokenKind: an archive may have thousands of these, and there are some sixty kinds.
var leaves sync.Map

func (k tokenKind) leaf() *model.Field {
	f := &model.Field{Name: k.name, Ref: "1.4.4", Codec: k.codec}
	if k.codec != model.I64BE && k.codec != model.I32BE {
		f.Fixed = "it belongs to the Java stream; to change a name, rename the variable"
	}
	one, _ := leaves.LoadOrStore(k, f)
	return one.(*model.Field)
}

// fail ends reading; recovered by Read.
func (r *stream) fail(kind faultKind, at int64, format string, args ...any) {
	panic(&fault{kind, at, fmt.Sprintf(format, args...)})
}

func (r *stream) expect(at int64, ok bool, format string, args ...any) {
	if !ok {
		r.fail(Foreign, at, format, args...)
	}
}

// take reads n bytes as a leaf.
func (r *stream) take(name string, n int64, codec model.Codec) []byte {
	if n > int64(len(r.b))-r.End {
		r.fail(Broken, r.End, "the manifest ends inside %s", name)
	}
	b := r.b[r.End : r.End+n]
	kind := tokenKind{name, codec}
	f := r.known[kind]
	if f == nil {
		f = kind.leaf()
		r.known[kind] = f
	}
	r.Tokens = append(r.Tokens, token{f, r.End, n})
	r.End += n
	return b
}

// num reads a number, or writes the given one.
func (r *stream) num(name string, codec model.Codec, v int64) int64 {
	size := codec.Size()
	if r.writing {
		for i := range size {
			r.b = append(r.b, byte(v>>(8*(size-1-i))))
		}
		return v
	}
	v = 0
	for _, b := range r.take(name, int64(size), codec) {
		v = v<<8 | int64(b)
	}
	return v
}

// chars reads n bytes of a text, or writes the given ones.
func (r *stream) chars(name string, n int64, b []byte) string {
	if r.writing {
		r.b = append(r.b, b...)
		return ""
	}
	return FromModified(r.take(name+"/text", n, ModifiedUTF8))
}

// utf is a length of 2 bytes and a text in modified UTF-8.
func (r *stream) utf(name, s string) string {
	b := ToModified(s)
	return r.chars(name, r.num(name+"/len", model.U16BE, int64(len(b))), b)
}

// tag reads a tag that must be one of those given, or writes the first.
func (r *stream) tag(name string, want ...byte) byte {
	at := r.End
	t := byte(r.num(name, model.U8, int64(want[0])))
	r.expect(at, slices.Contains(want, t), "the tag is %02X, should be one of % X", t, want)
	return t
}

// object begins an object with one of some tags, or with a reference back to an earlier object. When writing, a reference is used if it is allowed, and
// the object is known already.
func (r *stream) object(name string, what any, tags ...byte) (tag byte, to any) {
	known := -1
	if tags = append(tags, tcReference); r.writing && what != nil {
		if known = slices.Index(r.handles, what); known >= 0 {
			tags = tags[len(tags)-1:]
		}
	}
	if tag = r.tag(name+"/tc", tags...); tag != tcReference {
		return tag, nil
	}
	at := r.End
	h := r.num(name+"/handle", model.U32BE, firstHandle+int64(known)) - firstHandle
	if h < 0 || h >= int64(len(r.handles)) {
		r.fail(Broken, at, "a reference to object %d of %d", h, len(r.handles))
	}
	return tag, r.handles[h]
}

// firstHandle is the number of the first object of a stream.
const firstHandle = 0x7e0000

func (r *stream) assign(v any) int {
	r.handles = append(r.handles, v)
	return len(r.handles) - 1
}

// class is a class descriptor, or a reference to one.
func (r *stream) class(name string, c *class) {
	at := r.End
	if tag, to := r.object(name, c, tcClassDesc); tag == tcReference {
		if to != c {
			r.fail(Broken, at, "a reference that is not to the class %s", c.name)
		}
		return
	}
	got := r.utf(name+"/name", c.name)
	r.expect(at, r.writing || got == c.name, "the class is %q, should be %s", got, c.name)
	at = r.End
	uid := uint64(r.num(name+"/uid", model.U64BE, int64(c.uid)))
	r.expect(at, uid == c.uid, "serialVersionUID %016X of %s, not %016X", uid, c.name, c.uid)
	r.assign(c)
	at = r.End
	flags := byte(r.num(name+"/flags", model.U8, int64(c.flags)))
	r.expect(at, flags == c.flags, "flags %02X of %s, not %02X", flags, c.name, c.flags)
	r.fields(name, c)
	r.tag(name+"/endAnnotations", tcEnd)
	if c.super != nil {
		r.class(name+"/super", c.super)
	} else {
		r.tag(name+"/super/tc", tcNull)
	}
}

// fields are the fields of a class descriptor.
func (r *stream) fields(name string, c *class) {
	at := r.End
	want := strings.Fields(c.field)
	n := r.num(name+"/fieldCount", model.U16BE, int64(len(want)/2))
	r.expect(at, n == int64(len(want)/2), "%d fields of %s", n, c.name)
	for i := range int(n) {
		code, field := want[2*i][0], want[2*i+1]
		p := fmt.Sprintf("%s/field[%d]", name, i)
		at = r.End
		got := byte(r.num(p+"/code", model.U8, int64(code)))
		called := r.utf(p+"/name", field)
		r.expect(at, got == code && (r.writing || called == field), "field %c %q of %s, not %c %s", got, called, c.name, code, field)
		if code == 'L' {
			at = r.End
			typ := r.text(p+"/type", objectType, true)
			r.expect(at, typ == objectType, "the type %q of field %s", typ, field)
		}
	}
}

const objectType = "Ljava/lang/Object;"

// text is a string object, or a reference to one if it is shared.
func (r *stream) text(name, s string, shared bool) string {
	at, b, tags, what := r.End, ToModified(s), []byte{tcString, tcLongString}, any(nil)
	if len(b) > 0xffff {
		slices.Reverse(tags)
	}
	if shared {
		what = s
	}
	got := ""
	switch tag, to := r.object(name, what, tags...); tag {
	case tcReference:
		got, ok := to.(string)
		if !ok {
			r.fail(Broken, at, "a reference that is not to a string")
		}
		return got
	case tcLongString:
		n := uint64(r.num(name+"/len", model.U64BE, int64(len(b))))
		if !r.writing && n > uint64(len(r.b)) {
			r.fail(Broken, at, "a string of %d bytes", n)
		}
		got = r.chars(name, int64(n), b)
	default:
		got = r.utf(name, s)
	}
	if r.writing {
		r.assign(what)
		return s
	}
	r.assign(got)
	return got
}

// long is a boxed number, or a reference to one: Java shares those of a byte. tok is the leaf that contains it, or -1.
func (r *stream) long(name string, v int64) (_ int64, tok int) {
	at, what := r.End, any(nil)
	if v >= -128 && v <= 127 {
		what = v
	}
	if tag, to := r.object(name, what, tcObject); tag == tcReference {
		v, ok := to.(int64)
		if !ok {
			r.fail(Broken, at, "a reference that is not to a number")
		}
		return v, -1
	}
	r.class(name+"/class", classLong)
	h := r.assign(what)
	if v = r.num(name+"/value", model.I64BE, v); !r.writing {
		r.handles[h] = v
	}
	return v, len(r.Tokens) - 1
}
