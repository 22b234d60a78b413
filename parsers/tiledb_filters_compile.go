package parsers

import (
	"crypto/aes"
	"crypto/cipher"
	"math"
)

// Datatypes the filters treat specially (tiledb/sm/enums/datatype.h).
const (
	tdbInt32   = 0
	tdbInt64   = 1
	tdbFloat32 = 2
	tdbFloat64 = 3
	tdbChar    = 4
	tdbInt8    = 5
	tdbInt16   = 7
	tdbUint64T = 10
	tdbASCII   = 11
	tdbUTF8    = 12
	tdbUCS4    = 16
	tdbAny     = 17
	tdbYear    = 18 // first of the date and time types, all i64
	tdbTimeAS  = 39 // last of them
	tdbBlob    = 40
	tdbBool    = 41
	tdbGeomWKT = 43
)

// tdbDatatypeSize is the bytes of one value of a datatype, 0 for an unknown one.
func tdbDatatypeSize(t uint8) int {
	const sizes = "\x04\x08\x04\x08\x01\x01\x01\x02\x02\x04\x08\x01\x01\x02\x04\x02\x04\x01"
	switch {
	case int(t) < len(sizes):
		return int(sizes[t])
	case t <= tdbTimeAS:
		return 8
	case t <= tdbGeomWKT:
		return 1
	}
	return 0
}

func tdbIsFloat(t uint8) bool  { return t == tdbFloat32 || t == tdbFloat64 }
func tdbIsTime(t uint8) bool   { return t >= tdbYear && t <= tdbTimeAS }
func tdbIsString(t uint8) bool { return t >= tdbASCII && t <= tdbUCS4 }
func tdbIsInteger(t uint8) bool {
	return t <= tdbInt64 || t >= tdbInt8 && t <= tdbUint64T || t == tdbBool
}
func tdbIsBytes(t uint8) bool { return t >= tdbBlob && t <= tdbGeomWKT && t != tdbBool }
func tdbIsSigned(t uint8) bool {
	return t <= tdbInt64 || t == tdbInt8 || t == tdbInt16 || tdbIsTime(t)
}

// tdbEffective is what a filter really does: the compressor byte wins over the type, and its numbers differ from 7 on
// (tiledb/sm/enums/compressor.h). Compressor 0 does nothing.
func tdbEffective(f tdbFilter) (op uint8, ok bool) {
	switch f.Type {
	case tdbFilterGzip, tdbFilterZstd, tdbFilterLZ4, tdbFilterRLE, tdbFilterBzip2, tdbFilterDictionary, tdbFilterDoubleDelta, tdbFilterDelta:
		switch {
		case f.Compressor <= tdbFilterDoubleDelta:
			return f.Compressor, true
		case f.Compressor == 7:
			return tdbFilterDictionary, true
		case f.Compressor == 8:
			return tdbFilterDelta, true
		}
		return f.Type, false
	case tdbFilterNone, tdbFilterBitWidth, tdbFilterBitShuffle, tdbFilterByteShuffle, tdbFilterPositiveDelta, tdbFilterAES,
		tdbFilterMD5, tdbFilterSHA256, tdbFilterScaleFloat, tdbFilterXor, tdbFilterWebP:
		return f.Type, true
	}
	return f.Type, false
}

// tdbCompile checks a pipeline and finds the datatype each filter sees: from version 20 on the output type of the filter
// before it, earlier always the type of the tile. Filters that pass everything through are left out.
func tdbCompile(filters []tdbFilter, tile tdbTileType, key []byte) (*tdbPipeline, error) {
	p := &tdbPipeline{tile: tile, stages: make([]tdbStage, 0, len(filters))}
	w := &tdbWork{chunk: -1} // for its error texts
	if len(filters) > tdbMaxFilters {
		return nil, w.bad(tdbLimit, "options", 0, "number of filters", "at most "+tdbText(tdbMaxFilters), len(filters))
	}
	if tdbDatatypeSize(tile.Datatype) == 0 {
		return nil, w.bad(tdbUnsupported, "options", 0, "datatype of the tile", "0 to 43", tile.Datatype)
	}
	if tile.CellSize <= 0 || tile.CellSize > tdbMaxCell {
		return nil, w.bad(tdbUnsupported, "options", 0, "cell size of the tile", "1 to "+tdbText(tdbMaxCell), tile.CellSize)
	}
	chained := tile.FormatVersion >= 20
	typ := tile.Datatype
	for i, f := range filters {
		s := tdbStage{tdbFilter: f, index: i, typ: typ}
		if !chained {
			s.typ = tile.Datatype
		}
		w.s = &s
		var ok bool
		if s.op, ok = tdbEffective(f); !ok {
			return nil, w.bad(tdbUnsupported, "options", 0, "filter", "types 0 to 10, 12 to 16, 18, 19 with compressors 0 to 8",
				"type "+tdbText(f.Type)+" with compressor "+tdbText(f.Compressor))
		}
		s.size = tdbDatatypeSize(s.typ)
		switch s.op {
		case tdbFilterDelta, tdbFilterDoubleDelta:
			if err := s.deltaType(w, chained); err != nil {
				return nil, err
			}
			if s.reinterprets(chained) {
				typ = s.Reinterpret
			}
		case tdbFilterBitWidth:
			times := tdbIsTime(s.typ) && chained
			if s.size == 1 || !tdbIsInteger(s.typ) && !times {
				continue
			}
		case tdbFilterPositiveDelta:
			times := tdbIsTime(s.typ) && chained
			if !tdbIsInteger(s.typ) && !tdbIsBytes(s.typ) && !times {
				continue
			}
		case tdbFilterScaleFloat:
			if s.size != 4 && s.size != 8 {
				return nil, w.bad(tdbUnsupported, "options", 0, "bytes of a value to scale", "4 or 8", s.size)
			}
			if !tdbIsWidth(s.Width) {
				return nil, w.bad(tdbUnsupported, "options", 16, "byte width", "1, 2, 4 or 8", s.Width)
			}
			typ = tdbIntOf(int(s.Width))
		case tdbFilterXor:
			typ = tdbIntOf(s.size)
		case tdbFilterWebP:
			if s.WebPFormat < 1 || s.WebPFormat > 4 {
				return nil, w.bad(tdbUnsupported, "options", 4, "pixel format", "1 to 4", s.WebPFormat)
			}
		case tdbFilterAES:
			if err := p.setKey(w, key); err != nil {
				return nil, err
			}
			typ = tdbBlob
		case tdbFilterNone:
			continue
		}
		p.stages = append(p.stages, s)
	}
	return p, nil
}

// reinterprets reports whether the stage has the option byte and it names a type.
func (s *tdbStage) reinterprets(chained bool) bool {
	has := s.Type == tdbFilterDelta || s.Type == tdbFilterDoubleDelta && chained
	return has && s.Reinterpret != tdbAny
}

// deltaType picks the integer width DELTA and DOUBLE_DELTA work on; all their arithmetic wraps, so the sign does not matter.
func (s *tdbStage) deltaType(w *tdbWork, chained bool) error {
	if s.reinterprets(chained) {
		s.typ = s.Reinterpret
	}
	s.size = tdbDatatypeSize(s.typ)
	if s.size == 0 || tdbIsFloat(s.typ) {
		return w.bad(tdbUnsupported, "options", 5, "datatype to take differences of", "not a real number", s.typ)
	}
	if tdbIsString(s.typ) || s.typ == tdbAny {
		s.size = 1
	}
	return nil
}

func (p *tdbPipeline) setKey(w *tdbWork, key []byte) error {
	if len(key) != 32 {
		return w.bad(tdbAuth, "options", 0, "bytes of the AES-256 key", 32, len(key))
	}
	block, err := aes.NewCipher(key)
	if err != nil {
		return w.failed(tdbAuth, 0, "AES key", err)
	}
	if p.aead, err = cipher.NewGCM(block); err != nil {
		return w.failed(tdbAuth, 0, "AES-GCM", err)
	}
	return nil
}

// tdbIntOf is the signed integer type of a width.
func tdbIntOf(size int) uint8 {
	switch size {
	case 1:
		return tdbInt8
	case 2:
		return tdbInt16
	case 4:
		return tdbInt32
	}
	return tdbInt64
}

// stringMode reports whether a writer of this version stores the offsets inside the values tile.
func (p *tdbPipeline) stringMode() bool {
	if len(p.stages) == 0 || p.stages[0].index != 0 || !p.tile.VarStrings {
		return false
	}
	from := uint32(math.MaxUint32)
	switch p.stages[0].op {
	case tdbFilterRLE:
		from = 12
	case tdbFilterDictionary:
		from = 13
	}
	switch p.tile.Datatype {
	case tdbASCII:
	case tdbUTF8:
		from = max(from, 17)
	default:
		return false
	}
	return p.tile.FormatVersion >= from
}
