package samediff

import (
	"archive/zip"
	"bytes"
	"context"
	"encoding/binary"
	"hash/crc32"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"spandrel/model"
	"spandrel/parsers/internal/inflate"
	"spandrel/parsers/internal/suite"
)

const samples = "../../testdata/samediff"

// good are the samples without a problem, by name.
func good(t testing.TB) map[string][]byte {
	nested, keyed := inline(), inline()
	nested[11] = []tableSpec{{0: "body", 1: fb(inline())}}
	keyed[7] = `{"lossVariables":[],"updater":{"@class":"Sgd"}}`
	keyed[9], keyed[10] = []string{"author", "license"}, []string{"Ada", "Apache-2.0"}
	z, err := inflate.Deflate(inflate.Zlib, 6, fb(inline()))
	if err != nil {
		t.Fatal(err)
	}
	packed := recordOf(2, z)
	packed[9] |= 1
	external := smallGraph(nil, nil)
	meta, arrays := fb(tableSpec{0: []tableSpec{{0: "name", 1: "tiny"}}}), arraysOf([]string{"w", "b"},
		[][]byte{floats(1, -2, 0.5, 3), floats(0.25, -1)})
	part := fb(tableSpec{0: []int64{2}, 1: floats(0.25, -1), 2: e(5)})
	list := append([]byte{0, 0, 0, 1, 0, 1, 'b'}, append(binary.BigEndian.AppendUint64(nil, uint64(len(part))), part...)...)
	return map[string][]byte{
		"inline.fb":    fb(inline()),
		"nested.fb":    fb(nested),
		"keys.fb":      fb(keyed),
		"blobs.sdnb":   nbSmall(),
		"stored.sdz":   zipOf(t, 0, nbSmall()),
		"deflated.sdz": zipOf(t, 8, nbSmall()),
		"plain.sdc":    box(headOf(3), metaOf("name", "tiny"), recordOf(2, fb(inline()))),
		"packed.sdc":   box(headOf(3), metaOf("name", "tiny"), packed),
		"arrays.sdc": box(headOf(3), recordOf(2, fb(external)), recordOf(3,
			arraysOf([]string{"w", "b"}, [][]byte{floats(1, -2, 0.5, 3), floats(0.25, -1)}))),
		"container.fb": fb(tableSpec{0: tableSpec{0: int32(1), 1: int32(1)}, 1: []tableSpec{{0: e(2), 1: int64(8), 3: int64(16)}}, 3: inline()}),
		"mu-r7.sdc": append([]byte("\x00\x0e"+containerMagic+"\x00\x00\x00\x01"), slices.Concat(rec7(0, fb(tableSpec{0: int32(1), 1: int32(3)})),
			rec7(1, meta), rec7(2, fb(inline())))...),
		"deflated-parts.sdc": box(headOf(4), packedOf(t, 1, meta), packedOf(t, 2, fb(external)), packedOf(t, 3, arrays)),
		"pairs32.sdc": box(headOf(3), recordOf(1, []byte("\x00\x00\x00\x01\x00\x00\x00\x04name\x00\x00\x00\x04tiny")),
			recordOf(2, fb(inline()))),
		"list.sdc": box(headOf(4), recordOf(2, fb(external)), recordOf(3, list),
			recordOf(3, fb(tableSpec{0: []tableSpec{{0: "w", 1: tableSpec{0: []int64{2, 2}, 1: floats(1, -2, 0.5, 3), 2: e(5)}}}}))),
		"in-sdnb.sdc": box(headOf(2), recordOf(2, nbSmall())),
		"private.sdc": box(headOf(3), recordOf(2, fb(inline())), recordOf(200, []byte("private"))),
		"set.shard0-of-2.sdc": box(headOf(3), recordOf(2, fb(smallGraph(nil, nil))),
			recordOf(4, fb(tableSpec{1: int32(2), 2: "graph", 3: "set"}))),
		"set.shard1-of-2.sdc": box(headOf(3), recordOf(3, arraysOf([]string{"w", "b"}, [][]byte{floats(1, -2, 0.5, 3), floats(0.25, -1)})),
			recordOf(4, fb(tableSpec{0: int32(1), 1: int32(2), 2: "weights", 3: "set"}))),
	}
}

// shifted puts four bytes between the root offset and the rest of a buffer.
func shifted(b []byte) []byte {
	out := append(slices.Clone(b[:4]), 0, 0, 0, 0)
	binary.LittleEndian.PutUint32(out, binary.LittleEndian.Uint32(b)+4)
	return append(out, b[4:]...)
}

// zipMany is an archive of stored members, in the order of their names.
func zipMany(t testing.TB, files map[string][]byte) []byte {
	var out bytes.Buffer
	z := zip.NewWriter(&out)
	for _, name := range slices.Sorted(maps.Keys(files)) {
		w, err := z.CreateRaw(&zip.FileHeader{Name: name, CRC32: crc32.ChecksumIEEE(files[name]), CompressedSize64: uint64(len(files[name])),
			UncompressedSize64: uint64(len(files[name]))})
		if err == nil {
			_, err = w.Write(files[name])
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	if err := z.Close(); err != nil {
		t.Fatal(err)
	}
	return out.Bytes()
}

// rec7 is a record whose length counts flag, data and CRC.
func rec7(typ byte, data []byte) []byte {
	r := recordOf(typ, data)
	binary.BigEndian.PutUint64(r[1:], uint64(len(data)+5))
	return r
}

// unsealed takes flag and CRC from a record.
func unsealed(r []byte) []byte {
	r[9] &^= 0x80
	return r[:len(r)-4]
}

// recR2 is a record of type, length and data only.
func recR2(typ byte, data []byte) []byte {
	return append(binary.BigEndian.AppendUint64([]byte{typ}, uint64(len(data))), data...)
}

// zipPlain is an archive with one deflated model whose sizes stand in front of it.
func zipPlain(t testing.TB, nb []byte) []byte {
	z, err := inflate.Deflate(inflate.Raw, 6, nb)
	if err != nil {
		t.Fatal(err)
	}
	var out bytes.Buffer
	w := zip.NewWriter(&out)
	raw, err := w.CreateRaw(&zip.FileHeader{Name: "model", Method: 8, CRC32: crc32.ChecksumIEEE(nb), CompressedSize64: uint64(len(z)),
		UncompressedSize64: uint64(len(nb))})
	if err == nil {
		_, err = raw.Write(z)
	}
	if err == nil {
		err = w.Close()
	}
	if err != nil {
		t.Fatal(err)
	}
	return out.Bytes()
}

// packedOf is a deflated record.
func packedOf(t testing.TB, typ byte, data []byte) []byte {
	z, err := inflate.Deflate(inflate.Zlib, 6, data)
	if err != nil {
		t.Fatal(err)
	}
	r := recordOf(typ, z)
	r[9] |= 1
	return r
}

// nest is graphs inside graphs.
func nest(n int) []byte {
	b := fb(inline())
	for range n {
		g := tableSpec{1: []tableSpec{}, 2: []tableSpec{}, 11: []tableSpec{{0: "body", 1: b}}}
		b = fb(g)
	}
	return b
}

// zipFlag marks the member as encrypted in both headers.
func zipFlag(b []byte) []byte {
	b[6] |= 1
	b[bytes.Index(b, []byte("PK\x01\x02"))+8] |= 1
	return b
}

// TestSameDiffSamples compares the samples with what this code makes, or writes them.
func TestSameDiffSamples(t *testing.T) {
	for dir, files := range map[string]map[string][]byte{"good": good(t), "bad": bad(t)} {
		for name, b := range files {
			file := filepath.Join(samples, dir, name)
			if *suite.Update {
				if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
					t.Fatal(err)
				}
				if err := os.WriteFile(file, b, 0o644); err != nil {
					t.Fatal(err)
				}
			}
			if got, err := os.ReadFile(file); err != nil || !bytes.Equal(got, b) {
				t.Errorf("%s is not what the test makes: %v", file, err)
			}
		}
	}
}

// TestSameDiffRules checks that good samples have no errors, and that bad ones break their rule.
func TestSameDiffRules(t *testing.T) {
	for name := range good(t) {
		d := openSample(t, "good", name)
		if errs := errorsOf(t, d); len(errs) > 0 {
			t.Errorf("%s: %v", name, errs)
		}
	}
	for name := range bad(t) {
		rule := "SDF-" + name[:3]
		d := openSample(t, "bad", name)
		errorsOf(t, d)
		if len(findings(d, rule)) == 0 {
			all, _ := d.Tree.Findings()
			t.Errorf("%s: no %s among %v", name, rule, all)
		}
	}
}

func openSample(t *testing.T, dir, name string) *model.Document {
	t.Helper()
	d, err := model.Open(context.Background(), filepath.Join(samples, dir, name), formats, nil)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(d.Close)
	return d
}

func findings(d *model.Document, rule string) []model.Finding {
	found, _ := d.Tree.Findings()
	return slices.DeleteFunc(found, func(f model.Finding) bool { return f.Rule.ID != rule })
}

// TestSameDiffCorpus opens files in the wild and looks at every byte of them: sound ones have no errors.
func TestSameDiffCorpus(t *testing.T) {
	files, err := filepath.Glob(filepath.Join(suite.Corpus(t, "samediff"), "*.*"))
	if err != nil || len(files) == 0 {
		t.Fatal("no files", err)
	}
	for _, file := range files {
		b, err := os.ReadFile(file)
		if err != nil {
			continue
		}
		name := filepath.Base(file)
		d, err := model.OpenBytes(context.Background(), name, b, formats, Format)
		if err != nil {
			t.Fatal(err)
		}
		errs := errorsOf(t, d)
		for _, e := range errs {
			if strings.HasPrefix(e, "model.") && !strings.HasPrefix(name, "bad-") {
				t.Errorf("%s: %s", name, e)
			}
		}
	}
}
