package filter

import (
	"bytes"
	"context"
	"encoding/binary"
	"encoding/hex"
	"errors"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"spandrel/parsers/internal/suite"
)

func unhex(t testing.TB, s string) []byte {
	t.Helper()
	b, err := hex.DecodeString(strings.ReplaceAll(s, " ", ""))
	if err != nil {
		t.Fatal(err)
	}
	return b
}

// u32s is little-endian numbers in hex.
func u32s(v ...uint32) string {
	var b []byte
	for _, x := range v {
		b = binary.LittleEndian.AppendUint32(b, x)
	}
	return hex.EncodeToString(b)
}

const (
	abcMD5    = "900150983cd24fb0d6963f7d28e17f72"
	abcSHA256 = "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"
)

// A lossy picture of 3 x 5 pixels as written by libwebp, and what libwebp reads from it.
const (
	lossyWebP = "524946464800000057454250565038203c000000d001009d012a0300050002c04c25b00274010ebb058e0000fc652ab63618a1f6ffca3b009b408924611620402f4bfff998f5315213e1c6fad8802000"
	lossyRGBA = "4e6043ff8a9078ffbaab99ff869486ffb2b9aeff9a8f89ffa5acb9ffaaaebdff6a6979ff8e8da1ff8a90a3ff8999a8ff807b7fffa4adacff8eb4aaff"
)

func compressor(op uint8) Filter { return Filter{Type: op, Compressor: op, Level: -1} }

var vectors = []struct {
	name          string
	filters       []Filter
	tile          TileType
	md, data      string
	want, offsets string
}{
	{"no filter", nil, TileType{Uint8, 1, 23, false}, "", "0102", "0102", ""},
	{"none", []Filter{{}}, TileType{Uint8, 1, 23, false}, "", "0102", "0102", ""},
	{"compressor 0 does nothing", []Filter{{Type: 1}}, TileType{Uint8, 1, 23, false}, "", "0102", "0102", ""},
	{"gzip", []Filter{compressor(1)}, TileType{Char, 1, 23, false}, u32s(0, 1, 45, 20),
		"78012b2e48cc4b294acd5128268201009613115e", hex.EncodeToString([]byte(strings.Repeat("spandrel ", 5))), ""},
	{"compressor byte wins", []Filter{{Type: 3, Compressor: 1}}, TileType{Char, 1, 23, false}, u32s(0, 1, 45, 20),
		"78012b2e48cc4b294acd5128268201009613115e", hex.EncodeToString([]byte(strings.Repeat("spandrel ", 5))), ""},
	{"bzip2", []Filter{compressor(5)}, TileType{Char, 1, 23, false}, u32s(0, 1, 45, 54),
		"425a68393141592653592422a80e0000161180400026055800200031064c408a81e9a9d489131312254a953e2ee48a70a1204845501c",
		hex.EncodeToString([]byte(strings.Repeat("spandrel ", 5))), ""},
	{"zstd raw block", []Filter{compressor(2)}, TileType{Char, 1, 23, false}, u32s(0, 1, 3, 12), "28b52ffd 2003 190000 616263",
		"616263", ""},
	{"lz4", []Filter{compressor(3)}, TileType{Char, 1, 23, false}, u32s(0, 1, 20, 10), "1a61 0100 50 6161616161",
		strings.Repeat("61", 20), ""},
	{"lz4, two parts", []Filter{compressor(3)}, TileType{Char, 1, 23, false}, u32s(0, 2, 2, 3, 1, 2), "206162 1063", "616263", ""},
	{"rle", []Filter{compressor(4)}, TileType{Uint16, 2, 23, false}, u32s(0, 1, 8, 8), "0102 0003 0304 0001", "0102 0102 0102 0304", ""},
	{"rle of strings before version 12", []Filter{compressor(4)}, TileType{Ascii, 1, 10, true}, u32s(0, 1, 3, 6), "61 0002 62 0001",
		"616162", ""},
	{"delta", []Filter{{Type: 19, Compressor: 8, Reinterpret: Any}}, TileType{Int16, 2, 23, false}, u32s(0, 1, 6, 14),
		"0300000000000000 0a00 0500 f0ff", "0a00 0f00 ffff", ""},
	{"delta of f32 as i32", []Filter{{Type: 19, Compressor: 8, Reinterpret: Int32}}, TileType{Float32, 4, 23, false}, u32s(0, 1, 8, 16),
		"0200000000000000 0000803f 00008000", "0000803f 00000040", ""},
	{"double delta", []Filter{{Type: 6, Compressor: 6, Reinterpret: Any}}, TileType{Int32, 4, 23, false}, u32s(0, 1, 16, 25),
		"02 0400000000000000 0a000000 14000000 0000000000000038", "0a000000 14000000 1f000000 28000000", ""},
	{"double delta over two words", []Filter{{Type: 6, Compressor: 6, Reinterpret: Any}}, TileType{Uint64, 8, 23, false},
		u32s(0, 1, 32, 41),
		// 41 bits a value: 0 then 2^39 = 1 and 39 zeros; 1 then 3
		"28 0400000000000000 0000000000000000 0000000000000000 0000400000000040 0000000000c00000",
		"0000000000000000 0000000000000000 0000000080000000 fdffffffff000000", ""},
	{"double delta, raw", []Filter{{Type: 6, Compressor: 6, Reinterpret: Any}}, TileType{Uint8, 1, 23, false}, u32s(0, 1, 2, 11),
		"07 0200000000000000 0aff", "0aff", ""},
	{"double delta before version 20 has no type byte", []Filter{{Type: 6, Compressor: 6}}, TileType{Uint8, 1, 5, false}, u32s(0, 1, 1, 10),
		"00 0100000000000000 0a", "0a", ""},
	{"bit width", []Filter{{Type: 7}}, TileType{Uint32, 4, 23, false}, u32s(8, 1, 1000) + "08" + u32s(8), "01ff", "e9030000 e7040000", ""},
	{"bit width, signed, and a raw rest", []Filter{{Type: 7}}, TileType{Int32, 4, 23, false},
		u32s(6, 2, 0xfffffffb) + "08" + u32s(4, 0xdeadbeef) + "20" + u32s(2), "ff 0102", "faffffff 0102", ""},
	{"bit width of times before version 20", []Filter{{Type: 7}}, TileType{Year, 8, 19, false}, "", "0102030405060708",
		"0102030405060708", ""},
	{"positive delta", []Filter{{Type: 10}}, TileType{Uint16, 2, 23, false}, u32s(2) + "6400" + u32s(6) + "0a00" + u32s(2),
		"0000 0100 0200 0000", "6400 6500 6700 0a00", ""},
	{"positive delta of reals", []Filter{{Type: 10}}, TileType{Float32, 4, 23, false}, "", "01020304", "01020304", ""},
	{"byteshuffle with a rest", []Filter{{Type: 9}}, TileType{Uint16, 2, 23, false}, u32s(1, 5), "0204 0103 05", "0201 0403 05", ""},
	{"byteshuffle of 8", []Filter{{Type: 9}}, TileType{Uint64, 8, 23, false}, u32s(1, 16),
		"0111 0212 0313 0414 0515 0616 0717 0818", "0102030405060708 1112131415161718", ""},
	{"bitshuffle", []Filter{{Type: 8}}, TileType{Uint16, 2, 23, false}, u32s(2, 16, 3), "0202020202020202 8000000000000000 010203",
		"0000 ff00 0000 0000 0000 0000 0000 0001 010203", ""},
	{"xor", []Filter{{Type: 16}}, TileType{Uint16, 2, 23, false}, u32s(2, 4, 2), "0100 0200 0500", "0100 0300 0500", ""},
	{"scale float", []Filter{{Type: 15, Scale: 0.5, Offset: 10, Width: 1}}, TileType{Float32, 4, 23, false}, u32s(1, 2), "04fe",
		"00004041 00001041", ""},
	{"scale float, then xor of its integers", []Filter{{Type: 15, Scale: 1, Width: 2}, {Type: 16}}, TileType{Float64, 8, 23, false},
		u32s(1, 4, 1, 4), "0100 0300", "000000000000f03f 0000000000000040", ""},
	{"md5", []Filter{{Type: 12}}, TileType{Char, 1, 23, false}, u32s(0, 1, 3, 0) + abcMD5, "616263", "616263", ""},
	{"sha256 over metadata", []Filter{{Type: 9}, {Type: 13}}, TileType{Char, 1, 23, false},
		u32s(1, 1, 8, 0) + "30656bde983020b4a04d4fb8027463ad8cd15d89d4b953f961654b1d6579b9b9" + u32s(3, 0) + abcSHA256 + u32s(1,
			3), "616263", "616263", ""},
	{"rle strings", []Filter{compressor(4)}, TileType{Ascii, 1, 23, true}, u32s(0, 1, 5, 7, 24) + "0101", "0202 6161 0101 62",
		"6161 6161 62",
		"0000000000000000 0200000000000000 0400000000000000"},
	{"dictionary", []Filter{{Type: 14, Compressor: 7}}, TileType{UtF8, 1, 23, true},
		u32s(0, 1, 5, 3, 24) + "0101" + u32s(5) + "026161 0162",
		"000100", "6161 62 6161", "0000000000000000 0200000000000000 0300000000000000"},
	{"webp", []Filter{{Type: 18, WebPFormat: 3, WebPExtentX: 12, WebPExtentY: 5}}, TileType{Uint8, 1, 23, false}, u32s(1, 80),
		lossyWebP, lossyRGBA, ""},
}

func TestTDBVectors(t *testing.T) {
	for _, v := range vectors {
		want := unhex(t, v.want)
		got, offsets, err := Coding{v.filters, v.tile, nil}.UnfilterChunk(context.Background(), append(unhex(t, v.md), unhex(t, v.data)...), len(unhex(t, v.md)), len(want))
		if err != nil || !bytes.Equal(got, want) || !bytes.Equal(offsets, unhex(t, v.offsets)) {
			t.Errorf("%s: %x, offsets %x, %v", v.name, got, offsets, err)
		}
	}
}

// The channel order of WEBP is the option's.
func TestTDBWebPOrder(t *testing.T) {
	rgba := unhex(t, lossyRGBA)
	for format, order := range map[uint8][]int{1: {0, 1, 2}, 2: {2, 1, 0}, 4: {2, 1, 0, 3}} {
		var want []byte
		for i := 0; i < len(rgba); i += 4 {
			for _, c := range order {
				want = append(want, rgba[i+c])
			}
		}
		f := Filter{Type: WebP, WebPFormat: format, WebPExtentX: uint16(3 * len(order)), WebPExtentY: 5}
		got, _, err := Coding{[]Filter{f}, TileType{Uint8, 1, 23, false}, nil}.UnfilterChunk(context.Background(), append(unhex(t, u32s(1, 80)), unhex(t, lossyWebP)...), len(unhex(t, u32s(1, 80))), len(want))
		if err != nil || !bytes.Equal(got, want) {
			t.Errorf("format %d: %x, %v", format, got, err)
		}
	}
}

// Failures name the filter, the place and what was expected; those that leave the data usable return it.
func TestTDBErrors(t *testing.T) {
	u8 := TileType{Uint8, 1, 23, false}
	gz := []Filter{compressor(1)}
	gzData := "78012b2e48cc4b294acd5128268201009613115e"
	long := strings.Repeat("7a", 259)
	for _, x := range []struct {
		name     string
		filters  []Filter
		tile     TileType
		md, data string
		orig     int
		kind     errKind
		where    string
		off      int64
		chunkOff int64
		usable   bool
	}{
		{"wrong length without filters", nil, u8, "", "01", 2, corrupt, "data", 0, 12, false},
		{"metadata left over", nil, u8, "01", "01", 1, corrupt, "metadata", 0, 12, false},
		{"unknown filter", []Filter{{Type: 17}}, u8, "", "01", 1, Unsupported, "options", 0, -1, false},
		{"unknown compressor", []Filter{{Type: 1, Compressor: 9}}, u8, "", "01", 1, Unsupported, "options", 0, -1, false},
		{"block too short", gz, u8, u32s(0), "01", 1, truncated, "metadata", 4, 16, false},
		{"more parts than lengths", gz, u8, u32s(0, 2, 1, 1), "01", 1, corrupt, "metadata", 0, 12, false},
		{"huge part count", gz, u8, u32s(0xffffffff, 0xffffffff), "01", 1, corrupt, "metadata", 0, 12, false},
		{"part longer than data", gz, u8, u32s(0, 1, 45, 21), gzData, 45, truncated, "data", 0, 28, false},
		{"impossible ratio", gz, u8, u32s(0, 1, 1<<31, 20), gzData, 1 << 30, corrupt, "metadata", 8, 20, false},
		{"original length differs", gz, u8, u32s(0, 1, 44, 20), gzData, 45, corrupt, "data", 0, 28, false},
		{"zlib holds more", gz, u8, u32s(0, 1, 44, 20), gzData, 44, corrupt, "data", 0, 28, false},
		{"zlib holds less", gz, u8, u32s(0, 1, 46, 20), gzData, 46, truncated, "data", 0, 28, false},
		{"Adler-32", gz, u8, u32s(0, 1, 45, 20), gzData[:38] + "5f", 45, Checksum, "data", 0, 28, true},
		{"MD5", []Filter{{Type: 12}}, u8, u32s(0, 1, 3, 0) + abcMD5, "616264", 3, Checksum, "metadata", 16, 28, true},
		{"sum of more than there is", []Filter{{Type: 12}}, u8, u32s(0, 1, 4, 0) + abcMD5, "616263", 3, corrupt, "metadata", 8, 20, false},
		{"endless run", []Filter{compressor(4)}, u8, u32s(0, 1, 2, 3), "61ffff", 2, corrupt, "data", 1, 25 + 4, false},
		{"no key", []Filter{{Type: 11}}, u8, "", "01", 1, Auth, "options", 0, -1, false},
		{"bits", []Filter{{Type: 7}}, TileType{Uint32, 4, 23, false}, u32s(4, 1, 0) + "09" + u32s(4), "01", 4, corrupt, "metadata", 12,
			24, false},
		{"window behind the end", []Filter{{Type: 10}}, u8, u32s(1) + "00" + u32s(2), "01", 1, corrupt, "metadata", 5, 17, false},
		{"id", []Filter{{Type: 14, Compressor: 7}}, TileType{Ascii, 1, 23, true}, u32s(0, 1, 1, 1, 8) + "0101" + u32s(2) + "0161", "01", 1,
			corrupt, "data", 0, 12 + 28, false},
		{"run of empty strings", []Filter{compressor(4)}, TileType{Ascii, 1, 23, true}, u32s(0, 1, 0, 9, 8) + "0801",
			"ffffffffffffffff00", 0,
			corrupt, "data", 0, 12 + 22, false},
		{"cut string length", []Filter{compressor(4)}, TileType{Ascii, 1, 23, true}, u32s(0, 1, 260, 264, 16) + "0101",
			"010161 0103" + long, 260,
			corrupt, "data", 4, 12 + 22 + 4, true},
		{"WebP of another size", []Filter{{Type: 18, WebPFormat: 3, WebPExtentX: 16, WebPExtentY: 5}}, u8, u32s(1, 80), lossyWebP, 80,
			corrupt, "data", 12, 12 + 8 + 12, false},
		{"inside derived bytes", []Filter{{Type: 12}, compressor(1)}, u8, u32s(0, 1, 45, 20), gzData, 45, truncated, "metadata", 0, -1,
			false},
	} {
		got, _, err := Coding{x.filters, x.tile, nil}.UnfilterChunk(context.Background(), append(unhex(t, x.md), unhex(t, x.data)...), len(unhex(t, x.md)), x.orig)
		var e *Error
		if !errors.As(err, &e) {
			t.Errorf("%s: %v", x.name, err)
			continue
		}
		if e.Kind != x.kind || e.Where != x.where || e.Off != x.off || e.ChunkOff != x.chunkOff || e.Usable != x.usable {
			t.Errorf("%s: %v at %s %d, chunk %d, usable %v: %v", x.name, e.Kind, e.Where, e.Off, e.ChunkOff, e.Usable, e)
		}
		if x.usable != (len(got) == x.orig && got != nil) {
			t.Errorf("%s: %d bytes returned", x.name, len(got))
		}
	}
}

// What can be written reads back, for all types, odd lengths and chains, with the key and only with it.
func TestTDBRoundTrip(t *testing.T) {
	t.Parallel()
	ctx := context.Background()
	key := []byte(suite.CorpusKey)
	none, gzip, zstd, lz4, rle, bzip := Filter{}, compressor(1), compressor(2), compressor(3), compressor(4), compressor(5)
	bits, bytesF, md5, sha, aes := Filter{Type: 8}, Filter{Type: 9}, Filter{Type: 12}, Filter{Type: 13}, Filter{Type: 11}
	pipelines := [][]Filter{nil, {none}, {gzip}, {zstd}, {lz4}, {rle}, {bzip}, {bits}, {bytesF}, {md5}, {sha}, {aes}, {gzip, aes},
		{bytesF, zstd}, {bits, lz4, md5}, {md5, sha, zstd, aes}, {bytesF, bits, md5, gzip, sha, lz4}, {rle, gzip}, {md5, none, bzip}}
	r := rand.New(rand.NewPCG(1, 2))
	for _, typ := range []uint8{Uint8, Int16, Float32, Uint64} {
		size := SizeOf(typ)
		for _, cells := range []int{0, 1, 7, 8, 1000, 1031, 40000} {
			for _, random := range []bool{false, true} {
				data := make([]byte, cells*size)
				for i := range data {
					if data[i] = byte(i / 100); random {
						data[i] = byte(r.Uint32())
					}
				}
				for _, p := range pipelines {
					tile := TileType{typ, size, 23, false}
					packed, err := Coding{p, tile, key}.Filter(ctx, data)
					if err != nil {
						t.Fatalf("%v %v: %v", p, tile, err)
					}
					before := slices.Clone(packed)
					got, _, err := Coding{p, tile, key}.Unfilter(ctx, packed, int64(len(data)))
					if err != nil || !bytes.Equal(got, data) || !bytes.Equal(before, packed) {
						t.Fatalf("%v %v, %d cells: %d bytes, %v", p, tile, cells, len(got), err)
					}
					if cells > 0 && slices.Contains(p, aes) {
						var e *Error
						_, _, err := Coding{p, tile, bytes.Repeat([]byte{1}, 32)}.Unfilter(ctx, packed, 1<<30)
						if !errors.As(err, &e) || e.Kind != Auth || e.Usable {
							t.Fatalf("another key: %v", err)
						}
					}
				}
			}
		}
	}
	for _, f := range []Filter{{Type: 18, WebPFormat: 1}, {Type: 14, Compressor: 7}} {
		var e *Error
		if _, err := (Coding{[]Filter{f}, TileType{Uint32, 4, 23, false}, nil}).Filter(ctx, make([]byte, 4)); !errors.As(err, &e) ||
			e.Kind != Unsupported {
			t.Errorf("writing %s: %v", NameOf(f.Type), err)
		}
	}
	if _, err := (Coding{[]Filter{rle}, TileType{Ascii, 1, 23, true}, nil}).Filter(ctx, make([]byte, 4)); err == nil {
		t.Error("string mode written as plain")
	}
}

// Shuffling and back, whatever the length; byte j of value i is where the format puts it.
func TestTDBShuffle(t *testing.T) {
	for _, size := range []int{1, 2, 4, 8} {
		for n := range 200 {
			src, mid, got := make([]byte, n), make([]byte, n), make([]byte, n)
			for i := range src {
				src[i] = byte(i*7 + i>>3)
			}
			shuffleBytes(mid, src, size)
			if count := n / size; count > 0 && mid[(size-1)*count+count-1] != src[count*size-1] {
				t.Fatalf("size %d, %d bytes: the last byte of the last value is elsewhere", size, n)
			}
			if unshuffleBytes(got, mid, size); !bytes.Equal(got, src) {
				t.Fatalf("size %d, %d bytes: %x", size, n, got)
			}
			shuffleBits(mid, src, size)
			if unshuffleBits(got, mid, size); !bytes.Equal(got, src) {
				t.Fatalf("bits, size %d, %d bytes: %x", size, n, got)
			}
		}
	}
}

func TestTDBTileBounds(t *testing.T) {
	ctx := context.Background()
	tile := TileType{Uint8, 1, 23, false}
	for _, x := range []struct {
		name, bytes string
		limit       int64
		kind        errKind
		chunk       int
	}{
		{"short", "01", 10, truncated, -1},
		{"count", "ffffffffffffffff", 10, truncated, -1},
		{"header", u32s(1, 0) + "00000000", 10, truncated, -1},
		{"body", u32s(1, 0, 1, 2, 0) + "00", 10, truncated, 0},
		{"metadata", u32s(2, 0, 1, 1, 0) + "00" + u32s(1, 1, 0xffffffff) + "00", 10, truncated, 1},
		{"limit", u32s(2, 0, 1, 1, 0) + "00" + u32s(1, 1, 0) + "00", 1, Limit, 1},
	} {
		_, _, err := Coding{nil, tile, nil}.Unfilter(ctx, unhex(t, x.bytes), x.limit)
		var e *Error
		if !errors.As(err, &e) || e.Kind != x.kind || e.Chunk != x.chunk {
			t.Errorf("%s: %v", x.name, err)
		}
	}
	if data, _, err := (Coding{nil, tile, nil}).Unfilter(ctx, make([]byte, 8), 0); err != nil || data == nil || len(data) != 0 {
		t.Errorf("no chunks: %v, %v", data, err)
	}
	cancelled, cancel := context.WithCancel(ctx)
	cancel()
	packed, _ := Coding{[]Filter{compressor(1)}, tile, nil}.Filter(ctx, []byte("abc"))
	if _, _, err := (Coding{[]Filter{compressor(1)}, tile, nil}).Unfilter(cancelled, packed, 10); !errors.Is(err, context.Canceled) {
		t.Errorf("cancelled: %v", err)
	}
}
