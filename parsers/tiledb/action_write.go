package tiledb

import (
	"context"
	"crypto/rand"
	"encoding/binary"
	"encoding/hex"
	"fmt"
	"math"
	"sort"

	"spandrel/model"
	"spandrel/parsers/tiledb/filter"
)

// Writing generic tiles and parts of schemas (7.1), for files that did not exist before. Files that exist are edited in place
// through their links.

// appendPipe serializes a pipeline for a format version.
func appendPipe(b []byte, list []filter.Filter, version uint32) []byte {
	le := binary.LittleEndian
	b = le.AppendUint32(le.AppendUint32(b, filter.ChunkBytes), uint32(len(list)))
	for _, f := range list {
		var o []byte
		switch f.Type {
		case filter.Gzip, filter.Zstd, filter.LZ4, filter.RLE, filter.Bzip2, filter.Dictionary, filter.DoubleDelta, filter.Delta:
			o = le.AppendUint32(append(o, f.Compressor), uint32(f.Level))
			if f.Type == filter.Delta || f.Type == filter.DoubleDelta && version >= 20 {
				o = append(o, f.Reinterpret)
			}
		case filter.BitWidth, filter.PositiveDelta:
			o = le.AppendUint32(o, f.Window)
		case filter.ScaleFloat:
			o = le.AppendUint64(le.AppendUint64(le.AppendUint64(o, math.Float64bits(f.Scale)), math.Float64bits(f.Offset)), f.Width)
		case filter.WebP:
			o = append(le.AppendUint32(o, math.Float32bits(f.WebPQuality)), f.WebPFormat, f.WebPLossless)
			o = append(le.AppendUint16(le.AppendUint16(o, f.WebPExtentY), f.WebPExtentX), 0, 0)
		}
		b = append(le.AppendUint32(append(b, f.Type), uint32(len(o))), o...)
	}
	return b
}

// writeTile wraps a payload in a generic tile as TileDB does: GZIP level 1, and AES behind it when there is a key.
func writeTile(ctx context.Context, version uint32, payload, key []byte) ([]byte, error) {
	filters := []filter.Filter{{Type: filter.Gzip, Compressor: filter.Gzip, Level: 1}}
	crypt := byte(0)
	if key != nil {
		filters, crypt = append(filters, filter.Filter{Type: filter.AES}), 1
	}
	tile, err := filter.FilterTile(ctx, filters,
		filter.TileType{Datatype: filter.Char, CellSize: 1, FormatVersion: version}, key, payload)
	if err != nil {
		return nil, err
	}
	pipe := appendPipe(nil, filters, version)
	le := binary.LittleEndian
	b := le.AppendUint64(le.AppendUint64(le.AppendUint32(nil, version), uint64(len(tile))), uint64(len(payload)))
	b = append(le.AppendUint64(append(b, filter.Char), 1), crypt)
	return append(append(le.AppendUint32(b, uint32(len(pipe))), pipe...), tile...), nil
}

// newAttr describes an attribute to add.
type newAttr struct {
	name     string
	datatype uint8
	num      uint32
	nullable bool
	enum     string
	filters  []filter.Filter
}

// appendAttr serializes an attribute in the layout of a version, with default fill.
func appendAttr(b []byte, a newAttr, version uint32) []byte {
	le := binary.LittleEndian
	b = appendText(b, a.name)
	b = appendPipe(le.AppendUint32(append(b, a.datatype), a.num), a.filters, version)
	if version >= 6 {
		fill := fillOf(a.datatype, a.num)
		b = append(le.AppendUint64(b, uint64(len(fill))), fill...)
	}
	if version >= 7 {
		null := byte(0)
		if a.nullable {
			null = 1
		}
		b = append(b, null, 0)
	}
	if version >= 17 {
		b = append(b, 0)
	}
	if version >= 20 {
		b = appendText(b, a.enum)
	}
	return b
}

// appendText serializes a length and a text.
func appendText(b []byte, s string) []byte {
	return append(binary.LittleEndian.AppendUint32(b, uint32(len(s))), s...)
}

// appendEnumeration serializes an enumeration. Offsets are written for values of varying size only.
func appendEnumeration(name, file string, datatype uint8, num uint32, ordered bool, data []byte, starts []int64) []byte {
	le := binary.LittleEndian
	b := appendText(appendText(le.AppendUint32(nil, 0), name), file)
	b = le.AppendUint32(append(b, datatype), num)
	flag := byte(0)
	if ordered {
		flag = 1
	}
	b = append(le.AppendUint64(append(b, flag), uint64(len(data))), data...)
	if num != variableCells {
		return b
	}
	b = le.AppendUint64(b, uint64(8*len(starts)))
	for _, at := range starts {
		b = le.AppendUint64(b, uint64(at))
	}
	return b
}

func randomHex() (string, error) {
	var b [16]byte
	_, err := rand.Read(b[:])
	return hex.EncodeToString(b[:]), err
}

// splice is a change of a payload: n bytes at off give way to with.
type splice struct {
	off, n int64
	with   []byte
}

// apply makes changes that do not overlap.
func apply(b []byte, list []splice) []byte {
	sort.SliceStable(list, func(i, j int) bool { return list[i].off < list[j].off })
	var out []byte
	at := int64(0)
	for _, s := range list {
		out = append(append(out, b[at:s.off]...), s.with...)
		at = s.off + s.n
	}
	return append(out, b[at:]...)
}

// newSchema is the edit that writes a payload as a new schema file of the array, later than all others (7.3).
func newSchema(ctx context.Context, a *array, version uint32, payload []byte, crypt bool, now uint64) (model.Edit, error) {
	for _, name := range a.order {
		if s := stampOf(name); s.ok && s.to >= now {
			now = s.to + 1
		}
	}
	id, err := randomHex()
	if err != nil {
		return nil, err
	}
	key, err := a.d.writingKey(crypt)
	if err != nil {
		return nil, err
	}
	b, err := writeTile(ctx, version, payload, key)
	if err != nil {
		return nil, err
	}
	return model.FileEdit{File: a.path("__schema", fmt.Sprintf("__%d_%d_%s", now, now, id)), Create: model.Memory(b)}, nil
}
