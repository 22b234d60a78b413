package parsers

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"maps"
	"math"
	"math/rand/v2"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"spandrel/model"
	"spandrel/model/cause"
	"spandrel/parsers/internal/tarfile"
)

// several is damage in more than one place, by one event or by two.
type several struct {
	name, sample string // a file or a folder below testdata; "" for one that is made
	main         string // of the folder
	damage       func(r *rand.Rand, files map[string][]byte)
	says         []string // what the causes say, regular expressions
	back         bool     // one of the repairs restores all of it
	proven       bool
}

var severals = []several{
	{name: "a download that was not finished", sample: "taridx/good/three-shards", main: "train.taridx", says: []string{"The download of train_0000.tar was not finished: 2,048 bytes at 0x800 were never written"},
		damage: func(_ *rand.Rand, files map[string][]byte) {
			clear(files["train_0000.tar"][2048:4096])
			files["train_0000.tar.aria2"] = []byte("\x00\x01\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x08\x00\x00\x00\x00\x00\x00\x00\x18\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x01\xa0\x00\x00\x00\x00")
		}},
	{name: "bytes inserted into one section, and a wrong bit in another", main: "plain.sdc", says: []string{"3 bytes do not belong to the file at 0x"}, proven: true,
		sample: "samediff/good/plain.sdc", damage: func(_ *rand.Rand, files map[string][]byte) {
			b := files["plain.sdc"]
			b[len(b)-100] ^= 8
			files["plain.sdc"] = slices.Insert(b, bytes.Index(b, []byte("tiny"))+4, '-', 'v', '2')
		}},
	{name: "a write that was interrupted, and a wrong bit elsewhere", sample: "tiledb/good/dense-v22", says: []string{"^One bit at 0x7d is wrong"}, back: true,
		damage: func(_ *rand.Rand, files map[string][]byte) {
			for name, b := range maps.Clone(files) {
				if path.Base(name) == "a2.tdb" {
					files["__fragments/__1900000000000_1900000000000_0123456789abcdef0123456789abcdef_22/a2.tdb"] = bytes.Clone(b[:len(b)-20])
					b[0x7d] ^= 0x10
				}
			}
		}},
	{name: "text saved with a byte order mark, and columns that count on", sample: "scdl/good/archive", says: []string{"byte order mark", "From row 2 on, the columns are larger by the number of genes, 5"},
		damage: func(_ *rand.Rand, files map[string][]byte) {
			files["metadata.json"] = append([]byte("\xef\xbb\xbf"), files["metadata.json"]...)
			for i := range files["col_ptr.npy"][2:] {
				files["col_ptr.npy"][2+i] += 5
			}
		}},
	{name: "offsets from the payloads", sample: "taridx/good/three-shards", main: "train.taridx", says: []string{"does not point to a member"}, back: true, proven: true,
		damage: func(_ *rand.Rand, files map[string][]byte) { shiftRows(files["train.taridx"], 1, 512) }},
	{name: "offsets in another unit", sample: "taridx/good/three-shards", main: "train.taridx", says: []string{"of the 4 rows of train_0001.tar"}, back: true,
		damage: func(r *rand.Rand, files map[string][]byte) {
			shiftRows(files["train.taridx"], 1, 1024*(1+r.Uint64N(9)))
		}},
	{name: "offsets in blocks", sample: "taridx/good/three-shards", main: "train.taridx", says: []string{"count units of 512 bytes, not bytes"}, back: true, proven: true,
		damage: func(_ *rand.Rand, files map[string][]byte) {
			b := files["train.taridx"]
			for at := int(binary.LittleEndian.Uint64(b[48:])) + 2; at+8 <= len(b); at += 32 {
				binary.LittleEndian.PutUint64(b[at:], binary.LittleEndian.Uint64(b[at:])/512)
			}
		}},
	{name: "offsets from the payloads, and a count", sample: "taridx/good/three-shards", main: "train.taridx", says: []string{"does not point to a member"},
		damage: func(_ *rand.Rand, files map[string][]byte) {
			shiftRows(files["train.taridx"], 1, 512)
			files["train.taridx"][16] ^= 1
		}},
	{name: "an empty file that others give, beside a short one", sample: "scdl/good/archive", says: []string{"metadata.json is empty.*rebuilt from the other files", "col_ptr.npy"},
		damage: func(_ *rand.Rand, files map[string][]byte) {
			files["metadata.json"], files["col_ptr.npy"] = nil, files["col_ptr.npy"][:len(files["col_ptr.npy"])/2]
		}},
	{name: "an empty file that others give", sample: "scdl/good/archive", says: []string{"metadata.json is empty.*rebuilt from the other files"}, back: true, proven: true,
		damage: func(_ *rand.Rand, files map[string][]byte) { files["metadata.json"] = nil }},
	{name: "sizes in decimal", main: "a.tar", says: []string{"decimal instead of octal"}, back: true,
		damage: func(_ *rand.Rand, files map[string][]byte) { decimalSizes(files["a.tar"]) }},
	{name: "an archive written again after its index", sample: "wds/good/wids", says: []string{"describes another archive"},
		damage: func(r *rand.Rand, files map[string][]byte) {
			files["train-0.tar"] = tarOf(&patient{Rand: r}, 4+r.IntN(9))
		}},
	{name: "a hole in values, and a type", main: "a.safetensors", says: []string{"4,096 bytes at 0x1000 are zero", "1 character is wrong in the header"},
		damage: func(_ *rand.Rand, files map[string][]byte) {
			clear(files["a.safetensors"][4096:8192])
			replaceIn(files["a.safetensors"], `"F32","shape":[32`, `"F36","shape":[32`)
		}},
	{name: "a piece that is repeated, which every reader accepts", sample: "gguf/good/blocks.gguf", says: []string{"512 bytes at 0x7e2 are repeated"}, back: true, proven: true,
		damage: func(_ *rand.Rand, files map[string][]byte) {
			b := files["blocks.gguf"]
			files["blocks.gguf"] = slices.Insert(bytes.Clone(b), 0xa00, b[0x800:0xa00]...)
		}},
	{name: "a piece that is repeated, and a shape", main: "a.safetensors", says: []string{"4,096 bytes at 0x2000 are repeated"},
		damage: func(_ *rand.Rand, files map[string][]byte) {
			b := files["a.safetensors"]
			replaceIn(b, `"shape":[32`, `"shape":[36`)
			files["a.safetensors"] = slices.Insert(bytes.Clone(b), 0x3000, b[0x2000:0x3000]...)
		}},
	{name: "line feeds that became CR LF, and a shape", main: "a.safetensors", says: []string{"line feeds became CR LF"}, proven: true,
		damage: func(_ *rand.Rand, files map[string][]byte) {
			replaceIn(files["a.safetensors"], `"shape":[32`, `"shape":[36`)
			files["a.safetensors"] = bytes.ReplaceAll(files["a.safetensors"], []byte("\n"), []byte("\r\n"))
		}},
	{name: "a type, a place, and the length of the header", main: "a.safetensors", says: []string{"header_size is", "begin is 16364", "1 character is wrong|dtype is"}, back: true,
		damage: func(_ *rand.Rand, files map[string][]byte) {
			files["a.safetensors"][2] ^= 0x10
			replaceIn(files["a.safetensors"], `"F32","shape":[32`, `"F36","shape":[32`)
			replaceIn(files["a.safetensors"], "[16384,", "[16364,")
		}},
	{name: "place and length of the directory", sample: "idv/good/stored.idv", says: []string{"wrong place for the column directory, and a wrong number of columns"}, back: true,
		damage: func(r *rand.Rand, files map[string][]byte) {
			files["stored.idv"][25] ^= 0x40
			files["stored.idv"][48] ^= byte(0x10 << r.IntN(3))
		}},
}

// shiftRows adds an amount to the offsets of all members of a shard in an index.
func shiftRows(b []byte, shard uint16, by uint64) {
	for at := int(binary.LittleEndian.Uint64(b[48:])); at+32 <= len(b); at += 32 {
		if binary.LittleEndian.Uint16(b[at:]) == shard {
			binary.LittleEndian.PutUint64(b[at+2:], binary.LittleEndian.Uint64(b[at+2:])+by)
		}
	}
}

// tensors are three tensors of random values, the first of 16 KiB.
func tensors(r *rand.Rand) []byte {
	head := `{"layers.0.attn.weight":{"dtype":"F32","shape":[64,64],"data_offsets":[0,16384]},"layers.0.up.weight":{"dtype":"F32","shape":[32,64],"data_offsets":[16384,24576]},` +
		`"layers.1.attn.weight":{"dtype":"F32","shape":[64,64],"data_offsets":[24576,40960]}}`
	head += strings.Repeat(" ", (8-len(head)%8)%8)
	out := append(binary.LittleEndian.AppendUint64(nil, uint64(len(head))), head...)
	for range 40960 / 4 {
		out = binary.LittleEndian.AppendUint32(out, math.Float32bits(float32(r.NormFloat64())))
	}
	return out
}

// replaceIn writes one text over another of the same length.
func replaceIn(b []byte, was, is string) { copy(b[bytes.Index(b, []byte(was)):], is) }

// decimalSizes writes the sizes of all members of an archive in decimal, with checksums that match.
func decimalSizes(b []byte) {
	for at := int64(0); at+512 <= int64(len(b)) && b[at] != 0; {
		h := b[at : at+512]
		size, _ := strconv.ParseInt(strings.TrimRight(string(h[124:136]), " \x00"), 8, 64)
		digits := len(strings.TrimRight(string(h[124:136]), " \x00"))
		copy(h[124:], fmt.Sprintf("%0*d", digits, size))
		sum := tarfile.Parse(h).Sum
		copy(h[148:], fmt.Sprintf("%0*o", len(strings.TrimRight(string(h[148:156]), " \x00")), sum))
		at += 512 + tarfile.Padded(size)
	}
}

// TestDamageSeveral: what happened is said of each of several places, and what brings all of them back is offered.
func TestDamageSeveral(t *testing.T) {
	for _, x := range severals {
		for seed := range uint64(2 - b2i(testing.Short())) {
			r, dir := rand.New(rand.NewPCG(33, seed)), t.TempDir()
			files, main := x.files(t, r)
			good := map[string][]byte{}
			for name, b := range files {
				good[name] = bytes.Clone(b)
			}
			x.damage(r, files)
			for name, b := range files {
				path := filepath.Join(dir, name)
				os.MkdirAll(filepath.Dir(path), 0o700)
				if err := os.WriteFile(path, b, 0o600); err != nil {
					t.Fatal(err)
				}
			}
			x.check(t, filepath.Join(dir, main), good)
		}
	}
}

// files are those of the sample, and the main one.
func (x *several) files(t *testing.T, r *rand.Rand) (files map[string][]byte, main string) {
	t.Helper()
	root := filepath.Join("..", "testdata", x.sample)
	info, err := os.Stat(root)
	files = map[string][]byte{}
	switch {
	case err != nil:
	case x.sample == "":
		return map[string][]byte{x.main: map[string]func(*rand.Rand) []byte{".tar": func(r *rand.Rand) []byte { return tarOf(&patient{Rand: r}, 6) },
			".safetensors": tensors}[filepath.Ext(x.main)](r)}, x.main
	case !info.IsDir():
		main = filepath.Base(root)
		files[main], err = os.ReadFile(root)
	default:
		main = x.main
		err = filepath.WalkDir(root, func(path string, e os.DirEntry, err error) error {
			if err != nil || e.IsDir() {
				return err
			}
			name, _ := filepath.Rel(root, path)
			files[name], err = os.ReadFile(path)
			return err
		})
	}
	if err != nil {
		t.Fatal(err)
	}
	return files, main
}

func (x *several) check(t *testing.T, path string, good map[string][]byte) {
	t.Helper()
	d, err := model.Open(t.Context(), path, All(), nil)
	if err != nil {
		t.Fatal(err)
	}
	defer d.Close()
	g, err := cause.Find(t.Context(), d, cause.Options{Formats: All(), Time: patience})
	if err != nil {
		t.Fatal(err)
	}
	said, back, proven := "", false, len(g.Causes) > 0
	for _, c := range g.Causes {
		said += c.Text + " " + c.Means + "\n"
		proven = proven && c.Grade == cause.Proven
		for _, r := range c.Repairs {
			if strings.Contains(r.Label, "to -") {
				t.Errorf("%s: %s is offered", x.name, r.Label)
			}
			back = back || r.To != nil && same(r.To, good)
		}
	}
	for _, says := range x.says {
		if !regexp.MustCompile(says).MatchString(said) {
			t.Errorf("%s: %q is not in %q", x.name, says, said)
		}
	}
	if x.back && !back || x.proven && !proven {
		t.Errorf("%s: brought back %v, proven %v: %s", x.name, back, proven, said)
	}
}

// same tells whether a state of a document has such files.
func same(s *model.Snapshot, files map[string][]byte) bool {
	for name, b := range files {
		c, err := s.Content(name)
		if err != nil || c.Len() != int64(len(b)) {
			return false
		}
		is := make([]byte, len(b))
		if c.ReadAt(is, 0); !bytes.Equal(is, b) {
			return false
		}
	}
	return true
}
