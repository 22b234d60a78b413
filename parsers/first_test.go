package parsers

import (
	"archive/tar"
	"archive/zip"
	"bytes"
	"context"
	"encoding/binary"
	"fmt"
	"maps"
	"math/rand/v2"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"spandrel/model"
	"spandrel/model/cause"
)

// The first sentence of a damaged file says what happened to it, and nothing that did not.
func TestFirstSentence(t *testing.T) {
	put := func(at int, with string) func([]byte) []byte {
		return func(b []byte) []byte { copy(b[at:], with); return b }
	}
	lost := func(at, n int) func([]byte) []byte {
		return func(b []byte) []byte { return append(b[:at], b[at+n:]...) }
	}
	exchanged := func(n, i, j int) func([]byte) []byte { // two parts of a transfer
		return func(b []byte) []byte {
			parts := slices.Collect(slices.Chunk(b, n))
			parts[i], parts[j] = parts[j], parts[i]
			return bytes.Join(parts, nil)
		}
	}
	byName := func(n, from int) func([]byte) []byte { // cat part*
		return func(b []byte) (out []byte) {
			named := map[string][]byte{}
			for part := range slices.Chunk(b, n) {
				named[fmt.Sprint(len(named)+from)] = part
			}
			for _, name := range slices.Sorted(maps.Keys(named)) {
				out = append(out, named[name]...)
			}
			return out
		}
	}
	for _, x := range []struct {
		path   string
		damage func([]byte) []byte
		want   string // "" for no cause at all
	}{
		{"samediff/good/blobs.sdnb", exchanged(600, 0, 1), "The file does not begin like a file of this format."}, // nothing is missing or overwritten
		{"samediff/good/blobs.sdnb", func(b []byte) []byte { // a byte in 350: its manifest is there
			return bytes.Join(slices.Collect(func(yield func([]byte) bool) {
				for c := range slices.Chunk(b, 350) {
					yield(c[:min(349, len(c))])
				}
			}), nil)
		}, "3 bytes are missing inside the file"},
		{"npy/good/matrix.npy", func([]byte) []byte { // twice, and the second time it did not end either
			values := make([]byte, 1024)
			for i := range values {
				values[i] = byte(i * i >> 3)
			}
			b := fmt.Appendf(nil, "\x93NUMPY\x01\x00v\x00%-117s\n%s", "{'descr': '|u1', 'fortran_order': False, 'shape': (64, 16), }", values)
			return append(bytes.Clone(b[:704]), b[:len(b)-64]...)
		}, "The file begins again at byte 704."},
		{"idv/good/stored.idv", func(b []byte) []byte { clear(b[:256]); return b }, "The save was not finished: the header"},
		{"idv/good/stored.idv", func(b []byte) []byte { // and a column was renamed in place
			return append([]byte("\xef\xbb\xbf"), slices.Insert(b, len(b)-60, []byte("Annual")...)...)
		}, "3 bytes precede the file: a byte order mark (BOM)."},
		{"npy/good/stored.npz", func([]byte) []byte { // a sector of the second copy was lost since
			b := large()
			return append(bytes.Clone(b[:99000]), append(append(bytes.Clone(b[:50176]), make([]byte, 512)...), b[50688:]...)...)
		}, "The file begins again at byte 99,000, and the two copies of its beginning differ in 5"},
		{"tar/good/ustar.tar", func([]byte) []byte { // whose members begin alike, and are no copies
			var b bytes.Buffer
			w := tar.NewWriter(&b)
			for i := range 6 {
				w.WriteHeader(&tar.Header{Name: fmt.Sprintf("training_sample_%06d.cls", i), Mode: 0o644, Size: 6000, Format: tar.FormatUSTAR})
				w.Write(bytes.Repeat([]byte{byte('0' + i)}, 6000))
			}
			w.Close()
			b.Bytes()[6656+130] ^= 2 // in the size of the second
			return b.Bytes()
		}, "The size in the header of training_sample_000001.cls is damaged"},
		{"idv/good/stored.idv", exchanged(1024, 1, 2), "Two pieces of the file are swapped: 1,024 bytes at 0x400 and 1,024 bytes at 0x800"},
		{"npy/good/stored.npz", exchanged(64, 6, 7), "Two pieces of the file are swapped"}, // its end record is in front of its end
		{"gguf/good/types.gguf", func([]byte) []byte { return exchanged(8192, 2, 3)(vocabulary()) }, "Two pieces of the file are swapped: 8,192 bytes at 0x4000"},
		{"tar/good/ustar.tar", func([]byte) []byte { return exchanged(512, 9, 40)(archived()) }, "Two pieces of the file are swapped: 512 bytes at 0x1200 and 512 bytes at 0x5000."},
		{"tar/good/ustar.tar", func([]byte) []byte { return byName(2000, 0)(archived()) }, "The file was joined from 24 parts of 2,000 bytes in the order"},
		{"npy/good/stored.npz", func([]byte) []byte { return byName(10<<10, 1)(large()) }, "The file was joined from 20 parts of 10,240 bytes in the order"},
		{"npy/good/stored.npz", func([]byte) []byte { // with the headers of ten members in it
			var b bytes.Buffer
			w := zip.NewWriter(&b)
			for i := range 30 {
				m, _ := w.CreateHeader(&zip.FileHeader{Name: fmt.Sprintf("layer%d.npy", i), Method: zip.Deflate})
				fmt.Fprintf(m, "\x93NUMPY\x01\x00v\x00%-117s\n%064d", "{'descr': '|u1', 'fortran_order': False, 'shape': (64,), }", i*i*7919)
			}
			w.Close()
			n := b.Len() / 2
			return append(bytes.Clone(b.Bytes()[:n]), b.Bytes()[n-2000:]...)
		}, "2,000 bytes at 0x"},
		{"gguf/good/types.gguf", func([]byte) []byte { return make([]byte, 500) }, "The file is all zeros, 500 bytes."},
		{"safetensors/good/model.safetensors", func([]byte) []byte { // all bytes that are no text are left out of it
			text := `{"a":{"dtype":"U8","shape":[9000],"data_offsets":[0,9000]}}     `
			return append(binary.LittleEndian.AppendUint64(nil, uint64(len(text))), text+strings.Repeat("text ", 1000)...)
		}, "The file is incomplete: 4,000 of 9,0"},
		{"scdl/good/ragged/header.sch", func(b []byte) []byte { clear(b[180:]); return b }, "The last 311 bytes of the file are zero"},
		{"idv/good/no-rows.idv", lost(432, 3), "3 bytes are missing inside the file"},
		{"idv/good/model.zip", lost(1142, 4), "4 bytes are missing inside the file"},
		{"idv/good/model.zip", put(1268, "\x27"), ""}, // the packed bytes are damaged, and not the length of them
		{"idv/good/prefixed.idv", func(b []byte) []byte { return b[:726] }, "The file is truncated: 2,753 of 3,479 bytes"},
		{"idv/good/legacy.idv", put(29, "\xff\xff\xff\xff\xff\xff\xff\xff"), "The column directory starts inside the header"},
		{"gguf/good/blocks.gguf", put(429, "\xff\xff\xff\xff"), "header/tensors[7]/n_dims is 65535"},
		{"gguf/good/aligned.gguf", func(b []byte) []byte { clear(b[13:]); return b }, "The last 439 bytes of the file are zero"},
		{"gguf/good/types.gguf", func(b []byte) []byte { clear(b[536:1048]); return b }, "Up to "},
		{"samediff/good/blobs.sdnb", put(14, "\x0b"), "manifestOffset is"}, // a bit, and no bytes are missing before the manifest
		{"gguf/good/types.gguf", put(8, "\x0c"), "header/tensor_count is 12, should be 13"},
		{"idv/good/deflated.idv", func(b []byte) []byte { return append(bytes.Clone(b[1989:]), b[:1989]...) }, "The file begins in its middle"},
		{"wds/good/old.idx", func(b []byte) []byte { return b[:15] }, "The file is truncated"},
		{"samediff/good/packed.sdc", lost(86, 1), "1 byte is missing inside the file"},
		{"samediff/good/plain.sdc", put(44, "\x03\xc3\x00\x00"), "records[0]/data/table/section_count is 49923"},
		{"samediff/good/list.sdc", func(b []byte) []byte { clear(b[308:820]); return b }, "Up to 514 bytes at 0x133 are zero"},
		{"samediff/good/deflated.sdz", func(b []byte) []byte { clear(b[481:]); return b }, "The last 3"},
		{"tar/good/ustar.tar", put(2745, "\x01"), ""}, // an archive ends with zeros
		{"npy/good/arrays.npz", func(b []byte) []byte { clear(b[:8]); return b }, "The first 8 bytes of the file are zero"},
		{"tar/good/ustar.tar", func(b []byte) []byte { return b[:1900] }, "The file is truncated: at least 1,172 bytes are missing; it ends inside a header"},
		{"tar/good/ustar.tar", lost(700, 5), "At least 5 bytes are missing inside the file; the members after them begin too early"},
		{"tar/good/ustar.tar", func(b []byte) []byte {
			return slices.Insert(b, 700, []byte("40 bytes that someone put into a payload")...)
		}, "40 bytes do not belong to the file"},
		{"tar/good/ustar.tar", func(b []byte) []byte { // a size too large in a header whose checksum is right
			copy(b[124:], "00000077777\x00")
			copy(b[148:], "        ")
			sum := 0
			for _, x := range b[:512] {
				sum += int(x)
			}
			copy(b[148:], fmt.Sprintf("%06o\x00 ", sum))
			return b
		}, ""},
		{"npy/good/matrix.npy", func(b []byte) []byte { // its first byte became a character, and others were lost
			return append([]byte{0xc2, b[0]}, slices.DeleteFunc(b[1:], func(x byte) bool { return x > 0x7f })...)
		}, "The file was saved as text"},
		{"npy/good/stored.npz", func([]byte) []byte { // its end record is far from its end
			b := large()
			return append(bytes.Clone(b[len(b)/2:]), b[:len(b)/2]...)
		}, "The file begins in its middle"},
		{"npy/good/stored.npz", lost(0, 60), "The first 60 bytes of the file are missing"},
		{"npy/good/stored.npz", lost(0, 1), "The first byte of the file is missing"},
		{"taridx/good/interleaved/train.taridx", func(b []byte) []byte { clear(b[:16]); return b }, "The first 16 bytes of the file are zero"},
		{"gguf/good/blocks.gguf", lost(2993, 16), "At least 2 bytes are missing inside the file, before 0xbf2"},
	} {
		sample, file := x.path, ""
		if path.Base(sample) == "header.sch" {
			sample, file = path.Split(sample)
		}
		g := causesOf(t, sample, file, x.damage)
		said := ""
		if len(g.Causes) > 0 {
			said = g.Causes[0].Text
		}
		if !strings.HasPrefix(said, x.want) || x.want == "" && said != "" {
			t.Errorf("%s, %s: %q", x.path, x.want, said)
		}
	}
}

// large is an NPZ archive of 200,000 bytes.
func large() []byte {
	var b bytes.Buffer
	z := zip.NewWriter(&b)
	w, _ := z.CreateHeader(&zip.FileHeader{Name: "a.npy"})
	fmt.Fprintf(w, "\x93NUMPY\x01\x00v\x00%-117s\n", "{'descr': '|u1', 'fortran_order': False, 'shape': (200000,), }")
	noise := rand.New(rand.NewPCG(1, 2))
	for range 200000 {
		w.Write([]byte{byte(noise.Uint32())})
	}
	z.Close()
	return b.Bytes()
}

// vocabulary is a model of 24 parts of 8 KiB, with 14,000 words.
func vocabulary() []byte {
	text := func(b []byte, s string) []byte {
		return append(binary.LittleEndian.AppendUint64(b, uint64(len(s))), s...)
	}
	b := append([]byte("GGUF\x03\x00\x00\x00"), make([]byte, 8)...)
	b = text(append(b, 2, 0, 0, 0, 0, 0, 0, 0), "general.architecture")
	b = text(append(b, 8, 0, 0, 0), "llama")
	b = append(text(b, "tokenizer.ggml.tokens"), 9, 0, 0, 0, 8, 0, 0, 0)
	b = binary.LittleEndian.AppendUint64(b, 14000)
	for i := range 14000 {
		b = text(b, fmt.Sprint("w", i*i%9973))
	}
	return b
}

// archived is an archive of 30 files of two sectors.
func archived() []byte {
	var b bytes.Buffer
	w := tar.NewWriter(&b)
	noise := rand.New(rand.NewPCG(3, 4))
	for i := range 30 {
		w.WriteHeader(&tar.Header{Name: fmt.Sprintf("%03d.bin", i), Mode: 0o644, Size: 1000})
		for range 1000 {
			w.Write([]byte{byte(noise.Uint32())})
		}
	}
	w.Close()
	return b.Bytes()
}

// causesOf finds the causes of a sample, or of a folder of which one file is damaged.
func causesOf(t *testing.T, sample, file string, damage func([]byte) []byte) *cause.Diagnosis {
	t.Helper()
	path := filepath.Join(t.TempDir(), filepath.Base(sample))
	if file != "" {
		if err := os.CopyFS(path, os.DirFS(filepath.Join("..", "testdata", sample))); err != nil {
			t.Fatal(err)
		}
	}
	b, err := os.ReadFile(filepath.Join("..", "testdata", sample, file))
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(path, file), damage(b), 0o600); err != nil {
		t.Fatal(err)
	}
	return causesAt(t, path)
}

// causesAt finds the causes of a file or a folder.
func causesAt(t *testing.T, path string) *cause.Diagnosis {
	t.Helper()
	d, err := model.Open(context.Background(), path, All(), nil)
	if err != nil {
		t.Fatal(err)
	}
	defer d.Close()
	g, err := cause.Find(context.Background(), d, cause.Options{Formats: All(), Tree: d.Tree})
	if err != nil {
		t.Fatal(err)
	}
	return g
}

// What makes a file sound again is not proven where as much may have been lost in it.
func TestNotProven(t *testing.T) {
	rnd, noise := rand.New(rand.NewPCG(1, 2)), make([]byte, 302)
	for i := range noise {
		noise[i] = byte(rnd.Uint32())
	}
	for _, x := range []struct {
		sample, file string
		damage       func([]byte) []byte
	}{
		{"safetensors/good/small-floats.safetensors", "", func(b []byte) []byte { return append(b[:370], b[386:]...) }},  // a length that fits what is left
		{"scdl/good/neighbors", "var_features/labels.json", func(b []byte) []byte { return append(b[:4], `h"]d5a`...) }}, // a text that ends early
		{"scdl/good/archive", "data.npy", func([]byte) []byte { return noise }},                                          // a few values that were encrypted
		{"scdl/good/archive", "row_ptr.npy", func(b []byte) []byte { return append(b[:3], b[4:]...) }},                   // the columns of few rows ascend, perhaps by chance
		{"idv/bad/064-bool.idv", "", func(b []byte) []byte { return b }},                                                 // 11 in place of true or missing
		{"idv/good/legacy.idv", "", func(b []byte) []byte { b[256] ^= 2; return b }},                                     // a compressed block that is read as it is, if the column is not compressed
		{"tar/good/ustar.tar", "", func(b []byte) []byte { copy(b[1024:], b[:1024]); return b }},                         // a member in place of the next
		{"tar/good/pax.tar", "", func(b []byte) []byte { clear(b[512:2048]); return b }},                                 // a hole over a header, which looks like an end before other members
		{"npy/good/matrix.npy", "", func([]byte) []byte { // a digit of the shape is lost, and the file is filled up with zeros
			b := fmt.Appendf(nil, "\x93NUMPY\x01\x00v\x00%-117s\n%s", "{'descr': '|u1', 'fortran_order': False, 'shape': (3\x00, 8), }", strings.Repeat("12345678", 30))
			return append(b, make([]byte, -len(b)&127)...)
		}},
		{"safetensors/good/model.safetensors", "", func([]byte) []byte { // a row that is there twice, and as many bytes after the end
			head := `{"a":{"dtype":"F32","shape":[4,3],"data_offsets":[0,48]}}       `
			return append(binary.LittleEndian.AppendUint64(nil, uint64(len(head))), head+"one row here"+"one row here"+"another one."+"and the last"+"<html></html"...)
		}},
		{"gguf/good/blocks.gguf", "", func(b []byte) []byte { // saved as text, and the rest of it never arrived in the space that was reserved for it
			var text []byte
			for _, x := range b {
				text = utf8.AppendRune(text, rune(x))
			}
			clear(text[3200:])
			return text
		}},
	} {
		g := causesOf(t, x.sample, x.file, x.damage)
		if len(g.Causes) == 0 || g.Causes[0].Grade == cause.Proven {
			t.Errorf("%s: %+v", x.sample, g.Causes)
		}
	}
}

// TestOutdatedIndex: a shard that is newer than its index is not said to be wiped where a member consists of zeros, and the index not to be overwritten.
func TestOutdatedIndex(t *testing.T) {
	if text := outdated(t, 1024); strings.Contains(text, "zero") {
		t.Error(text)
	}
	if text := outdated(t, 600); text != "x_0.tar was changed after the index was made." {
		t.Error(text)
	}
}

// outdated is what is said of an index whose shard has its two members in the other order, and the first with another size.
func outdated(t *testing.T, size int64) string {
	dir := t.TempDir()
	var shard bytes.Buffer
	w := tar.NewWriter(&shard)
	for _, ext := range []string{"txt", "jpg"} {
		w.WriteHeader(&tar.Header{Name: "a." + ext, Size: size, Mode: 0o644, Format: tar.FormatUSTAR})
		w.Write(make([]byte, size))
		size = 1024
	}
	w.Close()
	index := append([]byte("TARIDX\x00\x00\x01\x00\x00\x00\x20\x00\x40\x00\x01"), make([]byte, 47)...)
	index[24], index[32], index[40], index[48], index[56] = 2, 2, 71, 71, 1
	index = append(index, "jpg\ntxt"...)
	for i := range 2 {
		row := binary.LittleEndian.AppendUint64([]byte{0, 0}, uint64(i)*1536)
		row = binary.LittleEndian.AppendUint64(row, 1024)
		row = append(row, byte(i), 0, 0, 0, 0, 0)
		index = append(index, binary.LittleEndian.AppendUint64(row, 0xd24ec4f1a98c6e5b)...) // the hash of a
	}
	path, shards := filepath.Join(dir, "x.taridx"), filepath.Join(dir, "x_0.tar")
	for name, b := range map[string][]byte{path: index, shards: shard.Bytes()} {
		if err := os.WriteFile(name, b, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	long := time.Now().Add(-time.Hour)
	if err := os.Chtimes(path, long, long); err != nil {
		t.Fatal(err)
	}
	d, err := model.Open(t.Context(), path, All(), nil)
	if err != nil {
		t.Fatal(err)
	}
	defer d.Close()
	g, err := cause.Find(t.Context(), d, cause.Options{Formats: All(), Tree: d.Tree})
	if err != nil || len(g.Causes) == 0 {
		t.Fatalf("%v, %+v", err, g)
	}
	return g.Causes[0].Text
}

// TestSoundFramesCount: in a fragment that is sound after a repair nothing is opened, and what is read in it is not lost.
func TestSoundFramesCount(t *testing.T) {
	const metadata = "__fragments/__1700000000000_1700000000000_4a8d4d6137a3435c3081b5f8a55ede42_22/__fragment_metadata.tdb"
	for _, x := range []struct {
		at   int
		text string
	}{
		{983, "encryption_type is AES_256_GCM (1), should be NO_ENCRYPTION (0)."}, // of the list of the offsets of texts
		{984, "filter_pipeline_size is 19, should be 18."},
	} {
		g := causesOf(t, "tiledb/good/sparse-v22", metadata, func(b []byte) []byte { b[x.at] ^= 1; return b })
		if len(g.Causes) != 1 || g.Causes[0].Grade != cause.Proven || !strings.HasSuffix(g.Causes[0].Text, x.text) {
			t.Errorf("%+v", g.Causes)
		}
	}
}
