package parsers

import (
	"bytes"
	"compress/gzip"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"spandrel/model"
	"spandrel/model/cause"
)

// knownDamage is damage of a sound sample, and what is said of it first: a part of the sentence, and whether the first repair restores the
// sample, by itself or when it is asked for.
var knownDamage = []struct {
	name, sample string
	damage       func(s *model.Snapshot) *model.Snapshot
	says         string
	back, safe   bool
}{
	{"a shard is missing", "taridx/good/three-shards/train.taridx", without("train_0001.tar"), "train_0001.tar is missing", false, false},
	{"the last shard is missing", "taridx/good/three-shards/train.taridx", without("train_0002.tar"), "train_0002.tar is missing", false, false},
	{"a shard has another name", "taridx/good/three-shards/train.taridx", renamed("train_0001.tar", "copy.tar"), "copy.tar is train_0001.tar under another name", true, true},
	{"a shard in place of another", "taridx/good/three-shards/train.taridx", inPlace("train_0001.tar", "train_0000.tar"), "the same bytes as train_0000.tar", false, false},
	{"one row more is counted", "taridx/good/three-shards/train.taridx", added("train.taridx", 0x18, 1), "n_rows", true, true},
	{"one row less is counted", "taridx/good/three-shards/train.taridx", added("train.taridx", 0x18, -1), "n_rows", true, true},
	{"a row is missing", "taridx/good/three-shards/train.taridx", cut("train.taridx", 71+32, 32), "truncated", true, true},
	{"a sample was taken out, but is still counted as rows", "taridx/good/three-shards/train.taridx", dropped, "counts 10 rows", true, false},
	{"a shard is cut in its last member", "taridx/good/three-shards/train.taridx", cut("train_0001.tar", 2560+512+300, 1<<20), "train_0001.tar is truncated", false, false},
	{"bytes are missing among the rows", "taridx/good/three-shards/train.taridx", cut("train.taridx", 171, 100), "missing inside", true, true},
	{"bytes came in among the rows", "taridx/good/three-shards/train.taridx", put("train.taridx", 171, junk(100)), "do not belong", true, true},
	{"a byte is missing in the header of an index", "taridx/good/one-shard/train.taridx", cut("train.taridx", 20, 1), "1 byte is missing inside", true, true},
	{"the end of the header of an index is missing", "taridx/good/three-shards/train.taridx", cut("train.taridx", 57, 7), "7 bytes are missing inside", true, false},
	{"a letter of a colliding stem is wrong", "taridx/good/collisions/train.taridx", added("train.taridx", 75, -62), "stem", true, true},
	{"bytes in front of an index without rows", "taridx/good/empty/train.taridx", put("train.taridx", 0, junk(512)), "precede", true, true},
	{"a mark of texts in front of a file with a length", "idv/good/prefixed.idv", put("prefixed.idv", 0, "\xef\xbb\xbf"), "precede", true, true},
	{"the first header of a shard is zero", "taridx/good/three-shards/train.taridx", edited("train_0001.tar", func(b []byte) { clear(b[:512]) }), "they are in train_0001.tar.", false, false},
	{"bytes came into the header of a member", "taridx/good/gnu/train.taridx", put("train_0000.tar", 283, "\x17\x99\x80"), "3 bytes do not belong to train_0000.tar", true, true},
	{"a byte came in in front of the magic of a member", "taridx/good/three-shards/train.taridx", put("train_0001.tar", 100, "["), "1 byte does not belong to train_0001.tar", true, true},
	{"zeros of the header of a member are missing", "taridx/good/three-shards/train.taridx", cut("train_0001.tar", 384, 16), "16 bytes are missing inside train_0001.tar", true, false},
	{"line ends of a small file became those of Windows", "scdl/good/archive", put("obs_features/version.npy", 127, "\r"), "transferred as text", true, true},
	{"two shards of one length swapped", "taridx/good/three-shards/train.taridx", traded("train_0000.tar", "train_0001.tar"), "swapped content", true, true},
	{"a shard is wiped", "taridx/good/three-shards/train.taridx", edited("train_0001.tar", zeroBytes), "all zeros", false, false},
	{"the index of the blocks is wiped", "scdl/good/archive", edited("obs_features/cumulative_sum_index.npy", zeroBytes), "all zeros", true, true},
	{"the end of a table is wiped", "scdl/good/archive", edited("obs_features/dataframe_0.parquet", func(b []byte) { clear(b[len(b)-64:]) }), "are zero", false, false},
	{"signature and version are wiped", "idv/good/deflated.idv", wiped("deflated.idv", 16), "The first 16 bytes of the file are zero", true, true},
	{"the byte order of a header is none", "scdl/good/archive", edited("header.sch", func(b []byte) { b[7] = 0 }), "endianness", true, true},
	{"the length of an array is all ones", "scdl/good/archive", edited("header.sch", func(b []byte) { copy(b[0x2f:], "\xff\xff\xff\xff\xff\xff\xff\xff") }), "length is 18446744073709551615", true, true},
	{"versions swapped", "taridx/good/three-shards/train.taridx", exchanged("train.taridx", 8, 10, 2), "have swapped values", true, true},
	{"the end mark is not where the header says", "idv/good/stored.idv", added("stored.idv", 32, 64), "tailOffset", true, true},
	{"a letter of a path in the header is missing", "scdl/good/archive", cut("header.sch", 150, 1), "1 byte is missing inside header.sch", true, true},
	{"a byte of the length of a path in the header is missing", "scdl/good/archive", cut("header.sch", 121, 1), "1 byte is missing inside header.sch", true, true},
	{"a table that an index counts is missing", "scdl/good/legacy", without("features/dataframe_0.parquet"), "dataframe_0.parquet is missing", false, false},
	{"a byte of a list of labels is wrong", "scdl/good/archive", edited("var_features/labels.json", func(b []byte) { b[3] = 0xff }), "1 byte does not belong to var_features/labels.json at about 0x3", false, false},
	{"a header of chunks is cut in what it says of them", "scdl/good/chunks.sch", cut("chunks.sch", 424, 1<<20), "is truncated", false, false},
	{"a header is cut in a name", "scdl/good/chunks.sch", cut("chunks.sch", 400, 1<<20), "is truncated", false, false},
	{"the version of a feature folder is missing", "scdl/good/archive", without("var_features/version.npy"), "version.npy is missing", true, true},
	{"the header of an archive is cut at a path", "scdl/good/archive", cut("header.sch", 327, 1<<20), "is truncated", true, true},
	{"a letter of the name of a feature folder is wrong", "scdl/good/archive", added("header.sch", 0x102, 1), "another name", true, true},
	{"a letter of num_rows is wrong", "scdl/good/archive", edited("metadata.json", func(b []byte) { b[7] = 0xbe }), "metadata.json cannot be read", true, true},
	{"values of a chunk are missing", "scdl/good/chunked", cut("chunk_00001/data.npy", 4, 1<<20), "is incomplete", false, false},
	{"the values of two chunks swapped", "scdl/good/chunked", traded("chunk_00000/data.npy", "chunk_00001/data.npy"), "swapped content", true, true},
	{"one file of a feature folder is damaged, and another is the same in every folder", "scdl/good/archive", blotted("obs_features/cumulative_sum_index.npy", 8, 16), "16 bytes of obs_features/cumulative_sum_index.npy", true, true},
	{"the header of an archive in place of that of another", "scdl/good/collection", inPlace("second/header.sch", "first/header.sch"), "the same bytes as first/header.sch", true, true},
	{"values of a chunk are compressed", "scdl/good/chunked", packed("chunk_00000/data.npy"), "compressed with zip", true, true},
	{"the first byte of a tar file is missing", "tar/good/ustar.tar", cut("ustar.tar", 0, 1), "The first byte of the file is missing", false, false},
	{"a file of tensors is cut in its header", "safetensors/good/model.safetensors", cut("model.safetensors", 182, 1<<20), "is truncated", false, false},
	{"a file without tensors is cut in the blanks of its header", "safetensors/good/empty.safetensors", cut("empty.safetensors", 12, 1<<20), "is truncated", false, false},
	{"a row pointer is missing", "scdl/good/archive", cut("row_ptr.npy", 3, 1), "is incomplete", true, false},
	{"the first row pointer is missing", "scdl/good/archive", cut("row_ptr.npy", 0, 1), "The first byte of row_ptr.npy is missing", true, true},
	{"a block index without its −1", "scdl/good/archive", unindexed, "cumulative_sum_index.npy lacks its first value", true, false},
	{"a block index without its −1, and two files swapped", "scdl/good/archive", both(unindexed, traded("data.npy", "col_ptr.npy")), "swapped content", false, false},
	{"the directory is said to begin a little later", "idv/good/stored.idv", added("stored.idv", 24, 8), "tocOffset is", true, true},
	{"a block is not where the table has it", "idv/good/deflated.idv", added("deflated.idv", 0x54f, 64), "offset is", true, true},
	{"a block is said to be a little off, on bytes of the next", "idv/good/deflated.idv", added("deflated.idv", 1647, 7), "lookup[6][0]/offset is", true, true},
	{"ten times as many rows are counted as there are", "idv/good/stored.idv", added("stored.idv", 40, 72), "rowCount is 80, but there are 8 rows", true, true},
	{"signature and version swapped", "idv/good/stored.idv", exchanged("stored.idv", 0, 8, 8), "have swapped values", true, true},
	{"the length of a footer is lost", "tiledb/good/sparse-v23", lengthLost(sparseMeta), "footer_length", true, true},
	{"the metadata of a fragment are cut in its footer", "tiledb/good/sparse-v23", cut(sparseMeta, 4764-100, 100), "is truncated", false, false},
	{"the cells of a field are wiped", "tiledb/good/dense-v9", edited("__1700000000001_1700000000001_0123456789abcdef0123456789abcdef_9/a0.tdb", zeroBytes), "all zeros", false, false},
	{"a schema by itself is cut", "tiledb/good/schema-v23.tdb", cut("schema-v23.tdb", 91, 1<<20), "is truncated", false, false},
	{"the number of chunks of a schema is none", "tiledb/good/schema-v5.tdb", added("schema-v5.tdb", 0x34, -1), "num_chunks is 0", true, true},
	{"a schema by itself is cut in its header", "tiledb/good/schema-v18.tdb", cut("schema-v18.tdb", 30, 1<<20), "is truncated", false, false},
	{"the first byte of a schema is missing", "tiledb/good/sparse-v23", cut(sparseSchema, 0, 1), "The first byte of __schema/", true, true},
	{"the first bytes of cells are missing", "tiledb/good/sparse-v23", cut(sparseValues, 0, 5), "The first 5 bytes of __fragments/", true, true},
	{"the first byte of the metadata of a fragment is missing", "tiledb/good/sparse-v23", cut(sparseMeta, 0, 1), "The first byte of __fragments/", true, true},
	{"the first byte of a schema by itself is missing", "tiledb/good/schema-v23.tdb", cut("schema-v23.tdb", 0, 1), "The first byte of the file is missing", true, false},
	{"a byte in front of a table of rows", "idv/good/stored.idv", put("stored.idv", 0, "x"), "1 byte precedes the file", true, true},
	{"four bytes in front of a table of rows, where a length may stand", "idv/good/stored.idv", put("stored.idv", 0, "junk"), "4 bytes precede the file", true, false},
	{"the first byte of a length in front is missing", "idv/good/prefixed.idv", cut("prefixed.idv", 0, 1), "The first byte of the file is missing", true, true},
	{"the length in front is wrong", "idv/good/prefixed.idv", added("prefixed.idv", 0, 1), "prefix is", true, true},
	{"a byte of what a compressor notes of a schema is wrong", "tiledb/good/sparse-v23", added(sparseSchema, 77, 3), "what GZIP recorded for it is damaged", true, true},
	{"a letter of the name of a schema in a footer is wrong", "tiledb/good/sparse-v23", edited(sparseMeta, func(b []byte) { b[bytes.LastIndex(b, []byte("1700000000000_0123"))+18] ^= 0x40 }), "A letter of the schema name is wrong", true, true},
	{"the file of a schema has the name of another time", "tiledb/good/sparse-v23", renamed(sparseSchema, strings.ReplaceAll(sparseSchema, "1700000000000", "1700000000001")), "either the file was renamed", false, false},
	{"zeros came into a graph", "samediff/good/nested.fb", put("nested.fb", 400, strings.Repeat("\x00", 64)), "64 bytes do not belong to the file", true, true},
	{"a small graph is padded to a page", "samediff/good/inline.fb", put("inline.fb", 776, strings.Repeat("\x00", 3320)), "3,320 zeros follow the end", true, false},
	{"many bytes behind a graph", "samediff/good/inline.fb", put("inline.fb", 776, junk(513)), "513 bytes follow the end", true, true},
	{"the length of a type's name is wrong where there are no rows", "idv/good/no-rows.idv", added("no-rows.idv", 519, -1), "toc[0]/codec/loadName/length", true, true},
	{"a schema is missing", "tiledb/good/sparse-v23", without(sparseSchema), "is missing", false, false},
	{"the header of an SDNB is zero", "samediff/good/blobs.sdnb", wiped("blobs.sdnb", 16), "bytes of the file are zero", true, true},
	{"the front of an SDNB is zero", "samediff/good/blobs.sdnb", wiped("blobs.sdnb", 64), "The first 64 bytes of the file are zero", false, false},
	{"the first bytes of a container are zero", "samediff/good/plain.sdc", wiped("plain.sdc", 14), "bytes of the file are zero", true, true},
	{"the front of a graph is zero", "samediff/good/inline.fb", wiped("inline.fb", 32), "bytes of the file are zero", false, false},
	{"the first header of an archive is zero", "samediff/good/stored.sdz", wiped("stored.sdz", 24), "the header before the data is damaged", true, true},
	{"an SDNB file is packed into an archive", "samediff/good/blobs.sdnb", packed("blobs.sdnb"), "compressed with zip", true, true},
	{"a graph is packed into an archive", "samediff/good/nested.fb", packed("nested.fb"), "compressed with zip", true, true},
	{"the version of a container is in the other byte order", "samediff/good/plain.sdc", edited("plain.sdc", func(b []byte) { slices.Reverse(b[14:18]) }), "version is", true, true},
	{"a container is cut in front of its sections", "samediff/good/plain.sdc", cut("plain.sdc", 20, 1<<20), "is truncated", false, false},
	{"an offset of a graph leads between two words", "samediff/good/inline.fb", added("inline.fb", 0x30, 1), "nodes", true, true},
	{"the id of a variable is one that no operation takes in", "samediff/good/inline.fb", added("inline.fb", 680, 9), "variables[1]/id/table/first is", true, true},
	{"a list of a graph is shorter than it was", "samediff/good/inline.fb", added("inline.fb", 0x124, -1), "variables/count", true, true},
	{"a letter of a safetensors header is wrong", "safetensors/good/model.safetensors", added("model.safetensors", 8+157, 7), "1 character is wrong in the header", true, true},
	{"a byte of a short zlib stream is wrong", "tiledb/good/sparse-v23", added(sparseSchema, 0x70, 0x55), "One byte at 0x70", true, true},
	{"a chunk is said to be longer than it is", "tiledb/good/sparse-v23", added(sparseSchema, 0x3c, 8), "original_length", true, true},
	{"fields of a graph are wiped with what stands beside them", "samediff/good/inline.fb", blotted("inline.fb", 0x150, 16), " is 0", false, false},
	{"two fields of a graph are wiped, and bytes", "samediff/good/inline.fb", blotted("inline.fb", 0x200, 16), "soffset is", false, false},
	{"a count of a graph and its bytes are wiped", "samediff/good/inline.fb", blotted("inline.fb", 0x240, 16), " is 0", false, false},
	{"offsets of a graph are wiped", "samediff/good/inline.fb", blotted("inline.fb", 0x180, 16), " is 0", false, false},
	{"a byte order mark in front of an index that is text", "wds/good/empty-lines.idx", put("empty-lines.idx", 0, "\xef\xbb\xbf"), "byte order mark", true, true},
	{"a tar file is cut in a member", "tar/good/ustar.tar", cut("ustar.tar", 800, 1<<20), "The file is truncated: at least", false, false},
	{"a tar file is cut in its first header", "tar/good/ustar.tar", cut("ustar.tar", 370, 1<<20), "is truncated", false, false},
	{"of a tar file only the first name is left", "tar/good/ustar.tar", becoming("ustar.tar", func(b []byte) []byte { return b[:bytes.IndexByte(b, 0)] }), "or is truncated to its first bytes", false, false},
	{"the end of an index that is text is zero", "wds/good/dali/train.idx", edited("train.idx", func(b []byte) { clear(b[122:]) }), "are zero where data should be", true, false},
	{"a list of shards is cut", "wds/good/wids", cut("shardindex.json", 100, 1<<20), "is truncated", false, false},
	{"zeros are left out of a tar file of text", "tar/good/ustar.tar", becoming("ustar.tar", func(b []byte) []byte { return bytes.ReplaceAll(b, []byte{0}, nil) }), "no zero byte", false, false},
	{"zeros are left out of a small model", "gguf/good/aligned.gguf", becoming("aligned.gguf", func(b []byte) []byte { return bytes.ReplaceAll(b, []byte{0}, nil) }), "no zero byte", false, false},
	{"tensors read as UTF-16", "safetensors/good/model.safetensors", becoming("model.safetensors", fromUTF16), "as text in UTF-16", true, true},
	{"bytes came in among those of a schema", "tiledb/good/sparse-v23", put(sparseSchema, 54, junk(4)), "4 bytes do not belong", true, false},
	{"the bits of a shape are wrong in two bytes", "samediff/good/nested.fb", edited("nested.fb", func(b []byte) {
		i := bytes.Index(b, []byte("\x00\x20\x00\x00\x00\x00\x00\x00\x01\x00\x00\x00\x00\x00\x00\x00c"))
		copy(b[i:], "\x01\x40")
	}), "type in the shape of an array does not match", false, false},
	{"the first bytes of a table of rows are missing", "idv/good/stored.idv", cut("stored.idv", 0, 5), "The first 5 bytes of the file are missing", true, true},
	{"the letters of an index are missing", "taridx/good/three-shards/train.taridx", cut("train.taridx", 0, 6), "The first 6 bytes of the file are missing", true, true},
	{"the front of a table of rows is missing", "idv/good/stored.idv", cut("stored.idv", 0, 33), "The first 33 bytes of the file are missing", true, true},
	{"most of a header is missing", "idv/good/deflated.idv", cut("deflated.idv", 0, 200), "The first 200 bytes of the file are missing", true, true},
	{"the front of a header of no rows is missing", "idv/good/no-rows.idv", cut("no-rows.idv", 0, 20), "The first 20 bytes of the file are missing", true, true},
	{"the front of a graph is missing", "samediff/good/inline.fb", cut("inline.fb", 0, 32), "SDF-001", false, false},
	{"a ModelContainer is cut at its end", "samediff/good/container.fb", cut("container.fb", 855, 1<<20), "is truncated: at least 1 byte", false, false},
	{"a ModelContainer is cut in half", "samediff/good/container.fb", cut("container.fb", 432, 1<<20), "is truncated: at least 424 bytes", false, false},
	{"a graph that holds another is cut", "samediff/good/nested.fb", cut("nested.fb", 1591, 1<<20), "is truncated: at least 13 bytes", false, false},
	{"a graph is cut by its last word", "samediff/good/inline.fb", cut("inline.fb", 776-4, 4), "The file is truncated: at least 4 bytes", false, false},
	{"a graph is cut by its last table", "samediff/good/keys.fb", cut("keys.fb", 920-8, 8), "The file is truncated: at least 4 bytes", false, false},
	{"a graph is cut inside its last table", "samediff/good/inline.fb", cut("inline.fb", 776-3, 3), "The file is truncated: at least 3 bytes", false, false},
	{"bytes in front of an archive", "samediff/good/stored.sdz", put("stored.sdz", 0, junk(100)), "100 bytes precede the file", true, true},
	{"a script in front of an archive", "samediff/good/deflated.sdz", put("deflated.sdz", 0, "#!/bin/sh\nexec java -jar \"$0\"\n"), "30 bytes precede the file", true, true},
	{"bytes in front of an archive of arrays", "npy/good/arrays.npz", put("arrays.npz", 0, junk(33)), "33 bytes precede the file", true, true},
	{"a graph is cut near its front", "samediff/good/inline.fb", cut("inline.fb", 194, 1<<20), "is truncated: at least 102 bytes", false, false},
	{"a container is cut in front of its last section", "samediff/good/arrays.sdc", cut("arrays.sdc", 239, 1<<20), "the HEADER counts 3 sections, but it ends inside section 2", false, false},
	{"64 bytes of a graph are wiped", "samediff/good/nested.fb", blotted("nested.fb", 1177, 64), "Up to 68 bytes at 0x498 are zero where data should be", false, false},
	{"the length of the comment of an archive is missing", "samediff/good/stored.sdz", func(s *model.Snapshot) *model.Snapshot {
		c, _ := s.Content("stored.sdz")
		return s.With("stored.sdz", c.Splice(c.Len()-2, 2, nil))
	}, "is truncated", true, false},
	{"64 bytes with a field that is known are wiped", "samediff/good/keys.fb", blotted("keys.fb", 294, 64), "soffset is", false, false},
	{"a file of a folder is something else", "tiledb/good/sparse-v23", edited(sparseValues, scrambled), "its bytes are noise", false, false},
	{"two compressed blocks of different lengths are exchanged", "idv/good/deflated.idv", pieces("deflated.idv", 0x289, 19, 0x372, 14), "are swapped", true, true},
	{"two parts of an index are exchanged", "taridx/good/three-shards/train.taridx", pieces("train.taridx", 64, 64, 192, 64), "are swapped", true, false},
	{"two parts of a list of arrays are exchanged", "samediff/good/arrays.sdc", pieces("arrays.sdc", 128, 128, 512, 128), "are swapped", true, false},
	{"the length of a header is one more", "npy/good/matrix.npy", added("matrix.npy", 8, 1), "The header is 118 bytes long, but its length says 119", true, true},
	{"the bytes of a length in a tile's header are in reverse order", "tiledb/good/schema-v23.tdb", edited("schema-v23.tdb", func(b []byte) { slices.Reverse(b[12:20]) }), "(its bytes are in reverse order)", true, true},
	{"macOS put metadata beside the shards", "taridx/good/three-shards/train.taridx", func(s *model.Snapshot) *model.Snapshot {
		return s.With("._train_0000.tar", model.BytesContent([]byte("\x00\x05\x16\x07\x00\x02\x00\x00Mac OS X        "+strings.Repeat("\x00", 100))))
	}, "macOS has put metadata files", true, false},
	{"a shard of an index in place of another that is longer", "wds/good/wids/shardindex.json", inPlace("train-0.tar", "train-1.tar"), "the same bytes as train-1.tar", false, false},
	{"a length of safetensors is all that is there", "safetensors/good/model.safetensors", cut("model.safetensors", 5, 1<<20), "is truncated", false, false},
	{"a checksum of a tar header is wiped", "tar/good/ustar.tar", blotted("ustar.tar", 148, 8), "checksum is 0", false, false},
	{"the first two sectors swapped", "gguf/good/types.gguf", pieces("types.gguf", 0, 512, 512, 512), "begins at byte 512", false, false},
	{"the length of a compressed block is one less", "idv/good/deflated.idv", added("deflated.idv", 1415, -1), "/length is", true, true},
	{"a file of many zeros is compressed", "idv/good/no-columns.idv", gzipped("no-columns.idv"), "compressed with gzip", true, true},
	{"a bit of the size of the content is wrong", "tiledb/good/schema-v23.tdb", edited("schema-v23.tdb", func(b []byte) { b[12] ^= 0x10 }), "tile_size is 240", true, true},
	{"a message in front, and the end is cut by its length", "idv/good/deflated.idv", both(put("deflated.idv", 0, notice), clipped("deflated.idv", len(notice))), "As many are missing at its end", false, false},
	{"a message in front of a model, cut to its length", "gguf/good/types.gguf", both(put("types.gguf", 0, notice), clipped("types.gguf", len(notice))), "107 bytes precede the file", false, false},
	{"a text is compressed, and a table counts wrongly", "scdl/good/archive", both(gzipped("version.json"), added("metadata.json", 14, 1)), "compressed with gzip", false, true},
	{"every file of an array is compressed", "tiledb/good/sparse-v23", packedAll(""), "All files of the folder are compressed with gzip", true, true},
	{"the shards are compressed", "taridx/good/three-shards/train.taridx", packedAll("train.taridx"), "3 files of the folder are compressed with gzip", true, true},
	{"the arrays of two archives are joined", "scdl/good/archive", behindItself("data.npy", "col_ptr.npy", "row_ptr.npy"), "The arrays of 2 archives were joined", false, false},
	{"the root of a model container is zero", "samediff/good/container.fb", edited("container.fb", func(b []byte) { clear(b[:4]) }), "should be 16", true, true},
}

// notice is what PHP puts in front of a download.
const notice = "<br />\n<b>Notice</b>:  Undefined index: range in <b>/var/www/html/download.php</b> on line <b>12</b><br />\n"

// clipped removes the last bytes.
func clipped(name string, n int) func(*model.Snapshot) *model.Snapshot {
	return becoming(name, func(b []byte) []byte { return b[:len(b)-n] })
}

func blotted(name string, at, n int) func(*model.Snapshot) *model.Snapshot {
	return edited(name, func(b []byte) { clear(b[at : at+n]) })
}

// pieces puts two pieces of a file into each other's place.
func pieces(name string, a, n, b, m int) func(*model.Snapshot) *model.Snapshot {
	return func(s *model.Snapshot) *model.Snapshot {
		c, _ := s.Content(name)
		x := make([]byte, c.Len())
		c.ReadAt(x, 0)
		return s.With(name, model.BytesContent(slices.Concat(x[:a], x[b:b+m], x[a+n:b], x[a:a+n], x[b+m:])))
	}
}

func both(one, other func(*model.Snapshot) *model.Snapshot) func(*model.Snapshot) *model.Snapshot {
	return func(s *model.Snapshot) *model.Snapshot { return other(one(s)) }
}

func gzipped(name string) func(*model.Snapshot) *model.Snapshot {
	return func(s *model.Snapshot) *model.Snapshot {
		c, _ := s.Content(name)
		b := make([]byte, c.Len())
		c.ReadAt(b, 0)
		var out bytes.Buffer
		w := gzip.NewWriter(&out)
		w.Write(b)
		w.Close()
		return s.With(name, model.BytesContent(out.Bytes()))
	}
}

// packedAll compresses all files but one, as gzip -r does.
func packedAll(except string) func(*model.Snapshot) *model.Snapshot {
	return func(s *model.Snapshot) *model.Snapshot {
		names, _ := s.Files()
		for _, name := range names {
			if name != except {
				c, _ := gzipped(name)(s).Content(name)
				s = s.With(name, nil).With(name+".gz", c)
			}
		}
		return s
	}
}

// behindItself puts files behind themselves.
func behindItself(names ...string) func(*model.Snapshot) *model.Snapshot {
	return func(s *model.Snapshot) *model.Snapshot {
		for _, name := range names {
			c, _ := s.Content(name)
			s = s.With(name, c.Splice(c.Len(), 0, c))
		}
		return s
	}
}

func without(name string) func(*model.Snapshot) *model.Snapshot {
	return func(s *model.Snapshot) *model.Snapshot { return s.With(name, nil) }
}

func renamed(from, to string) func(*model.Snapshot) *model.Snapshot {
	return func(s *model.Snapshot) *model.Snapshot {
		c, _ := s.Content(from)
		return s.With(from, nil).With(to, c)
	}
}

func inPlace(of, other string) func(*model.Snapshot) *model.Snapshot {
	return func(s *model.Snapshot) *model.Snapshot {
		c, _ := s.Content(other)
		return s.With(of, c)
	}
}

func cut(name string, at, n int64) func(*model.Snapshot) *model.Snapshot {
	return func(s *model.Snapshot) *model.Snapshot {
		c, _ := s.Content(name)
		return s.With(name, c.Splice(at, min(n, c.Len()-at), nil))
	}
}

// dropped is an index without its last sample, whose number of rows was left.
func dropped(s *model.Snapshot) *model.Snapshot {
	return cut("train.taridx", 327, 64)(edited("train.taridx", func(b []byte) { b[16]-- })(s))
}

// unindexed rewrites the block index of the cells without its first value, −1.
func unindexed(s *model.Snapshot) *model.Snapshot {
	return becoming("obs_features/cumulative_sum_index.npy", func(b []byte) []byte {
		return slices.Concat(bytes.Replace(b[:128], []byte("(2,)"), []byte("(1,)"), 1), b[136:])
	})(s)
}

func put(name string, at int64, text string) func(*model.Snapshot) *model.Snapshot {
	return func(s *model.Snapshot) *model.Snapshot {
		c, _ := s.Content(name)
		return s.With(name, c.Splice(at, 0, model.Memory([]byte(text))))
	}
}

func traded(a, b string) func(*model.Snapshot) *model.Snapshot {
	return func(s *model.Snapshot) *model.Snapshot {
		x, _ := s.Content(a)
		y, _ := s.Content(b)
		return s.With(a, y).With(b, x)
	}
}

// scrambled writes what has no meaning over bytes.
func scrambled(b []byte) { rand.NewChaCha8([32]byte{}).Read(b) }

func zeroBytes(b []byte) { clear(b) }

func edited(name string, edit func(b []byte)) func(*model.Snapshot) *model.Snapshot {
	return becoming(name, func(b []byte) []byte {
		edit(b)
		return b
	})
}

// becoming gives a file another content, made from its bytes.
func becoming(name string, content func(b []byte) []byte) func(*model.Snapshot) *model.Snapshot {
	return func(s *model.Snapshot) *model.Snapshot {
		c, _ := s.Content(name)
		b := make([]byte, c.Len())
		c.ReadAt(b, 0)
		return s.With(name, model.BytesContent(content(b)))
	}
}

const (
	sparseFragment = "__fragments/__1700000000001_1700000000001_0123456789abcdef0123456789abcdef_23/"
	sparseMeta     = sparseFragment + "__fragment_metadata.tdb"
	sparseValues   = sparseFragment + "a0.tdb"
)

const sparseSchema = "__schema/__1700000000000_1700000000000_0123456789abcdef0123456789abcdef"

func packed(name string) func(*model.Snapshot) *model.Snapshot { return becoming(name, zipped) }

func lengthLost(name string) func(*model.Snapshot) *model.Snapshot {
	return edited(name, func(b []byte) { copy(b[len(b)-8:], "\xff\xff\xff\xff\xff\xff\xff\xff") })
}

func wiped(name string, n int) func(*model.Snapshot) *model.Snapshot {
	return edited(name, func(b []byte) { clear(b[:n]) })
}

func added(name string, at int, n int8) func(*model.Snapshot) *model.Snapshot {
	return edited(name, func(b []byte) { b[at] += byte(n) })
}

func exchanged(name string, at, other, n int) func(*model.Snapshot) *model.Snapshot {
	return edited(name, func(b []byte) {
		for i := range n {
			b[at+i], b[other+i] = b[other+i], b[at+i]
		}
	})
}

// TestDamageKnown diagnoses samples that were damaged in one way each; a share of them where time is short.
func TestDamageKnown(t *testing.T) {
	share := 4 // one of so many
	if os.Getenv("SPANDREL_QUICK") != "" {
		share = 8
	}
	for i, k := range knownDamage {
		if testing.Short() && i%share != 0 {
			continue
		}
		t.Run(k.name, func(t *testing.T) {
			sample := filepath.Join("..", "testdata", k.sample)
			if _, err := os.Stat(sample); err != nil {
				t.Fatal(err)
			}
			d := openSound(t, sample)
			if d == nil {
				t.Fatal("the sample has errors")
			}
			o := diagnosed(t, patience, d, k.damage(d.Tree.Snapshot), func(cause.Place) bool { return false })
			if !strings.Contains(o.text, k.says) {
				t.Errorf("%q says nothing of %q", o.text, k.says)
			}
			if (o.back == 1) != k.back || (o.restored == 1) != k.safe || o.wrong+o.over > 0 {
				t.Errorf("%s: first repair restores %d, fix %d, ends with other data %d, overwrites %d", o.text, o.back, o.restored, o.wrong, o.over)
			}
			if t.Failed() {
				t.Log(strings.Join(append([]string{"the ledger:"}, o.why...), "\n"))
			}
		})
	}
}
