package npy

import (
	"bytes"
	"context"
	"encoding/binary"
	"path"
	"slices"

	"spandrel/model"
	"spandrel/parsers/internal/zipfile"
)

// How Python's zipfile, with which numpy reads archives, finds members: through the end record and the directory before it, wherever
// the end record says it is. Of the headers before the data it checks only the magic and the name. (Lib/zipfile, _EndRecData and _RealGetContents)

const (
	endSize    = 22
	entrySize  = 46
	endWithin  = 1<<16 + endSize // bytes at the end of the file searched for the end record
	mostOfList = 1 << 20         // bytes of a directory that are read
)

// The messages of zipfile about a directory that it does not read.
const (
	noZip   = "File is not a zip file"
	noMark  = "Bad magic number for central directory"
	noList  = "Truncated central directory"
	noPlace = "Bad offset for central directory"
)

// listing is what zipfile reads from the directory: where it looks for the members, and its message if it cannot read all of it.
type listing struct {
	members []int64
	says    string
}

// list reads the directory as zipfile does.
func list(ctx context.Context, t *model.Tree) (l listing) {
	size, read := t.Root.Range.Len, t.Peek(ctx, t.Root.Range.Space)
	u32 := func(b []byte) int64 { return int64(binary.LittleEndian.Uint32(b)) }
	tail := read(max(0, size-endWithin), endWithin)
	i := bytes.LastIndex(tail, []byte("PK\x05\x06"))
	if i < 0 || len(tail)-i < endSize {
		return listing{says: noZip}
	}
	long := u32(tail[i+12:])
	if long == 1<<32-1 {
		return listing{says: "not checked"} // a ZIP64 record has the number
	}
	at := size - int64(len(tail)-i) - long
	if at < 0 {
		return listing{says: noPlace}
	}
	front := at - u32(tail[i+16:]) // bytes before the archive
	b := read(at, min(long, mostOfList))
	for len(b) >= entrySize {
		if string(b[:4]) != "PK\x01\x02" {
			l.says = noMark
			return l
		}
		l.members = append(l.members, u32(b[42:])+front)
		n := entrySize
		for _, k := range []int{28, 30, 32} { // the name, the extra field, the comment
			n += int(binary.LittleEndian.Uint16(b[k:]))
		}
		b = b[min(n, len(b)):]
	}
	if len(b) > 0 && long <= mostOfList {
		l.says = noList
	}
	return l
}

// says is the condition that zipfile prints a text when it looks for the directory.
func says(text string) model.Condition {
	return func(ctx context.Context, t *model.Tree, _ *model.Finding) bool { return list(ctx, t).says == text }
}

// listed is the condition that zipfile finds all members where they are, or none that is elsewhere but not all.
func listed(all bool) model.Condition {
	return func(ctx context.Context, t *model.Tree, _ *model.Finding) bool {
		x, l := model.StateOf[*file](t), list(ctx, t)
		if x == nil || x.zip == nil || l.says != "" {
			return false
		}
		for _, at := range l.members {
			if !slices.ContainsFunc(x.zip.Members, func(m *zipfile.Member) bool { return m.Begins() == at }) {
				return false
			}
		}
		return all == (len(l.members) == len(x.zip.Members))
	}
}

// field is the condition that a finding is about a field with one of these names.
func field(names ...string) model.Condition {
	return func(ctx context.Context, _ *model.Tree, f *model.Finding) bool {
		return f.Span != nil && slices.Contains(names, path.Base(f.Span.Path()))
	}
}
