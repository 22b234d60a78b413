package taridx

import (
	"archive/tar"
	"bytes"
	"encoding/binary"
	"fmt"
	"math/bits"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"unicode"

	"github.com/cespare/xxhash/v2"

	"spandrel/parsers/internal/suite"
)

// The samples of TARIDX are made here: shards by archive/tar, indexes by a writer of the sheet's sections 2 to 6 that shares
// nothing with the parser.

// file is a member of a shard.
type file struct {
	name   string
	size   int
	typ    byte
	format tar.Format
	pax    map[string]string
}

func tarBytes(t testing.TB, files ...file) []byte {
	t.Helper()
	var b bytes.Buffer
	w := tar.NewWriter(&b)
	for _, f := range files {
		h := &tar.Header{Name: f.name, Size: int64(f.size), Mode: 0o644, Typeflag: f.typ, Format: f.format, PAXRecords: f.pax}
		if f.typ == tar.TypeDir || f.typ == tar.TypeSymlink {
			h.Size, h.Linkname = 0, "x"
		}
		if err := w.WriteHeader(h); err != nil {
			t.Fatal(err)
		}
		w.Write(bytes.Repeat([]byte{'p'}, int(h.Size)))
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

// writer makes an index as the reference indexer does: it scans 512-byte headers and keeps every one.
type writer struct {
	exts, crashes []string
	rows          [][6]uint64 // in the order of the row's fields
	first         map[uint64]string
}

func (w *writer) shard(fid int, b []byte) {
	if w.first == nil {
		w.first = map[uint64]string{}
	}
	for at := 0; at+512 <= len(b) && !bytes.Equal(b[at:at+512], make([]byte, 512)); {
		name := string(bytes.SplitN(b[at:at+100], []byte{0}, 2)[0])
		var size int
		fmt.Sscanf(strings.Trim(string(b[at+124:at+135]), " \x00"), "%o", &size)
		base := name[strings.LastIndex(name, "/")+1:]
		stem, ext, _ := strings.Cut(base, ".")
		w.add(fid, at, size, stem, strings.ToLower(ext))
		at += 512 + (size+511)/512*512
	}
}

func (w *writer) add(fid, at, size int, stem, ext string) {
	id := len(w.exts)
	for i, e := range w.exts {
		if e == ext {
			id = i
		}
	}
	if id == len(w.exts) {
		w.exts = append(w.exts, ext)
	}
	hash, crash := xxhash.Sum64String(stem), 0
	if old, ok := w.first[hash]; !ok {
		w.first[hash] = stem
	} else if old != stem {
		for i, c := range w.crashes {
			if c == stem {
				crash = i + 1
			}
		}
		if crash == 0 {
			w.crashes = append(w.crashes, stem)
			crash = len(w.crashes)
		}
	}
	w.rows = append(w.rows, [6]uint64{uint64(fid), uint64(at), uint64(size), uint64(id), uint64(crash), hash})
}

func (w *writer) bytes() []byte {
	le := binary.LittleEndian
	text, stems := strings.Join(w.exts, "\n"), strings.Join(w.crashes, "\n")
	keys, runs := map[[2]uint64]bool{}, 0
	for i, r := range w.rows {
		keys[[2]uint64{r[5], r[4]}] = true
		if i == 0 || r[5] != w.rows[i-1][5] || r[4] != w.rows[i-1][4] {
			runs++
		}
	}
	b := append([]byte("TARIDX\x00\x00"), 1, 0, 0, 0, 32, 0, 64, 0)
	b = le.AppendUint64(b, uint64(len(keys)))
	b = le.AppendUint64(b, uint64(len(w.rows)))
	b = le.AppendUint32(b, uint32(len(w.exts)))
	b = le.AppendUint32(b, uint32(len(w.crashes)))
	b = le.AppendUint64(b, uint64(64+len(text)))
	b = le.AppendUint64(b, uint64(64+len(text)+len(stems)))
	flag := byte(0)
	if runs == len(keys) || len(w.rows) < 2 {
		flag = 1
	}
	b = append(append(b, flag), make([]byte, 7)...)
	b = append(append(b, text...), stems...)
	for _, r := range w.rows {
		b = le.AppendUint64(le.AppendUint64(le.AppendUint16(b, uint16(r[0])), r[1]), r[2])
		b = le.AppendUint64(le.AppendUint32(le.AppendUint16(b, uint16(r[3])), uint32(r[4])), r[5])
	}
	return b
}

// accepts is the reference reader (sections 2, 10): what an index needs to be loaded, and what the dataset class needs.
func accepts(b []byte) error {
	le := binary.LittleEndian
	if len(b) < 64 || strings.TrimRight(string(b[:8]), "\x00") != "TARIDX" {
		return fmt.Errorf("magic")
	}
	offC, offA := le.Uint64(b[40:]), le.Uint64(b[48:])
	if offC < 64 || offC > offA || offA > uint64(len(b)) || (uint64(len(b))-offA)%32 != 0 {
		return fmt.Errorf("offsets %d, %d", offC, offA)
	}
	if n := len(strings.Fields(string(b[64:offC]))); n != int(le.Uint32(b[32:])) {
		return fmt.Errorf("%d extensions, %d declared", n, le.Uint32(b[32:]))
	}
	if n := len(strings.Fields(string(b[offC:offA]))); n != int(le.Uint32(b[36:])) {
		return fmt.Errorf("%d stems, %d declared", n, le.Uint32(b[36:]))
	}
	n := (uint64(len(b)) - offA) / 32
	if n != le.Uint64(b[24:]) {
		return fmt.Errorf("%d rows, %d declared", n, le.Uint64(b[24:]))
	}
	keys, runs, last := map[string]map[uint16]bool{}, 0, ""
	for i := range n {
		r := b[offA+32*i:]
		key, ext := string(r[20:32]), le.Uint16(r[18:])
		if int(ext) >= int(le.Uint32(b[32:])) {
			return fmt.Errorf("row %d has extension %d", i, ext)
		}
		if keys[key] == nil {
			keys[key] = map[uint16]bool{}
		}
		if keys[key][ext] {
			return fmt.Errorf("row %d repeats an extension of its sample", i)
		}
		keys[key][ext] = true
		if key != last {
			runs++
		}
		last = key
	}
	if grouped := runs == len(keys); b[56]&1 == 1 && !grouped || uint64(len(keys)) != le.Uint64(b[16:]) {
		return fmt.Errorf("flag %d with %d runs of %d samples, %d declared", b[56], runs, len(keys), le.Uint64(b[16:]))
	}
	return nil
}

// indexDoc is the files of a document.
type indexDoc map[string][]byte

// indexed makes shards and their index.
func indexed(t testing.TB, shards ...[]byte) indexDoc {
	d, w := indexDoc{}, &writer{}
	for i, b := range shards {
		d[fmt.Sprintf("train_%04d.tar", i)] = b
		w.shard(i, b)
	}
	d["train.taridx"] = w.bytes()
	return d
}

func pairs(from, to int) (files []file) {
	for i := from; i < to; i++ {
		files = append(files, file{name: fmt.Sprintf("s%04d.jpg", i), size: 600 + i}, file{name: fmt.Sprintf("s%04d.cls", i), size: 1})
	}
	return files
}

func goodSamples(t testing.TB) map[string]indexDoc {
	interleaved := indexed(t, tarBytes(t, file{name: "a.jpg", size: 5}, file{name: "b.jpg", size: 5}, file{name: "a.cls", size: 1},
		file{name: "b.cls", size: 1}))
	two := indexed(t, tarBytes(t, pairs(0, 2)...))
	two["val_0000.tar"] = tarBytes(t, pairs(5, 6)...)
	w := &writer{}
	w.shard(0, two["val_0000.tar"])
	two["val.taridx"] = w.bytes()
	return map[string]indexDoc{
		"one-shard":    indexed(t, tarBytes(t, pairs(0, 3)...)),
		"three-shards": indexed(t, tarBytes(t, pairs(0, 2)...), tarBytes(t, pairs(2, 4)...), tarBytes(t, pairs(4, 5)...)),
		"two-folds":    two,
		"interleaved":  interleaved,
		"multi-part":   indexed(t, tarBytes(t, file{name: "dir/x.tar.txt", size: 700}, file{name: "dir/x.json", size: 2})),
		"gnu":          indexed(t, tarBytes(t, file{name: "g.txt", size: 512, format: tar.FormatGNU})),
		"empty":        indexed(t, tarBytes(t)),
		"collisions":   indexed(t, tarBytes(t, colliding()...)),
	}
}

// colliding is two samples whose stems have the same XXH64. Stems of 64 bytes are two stripes of four lanes: what another
// first lane changes, the fifth takes back, for one in some ten thousand a text of letters and digits.
func colliding() (files []file) {
	const p1, p2 = 0x9E3779B185EBCA87, 0xC2B2AE3D27D4EB4F
	inverse := uint64(1) // of p2, by Newton
	for range 6 {
		inverse *= 2 - p2*inverse
	}
	first := uint64(p1)
	first += p2
	lane := func(v uint64) uint64 { return bits.RotateLeft64(first+v*p2, 31) * p1 }
	a := []byte(strings.Repeat("collision0000000", 4))
	b, le := bytes.Clone(a), binary.LittleEndian
	for n := 0; ; n++ {
		copy(b, fmt.Sprintf("%08d", n))
		le.PutUint64(b[32:], le.Uint64(a[32:])+(lane(le.Uint64(a))-lane(le.Uint64(b)))*inverse)
		if !bytes.ContainsFunc(b[32:40], func(r rune) bool { return r >= 0x7f || !unicode.IsLetter(r) && !unicode.IsDigit(r) }) {
			break
		}
	}
	for _, stem := range []string{string(a), string(b)} {
		files = append(files, file{name: stem + ".jpg", size: 3}, file{name: stem + ".cls", size: 1})
	}
	return files
}

// shift inserts text in front of the rows and moves both offsets.
func shift(b []byte, at int, text string) []byte {
	le := binary.LittleEndian
	out := append(append(bytes.Clone(b[:at]), text...), b[at:]...)
	le.PutUint64(out[40:], le.Uint64(b[40:])+uint64(len(text)))
	le.PutUint64(out[48:], le.Uint64(b[48:])+uint64(len(text)))
	return out
}

// TestTaridxSamples writes the samples with -update, and otherwise checks that they are what this code makes.
func TestTaridxSamples(t *testing.T) {
	for kind, docs := range map[string]map[string]indexDoc{"good": goodSamples(t), "bad": badSamples(t)} {
		for name, files := range docs {
			dir := filepath.Join("..", "..", "testdata", "taridx", kind, name)
			if *suite.Update {
				os.MkdirAll(dir, 0o755)
			}
			for file, b := range files {
				path := filepath.Join(dir, file)
				if *suite.Update {
					if err := os.WriteFile(path, b, 0o644); err != nil {
						t.Fatal(err)
					}
				}
				if have, err := os.ReadFile(path); err != nil || !bytes.Equal(have, b) {
					t.Errorf("%s is not what the test makes: %v", path, err)
				}
			}
			if kind == "good" {
				if err := accepts(files["train.taridx"]); err != nil {
					t.Errorf("%s: the reference reader would refuse it: %v", name, err)
				}
			}
		}
	}
}
