package kinds

import (
	"bytes"
	"encoding/binary"
	"hash/crc32"
	"path"
	"strings"
)

// The functions behind the signatures. Each returns false if the file is not of the kind after all; numbers are compared with the size
// of the file, and nothing is allocated according to one.

var (
	le = binary.LittleEndian
	be = binary.BigEndian
)

// ends also requires a signature at the end; without it the end is missing.
func ends(magic, part string) func(f *File, k *Kind) bool {
	return func(f *File, k *Kind) bool {
		if bytes.HasSuffix(f.Tail, []byte(magic)) && f.Size > int64(len(magic)) {
			k.Sure, k.Evidence = true, k.Evidence+" and its last"
		} else {
			k.Lacks = "its " + part + " is missing"
		}
		return true
	}
}

// fetched says which command fetches the file that this one refers to.
func fetched(by string) func(f *File, k *Kind) bool {
	return func(_ *File, k *Kind) bool {
		k.Fetch = by
		return true
	}
}

// hdf5 reads the superblock: the length of the file when it was closed, and its writer from the names of the first attributes.
func hdf5(f *File, k *Kind) bool {
	b := f.Head
	if len(b) < 16 {
		k.Lacks = "its superblock is not complete"
		return true
	}
	eof, wide := 0, b[13] == 8
	switch b[8] {
	case 0:
		eof = 40
	case 1:
		eof = 44
	case 2, 3:
		eof, wide = 28, b[9] == 8
	default:
		return true
	}
	if wide && len(b) >= eof+8 {
		k.lacks(f, le.Uint64(b[eof:]))
	}
	switch {
	case f.under("keras_version") || f.under("layer_names") || f.under("model_weights"):
		k.Name, k.Opens = "an HDF5 file (Keras weights)", "h5py or Keras"
	case f.under("anndata"):
		k.Name, k.Opens = "an HDF5 file (AnnData)", "anndata or h5py"
	case f.under("_NCProperties"):
		k.Name, k.Opens = "an HDF5 file (netCDF-4)", "xarray, netCDF4 or h5py"
	}
	return true
}

// userBlock reads the superblock that follows the text of a MATLAB file.
func userBlock(f *File, k *Kind) bool {
	if len(f.Head) < 512+56 || !f.has(512, "\x89HDF\r\n\x1a\n") {
		return true
	}
	in, of := File{Size: f.Size, Head: f.Head[512:]}, Kind{}
	hdf5(&in, &of)
	k.Lacks = of.Lacks
	return true
}

// arrowStream checks the length of a message and the root of the FlatBuffers table in it.
func arrowStream(f *File, k *Kind) bool {
	if len(f.Head) < 16 {
		return false
	}
	n, root := le.Uint32(f.Head[4:]), le.Uint32(f.Head[8:])
	return n >= 16 && n%8 == 0 && int64(n) <= f.Size-8 && root >= 4 && root < n && root%4 == 0
}

func orc(f *File, k *Kind) bool {
	if bytes.HasSuffix(f.Tail[:max(0, len(f.Tail)-1)], []byte("ORC")) {
		k.Sure, k.Evidence = true, k.Evidence+" and its postscript"
		return true
	}
	k.Lacks = "its postscript is missing"
	return strings.HasSuffix(f.Name, ".orc")
}

func avro(f *File, k *Kind) bool {
	k.Sure = f.under("avro.schema")
	return true
}

func netCDF(f *File, _ *Kind) bool {
	return len(f.Head) >= 8 && (f.Head[3] == 1 || f.Head[3] == 2 || f.Head[3] == 5) && f.Head[4] == 0
}

// flatRoot checks the offset to the root of a FlatBuffers buffer.
func flatRoot(f *File, k *Kind) bool {
	if len(f.Head) < 8 {
		return false
	}
	root := le.Uint32(f.Head)
	if root < 8 || root%2 != 0 {
		return false
	}
	k.Sure, k.Evidence = true, k.Evidence+" and the root offset"
	k.lacks(f, uint64(root)+4)
	return true
}

func sqlite(f *File, k *Kind) bool {
	if len(f.Head) >= 100 && be.Uint32(f.Head[24:]) == be.Uint32(f.Head[92:]) { // the count of pages is valid
		page := uint64(be.Uint16(f.Head[16:]))
		if page == 1 {
			page = 1 << 16
		}
		k.lacks(f, page*uint64(be.Uint32(f.Head[28:])))
	}
	return true
}

func lmdb(f *File, k *Kind) bool {
	k.Sure = len(f.Head) >= 24 && le.Uint32(f.Head[20:]) <= 2
	return true
}

// tfRecord checks the masked CRC-32C of the first length.
func tfRecord(f *File, k *Kind) bool {
	if len(f.Head) < 12 || f.Size < 16 {
		return false
	}
	n := le.Uint64(f.Head)
	sum := crc32.Checksum(f.Head[:8], crc32.MakeTable(crc32.Castagnoli))
	if n >= 1<<48 || le.Uint32(f.Head[8:]) != (sum>>15|sum<<17)+0xa282ead8 {
		return false
	}
	k.Evidence = "the CRC-32C of its first length"
	if bytes.Contains(f.Head[:min(len(f.Head), 64)], []byte("brain.Event:")) {
		k.Name, k.Opens = "a TensorBoard event file (TFRecord)", "TensorBoard"
	}
	k.lacks(f, n+16)
	return true
}

func levelDB(f *File, k *Kind) bool {
	k.Evidence = "its last 8 bytes"
	if strings.HasSuffix(f.Name, ".index") {
		k.Name, k.Opens = "the index of a TensorFlow checkpoint", "tf.train.load_checkpoint"
	}
	return f.Size >= 48 && bytes.HasSuffix(f.Tail, []byte("\x57\xfb\x80\x8b\x24\x75\x47\xdb"))
}

const pickleWarn = "Loading a pickle runs code from the file, so load only what you trust."

// pickle checks for a protocol, a possible next operation, and the operation that ends every pickle.
func pickle(f *File, k *Kind) bool {
	b := f.Head
	if len(b) < 4 || b[1] < 2 || b[1] > 5 {
		return false
	}
	whole := bytes.HasSuffix(f.Tail, []byte("."))
	switch {
	case b[1] >= 4 && b[2] == 0x95:
		if len(b) < 11 || le.Uint64(b[3:]) >= 1<<48 {
			return false
		}
		k.Sure, k.Evidence = true, "its protocol and its first frame"
		k.lacks(f, le.Uint64(b[3:])+11)
	case !whole || !strings.ContainsRune("}]()cK\x8aXUGNJM\x88\x89\x8c\x8e", rune(b[2])):
		return false
	default:
		k.Evidence = "its protocol and its last operation"
	}
	k.Warn = pickleWarn
	if f.under("numpy") && !f.under("torch") {
		k.Name += " of NumPy arrays"
		k.Opens = "numpy.load with allow_pickle=True, or pickle.load,"
	}
	return true
}

// The fields of the messages of ONNX and of TensorFlow.
const (
	onnxGraph  = 7
	metaGraphs = 2
)

// onnx walks the fields of a ModelProto: a version, then only known fields, up to the end of the file.
func onnx(f *File, k *Kind) bool {
	if len(f.Head) < 8 || f.Head[1] < 1 || f.Head[1] > 32 {
		return false
	}
	known := map[uint64]bool{1: true, 2: true, 3: true, 4: true, 5: true, 6: true, 7: true, 8: true, 14: true, 20: true, 25: true, 26: true}
	fields, lacks, ok := f.protobuf(known)
	if !ok || !fields[onnxGraph] || !fields[2] && !fields[8] {
		return false
	}
	k.Evidence = "its fields are those of an ONNX ModelProto"
	k.Sure = lacks == 0 && fields[8]
	k.lacks(f, lacks)
	return true
}

// savedModel also checks the name that TensorFlow gives the file, because its message has no signature.
func savedModel(f *File, k *Kind) bool {
	fields, lacks, ok := f.protobuf(map[uint64]bool{1: true, 2: true})
	k.Evidence = "its name, and its fields are those of a SavedModel"
	k.lacks(f, lacks)
	return ok && fields[metaGraphs] && path.Base(f.Name) == "saved_model.pb"
}

// mostFields is how many fields of a message are read.
const mostFields = 256

// protobuf walks the fields of a message. lacks is how long the file should be if the last field does not fit; ok is false if it is no
// such message.
func (f *File) protobuf(known map[uint64]bool) (fields map[uint64]bool, lacks uint64, ok bool) {
	fields = map[uint64]bool{}
	b := make([]byte, 20)
	for at := int64(0); at < f.Size; {
		n, _ := f.All.ReadAt(b[:min(20, f.Size-at)], at)
		tag, used := binary.Uvarint(b[:n])
		v, more := binary.Uvarint(b[max(0, used):n])
		if used <= 0 || more <= 0 || !known[tag>>3] {
			return nil, 0, false
		}
		fields[tag>>3] = true
		at += int64(used + more)
		switch tag & 7 {
		case 0:
		case 2:
			if v > uint64(f.Size-at) {
				return fields, uint64(at) + min(v, 1<<50), v < 1<<40
			}
			at += int64(v)
		default:
			return nil, 0, false
		}
		if f.steps++; f.steps > mostFields {
			return fields, 0, true
		}
	}
	return fields, 0, true
}

// riff asks for the type of a RIFF file.
func riff(kind string) func(f *File, k *Kind) bool {
	return func(f *File, k *Kind) bool {
		if !f.has(8, kind) {
			return false
		}
		k.Evidence = "its first 12 bytes"
		k.lacks(f, uint64(le.Uint32(f.Head[4:]))+8)
		return true
	}
}

func bmp(f *File, k *Kind) bool {
	if len(f.Head) < 30 || le.Uint32(f.Head[6:]) != 0 || uint64(le.Uint32(f.Head[10:])) > 4096 {
		return false
	}
	n := le.Uint32(f.Head[14:])
	return n == 12 || n == 40 || n == 52 || n == 56 || n == 64 || n == 108 || n == 124
}

func elf(f *File, k *Kind) bool {
	k.Sure = len(f.Head) > 6 && (f.Head[4] == 1 || f.Head[4] == 2) && (f.Head[5] == 1 || f.Head[5] == 2) && f.Head[6] == 1
	return k.Sure
}

func pe(f *File, k *Kind) bool {
	if len(f.Head) < 64 {
		return false
	}
	k.Sure = f.has(int(min(le.Uint32(f.Head[60:]), 1<<20)), "PE\x00\x00")
	return k.Sure
}
