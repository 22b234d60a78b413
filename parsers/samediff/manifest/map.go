package manifest

import (
	"encoding/binary"

	"spandrel/model"
)

// The grammar of a manifest, from its first byte to its last.

// MaxEntries is how many entries of a manifest, of metadata or of a list of arrays are read, because each has spans of its own.
const MaxEntries = 100_000

// Map is the content of a manifest.
type Map struct {
	Tokens                        []token // every byte up to End, in order
	Bounds                        []int   // indices in Tokens: of the map, each entry and the end; fewer if the manifest is truncated
	Size                          int64   // of the whole, with what follows End
	End                           int64
	Entries                       []Entry
	Declared, Capacity, Threshold int64
	CountTok                      int
	Err                           *fault
}

// Entry is an array in the manifest: its name, and the range of its bytes in the file.
type Entry struct {
	Name                 string
	Offset, Length       int64
	From, To             int // indices in Tokens
	OffsetTok, LengthTok int // of the numbers; -1: it is a reference to the number of another entry
}

// Sound tells whether the range of an entry is between the header and the manifest, which starts at the given offset.
func (e *Entry) Sound(manifest int64) bool {
	return e.Offset >= 32 && e.Length >= 0 && e.Offset <= manifest && e.Length <= manifest-e.Offset
}

// front reads or writes what precedes the entries.
func (r *stream) front() {
	r.num("magic", model.U16BE, 0xaced)
	r.num("version", model.U16BE, 5)
	r.tag("tc", tcObject)
	r.class("class", classLinked)
	r.assign(nil)
	r.num("loadFactor", model.F32BE, 0x3f400000) // 0.75
	r.Threshold = int64(int32(r.num("threshold", model.I32BE, r.Threshold)))
	at, length := r.End, model.U8
	if r.tag("block/tc", tcBlock, tcBlockLong) == tcBlockLong {
		length = model.I32BE
	}
	n := int32(r.num("block/len", length, 8))
	r.expect(at, n == 8, "a block of %d bytes, not 8", n)
	r.Capacity = int64(int32(r.num("capacity", model.I32BE, r.Capacity)))
	r.Declared = int64(int32(r.num("count", model.I32BE, r.Declared)))
}

// entry reads or writes a key and its pair of numbers.
func (r *stream) entry(e Entry) Entry {
	e.From = len(r.Tokens)
	e.Name = r.text("key", e.Name, false)
	at := r.End
	if r.tag("pair/tc", tcObject, tcReference, tcNull) != tcObject {
		r.fail(Foreign, at, "an entry without its own pair")
	}
	r.class("pair/class", classPair)
	r.assign(nil)
	e.Offset, e.OffsetTok = r.long("offset", e.Offset)
	e.Length, e.LengthTok = r.long("length", e.Length)
	e.To = len(r.Tokens)
	return e
}

// Read reads a manifest. It returns what it could read; Err says what ended it.
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
	r.front()
	m.CountTok = len(m.Tokens) - 1
	m.Bounds = append(m.Bounds, len(m.Tokens))
	for r.End < int64(len(b)) && b[r.End] != tcEnd {
		if len(m.Entries) == MaxEntries {
			panic(&fault{TooMany, r.End, model.Words("more than %d entries: the rest is not read", MaxEntries)})
		}
		m.Entries = append(m.Entries, r.entry(Entry{}))
		m.Bounds = append(m.Bounds, len(r.Tokens))
	}
	r.tag("end", tcEnd)
	r.num("accessOrder", model.U8, 0)
	return m
}

// Write writes a manifest as Java would: the same map, in the order of the entries.
func Write(entries []Entry) []byte {
	r := &stream{Map: &Map{Declared: int64(len(entries))}, writing: true}
	r.Capacity, r.Threshold = MapSizes(len(entries))
	r.front()
	for _, e := range entries {
		r.entry(e)
	}
	r.tag("end", tcEnd)
	r.num("accessOrder", model.U8, 0)
	return r.b
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
