package parsers

import (
	"bytes"
	"context"
	"slices"
	"strings"

	"spandrel/model"
)

// stored is what is put beside a file, what storage and memory do to it, and what happens to folders.
var stored = []event{
	// Things in front and behind.
	{name: "HTTP head in front", says: "HTTP", back: true, bytes: func(p *patient) []byte {
		return append([]byte("HTTP/1.1 200 OK\r\nContent-Type: application/octet-stream\r\nServer: nginx\r\n\r\n"), p.b...)
	}},
	{name: "a multipart form around it", says: "form|multipart|precede|HTTP", never: "truncated", back: true, bytes: form},
	{name: "log text behind", says: "follow", bytes: func(p *patient) []byte {
		return append(p.b, "2026-08-08 12:00:00 INFO saved checkpoint\n2026-08-08 12:00:01 INFO done\n"...)
	}},
	{name: "log text in front", says: "precede", back: true, bytes: func(p *patient) []byte {
		return append([]byte("WARNING: could not load libfoo, falling back\nINFO writing output\n"), p.b...)
	}},
	{name: "another header in front", says: "precede|NumPy", never: "truncated",
		bytes: func(p *patient) []byte { return append(npyHead(len(p.b)), p.b...) }},
	{name: "padded with zeros", says: "pad|zeros follow",
		bytes: func(p *patient) []byte { return append(p.b, make([]byte, 4096-len(p.b)%4096)...) }},
	{name: "a NumPy file of another type", says: "", only: "npy", bytes: otherType},

	// Storage and memory.
	{name: "a weak bit of memory", says: changed1 + "|" + elsewhere, never: "truncated|insert|order mark", bytes: weakBit},
	{name: "a sector of zeros", says: blanked, never: lengthens + "|truncated|order mark",
		bytes: func(p *patient) []byte { return zeroedAt(p, 512) }},
	{name: "a page of zeros", says: blanked, never: lengthens + "|truncated|order mark",
		bytes: func(p *patient) []byte { return zeroedAt(p, 4096) }},
	{name: "a page of 0xff", says: "0xff|" + elsewhere, never: lengthens + "|truncated|order mark", bytes: func(p *patient) []byte {
		if len(p.b) < 3*4096 {
			return nil
		}
		at := p.IntN(len(p.b)-4096) / 4096 * 4096
		copy(p.b[at:at+4096], bytes.Repeat([]byte{0xff}, 4096))
		return p.b
	}},
	{name: "a page of a pattern", says: "pattern|" + elsewhere, never: lengthens + "|truncated|order mark", bytes: func(p *patient) []byte {
		if len(p.b) < 3*4096 {
			return nil
		}
		at := p.IntN(len(p.b)-4096) / 4096 * 4096
		copy(p.b[at:at+4096], bytes.Repeat([]byte("\xde\xad\xbe\xef"), 1024))
		return p.b
	}},
	{name: "its front encrypted", says: "encrypted|noise|overwritten|does not begin|" + elsewhere, never: "truncated|insert|precede", bytes: func(p *patient) []byte {
		noise(p.Rand, p.b[:len(p.b)/2])
		return p.b
	}},
	{name: "zeros in the text of a header", says: blanked, never: lengthens + "|truncated", only: "npy safetensors", bytes: headerZeroed},
	{name: "zeros put into the text of a header", says: "not belong|insert|zero", never: "truncated|is missing", back: true, only: "npy safetensors", bytes: func(p *patient) []byte {
		at := texts(p.b)
		return slices.Insert(bytes.Clone(p.b), at, make([]byte, 16)...)
	}},
	{name: "words in the other order", says: "order|reverse", back: true,
		bytes: func(p *patient) []byte { return swapped([]int{2, 4, 8}[p.IntN(3)])(p.b) }},
	{name: "numbers of a header in the other order", says: "order|reverse|" + elsewhere, back: true, only: "scdl idv taridx samediff gguf", bytes: headTurned},

	// Folders.
	{name: "a file missing", says: "missing|no commit|not here", only: "taridx scdl tiledb", files: func(p *patient) *model.Snapshot {
		return p.rename(func(n string) string {
			if n == p.file {
				return ""
			}
			return n
		})
	}},
	{name: "a file renamed", says: "another name|missing|renamed", back: true, only: "taridx scdl tiledb", files: renamedCopy},
	{name: "a number written in half of its bytes", says: "in 4 bytes|4 bytes (are|is) missing|missing inside", never: "missing at (its|the) end", back: true, only: "gguf taridx idv samediff", files: narrowNumber},
	{name: "two versions of a file", says: "another version|truncated|incomplete", never: "is missing", back: true, only: "taridx scdl tiledb", files: twoVersions},
	{name: "names in capitals", says: "name|missing", back: true, only: "taridx scdl tiledb",
		files: func(p *patient) *model.Snapshot { return p.rename(upper) }},
	{name: "names with __ skipped", says: "missing|no commit|not here", only: "tiledb", files: func(p *patient) *model.Snapshot {
		return p.rename(func(n string) string {
			if strings.Contains(n, "/__") || strings.HasPrefix(n, "__") {
				return ""
			}
			return n
		})
	}},
	{name: "interrupted before the commit", says: "commit|interrupted", back: true, only: "tiledb",
		files: func(p *patient) *model.Snapshot {
			return p.rename(func(n string) string {
				if strings.HasSuffix(n, ".wrt") {
					return ""
				}
				return n
			})
		}},
	{name: "a file gzipped", says: "gzip", back: true, only: "taridx scdl tiledb", files: func(p *patient) *model.Snapshot {
		return p.d.Tree.Snapshot.With(p.file, nil).With(p.file+".gz", model.BytesContent(gzipOf(p.b)))
	}},
}

// headTurned reverses the bytes of the first frame with several numbers.
func headTurned(p *patient) []byte {
	tree, turned := p.d.Tree, 0
	var visit func(s *model.Span)
	visit = func(s *model.Span) {
		if sp := tree.Space(s.Range.Space); turned > 1 || tree.Open(context.Background(), s) != nil || sp == nil || sp.File != p.file || sp.Derived() {
			return
		}
		turned = 0
		for i := range min(s.Count(), 32) {
			x := s.Child(i)
			if v, err := tree.Value(context.Background(), x); x.Shape == model.Leaf && x.Field.Fixed == "" && err == nil && v.IsNumber() {
				b := p.b[x.Range.Off:x.Range.End()]
				was := bytes.Clone(b)
				if slices.Reverse(b); !bytes.Equal(b, was) {
					turned++
				}
			}
		}
		if turned == 1 {
			copy(p.b, p.content(p.file))
		}
		for i := range min(s.Count(), 32) {
			visit(s.Child(i))
		}
	}
	if visit(tree.Root); turned < 2 {
		return nil
	}
	return p.b
}
