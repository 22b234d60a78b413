package manifest

import (
	"sort"
	"strconv"
	"strings"

	"spandrel/model"
)

var (
	fieldMapHead = &model.Field{Name: "map", Doc: "the class of the map and its size", Ref: "1.4.4"}
	fieldMapEnd  = &model.Field{Name: "end", Doc: "the end of the map, or a truncated entry", Ref: "1.4.4"}
	fieldMapRest = &model.Field{Name: "rest", Doc: "bytes after the map", Codec: model.RawBytes}
	fieldMapItem = &model.Field{Doc: "a name and the location of its array", Ref: "1.4.4"}
)

// groups is the number of parts that have tokens.
func (m *Map) groups() int64 { return int64(len(m.Bounds) - 1) }

// start is the offset at which part i starts.
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
