package parsers

import (
	"archive/zip"
	"bytes"
	"encoding/binary"
	"fmt"
	"hash/crc32"
	"os"
	"path/filepath"
	"testing"

	"spandrel/model"
	"spandrel/model/cause"
)

// TestLeftAlone: damage that has no proven repair, though something makes every finding go away. Fix must not write a byte.
func TestLeftAlone(t *testing.T) {
	header := `{"a":{"dtype":"U8","shape":[5242880],"data_offsets":[0,5242880]}}`
	tensors := binary.LittleEndian.AppendUint64(nil, uint64(len(header)))
	tensors = append(append(tensors, header...), bytes.Repeat([]byte("text "), 1<<20)...)
	tensors[8+2] = 0 // of a header that is longer than we take apart no error is found, if its size says that all of the file is header

	tar, err := os.ReadFile(filepath.Join("..", "testdata", "tar", "good", "ustar.tar"))
	if err != nil {
		t.Fatal(err)
	}
	for _, of := range [][2]int{{100, 124}, {257, 265}, {329, 345}} { // a run of zeros from elsewhere: the checksum is not what is damaged
		clear(tar[of[0]:of[1]])
	}

	sample := func(name string, change func(b []byte)) []byte {
		b, err := os.ReadFile(filepath.Join("..", "testdata", name))
		if err != nil {
			t.Fatal(err)
		}
		change(b)
		return b
	}
	aligned := sample("gguf/good/aligned.gguf", func(b []byte) { b[125], b[212] = 'a', 72 }) // the alignment is not 32 for being misspelt
	hole := sample("gguf/good/version-2.gguf", func(b []byte) { clear(b[86:118]) })
	cut := []byte("\x08\x00\x00\x00\x00\xff\x00\x00{}    ") // two spaces are missing

	stray := append([]byte{0}, sample("idv/good/no-columns.idv", func([]byte) {})...) // or the last byte of a length in front

	group := sample("tiledb/good/group.tdb", func([]byte) {}) // 8 bytes twice behind the version, and none in front of it
	doubled := append(bytes.Clone(group[:12]), group[4:]...)

	words := sample("gguf/good/vocabulary.gguf", func([]byte) {})
	key := append(bytes.Clone(words[:89]), words[77:]...)    // 12 bytes of a key are there twice: its length is right
	slid := append(bytes.Clone(words[:107]), words[108:]...) // the first byte of a length is missing, and the next letter stands in its last

	packed := sample("samediff/good/packed.sdc", func(b []byte) { clear(b[352:398]) }) // in a deflated section; two more bytes of it make its checksum match
	arrays := sample("samediff/good/arrays.sdc", func([]byte) {})
	gap := append(append(bytes.Clone(arrays[:902]), arrays[910:]...), make([]byte, 8)...) // what is no padding now were values

	inserted := append(append(bytes.Clone(group[:48]), 0xdb, 0x56, 0xbc, 0x73, 0xdb, 0xb3, 0x95, 0x3d), group[48:]...)
	inserted[0x1e]++ // with 8 bytes inside, and a wrong number as well

	lengths := sample("gguf/good/vocabulary.gguf", func(b []byte) { b[0x5d], b[0x6b] = 5, 20 }) // of two, each one less, the first fits as a text of all that follows

	grown := func(name string, length, at int, by byte, text string) []byte { // a text came in, and the length of it is wrong too
		b := sample(name, func(b []byte) { b[length] = by })
		return append(append(bytes.Clone(b[:at]), text...), b[at:]...)
	}
	longKey, longName := grown("gguf/good/vocabulary.gguf", 0x45, 0x50, 77, "XYZW"), grown("scdl/good/chunks.sch", 0x100, 0x104, 76, "XYZW")

	values := sample("npy/good/vector.npy", func(b []byte) { clear(b[126:]) })[:128] // of the blanks in front of the lost values four could be made

	unpadded := sample("gguf/good/blocks.gguf", func(b []byte) { b[1429] = 'A' }) // padding that a tensor of another type would cover: no one refuses it

	tensor := sample("safetensors/good/model.safetensors", func([]byte) {}) // letters of a tensor's name are missing: the size of the header is right
	names := append(bytes.Clone(tensor[:62]), tensor[68:]...)
	named := append(bytes.Clone(tensor[:62]), tensor[70:]...)

	for name, b := range map[string][]byte{"names.safetensors": names, "named.safetensors": named, "blocks.gguf": unpadded, "no-columns.idv": stray, "group.tdb": doubled,
		"key.gguf": longKey, "chunks.sch": longName, "arrays.sdc": gap, "vector.npy": values, "lengths.gguf": lengths, "inserted.tdb": inserted, "twice.gguf": key, "slid.gguf": slid, "a.safetensors": tensors, "a.tar": tar, "aligned.gguf": aligned, "version-2.gguf": hole,
		"cut.safetensors": cut, "weights.npz": weights(t), "packed.sdc": packed} {
		t.Run(name, func(t *testing.T) {
			d, err := model.OpenBytes(t.Context(), name, bytes.Clone(b), All(), nil)
			if err != nil {
				t.Fatal(err)
			}
			defer d.Close()
			leftAlone(t, d)
		})
	}
}

// leftAlone fails where fix writes a byte of a damaged document.
func leftAlone(t *testing.T, d *model.Document) {
	for _, warnings := range []bool{false, true} {
		made, left, err := cause.ApplyProven(t.Context(), d, cause.Options{Formats: All(), Warnings: warnings}, nil)
		if err != nil {
			t.Fatal(err)
		}
		for _, x := range made {
			t.Errorf("fix: %s: %s", x.Label, fmt.Sprintf("%+v", x.Changes))
		}
		if len(left.Findings) == 0 {
			t.Error("nothing is found: the test says nothing")
		}
	}
}

// TestFolderLeftAlone: the same of files beside others.
func TestFolderLeftAlone(t *testing.T) {
	for _, x := range []struct {
		name, in, file string
		damage         func(b []byte) []byte
	}{
		// The header's checksum agrees again without the bytes of the member that now end it, but all behind the gap stays where it should not be.
		{"bytes of a header missing", "taridx/good/gnu", "train_0000.tar", func(b []byte) []byte { return append(append(b[:211:211], b[219:]...), make([]byte, 8)...) }},
		// A permutation of a header leaves its checksum as it is. The row has the size that the shard has lost.
		{"size and time of a member swapped", "taridx/good/collisions", "train_0000.tar", func(b []byte) []byte {
			copy(b[2048+124:], append(bytes.Clone(b[2048+136:2048+148]), b[2048+124:2048+136]...))
			return b
		}},
		{"checksum and group of a member swapped", "taridx/good/three-shards", "train_0001.tar", func(b []byte) []byte {
			group, sum := b[0xa00+116:0xa00+124], b[0xa00+148:0xa00+156]
			was := bytes.Clone(group)
			copy(group, sum)
			copy(sum, was)
			return b
		}},
		{"the end of an index zeroed, of which the archive has more", "wds/good/dali", "train.idx", func(b []byte) []byte {
			clear(b[len(b)-36:])
			return b[:len(b)-1]
		}},
		{"a digit of a name in an index", "safetensors/good/checkpoint", "model.safetensors.index.json", func(b []byte) []byte {
			return bytes.ReplaceAll(b, []byte("-00003-of"), []byte("-00083-of"))
		}},
		{"a name in an index that is no text", "safetensors/good/checkpoint", "model.safetensors.index.json", func(b []byte) []byte {
			return bytes.Replace(b, []byte("model-00001"), []byte("mode\xfc-00001"), 1)
		}},
		{"another array, with a header, in place of a few values", "scdl/good/chunked", "chunk_00000/col_ptr.npy", func(b []byte) []byte {
			return fmt.Appendf(nil, "\x93NUMPY\x01\x00v\x00%-117s\n0\x00\x00\x00.\x00\x00\x001\x00\x00\x00.\x00\x00\x003\x00\x00\x00", "{'descr': '<U5', 'fortran_order': False, 'shape': (), }")
		}},
	} {
		t.Run(x.name, func(t *testing.T) {
			sound := openSound(t, filepath.Join("..", "testdata", x.in))
			c, err := sound.Tree.Snapshot.Content(x.file)
			if err != nil {
				t.Fatal(err)
			}
			b := make([]byte, c.Len())
			c.ReadAt(b, 0)
			leftAlone(t, opened(sound, sound.Tree.Snapshot.With(x.file, model.BytesContent(x.damage(b)))))
		})
	}
}

// weights is an archive of two stored arrays, with a hole in the second and a wrong time of it in the directory: where its header said that all of it
// precedes the data, neither would be seen.
func weights(t *testing.T) []byte {
	var b bytes.Buffer
	w := zip.NewWriter(&b)
	for i, name := range []string{"arr_0.npy", "arr_1.npy"} {
		count := 1024 >> i
		data := fmt.Appendf(nil, "\x93NUMPY\x01\x00\x76\x00{'descr': '<f4', 'fortran_order': False, 'shape': (%d,), }", count)
		data = append(data, bytes.Repeat([]byte(" "), 127-len(data))...)
		data = append(data, '\n')
		for i := range count {
			data = binary.LittleEndian.AppendUint32(data, 0x3f800000+uint32(i)*0x1357)
		}
		h := &zip.FileHeader{Name: name, CRC32: crc32.ChecksumIEEE(data), CompressedSize64: uint64(len(data)), UncompressedSize64: uint64(len(data))}
		if f, err := w.CreateRaw(h); err != nil {
			t.Fatal(err)
		} else if _, err := f.Write(data); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	out := b.Bytes()
	clear(out[4553:4565])
	at := bytes.LastIndex(out, []byte("PK\x01\x02"))
	out[at+13] = 0xa2
	return out
}
