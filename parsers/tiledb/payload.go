package tiledb

import (
	"math"
	"path"
	"strconv"
	"strings"

	"spandrel/model"
	"spandrel/parsers/tiledb/filter"
)

// Enumerations (3.6), array and group metadata (5.3) and group details (5.5).
var (
	enumerationF = &model.Field{Name: "enumeration", Ref: "3.6"}
	eVersion     = &model.Field{Name: "version", Ref: "3.6", Codec: model.U32LE, Check: upTo(0), Rule: enumVersion,
		Fixed: "it has only one value"}
	ePathLen = &model.Field{Name: "path_name_length", Ref: "3.6", Codec: model.U32LE}
	ePath    = &model.Field{Name: "path_name", Doc: "the file's own name", Ref: "3.6", Codec: model.UTF8}
	eType    = &model.Field{Name: "datatype", Ref: "3.8", Codec: model.U8, Enum: datatypes, Check: upTo(filter.GeomWKT),
		Rule: enumFields}
	eNum         = &model.Field{Name: "cell_val_num", Ref: "3.6", Codec: model.U32LE, Enum: varCells, Check: positive, Rule: enumFields}
	eOrdered     = &model.Field{Name: "ordered", Ref: "3.6", Codec: model.U8, Check: flag, Rule: enumFields}
	eDataSize    = &model.Field{Name: "data_size", Ref: "3.6", Codec: model.U64LE}
	eData        = &model.Field{Name: "data", Doc: "the values, one behind the other", Ref: "3.6"}
	eOffsetsSize = &model.Field{Name: "offsets_size", Ref: "3.6", Codec: model.U64LE}
	eOffsets     = &model.Field{Name: "offsets", Doc: "where each value starts in the data", Ref: "3.6"}
	eOffset      = &model.Field{Name: "offset", Ref: "3.6", Codec: model.U64LE}
	eValues      = &model.Field{Name: "values", Doc: "the data, value by value", Ref: "3.6"}
	eValue       = &model.Field{Name: "value", Ref: "3.6"}

	metaF       = &model.Field{Name: "metadata", Doc: "keys and values, sorted by key", Ref: "5.3"}
	metaEntries = &model.Field{Name: "entries", Ref: "5.3"}
	metaEntry   = &model.Field{Name: "entry", Ref: "5.3"}
	metaKeyLen  = &model.Field{Name: "key_length", Ref: "5.3", Codec: model.U32LE}
	metaKey     = &model.Field{Name: "key", Ref: "5.3", Codec: model.UTF8, Check: printable, Rule: oddMetadata}
	metaDeleted = &model.Field{Name: "deleted", Doc: "1: the key is gone, and nothing follows", Ref: "5.3", Codec: model.U8}
	metaType    = &model.Field{Name: "value_type", Ref: "5.3", Codec: model.U8, Enum: datatypes, Check: metaTypes, Rule: oddMetadata}
	metaNum     = &model.Field{Name: "value_num", Ref: "5.3", Codec: model.U32LE}
	metaValue   = &model.Field{Name: "value", Ref: "5.3"}

	groupF        = &model.Field{Name: "group", Ref: "5.5"}
	groupVersion  = &model.Field{Name: "version", Ref: "5.5", Codec: model.U32LE}
	groupCount    = &model.Field{Name: "member_count", Ref: "5.5", Codec: model.U64LE}
	groupMembers  = &model.Field{Name: "members", Ref: "5.5"}
	groupMember   = &model.Field{Name: "member", Ref: "5.5"}
	memberType    = &model.Field{Name: "object_type", Ref: "5.5", Codec: model.U8, Enum: objects}
	memberRel     = &model.Field{Name: "relative", Doc: "the address is inside the group", Ref: "5.5", Codec: model.U8}
	memberURILen  = &model.Field{Name: "uri_length", Ref: "5.5", Codec: model.U64LE}
	memberURI     = &model.Field{Name: "uri", Ref: "5.5", Codec: model.UTF8}
	memberNamed   = &model.Field{Name: "name_set", Ref: "5.5", Codec: model.U8}
	memberNameLen = &model.Field{Name: "name_length", Ref: "5.5", Codec: model.U64LE}
	memberDeleted = &model.Field{Name: "deleted", Ref: "5.5", Codec: model.U8}
)

func positive(v model.Value) string {
	if v.Uint() == 0 {
		return "1 or more"
	}
	return ""
}

func printable(v model.Value) string {
	if v.String() != v.Text() || v.Text() == "" {
		return "printable text"
	}
	return ""
}

func metaTypes(v model.Value) string {
	if v.Uint() > filter.GeomWKT || v.Uint() == filter.Any {
		return "a datatype other than ANY"
	}
	return ""
}

// enumeration is what an enumeration file holds.
type enumeration struct {
	name, file        model.Node
	datatype          uint8
	num               uint32
	ordered           bool
	data, offsets     model.Node
	starts            []int64 // of the values in data, and the end; nil when something is wrong
	dataSize, offSize model.Node
}

func (e *enumeration) count() int64 { return max(0, int64(len(e.starts))-1) }

// readEnumeration reads the payload of an enumeration file.
func readEnumeration(c *model.Cursor) *enumeration {
	e := &enumeration{}
	c.Field(eVersion)
	e.name = readText(c, nameLen, nameF)
	e.file = readText(c, ePathLen, ePath)
	e.datatype, e.num = uint8(c.Field(eType).Uint()), uint32(c.Field(eNum).Uint())
	e.ordered = c.Field(eOrdered).Uint() == 1
	e.dataSize = c.Field(eDataSize)
	n := min(e.dataSize.Int(), c.Left()+1)
	data := c.Peek(n)
	e.data = readValues(c, eData, e.datatype, n)
	c.LengthOf(e.dataSize, e.data)
	size := int64(filter.SizeOf(e.datatype))
	if e.num != variableCells {
		if cell := size * int64(e.num); cell <= 0 {
			// an unknown type, or no values in a cell: their fields say so
		} else if n%cell != 0 {
			c.Wrong(enumData, e.dataSize, n, "whole values of "+filter.Text(cell)+" bytes")
		} else {
			for at := int64(0); at <= n; at += cell {
				e.starts = append(e.starts, at)
			}
		}
	} else {
		e.offSize = c.Field(eOffsetsSize)
		if e.offSize.Uint()%8 != 0 || (e.offSize.Uint() == 0) != (n == 0) && n > 0 {
			c.Wrong(enumOffsets, e.offSize, e.offSize.Value, "8 bytes for each value")
		}
		raw := c.Peek(min(e.offSize.Int(), c.Left()))
		e.offsets = c.Elements(eOffsets, eOffset, e.offSize.Int()/8)
		c.LengthOf(e.offSize, e.offsets)
		e.starts = startsOf(raw, n)
		for i := range len(raw) / 8 {
			if at := int64(filter.Uint(raw[8*i:], 8)); at != e.starts[i] {
				r := c.Range(e.offsets.Range.Off+int64(8*i), 8)
				c.Wrong(enumOffsets, model.Spot{Span: e.offsets.Span, Range: r}, at, "first 0, ascending, inside the data")
				break
			}
		}
	}
	seen := map[string]bool{}
	for i := range min(e.count(), 1<<20) {
		from, to := e.starts[i], e.starts[i+1]
		if to > int64(len(data)) {
			break
		}
		if v := string(data[from:to]); seen[v] {
			r := c.Range(e.data.Range.Off+from, to-from)
			c.Wrong(enumTwice, model.Spot{Span: e.data.Span, Range: r}, "value "+filter.Text(i), "values that differ")
		} else {
			seen[v] = true
		}
	}
	if e.num == variableCells && e.count() > 0 {
		c.Derive(eValues, model.Derived{Transform: model.Identity, From: []model.Node{e.data}, Size: n, Body: func(c *model.Cursor) {
			c.Parts(eValues, c.Left(), &cuts{e.starts, typed(eValue, e.datatype)})
		}})
	}
	trailing(c, behindEnum)
	return e
}

// trailing reports bytes behind the last field of a payload.
func trailing(c *model.Cursor, rule *model.Rule) {
	if n := c.Left(); n > 0 {
		c.Wrong(rule, c.Range(c.Pos(), n), filter.Text(n)+" bytes", "none")
	}
}

// startsOf turns stored start offsets into ascending ones inside n bytes, followed by n: the first is 0.
func startsOf(raw []byte, n int64) []int64 {
	out := make([]int64, 0, len(raw)/8+1)
	at := int64(0)
	for i := range len(raw) / 8 {
		v := filter.Uint(raw[8*i:], 8)
		if i > 0 && v <= uint64(n) && int64(v) >= at {
			at = int64(v)
		}
		out = append(out, at)
	}
	return append(out, n)
}

// cuts shows bytes as values that start at given places: names are their numbers.
type cuts struct {
	at    []int64
	field *model.Field
}

func (p *cuts) Count() int64 { return int64(len(p.at)) - 1 }
func (p *cuts) Part(i int64) (model.Part, int64) {
	f := *p.field
	f.Name = strconv.FormatInt(i, 10)
	if n := f.Codec.Size(); n >= 0 && int64(n) != p.at[i+1]-p.at[i] { // several values in a cell
		f.Codec = model.RawBytes
	}
	return model.Part{Field: &f, Len: p.at[i+1] - p.at[i]}, p.at[i]
}
func (p *cuts) Find(off int64) int64 {
	lo, hi := int64(0), p.Count()
	for lo < hi {
		if mid := (lo + hi) / 2; p.at[mid+1] > off {
			hi = mid
		} else {
			lo = mid + 1
		}
	}
	if lo == p.Count() {
		return -1
	}
	return lo
}
func (p *cuts) Named(path string) int64 {
	name, _, _ := strings.Cut(path, "/")
	if i, err := strconv.ParseInt(name, 10, 64); err == nil && i >= 0 && i < p.Count() {
		return i
	}
	return -1
}

// eager is how many bytes of small records are read at once; longer runs are a sequence that is read on demand.
const eager = 256 << 10

// records reads records of varying size to the end of the frame, or n of them.
func records(c *model.Cursor, list, elem *model.Field, n uint64, read func(*model.Cursor)) {
	if c.Left() > eager {
		c.Sequence(list, elem, c.Left(), read)
		return
	}
	c.List(list, func(c *model.Cursor) {
		for i := uint64(0); i < n && c.More(); i++ {
			c.Struct(elem, read)
		}
	})
}

// readMetadata reads the payload of an array or group metadata file.
func readMetadata(c *model.Cursor) {
	if !c.More() {
		return
	}
	records(c, metaEntries, metaEntry, math.MaxUint64, func(c *model.Cursor) {
		readText(c, metaKeyLen, metaKey)
		if c.Field(metaDeleted).Uint() != 0 {
			return
		}
		t, n := uint8(c.Field(metaType).Uint()), c.Field(metaNum)
		size := n.Int() * int64(max(filter.SizeOf(t), 1))
		if size > c.Left() {
			size = c.Left() + 1
		}
		v := readValues(c, metaValue, t, size)
		c.LengthOf(n, v).Per(int64(max(filter.SizeOf(t), 1)))
	})
}

// readGroup reads the payload of a group details file.
func readGroup(c *model.Cursor) {
	c.Field(groupVersion)
	n := c.Field(groupCount)
	if most := c.Left() / 14; n.Int() > most {
		c.Wrong(countTooLarge, n, n.Value, "at most "+filter.Text(most))
	}
	if n.Uint() == 0 {
		return
	}
	first := map[string]int64{} // where each name was seen first; members of a long list are read again when somebody looks at them
	long := c.Left() > eager
	records(c, groupMembers, groupMember, n.Uint(), func(c *model.Cursor) {
		at := c.Pos()
		version := c.Field(groupVersion)
		typ, relative := c.Field(memberType), c.Field(memberRel)
		uri := readText(c, memberURILen, memberURI)
		key, deleted := uri.Text(), false
		if c.Field(memberNamed).Uint() != 0 {
			if name := readText(c, memberNameLen, nameF).Text(); name != "" {
				key = name
			}
		}
		if version.Uint() >= 2 {
			deleted = c.Field(memberDeleted).Uint() != 0
		}
		if object := typ.Uint(); object != 1 && object != 2 {
			c.Wrong(oddMember, typ, typ.Value, "GROUP or ARRAY")
		}
		if clean := path.Clean(uri.Text()); relative.Uint() != 0 && (strings.HasPrefix(clean, "..") || strings.HasPrefix(clean, "/")) {
			c.Wrong(oddMember, uri, uri.Text(), "an address inside the group")
		}
		if other, seen := first[key]; seen && other != at && !deleted {
			c.Wrong(oddMember, uri, key, "a name of its own")
		} else if !seen && (c.Skimming() || !long) {
			first[key] = at
		}
	})
}
