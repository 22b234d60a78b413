package tar

import (
	"cmp"
	"context"
	"slices"
	"strings"

	"spandrel/model"
	"spandrel/parsers/internal/tarfile"
)

// beside is what is around a damaged header: the sample and the member before it, and the name of the member after it.
type beside struct {
	sample
	last, next string
}

// between says which members bytes that are missing inside a header may have contained.
func (b beside) between() string {
	switch {
	case b.next == "":
		return "members after " + cmp.Or(b.last, "the start of the archive")
	case b.last == "":
		return "members before " + b.next
	}
	return "members between " + b.last + " and " + b.next
}

// namesBeside is what a member with a damaged header may be called, if it belongs to neither of the samples beside it or nothing else has its extension: what one
// of those lacks, as far as that is one byte from its name.
func (f *file) namesBeside(b tarfile.Broken) (out []string) {
	before := f.beside[b.At.Off]
	after, own := sampleName.FindStringSubmatch(before.next), sampleName.FindStringSubmatch(tarfile.Parse(b.Header).Name)
	if before.samples < 2 || own == nil {
		return nil
	}
	exts := f.extensions()
	if exts[own[2]] && (own[1] == before.key || after != nil && own[1] == after[1]) {
		return nil
	}
	add := func(key, ext string) {
		if name := key + "." + ext; len(name) == len(own[0]) && model.Differences(name, own[0]) == 1 {
			out = append(out, name)
		}
	}
	for ext := range exts {
		if !before.seen[strings.ToLower(ext)] {
			add(before.key, ext)
		}
		if after != nil && ext != after[2] {
			add(after[1], ext)
		}
	}
	slices.Sort(out)
	return slices.Compact(out)
}

// extensions are those of members with sound headers.
func (f *file) extensions() map[string]bool {
	exts := map[string]bool{}
	for _, h := range f.sound {
		if m := sampleName.FindStringSubmatch(tarfile.Parse(h).Name); m != nil {
			exts[m[2]] = true
		}
	}
	return exts
}

// memberFrom is the place of the header of the member that begins at a place, perhaps with helper headers, and what those say about it; −1 if there is none.
func memberFrom(ctx context.Context, read tarfile.Reader, at, end int64) (head int64, d described) {
	d = undescribed()
	for range mostHelpers {
		piece, n := tarfile.PieceAt(ctx, read, at, end)
		if piece != tarfile.Member {
			break
		}
		h := tarfile.Parse(read(at, tarfile.Block))
		if !isHelper(h.Typ) {
			return at, d
		}
		d.add(h, read(at+tarfile.Block, max(0, min(h.Size, mostHelper))))
		at += n
	}
	return -1, d
}

// nextName is the name of the member that begins at a place.
func nextName(ctx context.Context, read tarfile.Reader, at, end int64) string {
	at, d := memberFrom(ctx, read, at, end)
	if at < 0 {
		return ""
	}
	b := read(at, tarfile.Block)
	name, _ := d.name(b, tarfile.Parse(b))
	return name
}
