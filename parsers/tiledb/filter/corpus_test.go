package filter

import (
	"context"
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"spandrel/parsers/internal/suite"
)

type expected struct {
	File    string
	Kind    string
	Spans   []struct{ Path string } `json:"file_spans"`
	Payload *struct {
		SHA256 string
		Spans  []struct {
			Path  string
			Value any
		}
	}
}

func allExpected(t testing.TB, root string) (all []expected) {
	paths, _ := filepath.Glob(filepath.Join(root, "expected", "*__*.json"))
	for _, path := range paths {
		var e expected
		suite.ReadJSON(t, path, &e)
		all = append(all, e)
	}
	return all
}

// values are the decoded numbers and texts of a payload by path.
func (e *expected) values() map[string]any {
	m := map[string]any{}
	for _, s := range e.Payload.Spans {
		v := s.Value
		if o, ok := v.(map[string]any); ok {
			v = o["raw"]
		}
		m[s.Path] = v
	}
	return m
}

type values map[string]any

func (m values) int(path string) int64 {
	n, _ := m[path].(json.Number)
	i, _ := n.Int64()
	return i
}

func (m values) float(path string) float64 {
	n, _ := m[path].(json.Number)
	f, _ := n.Float64()
	return f
}

func (m values) filters(path string) []Filter {
	var fs []Filter
	for i := range m.int(path + ".num_filters") {
		p := fmt.Sprintf("%s.filter[%d].", path, i)
		fs = append(fs, Filter{
			Type: uint8(m.int(p + "type")), Compressor: uint8(m.int(p + "compressor")), Level: int32(m.int(p + "level")),
			Reinterpret: uint8(m.int(p + "reinterpret_datatype")), Window: uint32(m.int(p + "max_window_size")),
			Scale: m.float(p + "scale"), Offset: m.float(p + "offset"), Width: uint64(m.int(p + "byte_width")),
			WebPFormat: uint8(m.int(p + "format")), WebPExtentX: uint16(m.int(p + "extent_x")), WebPExtentY: uint16(m.int(p + "extent_y")),
		})
	}
	return fs
}

// genericTile unfilters the generic tile at the start of b.
func genericTile(b, key []byte) ([]byte, error) {
	le := binary.LittleEndian
	n, p := le.Uint32(b[38:]), 42
	var fs []Filter
	for range n {
		fs = append(fs, Filter{Type: b[p], Compressor: b[min(p+5, len(b)-1)]})
		p += 5 + int(le.Uint32(b[p+1:]))
	}
	data, _, err := Coding{fs, TileType{Char, 1, le.Uint32(b), false}, key}.Unfilter(context.Background(), b[p:p+int(le.Uint64(b[4:]))], 1<<30)
	return data, err
}

// Every generic tile of the corpus that has a decoded payload gives exactly that payload, and survives being written again.
func TestTDBCorpusgenericTiles(t *testing.T) {
	t.Parallel()
	root := suite.Corpus(t, "tiledb")
	checked := 0
	for _, e := range allExpected(t, root) {
		if e.Payload == nil || len(e.Spans) == 0 || e.Spans[0].Path != "generic_tile.version" {
			continue
		}
		b, err := os.ReadFile(filepath.Join(root, e.File))
		if err != nil {
			t.Fatal(err)
		}
		got, err := genericTile(b, []byte(suite.CorpusKey))
		if sum := sha256.Sum256(got); err != nil || hex.EncodeToString(sum[:]) != e.Payload.SHA256 {
			t.Errorf("%s: %d bytes, %v", e.File, len(got), err)
		}
		checked++
	}
	if checked < 100 {
		t.Errorf("only %d generic tiles checked", checked)
	}
}

// stored is one data file: what its pipeline was applied to.
type stored struct {
	filters []Filter
	tile    TileType
}

type fieldTruth struct {
	name                      string
	datatype                  uint8
	num                       int64
	fixed, values, validities string // file names without .tdb
	data                      []Filter
}

const varNum = math.MaxUint32

func (m values) fields() []fieldTruth {
	version := m.int("schema.version")
	var fs []fieldTruth
	add := func(path, prefix string, i int64) {
		f := fieldTruth{name: fmt.Sprint(m[path+".name"]), num: 1, data: m.filters(path + ".filters")}
		if v, ok := m[path+".datatype"]; ok {
			f.datatype = uint8(values{"v": v}.int("v"))
		} else {
			f.datatype = uint8(m.int("schema.domain.datatype"))
		}
		if _, ok := m[path+".cell_val_num"]; ok {
			f.num = m.int(path + ".cell_val_num")
		}
		file := f.name
		if version >= 9 {
			file = fmt.Sprint(prefix, i)
		}
		if prefix == "d" && len(f.data) == 0 {
			f.data = m.filters("schema.coords_filters")
		}
		f.fixed, f.values, f.validities = file, file+"_var", file+"_validity"
		fs = append(fs, f)
	}
	for i := range m.int("schema.num_attributes") {
		add(fmt.Sprintf("schema.attribute[%d]", i), "a", i)
	}
	for i := range m.int("schema.domain.num_dimensions") {
		add(fmt.Sprintf("schema.domain.dimension[%d]", i), "d", i)
	}
	return fs
}

// files maps the data files of a fragment, without .tdb, to their pipelines.
func (m values) files(key []byte) map[string]stored {
	version := uint32(m.int("schema.version"))
	files := map[string]stored{}
	set := func(name string, fs []Filter, tile TileType) {
		if key != nil {
			fs = append(fs[:len(fs):len(fs)], Filter{Type: AES})
		}
		files[name] = stored{fs, tile}
	}
	for _, f := range m.fields() {
		size := SizeOf(f.datatype)
		if f.num == varNum {
			set(f.fixed, m.filters("schema.offsets_filters"), TileType{Uint64, 8, version, false})
			set(f.values, f.data, TileType{f.datatype, size, version, f.datatype == Ascii || f.datatype == UtF8})
		} else {
			set(f.fixed, f.data, TileType{f.datatype, size * int(f.num), version, false})
		}
		set(f.validities, m.filters("schema.validity_filters"), TileType{6, 1, version, false})
	}
	dims := int(m.int("schema.domain.num_dimensions"))
	domain := uint8(m.int("schema.domain.datatype"))
	set("__coords", m.filters("schema.coords_filters"), TileType{domain, dims * SizeOf(domain), version, false})
	for _, name := range []string{"t", "dt", "dci"} {
		set(name, m.filters("schema.coords_filters"), TileType{Uint64, 8, version, false})
	}
	return files
}

type tileData struct{ data, offsets []byte }

// fileTiles decodes the chain of tiles a data file is.
func fileTiles(path string, s stored, key []byte) (tiles []tileData, err error) {
	b, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	for len(b) > 0 {
		// The end of a tile is only known from its chunks; a count of what follows must not be mistaken for it.
		var end int64 = 8
		for range binary.LittleEndian.Uint64(b) {
			end += 12 + int64(binary.LittleEndian.Uint32(b[end+4:])) + int64(binary.LittleEndian.Uint32(b[end+8:]))
		}
		data, offsets, err := Coding{s.filters, s.tile, key}.Unfilter(context.Background(), b[:end], 1<<30)
		if err != nil {
			return tiles, err
		}
		if _, at, err := Chunks(b[:end]); err != nil || at != end {
			return tiles, fmt.Errorf("chunks end at %d of %d: %v", at, end, err)
		}
		tiles, b = append(tiles, tileData{data, offsets}), b[end:]
	}
	return tiles, nil
}

type fragment struct {
	dir    string // absolute
	array  string // relative to the corpus
	schema values
	key    []byte
}

// fragments lists the fragments of the arrays with exactly one schema.
func fragments(t testing.TB, root string) (fragments []fragment) {
	schemas := map[string][]expected{}
	for _, e := range allExpected(t, root) {
		if e.Kind == "array_schema" {
			dir := filepath.Dir(e.File)
			if filepath.Base(dir) == "__schema" {
				dir = filepath.Dir(dir)
			}
			schemas[dir] = append(schemas[dir], e)
		}
	}
	for array, expected := range schemas {
		if len(expected) != 1 {
			continue
		}
		for _, pattern := range []string{"*", "__fragments/*"} {
			dirs, _ := filepath.Glob(filepath.Join(root, array, pattern, "__fragment_metadata.tdb"))
			for _, dir := range dirs {
				f := fragment{dir: filepath.Dir(dir), array: array, schema: expected[0].values()}
				if filepath.Base(array) == "encrypted" {
					f.key = []byte(suite.CorpusKey)
				}
				fragments = append(fragments, f)
			}
		}
	}
	return fragments
}

// All data files of all fragments decode to whole tiles; the one its writer damaged is recovered and says so.
func TestTDBCorpusDataFiles(t *testing.T) {
	t.Parallel()
	root := suite.Corpus(t, "tiledb")
	files, tiles := 0, 0
	seen := map[uint8]int{}
	for _, f := range fragments(t, root) {
		stored := f.schema.files(f.key)
		paths, _ := filepath.Glob(filepath.Join(f.dir, "*.tdb"))
		for _, path := range paths {
			name := strings.TrimSuffix(filepath.Base(path), ".tdb")
			if name == "__fragment_metadata" {
				continue
			}
			s, ok := stored[name]
			if !ok {
				t.Errorf("%s: no field has this file", path)
				continue
			}
			got, err := fileTiles(path, s, f.key)
			if strings.HasSuffix(f.array, "CORRUPT_BY_WRITER") && name == "a0_var" {
				var e *Error
				if !errors.As(err, &e) || !e.Usable {
					t.Errorf("%s: %v", path, err)
				}
				continue
			}
			if err != nil {
				t.Errorf("%s: %v", path, err)
			}
			files, tiles = files+1, tiles+len(got)
			for _, x := range s.filters {
				seen[x.Type]++
			}
		}
	}
	t.Logf("%d files, %d tiles, files by filter type %v", files, tiles, seen)
	if files < 200 {
		t.Errorf("only %d files", files)
	}
	for _, typ := range []uint8{0, 1, 2, 3, 4, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 18, 19} {
		if seen[typ] == 0 {
			t.Errorf("no file with %s", NameOf(typ))
		}
	}
}
