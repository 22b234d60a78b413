package wds

import (
	"archive/tar"
	"bufio"
	"context"
	"crypto/md5"
	"encoding/hex"
	"fmt"
	"io"
	"strconv"
	"strings"

	"spandrel/model"
	"spandrel/parsers/internal/tarfile"
)

// member is a file of an archive, and the place of its payload.
type member struct {
	name      string
	off, size int64
	seen      bool
}

const (
	mostMembers = 1 << 20
	mostTold    = 20 // components of one archive that are reported
)

// contents are the files of an archive, and how reading them ended: at its end (io.EOF), at an error or, with nil, at our own limit.
type contents struct {
	from  *io.SectionReader
	files []member
	end   error
}

// members reads the files of an archive.
func members(ctx context.Context, r *io.SectionReader) (is contents, err error) {
	a := tar.NewReader(r)
	for is.from = r; len(is.files) < mostMembers; {
		h, end := a.Next()
		if end != nil || ctx.Err() != nil {
			is.end = end
			return is, ctx.Err()
		}
		if h.Typeflag == tar.TypeReg {
			at, _ := r.Seek(0, io.SeekCurrent)
			is.files = append(is.files, member{name: h.Name, off: at, size: h.Size})
		}
	}
	return is, nil
}

// whole reports an archive that cannot be read completely, and tells whether it was. If that is because of the header of a member, known is what the index
// knows about the member whose header is at a place.
func (is contents) whole(ctx context.Context, p *model.Probe, beside *model.Span, known func(at int64) tarfile.Known) bool {
	if is.end == nil || is.end == io.EOF {
		return is.end == io.EOF
	}
	found := model.Count(int64(len(is.files)), "members")
	read, size := tarfile.ReadFrom(is.from), is.from.Size()
	about, ok := tarfile.BrokenIn(ctx, read, size, known)
	if !ok {
		p.Wrong(badArchive, beside, found, nil)
		return false
	}
	about.Resum = tarfile.Renames(ctx, beside.Range.Space, read, 0, size)
	about.At.Space, about.At.Off = beside.Range.Space, about.At.Off+beside.Range.Off
	at, says := model.Spot{Span: beside, Range: about.At}, "the archive of an index cannot be read to its end: the checksum in the header of a member does not match its bytes"
	if m, sure := about.Sure(); sure {
		at.Range.Off, at.Range.Len, says = at.Range.Off+int64(m.At), int64(len(m.Is)), m.Saying(about.Header)
	}
	p.Wrong(badArchive, at, found, nil, model.About(about), model.Saying("%s", says))
	return false
}

// deep compares the index with the archives beside it.
func deep(ctx context.Context, t *model.Tree, p *model.Probe) error {
	x := model.StateOf[*index](t)
	if x == nil {
		return nil
	}
	if x.lines != nil {
		return x.compare(ctx, t, p)
	}
	return p.Each(ctx, "archives", int64(len(x.archives)), func(ctx context.Context, p *model.Probe, i int64) error {
		h := x.archives[i]
		if h.beside == nil {
			return nil
		}
		is, err := members(ctx, t.Reader(ctx, h.beside.Range))
		if err != nil {
			return err
		}
		if n := samplesOf(is.files); is.whole(ctx, p, h.beside, nothingKnown) && h.samples.Span != nil && h.samples.Int() != n {
			p.Wrong(wrongSamples, h.samples, nil, model.I(n), model.Saying("nsamples does not match the number of samples in %s", h.file))
		}
		if h.sum.Span == nil {
			return nil
		}
		sum := md5.New()
		if _, err := io.Copy(sum, io.NewSectionReader(is.from, 0, is.from.Size())); err != nil {
			return err
		}
		switch is := hex.EncodeToString(sum.Sum(nil)); {
		case strings.EqualFold(is, h.sum.Text()):
		case x.traded(&h) != nil:
			p.Wrong(wrongSum, h.sum, nil, is, model.Saying("md5sum does not match %s, which has the name of another archive", h.file))
		default:
			p.Wrong(wrongSum, h.sum, nil, model.S(is), model.Doubtful, model.Saying("md5sum does not match %s", h.file))
		}
		return nil
	})
}

// keyOf splits the name of a member into the key of its sample and its extension, at the first dot of its file name.
func keyOf(name string) (key, ext string) {
	dir, file := name[:strings.LastIndexByte(name, '/')+1], name[strings.LastIndexByte(name, '/')+1:]
	key, ext, _ = strings.Cut(file, ".")
	return dir + key, ext
}

// hidden tells whether DALI skips the members of a key: those whose names begin with a dot.
func hidden(key string) bool { return key == "" || strings.HasSuffix(key, "/") }

// samplesOf counts samples as wids does.
func samplesOf(list []member) (n int64) {
	last := ""
	for _, m := range list {
		if key, _ := keyOf(m.name); strings.Contains(m.name, ".") && (n == 0 || key != last) {
			n, last = n+1, key
		}
	}
	return n
}

// place is a component: the number of its line, and its index there.
type place struct{ sample, part int }

// comparison is an index of DALI beside its archive.
type comparison struct {
	ctx   context.Context
	t     *model.Tree
	p     *model.Probe
	x     *index
	list  []member
	whole bool // the archive was read to its end
	at    map[int64]*member
	named map[string]*member // nil if several have the name
	told  int
}

// compare compares the components of an index of DALI with the members of its archive.
func (x *index) compare(ctx context.Context, t *model.Tree, p *model.Probe) error {
	h := x.archives[0]
	if h.beside == nil || t.Open(ctx, x.lines) != nil {
		return ctx.Err()
	}
	is, err := members(ctx, t.Reader(ctx, h.beside.Range))
	if err != nil {
		return err
	}
	k := &comparison{ctx: ctx, t: t, p: p, x: x, list: is.files, whole: is.whole(ctx, p, h.beside, x.known(ctx, t)), at: map[int64]*member{}, named: map[string]*member{}}
	for i := range is.files {
		m := &is.files[i]
		k.at[m.off] = m
		if _, twice := k.named[m.name]; twice {
			m = nil
		}
		k.named[is.files[i].name] = m
	}
	x.recount.Store(k.recounted())
	if err := x.each(ctx, t, k.component); err != nil || k.told > 0 {
		return err
	}
	k.unlisted()
	return nil
}

// nothingKnown is what an index without names knows about the members of its archives.
func nothingKnown(int64) tarfile.Known { return tarfile.Known{Size: -1} }

// known returns what the index knows about the member whose header is at a place.
func (x *index) known(ctx context.Context, t *model.Tree) func(at int64) tarfile.Known {
	return func(at int64) tarfile.Known {
		k := nothingKnown(at)
		_ = x.each(ctx, t, func(_ place, words []string) { // what was read before an error is known
			if number(words[1]) != uint64(at)+tarfile.Block {
				return
			}
			if n, err := strconv.ParseInt(words[2], 10, 64); err == nil {
				k.Size = n
			}
			if x.named {
				k.Names, k.Named = []string{words[3]}, func(name string) tarfile.Witness {
					return map[bool]tarfile.Witness{true: tarfile.Wholly}[name == words[3]]
				}
			}
		})
		return k
	}
}

// wrong reports a wrong word of a component.
func (k *comparison) wrong(r *model.Rule, at place, word int, want any, more ...model.Detail) {
	if k.told++; k.told <= mostTold {
		k.p.Wrong(r, k.x.word(k.ctx, k.t, at, word), nil, want, more...)
	}
}

// component compares one with the member of its name or, if there is none or several, with the one at its place.
func (k *comparison) component(at place, words []string) {
	off, err := strconv.ParseInt(words[1], 10, 64)
	if err != nil {
		return
	}
	m, meant, rule := k.at[off], (*member)(nil), badName
	if m == nil {
		rule = noMember
	}
	if k.x.named {
		meant = k.named[words[3]]
	}
	switch {
	case meant != nil && meant != m:
		m = meant
		k.wrong(rule, at, 1, model.U(uint64(m.off)))
	case m == nil && k.whole:
		k.wrong(noMember, at, 1, "the payload of a member")
		return
	case m == nil:
		return
	}
	m.seen = true
	if words[2] != strconv.FormatInt(m.size, 10) {
		k.wrong(badSize, at, 2, model.U(uint64(m.size)))
	}
	k.name(at, words, m)
}

// name compares the name in a component with that of its member.
func (k *comparison) name(at place, words []string, m *member) {
	_, ext := keyOf(m.name)
	switch {
	case ext != words[0] && k.x.named:
		k.wrong(badName, at, 0, model.S(ext))
	case ext != words[0]:
		k.wrong(badName, at, 0, model.S(ext), model.Doubtful)
	}
	if k.x.named && words[3] != m.name {
		k.wrong(badName, at, 3, model.S(m.name))
	}
}

// unlisted reports members without a component.
func (k *comparison) unlisted() {
	left, first := int64(0), ""
	for _, m := range k.list {
		if key, _ := keyOf(m.name); m.seen || hidden(key) {
			continue
		}
		if left++; left == 1 {
			first = m.name
		}
	}
	if left > 0 {
		k.p.Wrong(unlisted, k.x.lines, model.Words("%s members are not in it; the first is %s", model.Thousands(left), first), "all members")
	}
}

// each passes on the components of an index of DALI, by place.
func (x *index) each(ctx context.Context, t *model.Tree, f func(at place, words []string)) error {
	per := x.per()
	lines := bufio.NewScanner(t.Reader(ctx, x.lines.Range))
	lines.Buffer(nil, mostLine)
	for i := 0; lines.Scan() && ctx.Err() == nil; i++ {
		words := strings.Fields(lines.Text())
		for k := 0; k+per <= len(words); k += per {
			f(place{i, k / per}, words[k:k+per])
		}
	}
	return ctx.Err()
}

// word is a word of a component in the tree; the line itself if it cannot be opened.
func (x *index) word(ctx context.Context, t *model.Tree, at place, word int) *model.Span {
	s, err := t.Find(ctx, fmt.Sprintf("%s[%d]/%s[%d]/%s", x.lines.Path(), at.sample, components.Name, at.part, words[word].Name))
	if err != nil {
		return x.lines
	}
	return s
}
