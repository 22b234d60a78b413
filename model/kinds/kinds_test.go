package kinds

import (
	"archive/zip"
	"bytes"
	"compress/gzip"
	"encoding/binary"
	"hash/crc32"
	"io"
	"math/rand"
	"strings"
	"testing"
)

// fileOf is a file that has these bytes.
func fileOf(name string, b []byte) *File {
	const seen = 64 << 10
	return &File{Name: name, Size: int64(len(b)), Head: b[:min(seen, len(b))], Tail: b[max(0, len(b)-seen):], All: bytes.NewReader(b)}
}

func u16(v int) string   { return string(binary.LittleEndian.AppendUint16(nil, uint16(v))) }
func u32(v int) string   { return string(binary.LittleEndian.AppendUint32(nil, uint32(v))) }
func u64(v int) string   { return string(binary.LittleEndian.AppendUint64(nil, uint64(v))) }
func zeros(n int) string { return strings.Repeat("\x00", n) }

// zipOf is an archive of members with these names.
func zipOf(names ...string) string {
	var b bytes.Buffer
	w := zip.NewWriter(&b)
	for _, n := range names {
		m, _ := w.Create(n)
		io.WriteString(m, strings.Repeat(n, 20))
	}
	w.Close()
	return b.String()
}

func gzipOf(s string) string {
	var b bytes.Buffer
	w := gzip.NewWriter(&b)
	io.WriteString(w, s)
	w.Close()
	return b.String()
}

// hdf5Of is a superblock of version 0 that gives the file a length, and what follows.
func hdf5Of(size int, rest string) string {
	s := "\x89HDF\r\n\x1a\n" + "\x00\x00\x00\x00\x00\x08\x08\x00" + u16(4) + u16(16) + u32(0) + u64(0) + u64(-1) + u64(size) + u64(-1) + rest
	return s + zeros(max(0, size-len(s)))
}

func tfRecordOf(data string) string {
	n := u64(len(data))
	sum := crc32.Checksum([]byte(n), crc32.MakeTable(crc32.Castagnoli))
	return n + u32(int((sum>>15|sum<<17)+0xa282ead8)) + data + u32(0)
}

// sqliteOf is the first page of a database of some pages.
func sqliteOf(pages int) string {
	s := "SQLite format 3\x00\x10\x00" + zeros(6) + "\x00\x00\x00\x07\x00\x00\x00" + string(byte(pages)) + zeros(60) + "\x00\x00\x00\x07" + zeros(4)
	return s + zeros(4096-len(s))
}

const onnxFile = "\x08\x08\x12\x07pytorch\x3a\x04\x0a\x02ab\x42\x04\x0a\x00\x10\x11"

// samples are a small file of each kind: how it begins, and what is said of it.
var samples = []struct{ file, bytes, name, opens string }{
	{"a.h5", hdf5Of(200, ""), "an HDF5 file", "h5py"},
	{"a.h5", hdf5Of(300, "keras_version"), "an HDF5 file (Keras weights)", "Keras"},
	{"a.h5ad", hdf5Of(300, "encoding-type\x00anndata"), "an HDF5 file (AnnData)", "anndata"},
	{"a.nc", hdf5Of(300, "_NCProperties"), "an HDF5 file (netCDF-4)", "xarray"},
	{"a.mat", "MATLAB 7.3 MAT-file, Platform" + zeros(483) + hdf5Of(200, ""), "a MATLAB 7.3 file (HDF5)", "h5py"},
	{"a.mat", "MATLAB 5.0 MAT-file, Platform: GLNXA64" + zeros(100), "a MATLAB 5 file", "scipy"},
	{"a.parquet", "PAR1" + zeros(30) + u32(10) + "PAR1", "a Parquet file", "pyarrow"},
	{"a.feather", "ARROW1\x00\x00" + zeros(30) + u32(10) + "ARROW1", "an Arrow IPC file (Feather)", "pyarrow"},
	{"a.feather", "FEA1" + zeros(30) + u32(10) + "FEA1", "a Feather file of version 1", "pyarrow"},
	{"a.arrows", "\xff\xff\xff\xff" + u32(64) + u32(16) + zeros(80), "an Arrow IPC stream", "pyarrow"},
	{"a.bin", "tjgg" + u32(3) + u64(1), "a GGML model older than GGUF", "llama.cpp"},
	{"a.orc", "ORC" + zeros(20) + "ORC\x17", "an ORC file", "pyarrow"},
	{"a.avro", "Obj\x01\x04\x16avro.schema", "an Avro file", "fastavro"},
	{"a.nc", "CDF\x01" + zeros(20), "a classic netCDF file", "xarray"},
	{"a.tflite", u32(28) + "TFL3" + zeros(40), "a TensorFlow Lite model", "tf.lite"},
	{"a.ort", u32(28) + "ORTM" + zeros(40), "an ONNX Runtime model", "onnxruntime"},
	{"a.pte", u32(28) + "ET12" + zeros(40), "an ExecuTorch program", "ExecuTorch"},
	{"a.icloud", "bplist00\xd3\x01\x02" + zeros(40), "a binary property list from macOS or iOS", "plutil"},
	{"a.db", sqliteOf(1), "an SQLite database", "sqlite3"},
	{"data.mdb", zeros(16) + u32(0xBEEFC0DE) + u32(1) + zeros(4072), "an LMDB database", "lmdb"},
	{"a.duckdb", zeros(8) + "DUCK" + zeros(60), "a DuckDB database", "duckdb"},
	{"a.rec", "\x0a\x23\xd7\xce" + u32(8) + zeros(8), "a RecordIO file of MXNet", "mxnet"},
	{"a.cbm", "CBM1" + zeros(60), "a CatBoost model", "catboost"},
	{"a.rda", "RDX3\nX\n" + zeros(8), "an R data file", "R's load"},
	{"a.rda", "RDX2\nX\n" + zeros(8), "an R data file", "R's load"},
	{"a.tfrecord", tfRecordOf("abc"), "a TFRecord file", "tf.data"},
	{"events.out.tfevents", tfRecordOf("\x1a\x0dbrain.Event:2"), "a TensorBoard event file (TFRecord)", "TensorBoard"},
	{"model.ckpt.index", zeros(40) + "\x57\xfb\x80\x8b\x24\x75\x47\xdb", "the index of a TensorFlow checkpoint", "load_checkpoint"},
	{"a.pt", "\x80\x02\x8a\x0a\x6c\xfc\x9c\x46\xf9\x20\x6a\xa8\x50\x19.\x80\x02M\xe9\x03.", "a PyTorch file older than version 1.6", "torch.load"},
	{"a.pkl", "\x80\x04\x95" + u64(3) + "K\x01.", "a Python pickle", "pickle.load"},
	{"a.npy", "\x80\x02cnumpy.core.multiarray\n_reconstruct\nq\x00.", "a Python pickle of NumPy arrays", "allow_pickle"},
	{"a.bin", "\xac\xed\x00\x05sr\x00", "a Java object stream", "java.io"},
	{"a.onnx", onnxFile, "an ONNX model", "onnx"},
	{"saved_model.pb", "\x08\x01\x12\x02\x0a\x00", "a TensorFlow SavedModel", "tf.saved_model"},
	{"a.png", "\x89PNG\r\n\x1a\n" + zeros(30) + "IEND\xaeB`\x82", "a PNG image", "Pillow"},
	{"a.jpg", "\xff\xd8\xff\xe0\x00\x10JFIF", "a JPEG image", "Pillow"},
	{"a.gif", "GIF87a" + zeros(30), "a GIF image", "Pillow"},
	{"a.gif", "GIF89a" + zeros(30), "a GIF image", "Pillow"},
	{"a.tif", "II*\x00" + zeros(30), "a TIFF image", "Pillow"},
	{"a.tif", "MM\x00*" + zeros(30), "a TIFF image", "Pillow"},
	{"a.webp", "RIFF" + u32(4) + "WEBP", "a WebP image", "Pillow"},
	{"a.wav", "RIFF" + u32(4) + "WAVE", "a WAV file", "soundfile"},
	{"a.avi", "RIFF" + u32(4) + "AVI ", "an AVI video", "OpenCV"},
	{"a.bmp", "BM" + u32(58) + u32(0) + u32(54) + u32(40) + zeros(40), "a BMP image", "Pillow"},
	{"a.exr", "\x76\x2f\x31\x01" + zeros(30), "an OpenEXR image", "OpenEXR"},
	{"a.mp4", "\x00\x00\x00\x18ftypisom" + zeros(30), "an MP4 or QuickTime video", "OpenCV"},
	{"a.flac", "fLaC" + zeros(30), "a FLAC file", "soundfile"},
	{"a.ogg", "OggS\x00" + zeros(30), "an Ogg file", "soundfile"},
	{"a.mp3", "ID3\x03" + zeros(30), "an MP3 file", "librosa"},
	{"a.dcm", zeros(128) + "DICM" + zeros(30), "a DICOM image", "pydicom"},
	{"a.nii", u32(348) + zeros(340) + "n+1\x00", "a NIfTI image", "nibabel"},
	{"a.fits", "SIMPLE  =                    T", "a FITS file", "astropy"},
	{"a.pdf", "%PDF-1.7\n%\xe2\xe3", "a PDF document", "PDF viewer"},
	{"a.so", "\x7fELF\x02\x01\x01" + zeros(30), "an ELF program or library (Linux)", "Linux"},
	{"a.exe", "MZ" + zeros(58) + u32(64) + "PE\x00\x00", "a Windows program or library (PE)", "Windows"},
	{"a.dylib", "\xcf\xfa\xed\xfe" + zeros(30), "a Mach-O program or library (macOS)", "macOS"},
	{"A.class", "\xca\xfe\xba\xbe\x00\x00\x00\x34" + zeros(30), "a Java class", "Java"},
	{"a.wasm", "\x00asm\x01\x00\x00\x00", "a WebAssembly module", "WebAssembly"},
	{"a.zip", zipOf("a", "b"), "a ZIP archive", "unzip"},
	{"a.zip", zipOf(), "an empty ZIP archive", "unzip"},
	{"m.pt", zipOf("m/data.pkl", "m/data/0", "m/version"), "a PyTorch file (ZIP)", "torch.load"},
	{"m.pt", zipOf("m/data.pkl", "m/constants.pkl"), "a TorchScript model (ZIP)", "torch.jit.load"},
	{"m.keras", zipOf("metadata.json", "config.json", "model.weights.h5"), "a Keras 3 model (ZIP)", "keras"},
	{"m.zip", zipOf("configuration.json", "coefficients.bin"), "a DL4J ModelSerializer model (ZIP)", "DL4J"},
	{"m.zip", zipOf("zarr.json", "a/c/0"), "a Zarr store (ZIP)", "zarr"},
	{"m.zip", zipOf("a/zarr.json", "a/c/0"), "a Zarr store (ZIP)", "zarr"},
	{"m.zip", zipOf(".zgroup", "a/0"), "a Zarr store (ZIP)", "zarr"},
	{"m.zip", zipOf(".zarray", "0.0"), "a Zarr store (ZIP)", "zarr"},
	{"m.zip", zipOf("a/.zarray", "a/0.0"), "a Zarr store (ZIP)", "zarr"},
	{"a.docx", zipOf("[Content_Types].xml", "word/document.xml"), "a Word document (ZIP)", "Word"},
	{"a.xlsx", zipOf("[Content_Types].xml", "xl/workbook.xml"), "an Excel workbook (ZIP)", "Excel"},
	{"a.pptx", zipOf("[Content_Types].xml", "ppt/presentation.xml"), "a PowerPoint presentation (ZIP)", "PowerPoint"},
	{"a.odt", zipOf("mimetype", "content.xml"), "an OpenDocument file (ZIP)", "LibreOffice"},
	{"a.epub", zipOf("mimetype", "META-INF/container.xml"), "an EPUB book (ZIP)", "EPUB"},
	{"a.apk", zipOf("META-INF/MANIFEST.MF", "AndroidManifest.xml"), "an Android package (ZIP)", "Android"},
	{"a.jar", zipOf("META-INF/MANIFEST.MF", "A.class"), "a Java archive (ZIP)", "Java"},
	{"a.whl", zipOf("a/b.py", "a-1.dist-info/WHEEL"), "a Python wheel (ZIP)", "pip"},
	{"a.gz", gzipOf("anything"), "a file compressed with gzip", "gunzip"},
	{"a.gz", gzipOf(hdf5Of(300, "")), "an HDF5 file compressed with gzip", "gunzip, and then h5py,"},
	{"a.zst", "\x28\xb5\x2f\xfd" + zeros(30), "a file compressed with Zstandard", "zstd"},
	{"a.par", "SPANPAR\x01" + zeros(30), "protection data", "“spandrel check” of the file with this name, without .par,"},
	{"a.xz", "\xfd7zXZ\x00" + zeros(30), "a file compressed with xz", "xz"},
	{"a.bz2", "BZh91AY&SY" + zeros(30), "a file compressed with bzip2", "bunzip2"},
	{"a.lz4", "\x04\x22\x4d\x18" + zeros(30), "a file compressed with LZ4", "lz4"},
	{"a.7z", "7z\xbc\xaf\x27\x1c" + zeros(30), "a 7z archive", "7-Zip"},
	{"._a.npy", "\x00\x05\x16\x07\x00\x02\x00\x00Mac OS X        " + zeros(60), "macOS metadata of another file (AppleDouble)", "macOS"},
	{"a.asc", "-----BEGIN PGP MESSAGE-----\n\nhQEMA\n", "a message encrypted with OpenPGP", "gpg"},
	{"a.gpg", "\x85\x01\x0c\x03" + zeros(300), "a file encrypted with OpenPGP", "gpg"},
	{"a.age", "age-encryption.org/v1\n-> X25519 x\n", "a file encrypted with age", "age"},
	{"a.enc", "Salted__" + zeros(32), "a file encrypted with OpenSSL", "openssl"},
	{"a.age", "-----BEGIN AGE ENCRYPTED FILE-----\nYWdl\n", "a file encrypted with age, as text", "age"},
	{"a.npy", "\x00GITCRYPT\x00" + zeros(30), "a file encrypted with git-crypt", "git-crypt"},
	{"a.yml", "$ANSIBLE_VAULT;1.1;AES256\n3132\n", "a file encrypted with Ansible Vault", "ansible-vault"},
	{"a.img", "LUKS\xba\xbe" + zeros(30), "an encrypted disk (LUKS)", "cryptsetup"},
	{"a.npy.dvc", "outs:\n- md5: 3f786850e387550fdab836ed7e6dc881\n  size: 34432\n  path: a.npy\n", "a DVC pointer", "dvc"},
	{"a.npy", "# xet version 0\nfilesize = 34432\n", "a Xet pointer", "git-xet"},
	{"a.npy", "/annex/objects/MD5E-s34432--3f786850e387550fdab836ed7e6dc881.npy\n", "a git-annex pointer", "git-annex"},
	{"a.url", "[InternetShortcut]\r\nURL=https://example.org/\r\n", "a shortcut to a web page", "browser"},
	{"a.lnk", "\x4c\x00\x00\x00\x01\x14\x02\x00\x00\x00\x00\x00\xc0\x00\x00\x00" + zeros(60), "a Windows shortcut", "Windows"},
	{"a.sz", "\xff\x06\x00\x00sNaPpY" + zeros(30), "a file compressed with Snappy", "snzip"},
	{"a.lzma", "\x5d\x00\x00\x80\x00" + strings.Repeat("\xff", 8) + zeros(30), "a file compressed with lzma", "xz"},
	{"a.Z", "\x1f\x9d\x90" + zeros(30), "a file compressed with compress", "uncompress"},
	{"a.cab", "MSCF\x00\x00\x00\x00" + zeros(30), "a Windows cabinet", "cabextract"},
	{"a.deb", "!<arch>\ndebian-binary   ", "a Debian package or an ar archive", "ar"},
	{"a.rpm", "\xed\xab\xee\xdb" + zeros(30), "an RPM package", "rpm2cpio"},
	{"a.cpio", "070701" + zeros(30), "a cpio archive", "cpio"},
	{"a.rar", "Rar!\x1a\x07\x01\x00" + zeros(30), "a RAR archive", "unrar"},
	{"a.parquet", "PARE" + zeros(30) + "PARE", "an encrypted Parquet file", "its key"},
	{"000005.ldb", zeros(40) + "\x57\xfb\x80\x8b\x24\x75\x47\xdb", "a table of LevelDB", "leveldb"},
}

// TestKinds names a small file of each kind, and nothing else of it; every row of the tables has one.
func TestKinds(t *testing.T) {
	said := map[string]bool{}
	for _, s := range samples {
		k, ok := Of(fileOf(s.file, []byte(s.bytes)))
		if !ok || k.Name != s.name || !strings.Contains(k.Opens, s.opens) || k.Lacks != "" || k.Evidence == "" {
			t.Errorf("%s: %+v, want %s", s.name, k, s.opens)
		}
		said[s.name] = true
	}
	for _, r := range table {
		if !said[r.name] {
			t.Errorf("%s has no sample", r.name)
		}
	}
	for _, a := range archives {
		if !said[a.name] {
			t.Errorf("%s has no sample", a.name)
		}
	}
}

// TestTruncated says how much is missing of a file that tells its length.
func TestTruncated(t *testing.T) {
	long := zipOf("m/data.pkl", "m/data/0", "m/version")
	for _, s := range []struct{ file, bytes, lacks string }{
		{"a.h5", hdf5Of(2000, "")[:1500], "it has 1,500 of 2,000 bytes"},
		{"a.mat", ("MATLAB 7.3 MAT-file" + zeros(493) + hdf5Of(2000, ""))[:1500], "it has 1,500 of 2,000 bytes"},
		{"a.parquet", "PAR1" + zeros(30), "its footer is missing"},
		{"a.feather", "ARROW1\x00\x00" + zeros(30), "its footer is missing"},
		{"a.png", "\x89PNG\r\n\x1a\n" + zeros(30), "its last chunk is missing"},
		{"a.db", sqliteOf(2), "it has 4,096 of 8,192 bytes"},
		{"a.tfrecord", tfRecordOf(strings.Repeat("x", 1000))[:500], "it has 500 of 1,016 bytes"},
		{"a.pkl", "\x80\x04\x95" + u64(1000) + "K\x01.", "it has 14 of 1,011 bytes"},
		{"a.onnx", "\x08\x08\x12\x07pytorch\x3a\x80\x10", "it has 14 of 2,062 bytes"},
		{"m.pt", long[:len(long)/2], "its directory is missing"},
	} {
		if k, ok := Of(fileOf(s.file, []byte(s.bytes))); !ok || k.Lacks != s.lacks {
			t.Errorf("%s: %q, want %q (%v)", s.file, k.Lacks, s.lacks, ok)
		}
	}
}

// TestText names the kinds of text.
func TestText(t *testing.T) {
	for text, want := range map[string]string{
		"a,b,c\n1,2,3\n4,5,6\n":      "a CSV file",
		"a\tb\n1\t2\n":               "a TSV file",
		"a;b\n1;2\n":                 "a CSV file (separated by semicolons)",
		"# x\n1.5e+00 2.0\n3 nan\n":  "a text file of numbers",
		"1,2\n3,4\n":                 "a text file of numbers",
		`{"a": [1, 2]}`:              "a JSON file",
		"{\"a\": 1}\n{\"a\": 2}\n":   "a JSON Lines file",
		"just, words\nof a person\n": "",
		"":                           "",
		"\n\n":                       "",
		strings.Repeat("30", 30) + "\n" + strings.Repeat("31", 30): "",
	} {
		if k, _ := Text(fileOf("x", []byte(text))); k.Name != want {
			t.Errorf("%q: %q, want %q", text, k.Name, want)
		}
	}
}

// The index of a checkpoint of PyTorch is named by its name and what is in it; its shards are pickles, which the kind warns of.
func TestPyTorchIndex(t *testing.T) {
	text := []byte(`{"metadata": {"total_size": 8}, "weight_map": {"a": "pytorch_model-00001-of-00002.bin"}}`)
	if k, ok := Text(fileOf("pytorch_model.bin.index.json", text)); !ok || !strings.Contains(k.Name, "PyTorch checkpoint") || k.Warn == "" {
		t.Errorf("%+v", k)
	}
	if k, _ := Text(fileOf("other.json", text)); k.Name != "a JSON file" {
		t.Errorf("%+v", k)
	}
}

// TestHostile looks at every sample cut at each length, at random bytes behind each signature, and at numbers that are too large.
func TestHostile(t *testing.T) {
	r := rand.New(rand.NewSource(1))
	for _, s := range samples {
		for n := 0; n <= min(len(s.bytes), 700); n++ {
			Of(fileOf(s.file, []byte(s.bytes[:n])))
		}
		for range 200 {
			b := []byte(s.bytes)
			for i := range b {
				if i >= 8 && r.Intn(3) == 0 || r.Intn(40) == 0 {
					b[i] = byte(r.Intn(256))
				}
			}
			if k, ok := Of(fileOf(s.file, b)); ok && strings.Contains(k.Lacks, "-") {
				t.Fatalf("%s: %q", s.name, k.Lacks)
			}
		}
	}
	if k, _ := Of(fileOf("a", []byte(hdf5Of(-1, "")))); k.Lacks != "" {
		t.Errorf("a length of 2⁶⁴-1 is believed: %s", k.Lacks)
	}
	many := bytes.Repeat([]byte("\x08\x01"), 1<<20)
	if k, ok := Of(fileOf("a", many)); ok {
		t.Errorf("numbers are %s", k.Name)
	}
	for _, random := range []int{1, 2, 3} {
		b := make([]byte, 4096)
		rand.New(rand.NewSource(int64(random))).Read(b)
		if k, ok := Of(fileOf("a", b)); ok && k.Sure {
			t.Errorf("random bytes are %s", k.Name)
		}
	}
}

// TestFolder names folders by what is in them.
func TestFolder(t *testing.T) {
	for has, want := range map[string]string{"zarr.json": "a Zarr store", ".zarray": "a Zarr array", "data.mdb": "an LMDB database", "a.txt": ""} {
		if name, _ := Folder(func(n string) bool { return n == has }); name != want {
			t.Errorf("%s: %q", has, name)
		}
	}
	if got := thousands(1234567) + thousands(123) + thousands(1000); got != "1,234,5671231,000" {
		t.Error("thousands")
	}
}
