package tarfile

import (
	"spandrel/model"
)

// Sparse members: the payload is the data pieces of a file, without its holes, one after the other. In GNU's old form (type S) the header has a map
// of four pieces in place of the ustar prefix, and blocks with more of the map follow the header as long as each announces another. In pax
// forms the map is in records (0.0, 0.1) or before the payload (1.0), and the chain of members is as usual.

const (
	inHeader  = 4   // pieces in a header
	inBlock   = 21  // pieces in a following block
	moreAt    = 482 // in a header: whether a block of the map follows
	realAt    = 483 // in a header: the size of the file with its holes
	moreBlock = 504 // in a block: whether another follows
)

// isSparse tells whether a header is of GNU's old sparse form.
func isSparse(b []byte) bool { return len(b) >= Block && b[156] == 'S' }

// Mapped is the length of a sparse map after a header at a place of an archive that ends at end.
func Mapped(read Reader, at, end int64, header []byte) (n int64) {
	if !isSparse(header) {
		return 0
	}
	for more := header[moreAt] != 0; more && at+Block+n+Block <= end; n += Block {
		b := read(at+Block+n, Block)
		if len(b) < Block {
			break
		}
		more = b[moreBlock] != 0
	}
	return n
}

// RealSize is the size of the file of a sparse header including its holes; ok is false for other headers.
func RealSize(header []byte) (n int64, ok bool) {
	if !isSparse(header) {
		return 0, false
	}
	n = Number(header[realAt : realAt+12])
	return n, n >= 0
}

var (
	piece = model.NewRecord(&model.Field{Name: "offset", Codec: Octal{12, false}, Doc: "offset of the piece in the file", Ref: "GNU"},
		&model.Field{Name: "bytes", Codec: Octal{12, false}, Doc: "length of the piece", Ref: "GNU"})
	mapList   = &model.Field{Name: "map", Doc: "the pieces of a sparse file, one block of the map after the other", Ref: "GNU"}
	mapBlock  = &model.Field{Name: "block", Ref: "GNU"}
	pieceList = &model.Field{Name: "pieces", Doc: "of a sparse file that are not holes; those that are not used are zero", Ref: "GNU"}
	extended  = &model.Field{Name: "isextended", Codec: model.U8, Doc: "1: more of the map follows", Ref: "GNU"}
	mapFill   = &model.Field{Name: "fill", Codec: model.RawBytes, Ref: "GNU"}
	// sparseTail is the content of a sparse header in place of prefix and padding.
	sparseTail = []*model.Field{{Name: "atime", Codec: Octal{12, true}, Ref: "GNU"}, {Name: "ctime", Codec: Octal{12, true}, Ref: "GNU"},
		{Name: "multivolume", Codec: Octal{12, false}, Ref: "GNU"}, {Name: "longnames", Codec: model.BytesOf(4), Ref: "GNU"}, {Name: "unused", Codec: model.BytesOf(1), Ref: "GNU"}}
	realSize = &model.Field{Name: "realsize", Codec: Octal{12, false}, Doc: "bytes of the file with its holes", Ref: "GNU"}
)

// ReadTail reads the content of a sparse header after devminor, and returns the nodes.
func ReadTail(c *model.Cursor) (out []model.Node) {
	for _, f := range sparseTail {
		out = append(out, c.Field(f))
	}
	return append(out, c.Array(pieceList, piece, inHeader), c.Field(extended), c.Field(realSize), c.FieldN(mapFill, Block-realAt-12))
}

// ReadMap reads the n bytes of a sparse map after a header.
func ReadMap(c *model.Cursor, n int64) {
	if n <= 0 {
		return
	}
	c.ListN(mapList, n, func(c *model.Cursor) {
		for c.Left() >= Block {
			c.Block(mapBlock, Block, func(c *model.Cursor) {
				c.Array(pieceList, piece, inBlock)
				c.Field(extended)
				c.Rest(mapFill)
			})
		}
	})
}
