package filter

import (
	"crypto/aes"
	"crypto/cipher"
	"encoding/binary"
	"math"
	"slices"
)

// Datatypes the filters treat specially (tiledb/sm/enums/datatype.h).
const (
	Int32   = 0
	Int64   = 1
	Float32 = 2
	Float64 = 3
	Char    = 4
	Int8    = 5
	Uint8   = 6
	Int16   = 7
	Uint16  = 8
	Uint32  = 9
	Uint64  = 10
	Ascii   = 11
	UtF8    = 12
	UCS4    = 16
	Any     = 17
	Year    = 18 // first of the date and time types, all i64
	TimeAS  = 39 // last of them
	Blob    = 40
	Bool    = 41
	GeomWKB = 42
	GeomWKT = 43
)

// SizeOf is the size of one value of a datatype, 0 for an unknown one.
func SizeOf(t uint8) int {
	const sizes = "\x04\x08\x04\x08\x01\x01\x01\x02\x02\x04\x08\x01\x01\x02\x04\x02\x04\x01"
	switch {
	case int(t) < len(sizes):
		return int(sizes[t])
	case t <= TimeAS:
		return 8
	case t <= GeomWKT:
		return 1
	}
	return 0
}

func IsFloat(t uint8) bool  { return t == Float32 || t == Float64 }
func IsTime(t uint8) bool   { return t >= Year && t <= TimeAS }
func IsString(t uint8) bool { return t >= Ascii && t <= UCS4 }
func IsInteger(t uint8) bool {
	return t <= Int64 || t >= Int8 && t <= Uint64 || t == Bool
}

// Real is the floating-point number in the bytes of one value; false for other types.
func Real(t uint8, b []byte) (float64, bool) {
	switch {
	case !IsFloat(t) || len(b) != SizeOf(t):
		return 0, false
	case t == Float32:
		return float64(math.Float32frombits(binary.LittleEndian.Uint32(b))), true
	}
	return math.Float64frombits(binary.LittleEndian.Uint64(b)), true
}

func isBytes(t uint8) bool { return t >= Blob && t <= GeomWKT && t != Bool }
func IsSigned(t uint8) bool {
	return t <= Int64 || t == Int8 || t == Int16 || IsTime(t)
}

// Effective is what a filter really does: the compressor byte overrides the type, and its numbers differ from 7 on
// (tiledb/sm/enums/compressor.h). Compressor 0 does nothing.
func Effective(f Filter) (op uint8, ok bool) {
	switch f.Type {
	case Gzip, Zstd, LZ4, RLE, Bzip2, Dictionary, DoubleDelta, Delta:
		switch {
		case f.Compressor <= DoubleDelta:
			return f.Compressor, true
		case f.Compressor == 7:
			return Dictionary, true
		case f.Compressor == 8:
			return Delta, true
		}
		return f.Type, false
	case NoFilter, BitWidth, BitShuffle, ByteShuffle, PositiveDelta, AES,
		MD5, SHA256, ScaleFloat, Xor, WebP:
		return f.Type, true
	}
	return f.Type, false
}

// compile checks a pipeline and determines the datatype that each filter sees: from version 20 on the output type of the filter
// before it, earlier always the type of the tile. Filters without effect are left out.
func (how Coding) compile() (*pipeline, error) {
	filters, tile := how.Filters, how.Tile
	p := &pipeline{tile: tile, stages: make([]stage, 0, len(filters))}
	w := &work{chunk: -1} // for its error texts
	if len(filters) > maxFilters {
		return nil, w.bad(Limit, "options", 0, "number of filters", "at most "+Text(maxFilters), len(filters))
	}
	if SizeOf(tile.Datatype) == 0 {
		return nil, w.bad(Unsupported, "options", 0, "datatype of the tile", "0 to 43", tile.Datatype)
	}
	if tile.CellSize <= 0 || tile.CellSize > maxCell {
		return nil, w.bad(Unsupported, "options", 0, "cell size of the tile", "1 to "+Text(maxCell), tile.CellSize)
	}
	chained := tile.FormatVersion >= 20
	typ := tile.Datatype
	for i, f := range filters {
		s := stage{Filter: f, index: i, typ: typ}
		if !chained {
			s.typ = tile.Datatype
		}
		w.s = &s
		var ok bool
		if s.op, ok = Effective(f); !ok {
			return nil, w.bad(Unsupported, "options", 0, "filter", "types 0 to 10, 12 to 16, 18, 19 with compressors 0 to 8",
				"type "+Text(f.Type)+" with compressor "+Text(f.Compressor))
		}
		s.size = SizeOf(s.typ)
		works, err := s.prepare(w, p, &typ, chained, how.Key)
		if err != nil {
			return nil, err
		}
		if works {
			p.stages = append(p.stages, s)
		}
	}
	return p, nil
}

// prepare checks the options of a stage, and tells whether it has an effect. typ becomes the type that the next one sees.
func (s *stage) prepare(w *work, p *pipeline, typ *uint8, chained bool, key []byte) (works bool, err error) {
	times := IsTime(s.typ) && chained
	switch s.op {
	case NoFilter:
		return false, nil
	case BitWidth:
		return s.size > 1 && (IsInteger(s.typ) || times), nil
	case PositiveDelta:
		return IsInteger(s.typ) || isBytes(s.typ) || times, nil
	case Delta, DoubleDelta:
		if s.reinterprets(chained) {
			s.typ, *typ = s.Reinterpret, s.Reinterpret
		}
		return true, s.deltaSize(w)
	case ScaleFloat:
		*typ = IntOf(int(s.Width))
		if s.size != 4 && s.size != 8 {
			return false, w.bad(Unsupported, "options", 0, "bytes of a value to scale", "4 or 8", s.size)
		}
		if !IsWidth(s.Width) {
			return false, w.bad(Unsupported, "options", 16, "byte width", "1, 2, 4 or 8", s.Width)
		}
	case Xor:
		*typ = IntOf(s.size)
	case WebP:
		if s.WebPFormat < 1 || s.WebPFormat > 4 {
			return false, w.bad(Unsupported, "options", 4, "pixel format", "1 to 4", s.WebPFormat)
		}
	case AES:
		*typ = Blob
		return true, p.setKey(w, key)
	}
	return true, nil
}

// reinterprets reports whether the stage has the option byte and it names a type.
func (s *stage) reinterprets(chained bool) bool {
	has := s.Type == Delta || s.Type == DoubleDelta && chained
	return has && s.Reinterpret != Any
}

// deltaSize sets the integer width for DELTA and DOUBLE_DELTA; all their arithmetic wraps, so the sign does not matter.
func (s *stage) deltaSize(w *work) error {
	s.size = SizeOf(s.typ)
	if s.size == 0 || IsFloat(s.typ) {
		return w.bad(Unsupported, "options", 5, "datatype to take differences of", "not a real number", s.typ)
	}
	if IsString(s.typ) || s.typ == Any {
		s.size = 1
	}
	return nil
}

func (p *pipeline) setKey(w *work, key []byte) error {
	if len(key) != 32 {
		return w.bad(Auth, "options", 0, "bytes of the AES-256 key", 32, len(key))
	}
	block, err := aes.NewCipher(key)
	if err != nil {
		return w.failed(Auth, 0, "AES key", err)
	}
	if p.aead, err = cipher.NewGCM(block); err != nil {
		return w.failed(Auth, 0, "AES-GCM", err)
	}
	return nil
}

// IntOf is the signed integer type of a width.
func IntOf(size int) uint8 {
	switch size {
	case 1:
		return Int8
	case 2:
		return Int16
	case 4:
		return Int32
	}
	return Int64
}

// StringMode tells whether the values of a tile also contain the starts of its cells. Encryption does not matter for that.
func (how Coding) StringMode() bool {
	if i := slices.IndexFunc(how.Filters, func(f Filter) bool { return f.Type == AES }); i >= 0 {
		how.Filters = how.Filters[:i]
	}
	p, err := how.compile()
	return err == nil && p.stringMode()
}

// stringMode reports whether a writer of this version stores the offsets inside the values tile.
func (p *pipeline) stringMode() bool {
	if len(p.stages) == 0 || p.stages[0].index != 0 || !p.tile.VarStrings {
		return false
	}
	from := uint32(math.MaxUint32)
	switch p.stages[0].op {
	case RLE:
		from = 12
	case Dictionary:
		from = 13
	}
	switch p.tile.Datatype {
	case Ascii:
	case UtF8:
		from = max(from, 17)
	default:
		return false
	}
	return p.tile.FormatVersion >= from
}
