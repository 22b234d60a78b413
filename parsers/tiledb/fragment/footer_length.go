package fragment

import (
	"context"
	"encoding/binary"
	"slices"
	"strings"

	"spandrel/model"
	"spandrel/parsers/tiledb/schema"
	"spandrel/parsers/tiledb/storage"
)

// The length of a footer from its beginning and its schema. Its last number also states it, but truncation removes that
// and trailing bytes hide it.

// FooterEnd is where a file of fragment metadata ends whose footer begins at an offset; 0 if unknown. If what determines the length is truncated
// itself it is a lower bound. Before version 10 only footers without a length field are measured.
func FooterEnd(ctx context.Context, schemas *schema.Set, c *model.Content, at int64) (end int64, least bool) {
	b := make([]byte, min(c.Len()-at, 12+mostName))
	if _, err := c.ReadAt(b, at); err != nil || len(b) < 13 {
		return 0, false
	}
	version, n := storage.Layout(binary.LittleEndian.Uint32(b)), binary.LittleEndian.Uint64(b[4:])
	if old := schemas.Schema(ctx, schema.OldSchema); version >= 3 && version < 10 && old != nil && !footerHasLength(version, old) {
		size := footerSize(ctx, version, old)
		if c.Len()-size > at { // the footer is at the end of the file, so a broken list begins here, whose header begins the same way
			if _, err := c.ReadAt(b[:4], c.Len()-size); err != nil || storage.Layout(binary.LittleEndian.Uint32(b)) == version {
				return 0, false
			}
		}
		return at + size, false
	}
	if version < 10 || version == 11 || version > storage.VersionNewest || n > mostName {
		return 0, false
	}
	s := schemaLike(ctx, schemas, string(b[12:min(12+n, uint64(len(b)))]), int(n))
	if s == nil {
		return 0, false
	}
	head := at + 12 + int64(n)
	size, least := (&Footer{Version: version, Schema: s}).taken(ctx, c.Splice(0, min(head, c.Len()), model.Memory(nil)))
	if size == 0 {
		return 0, false
	}
	return head + size + 8, least || head > c.Len()
}

// ListsEnd follows the generic tiles at the front of a file of fragment metadata: where they end, and their number. beyond is the end of the
// next tile according to its header if that is after the end of the file, least means that it is a lower bound; 0 for none.
func ListsEnd(c *model.Content) (at int64, n int, beyond int64, least bool) {
	for ; at < c.Len() && n < storage.MostChained; n++ {
		end, least := storage.TileEnd(c, at)
		if end > c.Len() {
			return at, n, end, least
		}
		if end <= at {
			break
		}
		at = end
	}
	return at, n, 0, false
}

// mostName is the longest schema name in a footer that is measured.
const mostName = 1 << 10

// taken is the length of a footer after the name of its schema, where missing bytes count as zeros; 0 if the bytes are no
// footer. It is a lower bound if its flags are missing.
func (f *Footer) taken(ctx context.Context, c *model.Content) (n int64, least bool) {
	have, zeros := c.Len(), int64(1<<16+256*(len(f.Schema.Dims)+len(f.Schema.Attrs))) // longer than the numbers of that many fields
	snap := (&model.Snapshot{Primary: "footer"}).With("footer", c.Splice(have, 0, model.Fill(0, zeros)))
	model.Parse(ctx, snap, &model.Format{Parse: func(c *model.Cursor) {
		f.read(c)
		n = c.Pos()
	}})
	if n > have && f.Version >= 23 {
		if n = f.sections.Range.End(); n <= have && f.sections.Uint() == 1 {
			n += 12 + 16*int64(len(f.Schema.Dims)) // the only section: the bounds
		}
	}
	return n, n > 0 && f.told > have
}

// footerSize is the size of a footer without length field: versions 3 to 9 with fixed-size dimensions.
func footerSize(ctx context.Context, version uint32, s *schema.Schema) int64 {
	n, _ := (&Footer{Version: version, Schema: s}).taken(ctx, model.BytesContent(nil))
	return 4 + n
}

// footerHasLength tells whether the file ends with the length of its footer.
func footerHasLength(version uint32, s *schema.Schema) bool {
	return version >= 10 || slices.ContainsFunc(s.Dims, func(d schema.Dimension) bool { return d.Variable() })
}

// schemaLike is the schema with a name of n bytes, or, if the name is truncated, the only one whose name begins with the rest of it.
func schemaLike(ctx context.Context, schemas *schema.Set, name string, n int) (s *schema.Schema) {
	if len(name) == n {
		return schemas.Schema(ctx, name)
	}
	for _, other := range schemas.Order {
		if len(other) == n && strings.HasPrefix(other, name) {
			if s != nil {
				return nil
			}
			s = schemas.Schema(ctx, other)
		}
	}
	return s
}

// footerFound is the length of the footer of a file of fragment metadata, from the end of its lists and its content; -1 if that differs from the
// actual length.
func footerFound(ctx context.Context, schemas *schema.Set, c *model.Content) int64 {
	at, _, _, _ := ListsEnd(c)
	if end, least := FooterEnd(ctx, schemas, c, at); at == 0 || least || end != c.Len() {
		return -1
	}
	return c.Len() - 8 - at
}
