package tiledb

import (
	"context"
	"fmt"
	"math"
	"path"
	"slices"
	"strconv"
	"strings"

	"spandrel/model"
	"spandrel/parsers/tiledb/fragment"
	"spandrel/parsers/tiledb/rule"
)

const (
	with230 = "measured with 2.30"
	with231 = "measured with 2.31 as it is developed"
	source  = "its source"
)

// readers are the readers of the format: their reactions to violated rules and their messages, in the order of their checks: names first, then
// tiles as stored, then their content.
var readers = []*model.Software{{Name: "tiledb", Title: "TileDB", Folder: "array", Beyond: notOpened, Versions: releases(),
	Reactions: slices.Concat(ofNames, ofTiles, ofContent)}}

const (
	tooShort     = "A file is shorter than its header, its footer or its fragment says."
	endsEarly    = "The content of a file ends in the middle: it is truncated or damaged, or of TileDB 1.3 or older."
	mismatch     = "The bytes of a tile do not match the checksum that they were written with."
	isMissing    = "A file that the array needs is missing: usually the copy is incomplete."
	tooMuch      = "TileDB took damaged bytes for a length and asked for that much memory: usually the metadata of a fragment are truncated or overwritten."
	brokenFooter = "The metadata of a fragment are truncated or damaged."
	noArray      = "Array does not exist"
	noFooter     = "A commit names a fragment without metadata."
)

var ofNames = []model.Reaction{
	{Does: model.Refuses, When: withoutSchema, Rules: ids(160), Source: with230, Text: noArray,
		Means: "TileDB takes a folder for an array only if it contains a folder __schema with a schema, or an old __array_schema.tdb."},
	{Does: model.Refuses, Grade: model.Error, When: unnamed, Rules: ids(1), Source: with230, Text: "Provided URI does not contain a fragment name",
		Means: "A file in __schema or __meta has a name without an underscore before its first dot, such as .DS_Store.", Do: "Remove the file."},
	{Does: model.Refuses, Grade: model.Error, Rules: ids(1), Source: with230, Text: "Read exceeds file size", Means: tooShort},
	{Does: model.Refuses, Rules: ids(161), Source: with230, Text: "Could not find schema",
		Means: "A fragment names a schema that is not there: its file is missing, was renamed, or the name in the footer is damaged."},
	model.Refuses.Of(source, ids(2, 160, 162)...),
	{Does: model.Refuses, Rules: ids(24, 52), Source: with230, Text: "format version … newer than the library",
		Means: "The file says that it is of a newer format version than this TileDB can read.", Do: "Update TileDB: check --for tiledb@VERSION tells which reads it."},
	{Rules: ids(4, 5, 52), Text: "format version … newer than library",
		Means: "The file says that it is of a newer format version than this TileDB can read."},
	{Does: model.Refuses, When: old, Rules: ids(4), Source: with230, Text: "Reading data past end of serialized data size", Means: endsEarly},
	model.Ignores.Of(with231, ids(4, 5, 8, 9, 11, 17)...),

	// Of commits and fragments.
	{Does: model.Misreads, When: uncommitted, Grade: model.Error, Rules: ids(174), Source: with230},
	{Does: model.Fails, When: gatheredFooter, Grade: model.Error, Rules: ids(174), Source: with230, Text: "Cannot get file size of …__fragment_metadata.tdb",
		Means: noFooter},
	{Does: model.Misreads, When: vacuumingNothing, Rules: ids(179), Source: with230},
	{Does: model.Refuses, When: vacuuming, Rules: ids(179), Source: with230, Text: "Invalid URI:",
		Means: "A line of a vacuum file (.vac) is not a path: the file is damaged."},
	{Does: model.Refuses, Grade: model.Error, When: namesFragment, Rules: ids(174, 179), Source: with230, Text: "Cannot get file size of …__fragment_metadata.tdb",
		Means: noFooter},
	{Does: model.Refuses, When: at(toOpen), Rules: ids(164), Source: with230, Text: "std::bad_alloc", Means: tooMuch},
}

// stored are the rules of tiles as they are stored.
var stored = append(ids(3, 6, 7, 10, 12, 13, 14, 15, 16, 18, 19, 20, 21, 22, 46, 65, 132, 133, 134, 135, 136, 137, 164, 165, 167, 168, 169, 170, 172, 181),
	"model.undecoded", "model.checksum", "model.truncated")

var ofTiles = slices.Concat(
	[]model.Reaction{{Does: model.Ignores, When: at(never), Rules: stored, Source: with230},
		{Does: model.Ignores, When: withinFile, Rules: ids(6), Source: with230},
		{Does: model.Fails, When: missing, Rules: ids(167), Source: with230, Text: "Cannot get file size of", Means: isMissing},
		{Does: model.Fails, Rules: ids(167), Source: with230, Text: "Read exceeds file size", Means: tooShort}},
	read(model.Reaction{Rules: ids(3), When: beforeEnd, Text: "Reading data past end of serialized data size", Means: endsEarly}),
	read(model.Reaction{Rules: ids(3, 6), Text: "Read exceeds file size", Means: tooShort}),
	read(model.Reaction{Rules: ids(16), When: counts(1<<31, 1<<57), Text: "std::bad_alloc", Means: tooMuch}),
	read(model.Reaction{Rules: ids(16), When: counts(1<<57, math.MaxUint64)}),
	read(model.Reaction{Rules: ids(7, 16), Text: "Reading data past end of serialized data size", Means: endsEarly}),
	read(model.Reaction{Rules: ids(13), Text: "tile is encrypted with … but given key is for",
		Means: "The header says another encryption than the key that TileDB was given is for.", Do: "Open the array with its key; check takes it with --key."}),
	read(model.Reaction{Rules: ids(46), When: inHeader}),
	read(model.Reaction{Rules: ids(14, 46), Text: "not enough data in buffer for metadata"}),
	read(model.Reaction{Rules: ids(10, 15), Text: "Incorrect unfiltered tile size allocated", Means: "The content of a tile has another size than its header says."}),
	[]model.Reaction{{Does: model.Misreads, When: noPartsOfValues, Rules: ids(18), Source: with230}},
	read(model.Reaction{Rules: ids(18), When: partsNoted, Text: "FilterBuffer error; could not read requested byte count"}),
	read(model.Reaction{Rules: ids(20, 21), When: model.Says("(GZIP)"), Text: "Cannot decompress with GZIP"}),
	read(model.Reaction{Rules: ids(21), Text: "Cannot decompress with GZIP"}),
	read(model.Reaction{Rules: ids(20), When: model.Says("(ZSTD)"), Text: "ZStd decompression failed"}),
	read(model.Reaction{Rules: ids(20), When: model.Says("(LZ4)"), Text: "LZ4 decompression failed"}),
	read(model.Reaction{Rules: ids(20), When: notRunLength}),
	[]model.Reaction{{Text: "CompressionFilter error; output buffer too small", Rules: ids(20)}},
	read(model.Reaction{Rules: append(ids(22), "model.checksum"), Text: "Checksum mismatch for", Means: mismatch}),
	// What does not match may not decompress either; then that is found.
	[]model.Reaction{{Rules: ids(20, 21), Text: "Checksum mismatch for", Means: mismatch},
		{Rules: ids(3, 164), Text: "offset > typemax(off_t)", Means: "A file is shorter than the footer that TileDB reads at its end: it is empty or truncated."}},
	read(model.Reaction{Rules: ids(169, 170, 172), When: sizes, Text: "Incorrect unfiltered tile size allocated",
		Means: "The content of a tile has another size than its header says."}),
	read(model.Reaction{Rules: append(ids(12, 19, 65, 165, 168, 169, 170, 172), "model.undecoded", "model.truncated")}),
)

var ofContent = []model.Reaction{
	{Does: model.Misreads, Rules: ids(181), Source: with230},
	{Does: model.Misreads, Rules: ids(191), Source: with230, When: func(_ context.Context, _ *model.Tree, f *model.Finding) bool { return f.Grade() == model.Error }},
	{Does: model.Refuses, Rules: ids(50), Source: with230, Text: "past end of serialized data size", Means: endsEarly},
	{Does: model.Refuses, Rules: ids(30), Source: with230, Text: "FilterCreate: Deserialization error; unknown type"},
	{Does: model.Refuses, Rules: ids(42), Source: with230, Text: "FloatScalingFilter::output_datatype"},
	{Does: model.Refuses, Rules: ids(55), Source: with230, Text: "Invalid ArrayType"},
	{Does: model.Refuses, Rules: ids(56, 57), Source: with230, Text: "Invalid Layout enum"},
	{Does: model.Refuses, Rules: ids(60), Source: with230, Text: "Maximum dimensions supported by Hilbert order exceeded"},
	{Does: model.Refuses, Rules: ids(64), Source: with230, Text: "Array schema check failed; No attributes provided"},
	{Does: model.Refuses, Rules: ids(66), Source: with230, Text: "must have unique names"},
	{Does: model.Refuses, Rules: ids(80, 95), Source: with230, Text: "is not a valid Dimension Datatype"},
	{Does: model.Refuses, Rules: ids(81), Source: with230, Text: "Dense arrays cannot have floating point domains"},
	{Does: model.Refuses, Rules: ids(101), Source: with230, Text: "Cannot set zero values per cell"},
	{Does: model.Refuses, Rules: ids(102), Source: with230, Text: "is always variable-sized"},
	{Does: model.Refuses, Rules: ids(108), Source: with230, Text: "Invalid DataOrder"},
	{Does: model.Refuses, Rules: ids(110), Source: with230, Text: "Ordered attributes with datatype … must have"},
	{Does: model.Refuses, Rules: ids(121), Source: with230, Text: "Unordered dimension labels are not yet supported"},
	{Does: model.Refuses, Rules: ids(122), Source: with230, Text: "Cannot set the dimension label name to an empty"},
	{Does: model.Refuses, Rules: ids(123), Source: with230, Text: "is not a valid dimension datatype"},
	{Does: model.Refuses, Rules: ids(124), Source: with230, Text: "Dimension labels stored by the array must have a relative URI"},
	{Does: model.Refuses, Rules: ids(145), Source: with230, Text: "Invalid current domain API version on disk"},
	{Does: model.Refuses, Rules: ids(147), Source: with230, Text: "unsupported … array current domain type"},
	model.Refuses.Of(with230, ids(65)...),

	{Does: model.Fails, Rules: ids(85, 148), Source: with230, Text: "Lower range bound … cannot be larger than the higher bound"},
	{Does: model.Fails, Rules: ids(111), Source: with230, Text: "Unable to check if unknown enumeration is loaded"},
	{Does: model.Fails, Rules: ids(150), Source: with230, Text: "Cannot add range to dimension … is out of domain bounds"},
	{Does: model.Fails, Rules: ids(84, 105, 112, 130), Source: with230},
	{Does: model.Fails, Rules: ids(188), Source: with230, By: "tiledb-py", Text: "UnicodeDecodeError: 'utf-8' codec can't decode",
		Means: "A text is not UTF-8: a byte is damaged, or another program wrote it in another encoding.",
		Do:    "Correct the text that check names; Spandrel's table shows the other rows."},
	{By: "TileDB (zstd)", Text: "Unknown frame descriptor", Rules: append(ids(20), "model.undecoded"),
		Means: "A compressed chunk does not begin as zstd data does: it is damaged, or its offset is wrong."},
	{Does: model.Fails, Rules: ids(131), Source: with230, Text: "Cannot get file size of", Means: isMissing},
	{Does: model.Fails, Rules: ids(132, 133, 134, 135, 136, 137), Source: with230},
	{Text: "std::bad_alloc", Rules: append(ids(165, 65), "model.truncated"), Means: tooMuch},
	// Of older releases, or known from the source.
	{Text: "Read buffer overflow", Rules: append(ids(7, 16, 50, 65, 164, 165), "model.truncated"), Means: endsEarly},
	{Text: "Read tile overflow", Rules: append(ids(7, 16, 50, 65, 164, 165), "model.truncated"), Means: endsEarly},
	{Text: "Incompatible format version", Rules: ids(4, 24, 52), Means: "The file says that it is of a newer format version than this TileDB can read, or of none."},
	{Text: "Cannot load fragment metadata; Reading", Rules: append(ids(164, 165), "model.truncated"), Means: brokenFooter},
	{Text: "might indicate a corrupted fragment metadata file", Rules: ids(164, 165), Means: brokenFooter},
	{Text: "Size of schema name is zero", Rules: ids(161, 164), Means: "The footer of a fragment does not name its schema: it is damaged."},
	{Text: "has no loaded schema named", Rules: ids(161), Means: "A fragment names a schema that is not there.", Do: "If the array was evolved while it was open, open it again."},
	{Text: "did not return the correct number of bytes", Rules: append(ids(3, 6, 16, 167), "model.truncated"), Means: tooShort},
	{Text: "Cannot open file …No such file or directory", Rules: ids(131, 167, 174), Means: isMissing},
	{Text: "Cannot open file …File does not exist", Rules: ids(131, 167, 174), Means: isMissing},
	{Text: "Cannot open group; Group does not exist", Rules: ids(178, 187), Means: "The folder is not a group, or a member of a group is at another place.",
		Do: "Open arrays with tiledb.open; a group is a folder with __group."},
	{Text: "compressed data is corrupted", Rules: append(ids(20), "model.undecoded"), Means: "A chunk compressed by BZIP2 is damaged."},
	{Text: "Failed decompressing with", Rules: append(ids(20), "model.undecoded"), Means: "A compressed chunk is damaged."},
	{Text: "Cannot decompress", Rules: append(ids(20, 21), "model.undecoded"), Means: "A compressed chunk is damaged."},
	{Text: "error finalizing decryption", Rules: ids(23), Means: "The array was opened with another key than it was written with, or an encrypted chunk is damaged."},
	{Text: "invalid key length for encryption type", Means: "A key of AES-256-GCM has exactly 32 bytes.", Do: "Give the key as 32 characters or 64 hexadecimal digits."},
	{Text: "invalid encryption type", Rules: ids(12)},
	{Text: "Invalid FilterType", Rules: ids(30)},
	{Text: "Invalid Datatype", Rules: ids(100, 80)},
	{Text: "Invalid Enumeration version", Rules: ids(133)},
	{Text: "Invalid duplicated value in enumeration", Rules: ids(137)},
	{Text: "Invalid data size is not a multiple of the cell size", Rules: ids(135, 136)},
	{Text: "Tile extent check failed", Rules: ids(91, 92, 93)},
	{Text: "Domain check failed", Rules: ids(85, 86, 87)},
	{Text: "The dimension label is missing an attribute", Rules: ids(125)},
	{Text: "file size: offset", Rules: append(ids(3, 6, 16, 167), "model.truncated"), Means: tooShort},
	{By: "TileDB, TileDB-VCF", Text: "std::out_of_range", Rules: append(ids(167, 168, 172), "model.truncated"),
		Means: "TileDB followed an offset to a place outside of the data."},
	model.Ignores.Of(with230, ids(31, 32, 33, 34, 37, 45, 49, 51, 53, 54, 58, 59, 61, 62, 68, 69, 83, 88, 89, 90, 92, 104, 106, 107, 120, 139, 146, 183, 189)...),
	model.Misreads.Of(with230, ids(182, 190)...),
	model.Ignores.Of(with230, ids(178)...),
	model.Refuses.Of(source, "model.unknown"),
}

// read is TileDB's reaction to damage in what it reads to open an array, and in what it reads later.
func read(x model.Reaction) []model.Reaction {
	x.Source = with230
	open, query, also := x, x, x.When
	if also == nil {
		also = func(context.Context, *model.Tree, *model.Finding) bool { return true }
	}
	open.Does, open.When = model.Refuses, func(ctx context.Context, t *model.Tree, f *model.Finding) bool {
		return at(toOpen)(ctx, t, f) && also(ctx, t, f)
	}
	query.Does, query.When = model.Fails, func(ctx context.Context, t *model.Tree, f *model.Finding) bool {
		return at(onQuery)(ctx, t, f) && also(ctx, t, f)
	}
	return []model.Reaction{open, query}
}

// beforeEnd tells whether a finding is about bytes followed by others in the file.
func beforeEnd(ctx context.Context, t *model.Tree, f *model.Finding) bool {
	s := t.Space(f.Where().Space)
	return s != nil && s.Root != nil && f.Where().End() < s.Root.Range.Len
}

// inHeader tells whether a finding is about the header of a generic tile.
func inHeader(ctx context.Context, _ *model.Tree, f *model.Finding) bool {
	return strings.Contains(f.Path(), "/generic_tile/")
}

// sizes tells whether a finding is about a tile of the wrong length.
func sizes(ctx context.Context, _ *model.Tree, f *model.Finding) bool {
	return strings.HasSuffix(f.Found, " bytes")
}

// counts is the condition that the number in a finding is between two: TileDB allocates memory for so many chunks.
func counts(from, to uint64) model.Condition {
	return func(ctx context.Context, _ *model.Tree, f *model.Finding) bool {
		n, err := strconv.ParseUint(f.Found, 10, 64)
		return err == nil && n >= from && n < to
	}
}

// withoutSchema tells whether there is no schema file at all.
func withoutSchema(ctx context.Context, t *model.Tree, f *model.Finding) bool {
	list, _, _ := t.Snapshot.List(path.Join(path.Dir(t.FileName(f.Where())), "__schema"))
	return !slices.ContainsFunc(list, func(e model.Entry) bool { return e.Regular })
}

// notRunLength tells whether a finding is not about run-length encoding, where TileDB does not check that all bytes are decoded.
func notRunLength(ctx context.Context, _ *model.Tree, f *model.Finding) bool {
	return !strings.Contains(f.Text(), "(RLE)")
}

// old tells whether a finding is that TileDB 1.3 or older wrote a schema.
func old(ctx context.Context, _ *model.Tree, f *model.Finding) bool {
	return f.Span != nil && f.Span.Name() == "library_version"
}

// unnamed tells whether a finding is about a name that TileDB does not use.
func unnamed(ctx context.Context, _ *model.Tree, f *model.Finding) bool { return !isNamed(f.Found) }

// vacuuming tells whether a finding is about a line of a vacuum file that is no path.
func vacuuming(ctx context.Context, t *model.Tree, f *model.Finding) bool {
	return path.Ext(t.FileName(f.Where())) == ".vac" && !strings.Contains(f.Found, "/")
}

// vacuumingNothing tells whether a finding is about a line of a vacuum file that is a path of nothing.
func vacuumingNothing(ctx context.Context, t *model.Tree, f *model.Finding) bool {
	return path.Ext(t.FileName(f.Where())) == ".vac" && strings.Contains(f.Found, "/")
}

// namesFragment tells whether a finding is not about a line of commits that names no fragment at all: TileDB's reaction to that depends on the
// numbers in it.
func namesFragment(ctx context.Context, _ *model.Tree, f *model.Finding) bool {
	return f.Rule != rule.CommitLineBad || committed(f.Found) != ""
}

// noParts tells whether a chunk of cells has no part according to its filters' metadata, or has metadata without a filter: TileDB reads nothing, or
// other bytes, mostly without an error.
func noParts(ctx context.Context, t *model.Tree, f *model.Finding) bool {
	return (f.Expected == "8" || f.Expected == "0") && momentOf(ctx, t, f) == onQuery && path.Base(t.FileName(f.Where())) != metaFileF.Name
}

// noPartsOfValues is noParts where the consequence is known: not for the starts of texts, and not without filters.
func noPartsOfValues(ctx context.Context, t *model.Tree, f *model.Finding) bool {
	file := t.FileName(f.Where())
	x := model.StateOf[*doc](t).fragOf(path.Dir(file))
	return noParts(ctx, t, f) && f.Expected == "8" && (x == nil || x.files[strings.TrimSuffix(path.Base(file), ".tdb")+fragment.PartNames[fragment.Var]] == nil)
}

// partsNoted is the opposite of noParts.
func partsNoted(ctx context.Context, t *model.Tree, f *model.Finding) bool {
	return !noParts(ctx, t, f)
}

// missing tells whether a finding is about a missing file of a fragment: it is then about the number in the footer.
func missing(ctx context.Context, t *model.Tree, f *model.Finding) bool {
	return path.Base(t.FileName(f.Where())) == metaFileF.Name
}

// uncommitted tells whether a finding is that no commit names a fragment.
func uncommitted(ctx context.Context, _ *model.Tree, f *model.Finding) bool {
	_, ok := f.About.(*frag)
	return ok
}

func ids(numbers ...int) []string { return model.IDs("TDB", numbers...) }

// formatsRead is the newest format version that releases of TileDB read and write.
var formatsRead = []struct {
	version  uint32
	releases string
}{{1, "1.4"}, {2, "1.5"}, {3, "1.6"}, {4, "1.7"}, {5, "2.0"}, {6, "2.1"}, {8, "2.2"}, {9, "2.3"}, {10, "2.4 2.5 2.6"}, {11, "2.7"}, {12, "2.8"}, {13, "2.9"},
	{14, "2.10"}, {15, "2.11"}, {16, "2.12 2.13"}, {17, "2.14"}, {18, "2.15"}, {19, "2.16"}, {20, "2.17 2.18"}, {21, "2.19 2.20 2.21 2.22 2.23 2.24"},
	{22, "2.25 2.26 2.27 2.28 2.29 2.30"}}

func releases() (out []string) {
	for _, f := range formatsRead {
		out = append(out, strings.Fields(f.releases)...)
	}
	return out
}

// notOpened is TileDB's message about what it does not open though nothing is wrong with it: files without their array, and an array or schema with a format
// newer than it reads.
func notOpened(_ context.Context, t *model.Tree, release string) string {
	d := model.StateOf[*doc](t)
	if d != nil && d.loose {
		if found, _ := t.Findings(); !slices.ContainsFunc(found, func(f model.Finding) bool { return f.Grade() == model.Error }) {
			return noArray
		}
	}
	for _, f := range formatsRead {
		if d == nil || !slices.Contains(strings.Fields(f.releases), release) {
			continue
		}
		for _, a := range d.inOrder {
			if s := a.schemas.Current(); s != nil && s.Version > f.version {
				return fmt.Sprintf("Array format version (%d) is newer than the library format version (%d)", s.Version, f.version)
			}
		}
	}
	return ""
}
