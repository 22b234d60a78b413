// Package kinds identifies files for which Spandrel has no format, and the software that opens them. It examines signatures and
// a few fields after them, and claims no more than they show: what it says about a hostile file is what any other program would take it for.
package kinds

import (
	"bytes"
	"fmt"
	"io"
)

// File is what is known of a file.
type File struct {
	Name string // without its folder
	Size int64
	Head []byte // its first bytes
	Tail []byte // its last bytes
	All  io.ReaderAt

	steps int // fields of a message that were walked
}

// A Kind is a kind of file.
type Kind struct {
	Name     string // with its article and details: "an HDF5 file (Keras weights)"
	Opens    string // the software that opens it
	Evidence string // what it was recognised by, a few words
	Sure     bool   // its signature is long enough, or fields after it agree, so that it is not a coincidence
	Warn     string // warning before opening it
	Lacks    string // missing part, for "it is truncated: …"; "" if none is known
	Packs    bool   // it contains other files, perhaps a packed file of a supported format
	Fetch    string // for a pointer: the command that fetches the file; otherwise ""

	content io.Reader // of a compressed file: the beginning of its content
}

// row is one line of the table: a signature, a function that examines more, or both.
type row struct {
	name, opens string
	magic       string
	at          int
	weak        bool // the signature alone may be a coincidence
	look        func(f *File, k *Kind) bool
}

// Of identifies a file by its signature; false if it is unknown. For text see Text.
func Of(f *File) (Kind, bool) {
	for i := range table {
		if k, ok := table[i].of(f); ok {
			if k.content != nil {
				k.inside(f)
			}
			return k, true
		}
	}
	return Kind{}, false
}

func (r *row) of(f *File) (Kind, bool) {
	if !f.has(r.at, r.magic) {
		return Kind{}, false
	}
	k := Kind{Name: r.name, Opens: r.opens, Sure: !r.weak}
	switch n := len(r.magic); {
	case n > 0 && r.at == 0:
		k.Evidence = fmt.Sprintf("its first %d bytes", n)
	case n > 0:
		k.Evidence = fmt.Sprintf("the %d bytes at 0x%x", n, r.at)
	}
	if r.look != nil && !r.look(f, &k) {
		return Kind{}, false
	}
	return k, true
}

// table lists the kinds, those with longer signatures first. For a container the function tells its content.
var table = []row{
	// Tensors, models and data.
	{"a MATLAB 7.3 file (HDF5)", "h5py or mat73", "MATLAB 7.3 MAT-file", 0, false, userBlock},
	{"a MATLAB 5 file", "scipy.io.loadmat", "MATLAB 5.0 MAT-file", 0, false, nil},
	{"an HDF5 file", "h5py", "\x89HDF\r\n\x1a\n", 0, false, hdf5},
	{"a Parquet file", "pyarrow or pandas", "PAR1", 0, true, ends("PAR1", "footer")},
	{"an encrypted Parquet file", "pyarrow, with its key,", "PARE", 0, true, ends("PARE", "footer")},
	{"an Arrow IPC file (Feather)", "pyarrow", "ARROW1\x00\x00", 0, false, ends("ARROW1", "footer")},
	{"a Feather file of version 1", "pyarrow", "FEA1", 0, true, ends("FEA1", "footer")},
	{"an Arrow IPC stream", "pyarrow.ipc.open_stream", "\xff\xff\xff\xff", 0, true, arrowStream},
	{"a GGML model older than GGUF", "an old llama.cpp, or its converter,", "tjgg", 0, true, nil},
	{"an ORC file", "pyarrow.orc", "ORC", 0, true, orc},
	{"an Avro file", "fastavro", "Obj\x01", 0, true, avro},
	{"a classic netCDF file", "xarray or netCDF4", "CDF", 0, true, netCDF},
	{"a TensorFlow Lite model", "tf.lite.Interpreter", "TFL3", 4, true, flatRoot},
	{"an ONNX Runtime model", "onnxruntime", "ORTM", 4, true, flatRoot},
	{"an ExecuTorch program", "ExecuTorch", "ET12", 4, true, flatRoot},
	{"an SQLite database", "sqlite3", "SQLite format 3\x00", 0, false, sqlite},
	{"an LMDB database", "the Python package lmdb", "\xde\xc0\xef\xbe", 16, true, lmdb},
	{"a DuckDB database", "duckdb", "DUCK", 8, true, nil},
	{"a RecordIO file of MXNet", "mxnet.recordio", "\x0a\x23\xd7\xce", 0, true, nil},
	{"a CatBoost model", "catboost", "CBM1", 0, true, nil},
	{"an R data file", "R's load", "RDX3\n", 0, false, nil},
	{"an R data file", "R's load", "RDX2\n", 0, false, nil},
	{"a TFRecord file", "tf.data.TFRecordDataset", "", 0, false, tfRecord},
	{"a table of LevelDB", "leveldb", "", 0, false, levelDB},
	{"a PyTorch file older than version 1.6", "torch.load", "\x80\x02\x8a\x0a\x6c\xfc\x9c\x46\xf9\x20\x6a\xa8\x50\x19.", 0, false, nil},
	{"a Python pickle", "pickle.load", "\x80", 0, true, pickle},
	{"a Java object stream", "java.io.ObjectInputStream", "\xac\xed\x00\x05", 0, true, nil},
	{"an ONNX model", "onnx or onnxruntime", "\x08", 0, true, onnx},
	{"a TensorFlow SavedModel", "tf.saved_model.load, given its folder,", "\x08\x01\x12", 0, true, savedModel},

	// Pictures, sound, documents.
	{"a PNG image", "Pillow", "\x89PNG\r\n\x1a\n", 0, false, ends("IEND\xaeB`\x82", "last chunk")},
	{"a JPEG image", "Pillow", "\xff\xd8\xff", 0, true, nil},
	{"a GIF image", "Pillow", "GIF87a", 0, false, nil},
	{"a GIF image", "Pillow", "GIF89a", 0, false, nil},
	{"a TIFF image", "Pillow or tifffile", "II*\x00", 0, true, nil},
	{"a TIFF image", "Pillow or tifffile", "MM\x00*", 0, true, nil},
	{"a WebP image", "Pillow", "RIFF", 0, false, riff("WEBP")},
	{"a WAV file", "soundfile", "RIFF", 0, false, riff("WAVE")},
	{"an AVI video", "OpenCV or FFmpeg", "RIFF", 0, false, riff("AVI ")},
	{"a BMP image", "Pillow", "BM", 0, true, bmp},
	{"an OpenEXR image", "OpenEXR", "\x76\x2f\x31\x01", 0, true, nil},
	{"an MP4 or QuickTime video", "OpenCV or FFmpeg", "ftyp", 4, true, nil},
	{"a FLAC file", "soundfile", "fLaC", 0, true, nil},
	{"an Ogg file", "soundfile", "OggS\x00", 0, true, nil},
	{"an MP3 file", "librosa or FFmpeg", "ID3", 0, true, nil},
	{"a DICOM image", "pydicom", "DICM", 128, true, nil},
	{"a NIfTI image", "nibabel", "n+1\x00", 344, true, nil},
	{"a FITS file", "astropy.io.fits", "SIMPLE  =", 0, false, nil},
	{"a PDF document", "a PDF viewer", "%PDF-", 0, false, nil},

	{"a binary property list from macOS or iOS", "plutil -p", "bplist00", 0, false, nil},
	{"macOS metadata of another file (AppleDouble)", "macOS", "\x00\x05\x16\x07\x00\x02\x00\x00", 0, false, nil},

	// What is encrypted.
	{"a message encrypted with OpenPGP", "gpg --decrypt", "-----BEGIN PGP MESSAGE-----", 0, false, nil},
	{"a file encrypted with OpenPGP", "gpg --decrypt", "\x85\x01\x0c\x03", 0, true, nil},
	{"a file encrypted with OpenPGP", "gpg --decrypt", "\x85\x02\x0c\x03", 0, true, nil},
	{"a file encrypted with OpenPGP", "gpg --decrypt", "\x84\x5e\x03", 0, true, nil},
	{"a file encrypted with OpenPGP", "gpg --decrypt", "\x8c\x0d\x04", 0, true, nil},
	{"a file encrypted with age", "age --decrypt", "age-encryption.org/v1\n", 0, false, nil},
	{"a file encrypted with age, as text", "age --decrypt", "-----BEGIN AGE ENCRYPTED FILE-----", 0, false, nil},
	{"a file encrypted with OpenSSL", "openssl enc -d", "Salted__", 0, false, nil},
	{"a file encrypted with git-crypt", "git-crypt unlock", "\x00GITCRYPT\x00", 0, false, nil},
	{"a file encrypted with Ansible Vault", "ansible-vault decrypt", "$ANSIBLE_VAULT;", 0, false, nil},
	{"an encrypted disk (LUKS)", "cryptsetup", "LUKS\xba\xbe", 0, false, nil},

	// What refers to another file.
	{"a DVC pointer", "dvc", "outs:\n- ", 0, false, fetched("dvc pull")},
	{"a Xet pointer", "git-xet", "# xet version ", 0, false, fetched("git xet materialize")},
	{"a git-annex pointer", "git-annex", "/annex/objects/", 0, false, fetched("git annex get")},
	{"a shortcut to a web page", "a browser", "[InternetShortcut]", 0, false, nil},
	{"a Windows shortcut", "Windows", "\x4c\x00\x00\x00\x01\x14\x02\x00\x00\x00\x00\x00\xc0\x00\x00\x00", 0, false, nil},

	// Programs.
	{"an ELF program or library (Linux)", "Linux", "\x7fELF", 0, true, elf},
	{"a Windows program or library (PE)", "Windows", "MZ", 0, true, pe},
	{"a Mach-O program or library (macOS)", "macOS", "\xcf\xfa\xed\xfe", 0, true, nil},
	{"a Java class", "Java", "\xca\xfe\xba\xbe\x00\x00\x00", 0, true, nil},
	{"a WebAssembly module", "a WebAssembly runtime", "\x00asm\x01\x00\x00\x00", 0, false, nil},

	// What packs other files.
	{"a ZIP archive", "unzip", "PK\x03\x04", 0, false, zipped},
	{"an empty ZIP archive", "unzip", "PK\x05\x06", 0, true, packs},
	{"a file compressed with gzip", "gunzip", "\x1f\x8b\x08", 0, true, gzipped},
	{"a file compressed with Zstandard", "zstd", "\x28\xb5\x2f\xfd", 0, true, packs},
	{"protection data", "“spandrel check” of the file with this name, without .par,", "SPANPAR\x01", 0, false, nil},
	{"a file compressed with xz", "xz", "\xfd7zXZ\x00", 0, false, packs},
	{"a file compressed with bzip2", "bunzip2", "BZh", 0, true, bzipped},
	{"a file compressed with Snappy", "snzip or python-snappy", "\xff\x06\x00\x00sNaPpY", 0, false, packs},
	{"a file compressed with lzma", "xz --format=lzma", "\x5d\x00\x00", 0, true, lzma},
	{"a file compressed with compress", "uncompress", "\x1f\x9d", 0, true, packs},
	{"a Windows cabinet", "cabextract or 7-Zip", "MSCF\x00\x00\x00\x00", 0, false, packs},
	{"a Debian package or an ar archive", "ar", "!<arch>\n", 0, false, packs},
	{"an RPM package", "rpm2cpio", "\xed\xab\xee\xdb", 0, true, packs},
	{"a cpio archive", "cpio", "070701", 0, true, packs},
	{"a file compressed with LZ4", "lz4", "\x04\x22\x4d\x18", 0, true, packs},
	{"a 7z archive", "7-Zip", "7z\xbc\xaf\x27\x1c", 0, false, packs},
	{"a RAR archive", "unrar or 7-Zip", "Rar!\x1a\x07", 0, false, packs},
}

// has tells whether bytes are at an offset of the front.
func (f *File) has(at int, s string) bool {
	return at <= len(f.Head) && bytes.HasPrefix(f.Head[at:], []byte(s))
}

// under tells whether the front contains a text.
func (f *File) under(s string) bool { return bytes.Contains(f.Head, []byte(s)) }

// lacks says that a file is shorter than its own header says; an impossible n is ignored.
func (k *Kind) lacks(f *File, n uint64) {
	if n > uint64(f.Size) && n < 1<<62 {
		k.Lacks = fmt.Sprintf("it has %s of %s bytes", thousands(f.Size), thousands(int64(n)))
	}
}

// thousands writes a number with commas.
func thousands(n int64) string {
	s := fmt.Sprint(n)
	for i := len(s) - 3; i > 0; i -= 3 {
		s = s[:i] + "," + s[i:]
	}
	return s
}
