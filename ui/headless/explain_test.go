package headless_test

import (
	"bytes"
	"slices"
	"strings"
	"testing"

	"spandrel/model"
	"spandrel/parsers"
	"spandrel/ui/headless"
)

// What people report that readers print, in the formats that it is about.
var reported = []struct{ format, message string }{
	{"safetensors", "safetensors_rust.SafetensorError: Error while deserializing header: HeaderTooLarge"},
	{"safetensors", "Error while deserializing header: header too large"},
	{"safetensors", "Error while deserializing header: header too small"},
	{"safetensors", "invalid JSON in header: EOF while parsing a value at line 1 column 0"},
	{"safetensors", "Error while deserializing header: MetadataIncompleteBuffer"},
	{"safetensors", "Error while deserializing header: incomplete metadata, file not fully covered"},
	{"safetensors", "invalid type: integer, expected a string at line 1 column 20"},
	{"safetensors", "trailing characters at line 1 column 3"},
	{"safetensors", "unknown variant `F8_E8M0`, expected one of `BOOL`"},
	{"safetensors", "invalid UTF-8 in header"},
	{"safetensors", "FileNotFoundError: No such file or directory: 'a/model-00002-of-00002.safetensors'"},
	{"safetensors", "OSError: Error no file named pytorch_model.bin, model.safetensors, found in directory a"},
	{"safetensors", "safetensors_rust.SafetensorError: File does not contain tensor a.weight"},
	{"gguf", "gguf_init_from_file_impl: invalid magic characters: 'vers', expected 'GGUF'"},
	{"gguf", "llama_model_load: error loading model: tensor 'blk.30.ffn_up.weight' data is not within the file bounds, model is corrupted or incomplete"},
	{"gguf", "gguf_init_from_file_impl: failed to read tensor info"},
	{"gguf", "gguf_init_from_file_impl: tensor 'a' has offset 96, expected 64"},
	{"gguf", "gguf_init_from_file_impl: failed to read tensor data"},
	{"gguf", "llama_model_load: error loading model: invalid split file name: x.gguf"},
	{"gguf", "ValueError: GGUF magic invalid"},
	{"gguf", "ValueError: Sorry, file appears to be version 1 which we cannot handle"},
	{"gguf", "KeyError: 'Duplicate general.name already in list at offset 60'"},
	{"gguf", "ValueError: 13 is not a valid GGUFValueType"},
	{"gguf", "ValueError: cannot reshape array of size 12 into shape (5,)"},
	{"npy", "_pickle.UnpicklingError: This file contains pickled (object) data."},
	{"npy", "Failed to interpret file 'a.npy' as a pickle"},
	{"npy", "ValueError: Object arrays cannot be loaded when allow_pickle=False"},
	{"npy", "ValueError: Failed to read all data for array. Expected (10,) = 10 elements"},
	{"npy", "ValueError: cannot reshape array of size 50032 into shape (1000,100)"},
	{"npy", "ValueError: mmap length is greater than file size"},
	{"npy", "EOFError: No data left in file"},
	{"npy", "zipfile.BadZipFile: File is not a zip file"},
	{"npy", "zipfile.BadZipFile: Bad CRC-32 for file 'a.npy'"},
	{"npy", "ValueError: we only support format version (1,0), (2,0), and (3,0), not (9, 0)"},
	{"npy", "ValueError: EOF: reading array header, expected 118 bytes got 40"},
	{"npy", "ValueError: Cannot parse header: \"{'descr': '<i8', 'fortran_order': False,\""},
	{"npy", "ValueError: malformed node or string on line 1: <ast.Name object at 0x7f032fa623b0>"},
	{"npy", "ValueError: Header does not contain the correct keys: ['desc', 'fortran_order', 'shape']"},
	{"npy", "ValueError: descr is not a valid dtype descriptor: '<q9'"},
	{"npy", "ValueError: Array can't be memory-mapped: Python objects in dtype."},
	{"npy", "zlib.error: Error -3 while decompressing data: invalid distance too far back"},
	{"npy", "NotImplementedError: That compression method is not supported"},
	{"tar", "tarfile.ReadError: empty file"},
	{"tar", "tarfile.ReadError: unexpected end of data"},
	{"tar", "ValueError: a.jpg: duplicate file name in tar file jpg dict_keys"},
	{"tar", "tar: This does not look like a tar archive"},
	{"tiledb", "[TileDB::Array] Error: Cannot open array; Array does not exist"},
	{"tiledb", "format version (23) is newer than library version (22)"},
	{"tiledb", "ZSTD decompression failed: Unknown frame descriptor"},
	{"tiledb", "checksum mismatch for md5 filter"},
	{"tiledb", "terminate called after throwing an instance of 'std::bad_alloc'"},
	{"tiledb", "Cannot get file size of file:///a/__fragments/x/__fragment_metadata.tdb"},
	{"tiledb", "Cannot get file size of file:///a/__fragments/x/a0.tdb"},
	{"tiledb", "IO Error: Cannot read from file '/a/__fragments/x/__fragment_metadata.tdb'; offset > typemax(off_t)"},
	{"tiledb", "Cannot read from file; Read exceeds file size"},
	{"tiledb", "terminate called after throwing an instance of 'std::out_of_range'"},
	{"idv", "Read only 0 bytes in file, expected header size of 256"},
	{"idv", "System.IO.EndOfStreamException: Unable to read beyond the end of the stream."},
	{"idv", "System.FormatException: Stream does not appear to be a binary dataview"},
	{"idv", "System.IO.InvalidDataException: A local file header is corrupt."},
	{"idv", "End of Central Directory record could not be found."},
	{"idv", "System.FormatException: Corrupt model file"},
	{"samediff", "java.lang.IndexOutOfBoundsException\n\tat java.nio.Buffer.checkIndex\n\tat org.nd4j.graph.FlatGraph.__init(FlatGraph.java:21)"},
	{"samediff", "6 is not a constant in org.nd4j.linalg.api.buffer.DataBuffer$Type"},
	{"samediff", "java.lang.RuntimeException: java.io.UTFDataFormatException: malformed input around byte 13"},
	{"samediff", "java.util.zip.ZipException: zip END header not found"},
	{"samediff", "java.io.IOException: Invalid header offsets/lengths in file /m/a.sdnb. MetaOffset=32 (expected 32), ManifestOffset=-1"},
	{"samediff", "java.io.IOException: Failed to deserialize manifest from file: /m/a.sdnb"},
	{"npy", "zipfile.BadZipFile: Bad magic number for file header"},
	{"npy", "_pickle.UnpicklingError: invalid load key, '<'."},
	{"npy", "KeyError: 'arr_0 is not a file in the archive'"},
	{"npy", "MemoryError: Unable to allocate 3.64 TiB for an array with shape (1000000000000,) and data type float32"},
	{"npy", "UnicodeDecodeError: 'utf-8' codec can't decode byte 0x93 in position 0: invalid start byte"},
	{"npy", "ModuleNotFoundError: No module named 'numpy._core'"},
	{"tar", "tar: Skipping to next header"},
	{"tar", "tar: Unexpected EOF in archive"},
	{"tar", "gzip: stdin: not in gzip format"},
	{"tar", "gzip: stdin: unexpected end of file"},
	{"tar", "EOFError: Compressed file ended before the end-of-stream marker was reached"},
	{"tar", "ValueError: a.tar (gs://b/a.tar) is not a tar archive, but a , contains b'././@PaxHeader'"},
	{"wds", "Critical error: Malformed index file at \"a.idx\" line 3 - something"},
	{"gguf", "gguf_init_from_file_impl: failed to read magic"},
	{"gguf", "llama_model_load: error loading model: error loading model hyperparameters: key not found in model: llama.context_length"},
	{"gguf", "llama_model_load: error loading model: error loading model architecture: unknown model architecture: 'qwen3next'"},
	{"gguf", "error loading model vocabulary: unknown pre-tokenizer type: 'deepseek-r1-qwen'"},
	{"gguf", "error loading model: unknown (magic, version) combination: 46554747, 00000003; is this really a GGML file?"},
	{"gguf", "gguf_init_from_file_impl: tensor 'a' dimension 1 has invalid number of elements: -4 < 0"},
	{"safetensors", "OSError: You seem to have cloned a repository without having git-lfs installed. Please install git-lfs and run"},
	{"safetensors", "OSError: The safetensors archive passed at a.safetensors does not contain the valid metadata."},
	{"safetensors", "RuntimeError: Some tensors share memory, this will lead to duplicate memory on disk"},
	{"safetensors", "size mismatch for head.weight: copying a param with shape torch.Size([2, 3]) from checkpoint"},
	{"tiledb", "TileDBError: [TileDB::ConstBuffer] Error: Read buffer overflow"},
	{"tiledb", "[TileDB::ArraySchema] Error: [ArraySchema::deserialize] Incompatible format version."},
	{"tiledb", "[TileDB::FragmentMetadata] Error: Cannot load fragment metadata; Reading tile offsets failed"},
	{"tiledb", "OpenSSL error; error finalizing decryption."},
	{"tiledb", "[TileDB::DoubleDelta] Error: Cannot decompress tile with DoubleDelta; Unsupported datatype: X"},
	{"idv", "System.FormatException: LEB128 encoded integer exceeded expected length"},
	{"idv", "System.ArgumentOutOfRangeException: binary loader must be created with one file (Parameter 'files')"},
	{"idv", "System.InvalidOperationException: Could not load legacy format model"},
	{"scdl", "HeaderSerializationError: Invalid magic number: b'XXXX' != b'SCDL'"},
	{"scdl", "pyarrow.lib.ArrowInvalid: Parquet magic bytes not found in footer. Either the file is corrupted or this is not a parquet file."},
}

func formatOf(t *testing.T, name string) *model.Format {
	t.Helper()
	all := parsers.All()
	i := slices.IndexFunc(all, func(f *model.Format) bool { return f.Name == name })
	if i < 0 {
		t.Fatalf("no format %s", name)
	}
	return all[i]
}

// Every message that people reported is known, also between other lines, and leads to a rule.
func TestMessagesReported(t *testing.T) {
	for _, x := range reported {
		f := formatOf(t, x.format)
		got := model.MessagesIn("Traceback (most recent call last):\n  File \"a.py\", line 3\n"+x.message+"\nmore\n", f.Messages())
		if len(got) == 0 {
			t.Errorf("%s: %q is not known", x.format, x.message)
		}
	}
	if got := model.MessagesIn("Segmentation fault", formatOf(t, "npy").Messages()); len(got) != 0 {
		t.Errorf("%q is taken for it", got[0].Text)
	}
}

// A message leads to rules that exist, or says what to do instead, and says in one sentence what it means.
func TestMessagesLead(t *testing.T) {
	for _, f := range parsers.All() {
		for _, m := range f.Messages() {
			if len(m.Rules) == 0 && m.Do == "" || m.By == "" || !strings.HasSuffix(m.Means, ".") {
				t.Errorf("%s: %q says too little", f.Name, m.Text)
			}
			for _, id := range m.Rules {
				if f.Rule(id) == nil {
					t.Errorf("%s: %q leads to %s, which does not exist", f.Name, m.Text, id)
				}
			}
			if len(model.MessagesIn(strings.ReplaceAll(m.Text, "…", " x "), f.Messages())) == 0 {
				t.Errorf("%s: %q does not match itself", f.Name, m.Text)
			}
		}
	}
}

func explained(in string, args ...string) (string, int) {
	var out bytes.Buffer
	status := headless.Run(headless.Env{Formats: parsers.All(), In: strings.NewReader(in), Out: &out, Err: &out}, append([]string{"explain"}, args...))
	return out.String(), status
}

// A message leads to the finding in a damaged file.
func TestExplain(t *testing.T) {
	for _, x := range []struct{ path, message, rule string }{
		{"npy/bad/003-cut.npy", "ValueError: cannot reshape array of size 5 into shape (3,4)", "NPY-003"},
		{"safetensors/bad/008-cut.safetensors", "MetadataIncompleteBuffer", "STS-008"},
		{"safetensors/bad/013-shard", "FileNotFoundError: No such file or directory: 'm/model-00002-of-00003.safetensors'", "STS-013"},
		{"gguf/bad/017-cut.gguf", "tensor 'c.weight' data is not within the file bounds, model is corrupted or incomplete", "GGUF-017"},
		{"gguf/bad/015-offset.gguf", "tensor 'b.weight' has offset 40, expected 32", "GGUF-015"},
		{"tar/bad/009-same-name.tar", "duplicate file name in tar file a", "TAR-009"},
		{"idv/bad/001-short.idv", "Read only 100 bytes in file, expected header size of 256", "IDV-001"},
		{"samediff/bad/158-training.fb", "com.fasterxml.jackson.databind.exc.InvalidTypeIdException: x", "SDF-158"},
		{"tiledb/bad/022-broken.tdb", "checksum mismatch for md5 filter", "TDB-022"},
		{"scdl/bad/047-sample", "ValueError: mmap length is greater than file size", "SCDL-047"},
	} {
		out, _ := explained("Traceback\n"+x.message+"\n", "../../testdata/"+x.path)
		lines := strings.Split(out, "\n")
		if !strings.Contains(lines[0], " says ") || !strings.Contains(lines[0], x.rule) {
			t.Errorf("%s: it begins with %q", x.path, lines[0])
		}
		first := slices.IndexFunc(lines[1:], func(l string) bool {
			return strings.Contains(l, ":0x") && !strings.Contains(l, " cause: ") && l[0] != ' '
		})
		if first < 0 || !strings.Contains(lines[1+first], " "+x.rule+": ") {
			t.Errorf("%s: the first finding is not of %s:\n%s", x.path, x.rule, out)
		}
	}
}

// A message about another file is said to be that; an unknown one is followed by what check says; the meaning needs no file.
func TestExplainOther(t *testing.T) {
	for _, x := range []struct {
		in     string
		args   []string
		want   string
		status int
	}{
		{"", []string{"../../testdata/npy/good/vector.npy", "cannot", "reshape", "array", "of", "size", "3", "into", "shape"}, "the message is about another file", headless.Done},
		{"", []string{"../../testdata/npy/bad/003-cut.npy", "Segmentation fault"}, "no known reader prints this", headless.Found},
		{"std::bad_alloc\n", nil, "TileDB says", headless.Done},
		{"", []string{"../../testdata/gguf/good/aligned.gguf", "unknown model architecture: 'qwen9'"}, "No errors were found in this file", headless.Done},
		{"", []string{"../../testdata/tiledb/good/metadata.tdb", "Array does not exist"}, "This file causes that message", headless.Done},
		{"", []string{"key not found in model: general.architecture"}, "(GGUF-009)", headless.Done},
		{"", []string{"Segmentation fault"}, "no known reader", headless.Failed},
		{"", []string{"../../testdata/npy/bad/003-cut.npy"}, "no message", headless.Failed},
		{"", []string{"missing.npy", "std::bad_alloc"}, "missing.npy", headless.Failed},
		{"", []string{"--json", "../../testdata/npy/bad/003-cut.npy", "mmap length is greater than file size"}, `"kind":"explain"`, headless.Found},
	} {
		if out, status := explained(x.in, x.args...); status != x.status || !strings.Contains(out, x.want) {
			t.Errorf("%q: status %d, want %d and %q:\n%s", x.args, status, x.status, x.want, out)
		}
	}
}

// TestFor asks whether a reader opens a file: the status is about that, and not about what else is wrong.
func TestFor(t *testing.T) {
	for _, c := range []struct {
		reader, path, want string
		status             int
	}{
		{"tiledb@2.20", "tiledb/good/dense-v22", "TileDB 2.20 refuses this array", 1},
		{"tiledb=2.20", "tiledb/good/dense-v22", "TileDB 2.20 refuses this array", 1},
		{"tiledb", "tiledb/good/dense-v22", "TileDB opens this array: 20 cells", 0},
		{"numpy", "npy/bad/004-behind.npy", "numpy opens this file", 0},
		{"numpy", "npy/bad/003-cut.npy", "numpy refuses this file", 1},
		{"tiledb@9", "tiledb/good/dense-v22", "TileDB 9 is unknown", 2},
		{"nothing", "tiledb/good/dense-v22", "no reader", 2},
	} {
		status, out, err := run(nil, "check", "--for", c.reader, samples+"../"+c.path)
		if status != c.status || !strings.Contains(out+err, c.want) {
			t.Errorf("%s of %s: status %d: %s%s", c.reader, c.path, status, out, err)
		}
	}
}
