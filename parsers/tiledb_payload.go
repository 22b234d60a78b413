package parsers

import (
	"math"
	"path"
	"strconv"
	"strings"

	"spandrel/model"
)

// Enumerations (3.6), array and group metadata (5.3) and group details (5.5).
var (
	tdbEnumerationF = &model.Field{Name: "enumeration", Ref: "3.6"}
	tdbEVersion     = &model.Field{Name: "version", Ref: "3.6", Codec: model.U32LE, Check: tdbUpTo(0), Rule: tdb(133), Fixed: "it has only one value"}
	tdbEPathLen     = &model.Field{Name: "path_name_length", Ref: "3.6", Codec: model.U32LE}
	tdbEPath        = &model.Field{Name: "path_name", Doc: "the file's own name", Ref: "3.6", Codec: model.UTF8}
	tdbEType        = &model.Field{Name: "datatype", Ref: "3.8", Codec: model.U8, Enum: tdbDatatypes, Check: tdbUpTo(tdbGeomWKT), Rule: tdb(134)}
	tdbENum         = &model.Field{Name: "cell_val_num", Ref: "3.6", Codec: model.U32LE, Enum: tdbVarCells, Check: tdbPositive, Rule: tdb(134)}
	tdbEOrdered     = &model.Field{Name: "ordered", Ref: "3.6", Codec: model.U8, Check: tdbFlag, Rule: tdb(134)}
	tdbEDataSize    = &model.Field{Name: "data_size", Ref: "3.6", Codec: model.U64LE}
	tdbEData        = &model.Field{Name: "data", Doc: "the values, one behind the other", Ref: "3.6"}
	tdbEOffsetsSize = &model.Field{Name: "offsets_size", Ref: "3.6", Codec: model.U64LE}
	tdbEOffsets     = &model.Field{Name: "offsets", Doc: "where each value starts in the data", Ref: "3.6"}
	tdbEOffset      = &model.Field{Name: "offset", Ref: "3.6", Codec: model.U64LE}
	tdbEValues      = &model.Field{Name: "values", Doc: "the data, value by value", Ref: "3.6"}
	tdbEValue       = &model.Field{Name: "value", Ref: "3.6"}

	tdbMetaF       = &model.Field{Name: "metadata", Doc: "keys and values, sorted by key", Ref: "5.3"}
	tdbMetaEntries = &model.Field{Name: "entries", Ref: "5.3"}
	tdbMetaEntry   = &model.Field{Name: "entry", Ref: "5.3"}
	tdbMetaKeyLen  = &model.Field{Name: "key_length", Ref: "5.3", Codec: model.U32LE}
	tdbMetaKey     = &model.Field{Name: "key", Ref: "5.3", Codec: model.UTF8, Check: tdbPrintable, Rule: tdb(177)}
	tdbMetaDeleted = &model.Field{Name: "deleted", Doc: "1: the key is gone, and nothing follows", Ref: "5.3", Codec: model.U8}
	tdbMetaType    = &model.Field{Name: "value_type", Ref: "5.3", Codec: model.U8, Enum: tdbDatatypes, Check: tdbMetaTypes, Rule: tdb(177)}
	tdbMetaNum     = &model.Field{Name: "value_num", Ref: "5.3", Codec: model.U32LE}
	tdbMetaValue   = &model.Field{Name: "value", Ref: "5.3"}

	tdbGroupF        = &model.Field{Name: "group", Ref: "5.5"}
	tdbGroupVersion  = &model.Field{Name: "version", Ref: "5.5", Codec: model.U32LE}
	tdbGroupCount    = &model.Field{Name: "member_count", Ref: "5.5", Codec: model.U64LE}
	tdbGroupMembers  = &model.Field{Name: "members", Ref: "5.5"}
	tdbGroupMember   = &model.Field{Name: "member", Ref: "5.5"}
	tdbMemberType    = &model.Field{Name: "object_type", Ref: "5.5", Codec: model.U8, Enum: tdbObjects}
	tdbMemberRel     = &model.Field{Name: "relative", Doc: "the address is inside the group", Ref: "5.5", Codec: model.U8}
	tdbMemberURILen  = &model.Field{Name: "uri_length", Ref: "5.5", Codec: model.U64LE}
	tdbMemberURI     = &model.Field{Name: "uri", Ref: "5.5", Codec: model.UTF8}
	tdbMemberNamed   = &model.Field{Name: "name_set", Ref: "5.5", Codec: model.U8}
	tdbMemberNameLen = &model.Field{Name: "name_length", Ref: "5.5", Codec: model.U64LE}
	tdbMemberDeleted = &model.Field{Name: "deleted", Ref: "5.5", Codec: model.U8}
)

func tdbPositive(v model.Value) string {
	if v.Uint() == 0 {
		return "1 or more"
	}
	return ""
}

func tdbPrintable(v model.Value) string {
	if v.String() != v.Text() || v.Text() == "" {
		return "printable text"
	}
	return ""
}

func tdbMetaTypes(v model.Value) string {
	if v.Uint() > tdbGeomWKT || v.Uint() == tdbAny {
		return "a datatype other than ANY"
	}
	return ""
}

// tdbEnumeration is what an enumeration file holds.
type tdbEnumeration struct {
	name, file        model.Node
	datatype          uint8
	num               uint32
	ordered           bool
	data, offsets     model.Node
	starts            []int64 // of the values in data, and the end; nil when something is wrong
	dataSize, offSize model.Node
}

func (e *tdbEnumeration) count() int64 { return max(0, int64(len(e.starts))-1) }

// tdbReadEnumeration reads the payload of an enumeration file.
func tdbReadEnumeration(c *model.Cursor) *tdbEnumeration {
	e := &tdbEnumeration{}
	c.Field(tdbEVersion)
	e.name = tdbReadText(c, tdbNameLen, tdbNameF)
	e.file = tdbReadText(c, tdbEPathLen, tdbEPath)
	e.datatype, e.num = uint8(c.Field(tdbEType).Uint()), uint32(c.Field(tdbENum).Uint())
	e.ordered = c.Field(tdbEOrdered).Uint() == 1
	e.dataSize = c.Field(tdbEDataSize)
	n := min(e.dataSize.Int(), c.Left()+1)
	data := c.Peek(n)
	e.data = tdbReadValues(c, tdbEData, e.datatype, n)
	c.LengthOf(e.dataSize, e.data).Unchecked()
	size := int64(tdbDatatypeSize(e.datatype))
	if e.num != tdbVariable {
		if cell := size * int64(e.num); cell <= 0 {
			// an unknown type, or no values in a cell: their fields say so
		} else if n%cell != 0 {
			tdbReport(c, 135, e.dataSize, n, "whole values of "+tdbText(cell)+" bytes")
		} else {
			for at := int64(0); at <= n; at += cell {
				e.starts = append(e.starts, at)
			}
		}
	} else {
		e.offSize = c.Field(tdbEOffsetsSize)
		if e.offSize.Uint()%8 != 0 || (e.offSize.Uint() == 0) != (n == 0) && n > 0 {
			tdbReport(c, 136, e.offSize, e.offSize.Value, "8 bytes for each value")
		}
		raw := c.Peek(min(e.offSize.Int(), c.Left()))
		e.offsets = c.Elements(tdbEOffsets, tdbEOffset, e.offSize.Int()/8)
		c.LengthOf(e.offSize, e.offsets).Unchecked()
		e.starts = tdbStarts(raw, n)
		for i := range len(raw) / 8 {
			if at := int64(tdbUint(raw[8*i:], 8)); at != e.starts[i] {
				r := c.Range(e.offsets.Range.Off+int64(8*i), 8)
				c.Report(model.Finding{Rule: tdb(136), Span: e.offsets.Span, Range: r, Found: tdbText(at), Expected: "first 0, ascending, inside the data"})
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
			c.Report(model.Finding{Rule: tdb(137), Span: e.data.Span, Range: r, Found: "value " + tdbText(i), Expected: "values that differ"})
		} else {
			seen[v] = true
		}
	}
	if e.num == tdbVariable && e.count() > 0 {
		c.Derive(tdbEValues, model.Derived{Transform: model.Identity, From: []model.Node{e.data}, Size: n, Body: func(c *model.Cursor) {
			c.Parts(tdbEValues, c.Left(), &tdbCuts{e.starts, tdbTyped(tdbEValue, e.datatype)})
		}})
	}
	tdbTrailing(c, 138)
	return e
}

// tdbTrailing reports bytes behind the last field of a payload.
func tdbTrailing(c *model.Cursor, rule int) {
	if n := c.Left(); n > 0 {
		r := c.Range(c.Pos(), n)
		c.Report(model.Finding{Rule: tdb(rule), Span: c.Span(), Range: r, Found: tdbText(n) + " bytes", Expected: "none",
			Fixes: []model.Fix{{Label: "drop the bytes", Edits: []model.Edit{model.Replace(r, nil)}}}})
	}
}

// tdbStarts turns stored start offsets into ascending ones inside n bytes, followed by n: the first is 0.
func tdbStarts(raw []byte, n int64) []int64 {
	out := make([]int64, 0, len(raw)/8+1)
	at := int64(0)
	for i := range len(raw) / 8 {
		v := tdbUint(raw[8*i:], 8)
		if i > 0 && v <= uint64(n) && int64(v) >= at {
			at = int64(v)
		}
		out = append(out, at)
	}
	return append(out, n)
}

// tdbCuts shows bytes as values that start at given places: names are their numbers.
type tdbCuts struct {
	at    []int64
	field *model.Field
}

func (p *tdbCuts) Count() int64 { return int64(len(p.at)) - 1 }
func (p *tdbCuts) Part(i int64) (model.Part, int64) {
	f := *p.field
	f.Name = strconv.FormatInt(i, 10)
	if n := f.Codec.Size(); n >= 0 && int64(n) != p.at[i+1]-p.at[i] { // several values in a cell
		f.Codec = model.RawBytes
	}
	return model.Part{Field: &f, Len: p.at[i+1] - p.at[i]}, p.at[i]
}
func (p *tdbCuts) Find(off int64) int64 {
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
func (p *tdbCuts) Named(path string) int64 {
	name, _, _ := strings.Cut(path, "/")
	if i, err := strconv.ParseInt(name, 10, 64); err == nil && i >= 0 && i < p.Count() {
		return i
	}
	return -1
}

// tdbEager is how many bytes of small records are read at once; longer runs are a sequence that is read on demand.
const tdbEager = 256 << 10

// tdbRecords reads records of varying size to the end of the frame, or n of them.
func tdbRecords(c *model.Cursor, list, elem *model.Field, n uint64, read func(*model.Cursor)) {
	if c.Left() > tdbEager {
		c.Sequence(list, elem, c.Left(), read)
		return
	}
	c.List(list, func(c *model.Cursor) {
		for i := uint64(0); i < n && c.More(); i++ {
			c.Struct(elem, read)
		}
	})
}

// tdbReadMetadata reads the payload of an array or group metadata file.
func tdbReadMetadata(c *model.Cursor) {
	if !c.More() {
		return
	}
	tdbRecords(c, tdbMetaEntries, tdbMetaEntry, math.MaxUint64, func(c *model.Cursor) {
		tdbReadText(c, tdbMetaKeyLen, tdbMetaKey)
		if c.Field(tdbMetaDeleted).Uint() != 0 {
			return
		}
		t, n := uint8(c.Field(tdbMetaType).Uint()), c.Field(tdbMetaNum)
		size := n.Int() * int64(max(tdbDatatypeSize(t), 1))
		if size > c.Left() {
			size = c.Left() + 1
		}
		v := tdbReadValues(c, tdbMetaValue, t, size)
		c.LengthOf(n, v).Per(int64(max(tdbDatatypeSize(t), 1))).Unchecked()
	})
}

// tdbReadGroup reads the payload of a group details file.
func tdbReadGroup(c *model.Cursor) {
	c.Field(tdbGroupVersion)
	n := c.Field(tdbGroupCount)
	if most := c.Left() / 14; n.Int() > most {
		tdbReport(c, 65, n, n.Value, "at most "+tdbText(most))
	}
	if n.Uint() == 0 {
		return
	}
	first := map[string]int64{} // where each name was seen first; members of a long list are read again when somebody looks at them
	long := c.Left() > tdbEager
	tdbRecords(c, tdbGroupMembers, tdbGroupMember, n.Uint(), func(c *model.Cursor) {
		at := c.Pos()
		version := c.Field(tdbGroupVersion)
		typ, relative := c.Field(tdbMemberType), c.Field(tdbMemberRel)
		uri := tdbReadText(c, tdbMemberURILen, tdbMemberURI)
		key, deleted := uri.Text(), false
		if c.Field(tdbMemberNamed).Uint() != 0 {
			if name := tdbReadText(c, tdbMemberNameLen, tdbNameF).Text(); name != "" {
				key = name
			}
		}
		if version.Uint() >= 2 {
			deleted = c.Field(tdbMemberDeleted).Uint() != 0
		}
		if object := typ.Uint(); object != 1 && object != 2 {
			tdbReport(c, 178, typ, typ.Value, "GROUP or ARRAY")
		}
		if clean := path.Clean(uri.Text()); relative.Uint() != 0 && (strings.HasPrefix(clean, "..") || strings.HasPrefix(clean, "/")) {
			tdbReport(c, 178, uri, uri.Text(), "an address inside the group")
		}
		if other, seen := first[key]; seen && other != at && !deleted {
			tdbReport(c, 178, uri, key, "a name of its own")
		} else if !seen && (c.Skimming() || !long) {
			first[key] = at
		}
	})
}
