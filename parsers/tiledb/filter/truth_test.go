package filter

import (
	"bytes"
	"encoding/binary"
	"encoding/hex"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"spandrel/parsers/internal/suite"
)

// What was handed to the writer comes back: exactly, but for the padding of dense tiles and for lossy filters.
func TestTDBCorpusTruth(t *testing.T) {
	t.Parallel()
	root := suite.Corpus(t, "tiledb")
	var truth []struct{ Array, Field, Kind, Hex string }
	suite.ReadJSON(t, filepath.Join(root, "generated-v23/truth.json"), &truth)
	byArray := map[string]fragment{}
	for _, f := range fragments(t, root) {
		byArray[filepath.Base(f.array)] = f
	}
	checked := 0
	for _, x := range truth {
		f, ok := byArray[x.Array]
		if !ok {
			continue // the corpus holds a part of the arrays
		}
		checked++
		want, err := hex.DecodeString(x.Hex)
		if err != nil {
			t.Fatal(err)
		}
		var got []byte
		stored := f.schema.files(f.key)
		tiles := func(name string) []tileData {
			tiles, err := fileTiles(filepath.Join(f.dir, name+".tdb"), stored[name], f.key)
			if err != nil {
				t.Errorf("%s/%s: %v", x.Array, name, err)
			}
			return tiles
		}
		switch x.Kind {
		case "fixed":
			for _, tile := range tiles("a0") {
				got = append(got, tile.data...)
			}
		case "validity":
			got = tiles("a0_validity")[0].data
		case "var":
			got = tiles("a0_var")[0].data
		case "offsets":
			if got = tiles("a0_var")[0].offsets; got == nil {
				got = tiles("a0")[0].data
			}
		default:
			t.Fatalf("kind %s", x.Kind)
		}
		if len(got) < len(want) {
			t.Errorf("%s/%s %s: %d bytes of %d", x.Array, x.Field, x.Kind, len(got), len(want))
			continue
		}
		got = got[:len(want)]
		switch {
		case strings.HasSuffix(x.Array, "lossy"): // TestTDBWebP compares exactly with libwebp instead
		case strings.Contains(x.Array, "scale"):
			if most := largest(f.schema.int("schema.attribute[0].datatype"), got, want); most > 0.06 {
				t.Errorf("%s/%s: largest difference %g", x.Array, x.Field, most)
			}
		case !bytes.Equal(got, want):
			t.Errorf("%s/%s %s differs", x.Array, x.Field, x.Kind)
		}
	}
	if checked < 40 {
		t.Errorf("only %d fields checked", checked)
	}
}

func largest(datatype int64, got, want []byte) (most float64) {
	size := SizeOf(uint8(datatype))
	for i := 0; i < len(want); i += size {
		most = max(most, math.Abs(realOf(uint8(datatype), got[i:])-realOf(uint8(datatype), want[i:])))
	}
	return most
}

func realOf(datatype uint8, b []byte) float64 {
	switch datatype {
	case Float32:
		return float64(math.Float32frombits(binary.LittleEndian.Uint32(b)))
	case Float64:
		return math.Float64frombits(binary.LittleEndian.Uint64(b))
	}
	return float64(Uint(b, SizeOf(datatype)))
}

// show renders one cell the way the corpus does.
func show(f fieldTruth, b []byte, coords int) any {
	size := SizeOf(f.datatype)
	switch {
	case coords > 0:
		var l []any
		for i := range coords {
			l = append(l, show(f, b[i*size:][:size], 0))
		}
		return l
	case IsString(f.datatype) || f.datatype == Char:
		return strings.ToValidUTF8(string(b), "\uFFFD")
	case f.num == varNum:
		return hex.EncodeToString(b)
	case IsFloat(f.datatype):
		if v := realOf(f.datatype, b); math.IsNaN(v) {
			return "NaN"
		} else {
			return v
		}
	case IsSigned(f.datatype):
		return strconv.FormatInt(readInt(b, size), 10)
	}
	return strconv.FormatUint(Uint(b, size), 10)
}

// The cells of every fragment with decoded cells are those cells, tile by tile.
func TestTDBCorpusCells(t *testing.T) {
	t.Parallel()
	root := suite.Corpus(t, "tiledb")
	byDir := map[string]fragment{}
	for _, f := range fragments(t, root) {
		byDir[filepath.Base(f.array)+"/"+filepath.Base(f.dir)] = f
	}
	paths, _ := filepath.Glob(filepath.Join(root, "expected-cells/*.json"))
	cells, skipped := 0, 0
	for _, path := range paths {
		var x struct {
			Array     string
			Fragments []struct {
				Fragment string
				Fields   map[string][][]any
			}
		}
		suite.ReadJSON(t, path, &x)
		for _, want := range x.Fragments {
			f, ok := byDir[filepath.Base(x.Array)+"/"+want.Fragment]
			if !ok {
				skipped++ // an array with several schemas
				continue
			}
			for name, tiles := range want.Fields {
				n, err := compareField(f, name, tiles)
				if err != nil {
					t.Errorf("%s %s: %v", f.dir, name, err)
				}
				cells += n
			}
		}
	}
	t.Logf("%d cells of %d arrays, %d fragments skipped", cells, len(paths), skipped)
	if cells < 5000 || skipped > 2 {
		t.Errorf("%d cells compared, %d fragments skipped", cells, skipped)
	}
}

func compareField(f fragment, name string, want [][]any) (cells int, err error) {
	field := fieldTruth{name: name, datatype: Uint64, num: 1}
	coords := 0
	switch name {
	case "__timestamps":
		field.fixed = "t"
	case "__delete_timestamps":
		field.fixed = "dt"
	case "__delete_condition_index":
		field.fixed = "dci"
	case "__coords":
		field.fixed = "__coords"
		field.datatype = uint8(f.schema.int("schema.domain.datatype"))
		coords = int(f.schema.int("schema.domain.num_dimensions"))
	default:
		for _, x := range f.schema.fields() {
			if x.name == name {
				field = x
			}
		}
	}
	stored := f.schema.files(f.key)
	load := func(file string) []tileData {
		path := filepath.Join(f.dir, file+".tdb")
		if _, e := os.Stat(path); e != nil || err != nil {
			return nil
		}
		var tiles []tileData
		tiles, err = fileTiles(path, stored[file], f.key)
		return tiles
	}
	fixed, values, valid := load(field.fixed), load(field.values), load(field.validities)
	if err != nil {
		return 0, err
	}
	if len(fixed) != len(want) {
		return 0, fmt.Errorf("%d tiles of %d", len(fixed), len(want))
	}
	size := SizeOf(field.datatype) * max(coords, 1)
	if field.num != varNum {
		size *= int(field.num)
	}
	for k, list := range want {
		for i, w := range list {
			var b []byte
			if field.num == varNum {
				offsets := values[k].offsets
				if offsets == nil {
					offsets = fixed[k].data
				}
				from, to := binary.LittleEndian.Uint64(offsets[8*i:]), uint64(len(values[k].data))
				if 8*i+16 <= len(offsets) {
					to = binary.LittleEndian.Uint64(offsets[8*i+8:])
				}
				b = values[k].data[from:to]
			} else if coords > 0 { // all of the first dimension, then all of the second
				n, one := len(fixed[k].data)/coords, size/coords
				for d := range coords {
					b = append(b, fixed[k].data[d*n+i*one:][:one]...)
				}
			} else {
				b = fixed[k].data[i*size:][:size]
			}
			if o, ok := w.(map[string]any); ok {
				if v := valid[k].data[i]; strconv.Itoa(int(v)) != fmt.Sprint(o["valid"]) {
					return cells, fmt.Errorf("tile %d cell %d: validity %d, not %v", k, i, v, o["valid"])
				}
				w = o["value"]
			}
			if got := show(field, b, coords); !suite.SameJSON(got, w) {
				return cells, fmt.Errorf("tile %d cell %d: %v, not %v", k, i, got, w)
			}
			cells++
		}
	}
	return cells, nil
}
