package parsers

import (
	"context"
	"crypto/rand"
	"encoding/binary"
	"encoding/hex"
	"fmt"
	"math"
	"sort"

	"spandrel/model"
)

// Writing generic tiles and parts of schemas (7.1), for files that did not exist before. Files that exist are edited in place
// through their links.

// tdbAppendPipe serializes a pipeline for a format version.
func tdbAppendPipe(b []byte, list []tdbFilter, version uint32) []byte {
	le := binary.LittleEndian
	b = le.AppendUint32(le.AppendUint32(b, tdbChunkBytes), uint32(len(list)))
	for _, f := range list {
		var o []byte
		switch f.Type {
		case tdbFilterGzip, tdbFilterZstd, tdbFilterLZ4, tdbFilterRLE, tdbFilterBzip2, tdbFilterDictionary, tdbFilterDoubleDelta, tdbFilterDelta:
			o = le.AppendUint32(append(o, f.Compressor), uint32(f.Level))
			if f.Type == tdbFilterDelta || f.Type == tdbFilterDoubleDelta && version >= 20 {
				o = append(o, f.Reinterpret)
			}
		case tdbFilterBitWidth, tdbFilterPositiveDelta:
			o = le.AppendUint32(o, f.Window)
		case tdbFilterScaleFloat:
			o = le.AppendUint64(le.AppendUint64(le.AppendUint64(o, math.Float64bits(f.Scale)), math.Float64bits(f.Offset)), f.Width)
		case tdbFilterWebP:
			o = append(le.AppendUint32(o, math.Float32bits(f.WebPQuality)), f.WebPFormat, f.WebPLossless)
			o = append(le.AppendUint16(le.AppendUint16(o, f.WebPExtentY), f.WebPExtentX), 0, 0)
		}
		b = append(le.AppendUint32(append(b, f.Type), uint32(len(o))), o...)
	}
	return b
}

// tdbWriteTile wraps a payload in a generic tile as TileDB does: GZIP level 1, and AES behind it when there is a key.
func tdbWriteTile(version uint32, payload, key []byte) ([]byte, error) {
	filters := []tdbFilter{{Type: tdbFilterGzip, Compressor: tdbFilterGzip, Level: 1}}
	crypt := byte(0)
	if key != nil {
		filters, crypt = append(filters, tdbFilter{Type: tdbFilterAES}), 1
	}
	tile, err := tdbFilterTile(context.Background(), filters, tdbTileType{Datatype: tdbChar, CellSize: 1, FormatVersion: version}, key, payload)
	if err != nil {
		return nil, err
	}
	pipe := tdbAppendPipe(nil, filters, version)
	le := binary.LittleEndian
	b := le.AppendUint64(le.AppendUint64(le.AppendUint32(nil, version), uint64(len(tile))), uint64(len(payload)))
	b = append(le.AppendUint64(append(b, tdbChar), 1), crypt)
	return append(append(le.AppendUint32(b, uint32(len(pipe))), pipe...), tile...), nil
}

// tdbNewAttr describes an attribute to add.
type tdbNewAttr struct {
	name     string
	datatype uint8
	num      uint32
	nullable bool
	enum     string
}

// tdbAppendAttr serializes an attribute in the layout of a version, with default fill and without filters.
func tdbAppendAttr(b []byte, a tdbNewAttr, version uint32) []byte {
	le := binary.LittleEndian
	b = tdbAppendText(b, a.name)
	b = tdbAppendPipe(le.AppendUint32(append(b, a.datatype), a.num), nil, version)
	if version >= 6 {
		fill := tdbFillOf(a.datatype, a.num)
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
		b = tdbAppendText(b, a.enum)
	}
	return b
}

// tdbAppendText serializes a length and a text.
func tdbAppendText(b []byte, s string) []byte {
	return append(binary.LittleEndian.AppendUint32(b, uint32(len(s))), s...)
}

// tdbAppendEnumeration serializes an enumeration. Offsets are written for values of varying size only.
func tdbAppendEnumeration(name, file string, datatype uint8, num uint32, ordered bool, data []byte, starts []int64) []byte {
	le := binary.LittleEndian
	b := tdbAppendText(tdbAppendText(le.AppendUint32(nil, 0), name), file)
	b = le.AppendUint32(append(b, datatype), num)
	flag := byte(0)
	if ordered {
		flag = 1
	}
	b = append(le.AppendUint64(append(b, flag), uint64(len(data))), data...)
	if num != tdbVariable {
		return b
	}
	b = le.AppendUint64(b, uint64(8*len(starts)))
	for _, at := range starts {
		b = le.AppendUint64(b, uint64(at))
	}
	return b
}

func tdbRandomHex() (string, error) {
	var b [16]byte
	_, err := rand.Read(b[:])
	return hex.EncodeToString(b[:]), err
}

// tdbSplice is a change of a payload: n bytes at off give way to with.
type tdbSplice struct {
	off, n int64
	with   []byte
}

// tdbApply makes changes that do not overlap.
func tdbApply(b []byte, list []tdbSplice) []byte {
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
func (a *tdbArray) newSchema(version uint32, payload []byte, crypt bool, now uint64) (model.Edit, error) {
	for _, name := range a.order {
		if s := tdbStampOf(name); s.ok && s.to >= now {
			now = s.to + 1
		}
	}
	id, err := tdbRandomHex()
	if err != nil {
		return model.Edit{}, err
	}
	key, err := a.d.writingKey(crypt)
	if err != nil {
		return model.Edit{}, err
	}
	b, err := tdbWriteTile(version, payload, key)
	if err != nil {
		return model.Edit{}, err
	}
	return model.Edit{File: a.path("__schema", fmt.Sprintf("__%d_%d_%s", now, now, id)), Create: model.Memory(b)}, nil
}
