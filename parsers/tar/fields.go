package tar

import (
	"fmt"
	"hash"
	"strconv"
	"strings"

	"spandrel/model"
	"spandrel/parsers/internal/tarfile"
)

// octal is the codec of a number in octal text, ended by NUL or blank, of as many bytes as it says; larger numbers are base-256.
type octal int

func (o octal) Size() int        { return int(o) }
func (o octal) Type() string     { return "ascii" }
func (o octal) Endian() string   { return "" }
func (o octal) Kind() model.Kind { return model.Uint }

func (o octal) Decode(b []byte) (model.Value, int, error) {
	if len(b) < int(o) {
		return model.Value{}, 0, fmt.Errorf("too few bytes")
	}
	if n := tarfile.Number(b[:o]); n >= 0 {
		return model.U(uint64(n)), int(o), nil
	}
	return model.Value{}, int(o), fmt.Errorf("%q is no octal number", b[:o])
}

func (o octal) Encode(v model.Value) ([]byte, error) {
	b := make([]byte, o)
	if s := strconv.FormatUint(v.Uint(), 8); len(s) < int(o) {
		copy(b, strings.Repeat("0", int(o)-1-len(s))+s)
		return b, nil
	}
	if o < 8 {
		return nil, fmt.Errorf("%d does not fit in %d octal digits", v.Uint(), int(o)-1)
	}
	for i, n := int(o)-1, v.Uint(); i >= 0; i, n = i-1, n>>8 {
		b[i] = byte(n)
	}
	b[0] |= 0x80
	return b, nil
}

// checksum adds the bytes of a header; its own field counts as blanks.
type checksum struct{ n uint64 }

func (s *checksum) Write(b []byte) (int, error) {
	for _, c := range b {
		s.n += uint64(c)
	}
	return len(b), nil
}
func (s *checksum) Sum(b []byte) []byte { return b }
func (s *checksum) Reset()              { s.n = 0 }
func (s *checksum) Size() int           { return 8 }
func (s *checksum) BlockSize() int      { return 1 }

var headerSum = &model.Sum{Name: "sum of bytes", New: func() hash.Hash { return &checksum{} }, Value: func(h hash.Hash) model.Value { return model.U(h.(*checksum).n + 8*' ') }}

var types = map[string]string{"0": "file", "\x00": "file", "1": "hard link", "2": "symbolic link", "3": "character device", "4": "block device", "5": "folder", "6": "pipe",
	"7": "file", "x": "records for the next member", "g": "records for all members", "L": "long name", "K": "long link name", "S": "sparse file"}

var (
	members = &model.Field{Name: "members", Doc: "a header, a payload and padding each", Ref: "ustar"}
	member  = &model.Field{Name: "member", Ref: "ustar"}
	header  = &model.Field{Name: "header", Ref: "ustar"}
	sizeF   = &model.Field{Name: "size", Codec: octal(12), Doc: "bytes of the payload", Ref: "ustar", Rule: badSize}
	sumF    = &model.Field{Name: "checksum", Codec: octal(8), Doc: "sum of the bytes of the header, this field as blanks", Ref: "ustar"}
	typeF   = &model.Field{Name: "typeflag", Codec: model.TextOf(1, 0), Doc: "0 file, 5 folder, 1 and 2 links, x and g records", Ref: "ustar"}
	record  = []*model.Field{
		{Name: "name", Codec: model.TextOf(100, 0), Doc: "up to the first NUL", Ref: "ustar"}, {Name: "mode", Codec: octal(8), Ref: "ustar"}, {Name: "uid", Codec: octal(8), Ref: "ustar"},
		{Name: "gid", Codec: octal(8), Ref: "ustar"}, sizeF, {Name: "mtime", Codec: octal(12), Doc: "seconds since 1970", Ref: "ustar"}, sumF, typeF,
		{Name: "linkname", Codec: model.TextOf(100, 0), Ref: "ustar"}, {Name: "magic", Codec: model.BytesOf(8), Doc: "ustar, and a version", Ref: "ustar"},
		{Name: "uname", Codec: model.TextOf(32, 0), Ref: "ustar"}, {Name: "gname", Codec: model.TextOf(32, 0), Ref: "ustar"},
		{Name: "devmajor", Codec: octal(8), Ref: "ustar"}, {Name: "devminor", Codec: octal(8), Ref: "ustar"},
		{Name: "prefix", Codec: model.TextOf(155, 0), Doc: "folder part of a ustar name", Ref: "ustar"}, {Name: "fill", Codec: model.BytesOf(12)},
	}
	payload  = &model.Field{Name: "payload", Codec: model.RawBytes, Ref: "ustar"}
	longName = &model.Field{Name: "payload", Codec: model.UTF8, Doc: "the name for the next member, ended by NUL", Ref: "GNU"}
	records  = &model.Field{Name: "records", Doc: "for the next member, or for all", Ref: "pax"}
	entry    = &model.Field{Name: "record", Ref: "pax"}
	length   = &model.Field{Name: "length", Codec: decimal{}, Doc: "bytes of the record, these digits and the line feed among them", Ref: "pax"}
	key      = &model.Field{Name: "key", Codec: model.UTF8, Ref: "pax"}
	value    = &model.Field{Name: "value", Codec: model.UTF8, Ref: "pax"}
	sign     = &model.Field{Name: "sign", Codec: model.ASCII, Fixed: "the sign holds the record together"}
	broken   = &model.Field{Name: "broken", Codec: model.RawBytes, Doc: "no record"}
	lost     = &model.Field{Name: "lost", Codec: model.RawBytes, Doc: "bytes of no member"}
	padding  = &model.Field{Name: "padding", Codec: model.RawBytes, Doc: "up to a multiple of 512", Fixed: "it is as long as the payload needs it"}
	end      = &model.Field{Name: "end", Codec: model.RawBytes, Doc: "zero blocks end the archive", Ref: "ustar", Fixed: "zeros end the archive"}
	behind   = &model.Field{Name: "behind", Codec: model.RawBytes, Doc: "bytes behind the end"}
)

// decimal is the codec of a number in decimal text of any length.
type decimal struct{}

func (decimal) Size() int        { return -1 }
func (decimal) Type() string     { return "ascii" }
func (decimal) Endian() string   { return "" }
func (decimal) Kind() model.Kind { return model.Uint }

func (decimal) Decode(b []byte) (model.Value, int, error) {
	n, err := strconv.ParseUint(string(b), 10, 63)
	return model.U(n), len(b), err
}

func (decimal) Encode(v model.Value) ([]byte, error) {
	return strconv.AppendUint(nil, v.Uint(), 10), nil
}
