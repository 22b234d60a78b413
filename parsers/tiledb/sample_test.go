package tiledb

import (
	"bytes"
	"compress/zlib"
	"context"
	"encoding/binary"
	"slices"
	"strings"
	"sync"
	"testing"

	"spandrel/model"
	"spandrel/parsers/tiledb/schema"
	"spandrel/parsers/tiledb/storage"
)

// A writer of TileDB files for tests, made from the reference sheet alone: it shares no code with the parser.

type byteWriter struct{ bytes.Buffer }

func (w *byteWriter) put(vs ...any) *byteWriter {
	for _, v := range vs {
		switch v := v.(type) {
		case string:
			w.WriteString(v)
		case []byte:
			w.Write(v)
		default:
			if err := binary.Write(w, binary.LittleEndian, v); err != nil {
				panic(err)
			}
		}
	}
	return w
}

func (w *byteWriter) text(s string) *byteWriter { return w.put(uint32(len(s)), s) }

// pipe writes a pipeline of compressors: type and compressor byte are the same below 6.
func (w *byteWriter) pipe(types ...byte) *byteWriter {
	w.put(uint32(65536), uint32(len(types)))
	for _, t := range types {
		w.put(t, uint32(5), t, int32(-1))
	}
	return w
}

// sampleTile wraps a payload in a generic tile (2.1), one zlib chunk for each 65536 bytes.
func sampleTile(version uint32, payload []byte) []byte {
	var tile, w byteWriter
	tile.put(uint64((len(payload) + 65535) / 65536))
	for rest := payload; len(rest) > 0; {
		n := min(len(rest), 65536)
		z := sampleZlib(rest[:n], 1)
		tile.put(uint32(n), uint32(len(z)), uint32(16), uint32(0), uint32(1), uint32(n), uint32(len(z)), z)
		rest = rest[n:]
	}
	w.put(version, uint64(tile.Len()), uint64(len(payload)), byte(4), uint64(1), byte(0), uint32(18))
	w.put(uint32(65536), uint32(1), byte(1), uint32(5), byte(1), int32(1), tile.Bytes())
	return w.Bytes()
}

// sampleWriters are writers by level, as a new one costs a megabyte.
var sampleWriters sync.Map

func sampleZlib(b []byte, level int) []byte {
	p, _ := sampleWriters.LoadOrStore(level, &sync.Pool{New: func() any { w, _ := zlib.NewWriterLevel(nil, level); return w }})
	pool, z := p.(*sync.Pool), bytes.Buffer{}
	w := pool.Get().(*zlib.Writer)
	defer pool.Put(w)
	w.Reset(&z)
	w.Write(b)
	w.Close()
	return z.Bytes()
}

// sampleSpec is what a sample schema says; zero values are those of a sound dense array.
type sampleSpec struct {
	version   uint32
	sparse    bool
	attrs     int
	dims      []func(*byteWriter) // in place of the one that the fields below describe
	dups      byte
	tileOrder byte
	cellOrder byte
	capacity  uint64
	dimType   byte
	dimNum    uint32
	low, high int32
	extent    int32
	attrType  byte
	attrNum   uint32
	fill      []byte
	nullable  byte
	fillOK    byte
	order     byte
	enum      string
	names     []string
	enums     [][2]string
	current   []byte
	labels    []byte
	nlabels   uint32
	coords    func(*byteWriter)
	filters   func(*byteWriter) // of attributes
	tail      []byte
}

func sampleOf(version uint32) *sampleSpec {
	return &sampleSpec{version: version, attrs: 2, capacity: 10000, dimNum: 1, low: 1, high: 10, extent: 5, attrNum: 1,
		fill: []byte{0, 0, 0, 0x80}, names: []string{"a", "b"}, current: []byte{0, 0, 0, 0, 1}}
}

func (s *sampleSpec) payload() []byte {
	var w byteWriter
	v := s.version
	w.put(v)
	if v >= 5 {
		w.put(s.dups)
	}
	kind := byte(0)
	if s.sparse {
		kind = 1
	}
	w.put(kind, s.tileOrder, s.cellOrder, s.capacity)
	if s.coords != nil {
		s.coords(&w)
	} else {
		w.pipe(2)
	}
	w.pipe(2)
	if v >= 7 {
		w.pipe(4)
	}
	if v < 5 {
		w.put(s.dimType)
	}
	dims := s.dims
	if dims == nil {
		dims = append(dims, func(w *byteWriter) {
			w.text("x")
			if v >= 5 {
				w.put(s.dimType, s.dimNum).pipe().put(uint64(8))
			}
			w.put(s.low, s.high, byte(0), s.extent)
		})
	}
	w.put(uint32(len(dims)))
	for _, dim := range dims {
		dim(&w)
	}
	w.put(uint32(s.attrs))
	for i := range s.attrs {
		name := "a" + strings.Repeat("_", 1)
		if i < len(s.names) {
			name = s.names[i]
		} else {
			name += string(rune('0'+i%10)) + strings.Repeat("x", 1+i/10%7) + string(rune('a'+i/70%26)) + string(rune('a'+i/1820%26))
		}
		w.text(name).put(s.attrType, s.attrNum)
		if s.filters != nil {
			s.filters(&w)
		} else {
			w.pipe(1)
		}
		if v >= 6 {
			w.put(uint64(len(s.fill)), s.fill)
		}
		if v >= 7 {
			w.put(s.nullable, s.fillOK)
		}
		if v >= 17 {
			w.put(s.order)
		}
		if v >= 20 {
			w.text(s.enum)
		}
	}
	if v >= 18 {
		w.put(s.nlabels, s.labels)
	}
	if v >= 20 {
		w.put(uint32(len(s.enums)))
		for _, e := range s.enums {
			w.text(e[0]).text(e[1])
		}
	}
	if v >= 22 {
		w.put(s.current)
	}
	return w.put(s.tail).Bytes()
}

const sampleName = "__1700000000000_1700000000000_0123456789abcdef0123456789abcdef"

func sampleFile(s *sampleSpec) []byte { return sampleTile(s.version, s.payload()) }

func bytesOf(t testing.TB, name string, b []byte) *model.Document {
	t.Helper()
	d, err := model.OpenBytes(context.Background(), name, b, formats, nil)
	if err != nil {
		t.Fatal(err)
	}
	return d
}

// damageIn is the findings but those that say which software reads the document: samples are of the newest version.
func damageIn(t *model.Tree) []model.Finding {
	found, _ := t.Findings()
	return slices.DeleteFunc(slices.Clone(found), func(f model.Finding) bool { return f.Newer })
}

// rulesOf returns the rules that a tree's findings break, opening everything.
func rulesOf(t testing.TB, d *model.Document) map[string]bool {
	t.Helper()
	ctx := context.Background()
	var buf bytes.Buffer
	if err := d.Tree.Dump(ctx, &buf, d.Tree.Root, model.DumpOptions{JSON: true, Depth: -1, Elements: 100, All: true}); err != nil {
		t.Fatal(err)
	}
	if err := d.Deep(ctx, nil); err != nil {
		t.Fatal(err)
	}
	rules := map[string]bool{}
	for _, f := range damageIn(d.Tree) {
		rules[f.Rule.ID] = true
		if f.Rule == model.RuleInternal {
			t.Fatalf("%s: %s", f.Message, f.Found)
		}
	}
	return rules
}

// A schema of every version is read to its last byte, and says nothing wrong.
func TestTDBVersions(t *testing.T) {
	for v := uint32(1); v <= storage.VersionNewest; v++ {
		name := sampleName
		if v < 10 {
			name = schema.OldSchema
		}
		d := bytesOf(t, name, sampleFile(sampleOf(v)))
		if d.Format == nil || d.Format.Name != "tiledb" || d.Candidates[0].Confidence < 90 {
			t.Fatalf("version %d: %v", v, d.Candidates)
		}
		if rules := rulesOf(t, d); len(rules) > 0 {
			t.Errorf("version %d: %v", v, rules)
		}
		rows, err := readTable(t, d, "attributes").Read(context.Background(), 0, 10)
		if err != nil || len(rows) != 2 || rows[1][0].String() != "b" || rows[1][1].String() != "INT32" {
			t.Errorf("version %d: %v %v", v, rows, err)
		}
	}
}
