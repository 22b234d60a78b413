package npy

import (
	"bytes"
	"context"
	"encoding/binary"
	"path"

	"spandrel/model"
)

// How Python's zipfile, which numpy reads archives with, looks for what it needs: by the end record and the directory in front of it, wherever
// that says it is. Headers in front of the data it reads for their mark and the name alone. (Lib/zipfile, _EndRecData and _RealGetContents)

const (
	endSize    = 22
	entrySize  = 46
	endWithin  = 1<<16 + endSize // of the end of the file the end record is looked for
	mostOfList = 1 << 20         // bytes of a directory that are looked through
)

// What zipfile says of a directory that it does not read.
const (
	noZip   = "File is not a zip file"
	noMark  = "Bad magic number for central directory"
	noList  = "Truncated central directory"
	noPlace = "Bad offset for central directory"
)

// unlisted is how zipfile finds the directory: "" where it reads it, or what it says.
func unlisted(ctx context.Context, t *model.Tree) string {
	size := t.Root.Range.Len
	read := func(off, n int64) []byte {
		b, _ := t.Bytes(ctx, model.Range{Space: t.Root.Range.Space, Off: max(0, off), Len: max(0, min(n, size-max(0, off)))})
		return b
	}
	tail := read(size-endWithin, endWithin)
	i := bytes.LastIndex(tail, []byte("PK\x05\x06"))
	if i < 0 || len(tail)-i < endSize {
		return noZip
	}
	long := int64(binary.LittleEndian.Uint32(tail[i+12:]))
	if long == 1<<32-1 {
		return "not looked at" // another record has the number
	}
	at := size - int64(len(tail)-i) - long
	if at < 0 {
		return noPlace
	}
	list := read(at, min(long, mostOfList))
	for len(list) >= entrySize {
		if string(list[:4]) != "PK\x01\x02" {
			return noMark
		}
		n := entrySize
		for _, k := range []int{28, 30, 32} { // the name, the extra field, the comment
			n += int(binary.LittleEndian.Uint16(list[k:]))
		}
		list = list[min(n, len(list)):]
	}
	if len(list) > 0 && long <= mostOfList {
		return noList
	}
	return ""
}

// says returns a condition of a reaction: that zipfile says a text when it looks for the directory.
func says(text string) model.Condition {
	return func(ctx context.Context, t *model.Tree, _ *model.Finding) bool { return unlisted(ctx, t) == text }
}

// field returns a condition of a reaction: that a finding is about a field of one of these names.
func field(names ...string) model.Condition {
	return func(ctx context.Context, _ *model.Tree, f *model.Finding) bool {
		if f.Span == nil {
			return false
		}
		for _, n := range names {
			if path.Base(f.Span.Path()) == n {
				return true
			}
		}
		return false
	}
}
