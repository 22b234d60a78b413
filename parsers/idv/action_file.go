package idv

import (
	"encoding/binary"
	"io"

	"spandrel/model"
	"spandrel/parsers/idv/block"
)

// file is a stream written from its parts, in the order of ML.NET's writer (§2.1): header, blocks group by group, lookup
// tables, metadata, directory, tail.
type file struct {
	version, compatible uint64
	rpb, rows           int64
	columns             []fileColumn
	dead                []byte // rest of the header, which no reader uses and is kept
}

// fileColumn is a column of a file: the definition of its codec, its blocks as they are stored, and its metadata.
type fileColumn struct {
	name        string
	definition  []byte
	compression byte
	blocks      []fileBlock
	metadata    []fileMetadata
}

// fileBlock is a block as it is stored, and its size inflated.
type fileBlock struct {
	stored model.Source
	size   int64
}

// fileMetadata is a metadata entry before its offset, and its stored block.
type fileMetadata struct {
	entry  []byte // kind, codec definition, compression
	stored []byte
}

// write lays a file out.
func (f *file) write() model.Source {
	out := &model.Joined{}
	le := binary.LittleEndian
	head := make([]byte, headerSize)
	out.Add(model.Memory(head))
	lookups := make([][]byte, len(f.columns))
	for k := 0; ; k++ {
		more := false
		for i, c := range f.columns {
			if k < len(c.blocks) {
				b := c.blocks[k]
				lookups[i], more = appendEntry(lookups[i], out.Add(b.stored), b.stored.Len(), b.size), true
			}
		}
		if !more {
			break
		}
	}
	at := make([]int64, len(f.columns))
	for i := range f.columns {
		if at[i] = out.Len(); len(lookups[i]) > 0 {
			out.Add(model.Memory(lookups[i]))
		}
	}
	var directory []byte
	for i, c := range f.columns {
		directory = append(appendText(directory, c.name), c.definition...)
		directory = binary.AppendUvarint(append(directory, c.compression), uint64(f.rpb))
		directory = le.AppendUint64(le.AppendUint64(directory, uint64(at[i])), uint64(c.writeMetadata(out)))
	}
	toc := out.Len()
	if len(directory) > 0 {
		out.Add(model.Memory(directory))
	}
	tail := out.Add(model.Memory(le.AppendUint64(nil, tailSignature)))
	copy(head, headerBytes(f.version, toc, tail, f.rows, len(f.columns)))
	le.PutUint64(head[16:], f.compatible)
	copy(head[52:], f.dead)
	return out
}

// writeMetadata writes the metadata of a column and returns the place of their directory, 0 for none.
func (c *fileColumn) writeMetadata(out *model.Joined) int64 {
	if len(c.metadata) == 0 {
		return 0
	}
	dir := binary.AppendUvarint(nil, uint64(len(c.metadata)))
	for _, m := range c.metadata {
		dir = binary.LittleEndian.AppendUint64(append(dir, m.entry...), uint64(out.Add(model.Memory(m.stored))))
		dir = binary.AppendUvarint(dir, uint64(len(m.stored)))
	}
	return out.Add(model.Memory(dir))
}

// header bytes of a stream with its directory and tail in place.
func headerBytes(version uint64, toc, tail, rows int64, columns int) []byte {
	b := make([]byte, 0, headerSize)
	for _, v := range []uint64{headSignature, version, version, uint64(toc), uint64(tail), uint64(rows)} {
		b = binary.LittleEndian.AppendUint64(b, v)
	}
	b = binary.LittleEndian.AppendUint32(b, uint32(columns))
	return b[:headerSize]
}

// keepColumn copies the name, the type and the metadata of a readable column.
func (s contents) keepColumn(c *column) (fileColumn, error) {
	out := fileColumn{name: c.name.s, definition: s.definition(c), compression: c.compression}
	if int64(len(out.definition)) < c.codec.N {
		return out, io.ErrUnexpectedEOF
	}
	for _, m := range c.entries {
		if !m.readable() || m.off < headerSize || m.n <= 0 || m.off > s.stream.size-m.n || m.kind.n == 0 {
			continue
		}
		stored, b, _, err := s.metaValue(c, m)
		if err != nil || !block.Fits(m.codec, b, 1) {
			continue
		}
		entry, err := s.t.Bytes(s.ctx, model.Range{Space: s.stream.space, Off: m.kind.length, Len: m.offAt - m.kind.length})
		if err != nil {
			continue
		}
		out.metadata = append(out.metadata, fileMetadata{append([]byte(nil), entry...), append([]byte(nil), stored...)})
	}
	return out, nil
}
