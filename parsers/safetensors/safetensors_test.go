package safetensors

import (
	"bytes"
	"context"
	"encoding/binary"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"spandrel/model"
	"spandrel/parsers/internal/suite"
)

// made is a file of a header and data.
func made(header string, data []byte) []byte {
	b := binary.LittleEndian.AppendUint64(nil, uint64(len(header)))
	return append(append(b, header...), data...)
}

// padded fills a header up with blanks, as writers do.
func padded(s string) string { return s + strings.Repeat(" ", (8-len(s)%8)%8) }

func values() []byte {
	b := []byte{}
	for i := range 6 {
		b = binary.LittleEndian.AppendUint32(b, math.Float32bits(float32(i)/4))
	}
	for i := range 4 {
		b = binary.LittleEndian.AppendUint64(b, uint64(i*1000))
	}
	return append(b, 1, 0, 0x80, 0x3f)
}

const (
	meta   = `"__metadata__":{"format":"pt","made by":"hand"},`
	weight = `"layer.0/weight":{"dtype":"F32","shape":[2,3],"data_offsets":[0,24]},`
	ids    = `"ids":{"dtype":"I64","shape":[4],"data_offsets":[24,56]},`
	mask   = `"mask":{"dtype":"BOOL","shape":[2],"data_offsets":[56,58]},`
	scale  = `"scale":{"dtype":"BF16","shape":[],"data_offsets":[58,60]}`
	intact = "{" + meta + weight + ids + mask + scale + "}"
)

// smallFloats is a header with the types of the newest library that are not numbers of whole bytes, or not of IEEE 754.
const smallFloats = `{"a":{"dtype":"F8_E4M3FNUZ","shape":[4],"data_offsets":[0,4]},"b":{"dtype":"F8_E5M2FNUZ","shape":[4],"data_offsets":[4,8]},` +
	`"c":{"dtype":"F8_E4M3","shape":[4],"data_offsets":[8,12]},"d":{"dtype":"F8_E5M2","shape":[4],"data_offsets":[12,16]},` +
	`"e":{"dtype":"F8_E8M0","shape":[4],"data_offsets":[16,20]},"f":{"dtype":"F4","shape":[8],"data_offsets":[20,24]},` +
	`"g":{"dtype":"F6_E2M3","shape":[8],"data_offsets":[24,30]},"h":{"dtype":"F6_E3M2","shape":[8],"data_offsets":[30,36]},` +
	`"i":{"dtype":"C64","shape":[2],"data_offsets":[36,52]},"__metadata__":null}`

// fromFileStart is the header with offsets that count from the start of the file.
var fromFileStart = strings.NewReplacer("[0,24]", "[312,336]", "[24,56]", "[336,368]", "[56,58]", "[368,370]", "[58,60]", "[370,372]").Replace(intact)

// samples are the files of testdata/safetensors by their names there.
func samples() map[string][]byte {
	with := func(old, new string) []byte { return made(padded(strings.Replace(intact, old, new, 1)), values()) }
	long := made(padded(intact), values())
	long[0]++
	long[2]++
	huge := made(padded(intact), values())
	huge[6] = 1
	return map[string][]byte{
		"good/model.safetensors":                 made(padded(intact), values()),
		"good/empty.safetensors":                 made("{}      ", nil),
		"bad/001-header-long.safetensors":        long,
		"bad/002-header-huge.safetensors":        huge,
		"bad/003-not-json.safetensors":           with(`"ids":`, `"ids"-`),
		"bad/004-name-twice.safetensors":         with(`"ids"`, `"mask"`),
		"bad/003-text-behind.safetensors":        made(padded(intact+`,"__metadata__":{}`), values()),
		"bad/013-missing.safetensors.index.json": []byte(`{"weight_map":{"a":"gone-1.safetensors"}}`),
		"bad/005-more.safetensors":               with(`"shape":[4],`, `"shape":[4],"more":{"shape":[1]},`),
		"good/small-floats.safetensors":          made(padded(smallFloats), make([]byte, 52)),
		"bad/005-entry.safetensors":              with(`"shape":[4],`, `"shape":["4"],`),
		"bad/006-type.safetensors":               with("BOOL", "BOOM"),
		"bad/007-shape.safetensors":              with("[2,3]", "[2,4]"),
		"bad/008-cut.safetensors":                made(padded(intact), values()[:40]),
		"bad/009-overlap.safetensors":            with("[24,56]", "[16,48]"),
		"bad/010-bytes-behind.safetensors":       made(padded(intact), append(values(), "more"...)),
		"bad/011-metadata.safetensors":           with(`"pt"`, `2`),
		"bad/022-layer.safetensors": made(padded(`{"h.0.up":{"dtype":"U8","shape":[1],"data_offsets":[0,1]},"h.0.down":{"dtype":"U8","shape":[1],"data_offsets":[1,2]},`+
			`"h.1.uq":{"dtype":"U8","shape":[1],"data_offsets":[2,3]},"h.1.down":{"dtype":"U8","shape":[1],"data_offsets":[3,4]},`+
			`"h.2.up":{"dtype":"U8","shape":[1],"data_offsets":[4,5]},"h.2.down":{"dtype":"U8","shape":[1],"data_offsets":[5,6]}}`), []byte("values")),
		"bad/023-bfloat16.safetensors":        made(padded(`{"a":{"dtype":"F16","shape":[512],"data_offsets":[0,1024]},"b":{"dtype":"F16","shape":[512],"data_offsets":[1024,2048]}}`), brains(1024)),
		"bad/012-misaligned.safetensors":      made(padded(intact)+" ", values()),
		"bad/010-tensor-missing.safetensors":  with(ids, ""),
		"bad/020-from-file-start.safetensors": with(intact, fromFileStart),
		"bad/002-git-lfs-pointer.safetensors": []byte("version https://git-lfs.github.com/spec/v1\noid sha256:00\nsize 1200000\n"),
	}
}

// brains are numbers of bfloat16, as weights are.
func brains(n int) (b []byte) {
	for r := rand.New(rand.NewPCG(1, 2)); n > 0; n-- {
		x, _ := model.BF16LE.Encode(model.F(r.NormFloat64() / 50))
		b = append(b, x...)
	}
	return b
}

func TestSafetensorsSamples(t *testing.T) { suite.Samples(t, "safetensors", samples()) }

// What each rule says of a file that breaks it is written down.
func TestTranscript(t *testing.T) { suite.Transcript(t, Format, suite.BadSamples(t, Format)) }

func opened(t *testing.T, b []byte) *model.Document {
	t.Helper()
	d, err := model.OpenBytes(context.Background(), "x.safetensors", b, []*model.Format{Format}, nil)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(d.Close)
	return d
}

// after is the file after an edit, which must leave no error.
func after(t *testing.T, d *model.Document, edits ...model.Edit) []byte {
	t.Helper()
	p, err := d.Plan(context.Background(), "edit", edits...)
	if err != nil {
		t.Fatal(err)
	}
	d.Apply(context.Background(), p, nil)
	found, _ := d.Tree.Findings()
	for i := range found {
		if found[i].Grade() == model.Error {
			t.Errorf("%s: %s", found[i].Path(), found[i].Text())
		}
	}
	return suite.Bytes(t, d)
}

// A longer name moves the data, and the length of the header and its blanks follow; the offsets count from the data and stay.
func TestRename(t *testing.T) {
	d := opened(t, made(padded(intact), values()))
	s, err := d.Tree.Find(context.Background(), "header/entries[2]/name")
	if err != nil {
		t.Fatal(err)
	}
	got := after(t, d, model.SetValue(s, model.S("token ids")))
	want := made(padded(strings.Replace(intact, `"ids"`, `"token ids"`, 1)), values())
	if !bytes.Equal(got, want) {
		t.Errorf("%q\n%q", got, want)
	}
}

// A tensor that goes takes its bytes along, and the offsets of those behind it follow.
func TestDrop(t *testing.T) {
	for _, c := range []struct{ path, gone, moved string }{
		{"header/entries[2]", ids, `"mask":{"dtype":"BOOL","shape":[2],"data_offsets":[24,26]},"scale":{"dtype":"BF16","shape":[],"data_offsets":[26,28]}`},
		{"header/entries[4]", "," + scale, mask[:len(mask)-1]},
	} {
		d := opened(t, made(padded(intact), values()))
		s, err := d.Tree.Find(context.Background(), c.path)
		if err != nil {
			t.Fatal(err)
		}
		edits, err := actions[0].Plan(context.Background(), d.Tree, s, nil)
		if err != nil {
			t.Fatal(err)
		}
		if got := after(t, d, edits...); !strings.Contains(string(got), c.moved) || strings.Contains(string(got), c.gone) {
			t.Errorf("%s: %q", c.path, got)
		}
	}
}

// Values of six bits, four in three bytes, are shown and set, also across bytes, and no other value changes.
func TestSixBits(t *testing.T) {
	data := make([]byte, 52)
	copy(data[24:], []byte{0x41, 0x20, 0x0c}) // 000001 000001 000010 000011, the low bits first
	d := opened(t, made(padded(smallFloats), data))
	find := func(name string) model.Table {
		for _, x := range d.Tree.Tables(context.Background()) {
			if x.Name == name {
				return x
			}
		}
		t.Fatal(name)
		return model.Table{}
	}
	read := func(name string) (out []float64) {
		rows, err := find(name).Read(context.Background(), 0, 8)
		if err != nil {
			t.Fatal(err)
		}
		for _, r := range rows {
			out = append(out, r[1].Value.Float())
		}
		return out
	}
	if got := read("g"); !slices.Equal(got, []float64{0.125, 0.125, 0.25, 0.375, 0, 0, 0, 0}) {
		t.Fatal(got)
	}
	edits, err := find("g").Set(context.Background(), []model.Typed{{Row: 1, Column: 1, Text: "-7.5"}, {Row: 2, Column: 1, Text: "3"}, {Row: 7, Column: 1, Text: "1"}})
	if err != nil {
		t.Fatal(err)
	}
	after(t, d, edits...)
	if got := read("g"); !slices.Equal(got, []float64{0.125, -7.5, 3, 0.375, 0, 0, 0, 1}) {
		t.Error(got)
	}
	if edits, err = find("h").Set(context.Background(), []model.Typed{{Row: 5, Column: 1, Text: "28"}}); err != nil {
		t.Fatal(err)
	}
	after(t, d, edits...)
	if got := read("h"); !slices.Equal(got, []float64{0, 0, 0, 0, 0, 28, 0, 0}) || read("g")[7] != 1 {
		t.Error(got)
	}
	if _, err := find("g").Set(context.Background(), []model.Typed{{Row: 0, Column: 1, Text: "8"}}); err == nil {
		t.Error("8 fits in f6_e2m3")
	}
}

// TestTensorsHaveTables: the values of every tensor can be shown, of however many.
func TestTensorsHaveTables(t *testing.T) {
	var entries []string
	for i := range 5000 {
		entries = append(entries, fmt.Sprintf(`"t%d":{"dtype":"F32","shape":[1],"data_offsets":[%d,%d]}`, i, 4*i, 4*i+4))
	}
	d := opened(t, made(padded("{"+strings.Join(entries, ",")+"}"), make([]byte, 4*len(entries))))
	if _, ok := model.TableNamed(d.Tree.Tables(context.Background()), "t4999"); !ok {
		t.Error("the last tensor has no table")
	}
}
