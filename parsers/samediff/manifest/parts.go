package manifest

import (
	"sort"
	"strconv"
	"strings"

	"spandrel/model"
)

var (
	fieldMapHead = &model.Field{Name: "map", Doc: "the class of the map and its size", Ref: "1.4.4"}
	fieldMapEnd  = &model.Field{Name: "end", Doc: "what ends the map, or an entry that breaks off", Ref: "1.4.4"}
	fieldMapRest = &model.Field{Name: "rest", Doc: "bytes behind the map", Codec: model.RawBytes}
	fieldMapItem = &model.Field{Doc: "a name and where its array is", Ref: "1.4.4"}
)

// groups is how many parts have tokens.
func (m *Map) groups() int64 { return int64(len(m.Bounds) - 1) }

// start is where a part starts.
func (m *Map) start(i int64) int64 {
	if i >= m.groups() {
		return m.End
	}
	return m.Tokens[m.Bounds[i]].At
}

// Count implements model.Parts.
func (m *Map) Count() int64 {
	if m.End < m.Size {
		return m.groups() + 1
	}
	return m.groups()
}

// Part implements model.Parts.
func (m *Map) Part(i int64) (model.Part, int64) {
	if i >= m.groups() {
		return model.Part{Field: fieldMapRest, Len: m.Size - m.End}, m.End
	}
	p := model.Part{Field: fieldMapHead}
	if i > int64(len(m.Entries)) {
		p.Field = fieldMapEnd
	} else if i > 0 {
		p.Field = fieldMapItem.Named("entry[%d]", i-1)
	}
	for _, t := range m.Tokens[m.Bounds[i]:m.Bounds[i+1]] {
		p.Kids = append(p.Kids, model.Part{Field: t.Field, Len: t.N})
		p.Len += t.N
	}
	return p, m.start(i)
}

// Find implements model.Parts.
func (m *Map) Find(off int64) int64 {
	if off < 0 || off >= m.Size {
		return -1
	}
	return int64(sort.Search(int(m.Count()), func(i int) bool { return m.start(int64(i)) > off })) - 1
}

// Named implements model.Parts.
func (m *Map) Named(path string) int64 {
	name, _, _ := strings.Cut(path, "/")
	switch {
	case name == "map" && m.groups() > 0:
		return 0
	case name == "end" && m.groups() > 1+int64(len(m.Entries)):
		return m.groups() - 1
	case name == "rest" && m.End < m.Size:
		return m.Count() - 1
	case strings.HasPrefix(name, "entry["):
		i, err := strconv.ParseInt(strings.TrimSuffix(name[6:], "]"), 10, 64)
		if err == nil && i >= 0 && i < int64(len(m.Entries)) {
			return i + 1
		}
	}
	return -1
}

// Write writes a manifest as Java would: the same map, in the order of the entries. Numbers from -128 to 127 are shared.
func Write(entries []Entry) []byte {
	w := &manifestWriter{classes: map[*class]int{}, small: map[int64]int{}}
	w.raw(0xac, 0xed, 0, 5, tcObject)
	w.class(classLinked)
	w.next++ // the map
	capacity, threshold := MapSizes(len(entries))
	w.raw(0x3f, 0x40, 0, 0)
	w.num(threshold, 4)
	w.raw(tcBlock, 8)
	w.num(capacity, 4)
	w.num(int64(len(entries)), 4)
	for _, e := range entries {
		w.text(e.Name)
		w.raw(tcObject)
		w.class(classPair)
		w.next++
		w.long(e.Offset)
		w.long(e.Length)
	}
	w.raw(tcEnd, 0)
	return w.out
}

// manifestWriter counts handles as Java does.
type manifestWriter struct {
	out     []byte
	next    int
	classes map[*class]int
	small   map[int64]int
	object  int // handle of the type name that fields share; 0: not written yet
}

func (w *manifestWriter) raw(b ...byte) { w.out = append(w.out, b...) }
func (w *manifestWriter) num(v int64, width int) {
	for i := width - 1; i >= 0; i-- {
		w.out = append(w.out, byte(v>>(8*i)))
	}
}
func (w *manifestWriter) ref(h int) { w.raw(tcReference); w.num(int64(0x7e0000+h), 4) }
func (w *manifestWriter) utf(s string) {
	w.num(int64(len(s)), 2)
	w.out = append(w.out, s...)
}

func (w *manifestWriter) text(s string) {
	b := ToModified(s)
	if len(b) > 0xffff {
		w.raw(tcLongString)
		w.num(int64(len(b)), 8)
	} else {
		w.raw(tcString)
		w.num(int64(len(b)), 2)
	}
	w.raw(b...)
	w.next++
}

func (w *manifestWriter) class(c *class) {
	if h, ok := w.classes[c]; ok {
		w.ref(h)
		return
	}
	w.raw(tcClassDesc)
	w.utf(c.name)
	w.num(int64(c.uid), 8)
	w.classes[c] = w.next
	w.next++
	w.raw(c.flags)
	fields := strings.Fields(c.field)
	w.num(int64(len(fields)/2), 2)
	for i := 0; i < len(fields); i += 2 {
		w.raw(fields[i][0])
		w.utf(fields[i+1])
		switch {
		case fields[i] != "L":
		case w.object > 0:
			w.ref(w.object)
		default:
			w.object = w.next
			w.text("Ljava/lang/Object;")
		}
	}
	w.raw(tcEnd)
	if c.super == nil {
		w.raw(tcNull)
	} else {
		w.class(c.super)
	}
}

func (w *manifestWriter) long(v int64) {
	if h, ok := w.small[v]; ok {
		w.ref(h)
		return
	}
	w.raw(tcObject)
	w.class(classLong)
	if v >= -128 && v <= 127 {
		w.small[v] = w.next
	}
	w.next++
	w.num(v, 8)
}
