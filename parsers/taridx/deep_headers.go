package taridx

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/cespare/xxhash/v2"

	"spandrel/model"
	"spandrel/parsers/internal/tarfile"
)

// Damaged headers in shards: the index and the other members know their content.

// mostSolved is how many damaged headers are solved for, because all rows are read for each.
const mostSolved = 32

// headers is an index whose shards are examined: the headers of members, and what follows the last of them.
type headers struct{ *index }

// damaged reports the header of a member of length bytes.
func (x *shardComparison) damaged(ctx context.Context, p *model.Probe, h *shard, off, length int64) {
	n := x.broken.Add(1)
	about := tarfile.Broken{At: h.at(off, tarfile.Block), Header: x.fold.reader(h)(off, tarfile.Block)}
	if len(about.Header) < tarfile.Block {
		return
	}
	at := model.Spot{Span: h.span, Range: about.At}
	if n > model.MaxPerRule {
		x.t.Omit(damagedHeader, 1)
		return
	}
	if n <= mostSolved {
		about.Answers = tarfile.Solve(about.Header, headers{x.index}.known(ctx, h, off, length))
	}
	m, ok := about.Sure()
	if !ok {
		what := "a header"
		if name := tarfile.Parse(about.Header).Name; name != "" {
			what = "the header of " + name
		}
		p.Wrong(damagedHeader, at, nil, nil, model.About(about), model.Saying("%s at 0x%x of %s is damaged: its checksum does not match its bytes", what, off, h.name))
		return
	}
	at.Range.Off, at.Range.Len = off+int64(m.At), int64(len(m.Is))
	if s, err := x.t.AtOpen(ctx, at.Range.Space, at.Range.Off); err == nil && s.Range == at.Range {
		at.Span = s
	}
	p.Wrong(damagedHeader, at, nil, nil, model.About(about), model.Saying("%s: %s", h.name, m.Saying(about.Header)))
}

// known is what the index and the other members say about a member.
func (x headers) known(ctx context.Context, h *shard, off, length int64) tarfile.Known {
	k := tarfile.Known{Size: -1}.UpTo(x.fold.reader(h), off, length)
	for _, o := range append([]*shard{h}, x.fold.shards...) {
		if len(k.Siblings) < 2 || o == h {
			k.Siblings = append(k.Siblings, tarfile.Headers(ctx, x.fold.reader(o), o.entry.Size)...)
		}
	}
	var row *entryRow
	x.each(ctx, func(_ int64, r entryRow) {
		if row == nil && x.fold.of(r.fid) == h && r.off == uint64(off) {
			row = &r
		}
	})
	if row == nil || row.size>>62 > 0 {
		return k
	}
	k.Size = int64(row.size)
	k.Named = func(name string) tarfile.Witness { return x.names(*row, name, k.Siblings) }
	k.Names = x.namesLike(ctx, *row)
	return k
}

// names tells how much of a name a row and the headers of other members know.
func (x headers) names(row entryRow, name string, siblings [][]byte) tarfile.Witness {
	stem, ext := nameParts(name)
	if xxhash.Sum64String(stem) != row.hash || ext != x.extName(row.ext) {
		return tarfile.Denied
	}
	// The index knows neither the folder nor the case of the extension.
	base := name[strings.LastIndexByte(name, '/')+1:]
	beside := slices.ContainsFunc(siblings, func(s []byte) bool { return folderOf(tarfile.Parse(s).Name) == folderOf(name) })
	if base != stem+"."+ext || !beside && base != name {
		return tarfile.Partly
	}
	return tarfile.Wholly
}

// namesLike are possible names of a row's member, by the other members of its sample.
func (x headers) namesLike(ctx context.Context, row entryRow) (out []string) {
	x.each(ctx, func(_ int64, r entryRow) {
		if r.key() != row.key() || r == row {
			return
		}
		if head, ok := x.fold.member(r.fid, r.off); ok && head.SumOK {
			base := strings.LastIndexByte(head.Name, '/') + 1
			stem, _, _ := strings.Cut(head.Name[base:], ".")
			out = append(out, fmt.Sprintf("%s%s.%s", head.Name[:base], stem, x.extName(row.ext)))
		}
	})
	return out
}
