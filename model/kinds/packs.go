package kinds

import (
	"bytes"
	"compress/bzip2"
	"compress/gzip"
	"io"
	"math/bits"
	"slices"
	"strings"
)

// packs says that a file may contain any other.
func packs(_ *File, k *Kind) bool {
	k.Packs = true
	return true
}

// mostInside is how many unpacked bytes of a file are examined.
const mostInside = 64 << 10

func gzipped(f *File, k *Kind) bool {
	if len(f.Head) < 10 || f.Head[3]&0xe0 != 0 {
		return false
	}
	if r, err := gzip.NewReader(bytes.NewReader(f.Head)); err == nil {
		k.content = r
	}
	return packs(f, k)
}

func bzipped(f *File, k *Kind) bool {
	if !f.has(4, "1AY&SY") && !f.has(4, "\x17rE8P\x90") {
		return false
	}
	k.Sure, k.content = true, bzip2.NewReader(bytes.NewReader(f.Head))
	return packs(f, k)
}

// lzma checks the size of the dictionary, which is a power of two or 1.5 times one, and the length, which may be unknown.
func lzma(f *File, k *Kind) bool {
	if len(f.Head) < 13 {
		return false
	}
	dict, size := le.Uint32(f.Head[1:]), le.Uint64(f.Head[5:])
	if n := bits.OnesCount32(dict); dict < 1<<12 || n > 2 || size != 1<<64-1 && size > 1<<40 {
		return false
	}
	return packs(f, k)
}

// inside says what a compressed file unpacks to, if that has a signature. What needs the end of a file cannot be told from its front.
func (k *Kind) inside(f *File) {
	b, _ := io.ReadAll(io.LimitReader(k.content, mostInside))
	k.Sure = k.Sure || len(b) > 0
	in := &File{Name: strings.TrimSuffix(strings.TrimSuffix(f.Name, ".gz"), ".bz2"), Size: 1 << 48, Head: b, All: bytes.NewReader(b)}
	for i := range table {
		t := &table[i]
		if len(t.magic) < 4 || t.magic == "PK\x03\x04" {
			continue
		}
		if of, ok := t.of(in); ok {
			k.Name, k.Opens = of.Name+k.Name[len("a file"):], k.Opens+", and then "+of.Opens+","
			return
		}
	}
}

// archive is a kind of file that is a ZIP archive, identified by the names of its members: it has all of these, in full or, beginning with a slash or a
// dot, as a suffix; one ending in a slash as a prefix.
type archive struct {
	name, opens string
	have        []string
}

var archives = []archive{
	{"a TorchScript model (ZIP)", "torch.jit.load", []string{"/data.pkl", "/constants.pkl"}},
	{"a PyTorch file (ZIP)", "torch.load", []string{"/data.pkl"}},
	{"a Keras 3 model (ZIP)", "keras.saving.load_model", []string{"config.json", "model.weights.h5"}},
	{"a DL4J ModelSerializer model (ZIP)", "DL4J's ModelSerializer", []string{"configuration.json", "coefficients.bin"}},
	{"a Zarr store (ZIP)", "zarr", []string{"zarr.json"}},
	{"a Zarr store (ZIP)", "zarr", []string{"/zarr.json"}},
	{"a Zarr store (ZIP)", "zarr", []string{".zgroup"}},
	{"a Zarr store (ZIP)", "zarr", []string{".zarray"}},
	{"a Zarr store (ZIP)", "zarr", []string{"/.zarray"}},
	{"a Word document (ZIP)", "Word or python-docx", []string{"word/"}},
	{"an Excel workbook (ZIP)", "Excel or openpyxl", []string{"xl/"}},
	{"a PowerPoint presentation (ZIP)", "PowerPoint", []string{"ppt/"}},
	{"an OpenDocument file (ZIP)", "LibreOffice", []string{"mimetype", "content.xml"}},
	{"an EPUB book (ZIP)", "an EPUB reader", []string{"mimetype", "META-INF/container.xml"}},
	{"an Android package (ZIP)", "Android", []string{"AndroidManifest.xml"}},
	{"a Java archive (ZIP)", "Java", []string{"META-INF/MANIFEST.MF"}},
	{"a Python wheel (ZIP)", "pip", []string{".dist-info/WHEEL"}},
}

// zipped identifies a ZIP archive by the names of its members, and tells whether its directory exists.
func zipped(f *File, k *Kind) bool {
	k.Packs = true
	names, directory := f.members()
	if !directory && f.Size > int64(len(f.Tail)) && bytes.Contains(f.Tail, []byte("PK\x05\x06")) {
		directory = true // it is longer than the bytes examined
	}
	if !directory {
		k.Lacks = "its directory is missing"
	}
	for _, a := range archives {
		if a.in(names) {
			k.Name, k.Opens, k.Evidence, k.Packs = a.name, a.opens, "the names of its members", false
			return true
		}
	}
	return true
}

func (a *archive) in(names []string) bool {
	for _, want := range a.have {
		if !slices.ContainsFunc(names, func(n string) bool {
			return n == want || strings.HasSuffix(want, "/") && strings.HasPrefix(n, want) ||
				(want[0] == '/' || strings.HasPrefix(want, ".dist-info")) && strings.HasSuffix(n, want)
		}) {
			return false
		}
	}
	return true
}

// members lists the names in an archive visible at its two ends: from consecutive local headers at the front, and from the directory at
// the end. directory tells whether there is an entry of the directory, or its end.
func (f *File) members() (names []string, directory bool) {
	at := 0
	for at+30 <= len(f.Head) && f.has(at, "PK\x03\x04") {
		h := f.Head[at:]
		n, extra := int(le.Uint16(h[26:])), int(le.Uint16(h[28:]))
		if 30+n > len(h) {
			break
		}
		names = append(names, string(h[30:30+n]))
		size := int64(le.Uint32(h[18:]))
		if size > int64(len(f.Head)) || le.Uint16(h[6:])&8 != 0 && size == 0 { // the size follows the data
			break
		}
		at += 30 + n + extra + int(size)
	}
	entry := []byte("PK\x01\x02")
	for _, e, ok := bytes.Cut(f.Tail, entry); ok && len(e) >= 42; _, e, ok = bytes.Cut(e, entry) {
		if n := int(le.Uint16(e[24:])); n > 0 && 42+n <= len(e) {
			names, directory = append(names, string(e[42:42+n])), true
		}
	}
	return names, directory && bytes.Contains(f.Tail, []byte("PK\x05\x06"))
}

// Folder identifies a folder whose files are not documents of their own, by the names in it; "" if unknown.
func Folder(has func(name string) bool) (name, opens string) {
	for _, k := range []struct{ mark, also, name, opens string }{
		{"zarr.json", "", "a Zarr store", "zarr"},
		{".zarray", "", "a Zarr array", "zarr"},
		{".zgroup", "", "a Zarr group", "zarr"},
		{"data.mdb", "", "an LMDB database", "the Python package lmdb"},
		{"saved_model.pb", "", "a TensorFlow SavedModel", "tf.saved_model.load"},
		{"dataset_info.json", "state.json", "a Hugging Face dataset", "datasets.load_from_disk"},
		{"_delta_log", "", "a Delta table", "deltalake"},
		{"_versions", "data", "a Lance dataset", "lance"},
	} {
		if has(k.mark) && (k.also == "" || has(k.also)) {
			return k.name, k.opens
		}
	}
	return "", ""
}
