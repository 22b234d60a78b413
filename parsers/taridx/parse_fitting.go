package taridx

import (
	"path"
	"slices"
	"strings"

	"github.com/cespare/xxhash/v2"
	"github.com/zeebo/xxh3"
	"golang.org/x/text/unicode/norm"

	"spandrel/model"
	"spandrel/parsers/internal/tarfile"
)

// fitting is how well the rows of a shard fit its members.
type fitting struct {
	all, other int      // rows, and those that fit no member by hash
	sized      int      // rows that have the size and the extension of their member
	sizes      []uint64 // some of these sizes, to see whether they vary
}

// add counts a row, with the member at its place, or nil; named tells whether the shard has its member elsewhere.
func (f *fitting) add(r entryRow, there *member, named func() bool) {
	f.all++
	if (there == nil || there.row.hash != r.hash && spelling(there.name, r.hash) == "") && !named() {
		f.other++
	}
	if there != nil && there.row.size == r.size && there.row.ext == r.ext {
		f.sized++
		if len(f.sizes) < varied {
			f.sizes = appendNew(f.sizes, r.size)
		}
	}
}

// spelling says what else than the hash of a member's name a hash is; "" for nothing known. Other programs hash other parts of it, with another function, or
// hashed it before a file system changed the form of its accents.
func spelling(name string, hash uint64) string {
	stem, _ := nameParts(name)
	base := path.Base(name)
	for _, as := range [][2]string{
		{folderOf(name) + stem, "of the names with their folders"},
		{name, "of the names with their folders and extensions"},
		{base, "of the names with their extensions"},
		{strings.TrimSuffix(base, path.Ext(base)), "of the names up to their last dot"},
		{norm.NFC.String(stem), "of the names with composed accents (Unicode NFC), while those of the members are decomposed, as macOS packs them"},
		{norm.NFD.String(stem), "of the names with decomposed accents (Unicode NFD), while those of the members are composed"},
	} {
		if as[0] != stem && xxhash.Sum64String(as[0]) == hash {
			return as[1]
		}
	}
	if xxh3.HashString(stem) == hash {
		return "made with XXH3"
	}
	return ""
}

// foreign tells whether a shard is not the one that was indexed.
func (f *fitting) foreign() bool {
	return f.other > 2 && 2*f.other > f.all && (len(f.sizes) < varied || f.sized < f.all)
}

// varied is the number of different member sizes that is no coincidence: if all rows have the size and extension of the members that they point at, those
// were indexed, whatever the hashes say.
const varied = 8

func appendNew(list []uint64, x uint64) []uint64 {
	if slices.Contains(list, x) {
		return list
	}
	return append(list, x)
}

// cutOff tells whether a shard ends before the member of a row, by the numbers that readers count.
func (f *fold) cutOff(r entryRow) bool { return int(r.fid) < len(f.shards) && f.shards[r.fid].cuts(r) }

// cuts tells whether a shard ends before the member of a row does.
func (h *shard) cuts(r entryRow) bool {
	size := uint64(h.entry.Size)
	return size < tarfile.Block || r.off > size-tarfile.Block || r.size > size-tarfile.Block-r.off
}

// fitting counts rows of a sample that fit the members that they point at.
func (x parser) fitting(c *model.Cursor) (good int) {
	for k := range int64(sample) {
		i := k * x.n / sample
		if k > 0 && i == (k-1)*x.n/sample {
			continue
		}
		b := c.PeekAt(x.rows.Range.Off+i*rowSize, rowSize)
		if len(b) < rowSize {
			continue
		}
		r := decode(b)
		if h, ok := x.fold.member(r.fid, r.off); ok && h.SumOK && h.Size == int64(r.size) {
			if stem, _ := nameParts(h.Name); xxhash.Sum64String(stem) == r.hash {
				good++
			}
		}
	}
	return good
}
