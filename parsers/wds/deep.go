package wds

import (
	"archive/tar"
	"bufio"
	"context"
	"crypto/md5"
	"encoding/hex"
	"io"
	"strconv"
	"strings"

	"spandrel/model"
)

// member is a file of an archive, and where its payload is.
type member struct {
	name      string
	off, size int64
	seen      bool
}

const (
	mostMembers = 1 << 20
	mostTold    = 20 // components of one archive that are reported
)

// members reads the files of an archive, as far as it can be read; whole tells whether to its end.
func members(ctx context.Context, r *io.SectionReader) (out []member, whole bool, err error) {
	a := tar.NewReader(r)
	for len(out) < mostMembers {
		h, err := a.Next()
		if err != nil || ctx.Err() != nil {
			return out, err == io.EOF, ctx.Err()
		}
		if h.Typeflag == tar.TypeReg {
			at, _ := r.Seek(0, io.SeekCurrent)
			out = append(out, member{name: h.Name, off: at, size: h.Size})
		}
	}
	return out, false, nil
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
		r := t.Reader(ctx, h.beside.Range)
		list, whole, err := members(ctx, r)
		if err != nil {
			return err
		}
		if n := samplesOf(list); whole && h.samples.Span != nil && h.samples.Int() != n {
			p.Wrong(wrongSamples, h.samples, nil, model.I(n))
		}
		if h.sum.Span == nil {
			return nil
		}
		sum := md5.New()
		if _, err := io.Copy(sum, io.NewSectionReader(r, 0, r.Size())); err != nil {
			return err
		}
		if is := hex.EncodeToString(sum.Sum(nil)); !strings.EqualFold(is, h.sum.Text()) {
			p.Wrong(wrongSum, h.sum, nil, model.S(is), model.Doubtful)
		}
		return nil
	})
}

// keyOf divides the name of a member into the key of its sample and its extension, at the first dot of its file name.
func keyOf(name string) (key, ext string) {
	dir, file := name[:strings.LastIndexByte(name, '/')+1], name[strings.LastIndexByte(name, '/')+1:]
	key, ext, _ = strings.Cut(file, ".")
	return dir + key, ext
}

// hidden tells whether DALI passes over the members of a key: those whose names begin with a dot.
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

// compare compares the components of an index of DALI with the members of its archive.
func (x *index) compare(ctx context.Context, t *model.Tree, p *model.Probe) error {
	h := x.archives[0]
	if h.beside == nil || t.Open(ctx, x.lines) != nil {
		return ctx.Err()
	}
	list, whole, err := members(ctx, t.Reader(ctx, h.beside.Range))
	if err != nil {
		return err
	}
	at, named := map[int64]*member{}, map[string]*member{}
	for i := range list {
		m := &list[i]
		at[m.off] = m
		if _, twice := named[m.name]; twice {
			m = nil // the name does not say which
		}
		named[list[i].name] = m
	}
	told := 0
	wrong := func(r *model.Rule, sample, part, word int, want any, more ...model.Detail) {
		if told++; told <= mostTold {
			p.Wrong(r, x.word(ctx, t, sample, part, word), nil, want, more...)
		}
	}
	err = x.each(ctx, t, func(sample, part int, words []string) {
		off, err := strconv.ParseInt(words[1], 10, 64)
		m, meant, rule := at[off], (*member)(nil), badName
		if m == nil {
			rule = noMember
		}
		if x.named {
			meant = named[words[3]]
		}
		switch {
		case err != nil:
			return
		case meant != nil && meant != m:
			m = meant
			wrong(rule, sample, part, 1, model.U(uint64(m.off)))
		case m == nil:
			if whole {
				wrong(noMember, sample, part, 1, "the payload of a member")
			}
			return
		}
		m.seen = true
		if words[2] != strconv.FormatInt(m.size, 10) {
			wrong(badSize, sample, part, 2, model.U(uint64(m.size)))
		}
		if _, ext := keyOf(m.name); ext != words[0] && x.named {
			wrong(badName, sample, part, 0, model.S(ext))
		} else if ext != words[0] {
			wrong(badName, sample, part, 0, model.S(ext), model.Doubtful)
		}
		if x.named && words[3] != m.name {
			wrong(badName, sample, part, 3, model.S(m.name))
		}
	})
	if err != nil || told > 0 {
		return err
	}
	left, first := int64(0), ""
	for _, m := range list {
		if key, _ := keyOf(m.name); !m.seen && !hidden(key) {
			if left++; left == 1 {
				first = m.name
			}
		}
	}
	if left > 0 {
		p.Wrong(unlisted, x.lines, model.Words("%s members are not in it, the first %s", model.Thousands(left), first), "all members")
	}
	return nil
}

// each hands over the components of an index of DALI, by the number of the line and of the component in it.
func (x *index) each(ctx context.Context, t *model.Tree, f func(sample, part int, words []string)) error {
	per := 3
	if x.named {
		per = 4
	}
	lines := bufio.NewScanner(t.Reader(ctx, x.lines.Range))
	lines.Buffer(nil, mostLine)
	for i := 0; lines.Scan() && ctx.Err() == nil; i++ {
		words := strings.Fields(lines.Text())
		for k := 0; k+per <= len(words); k += per {
			f(i, k/per, words[k:k+per])
		}
	}
	return ctx.Err()
}

// word is a word of a component in the tree; the line itself where it cannot be opened.
func (x *index) word(ctx context.Context, t *model.Tree, sample, part, word int) *model.Span {
	s := x.lines.Child(int64(sample))
	for _, want := range []*model.Field{components, nil, words[word]} {
		if s == nil || t.Open(ctx, s) != nil {
			return x.lines
		}
		next := (*model.Span)(nil)
		for i := range s.Count() {
			if k := s.Child(i); want == nil && i == int64(part) || want != nil && k.Field == want {
				next = k
				break
			}
		}
		s = next
	}
	if s == nil {
		return x.lines
	}
	return s
}

// toPayload is where the archive has a component.
func toPayload(t *model.Tree, s *model.Span) (model.Range, bool) {
	x := model.StateOf[*index](t)
	b, ok := t.Cached(s.Range)
	if x == nil || !ok || len(x.archives) == 0 || x.archives[0].beside == nil {
		return model.Range{}, false
	}
	off, err := strconv.ParseInt(string(b), 10, 64)
	at := x.archives[0].beside.Range
	return model.Range{Space: at.Space, Off: off, Len: min(512, at.Len-off)}, err == nil && off >= 0 && off < at.Len
}

func number(s string) uint64 {
	n, _ := strconv.ParseUint(s, 10, 63)
	return n
}
