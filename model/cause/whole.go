package cause

import (
	"bytes"
	"fmt"
	"path"
	"slices"
	"strings"

	"spandrel/model"
)

// The file as a whole, before any field. Each hypothesis is a transform of one file of the document and a sentence; it counts
// when the result is read with less trouble. What cannot be undone is only told.

const (
	maxTransform = 64 << 20 // of a file that is transformed in memory
	maxUnpacked  = 512 << 20
	maxFiles     = 32 // of a folder that are looked at
	maxFront     = 64 // how many beginnings further in are tried
)

// glance is one file of the document, and what the hypotheses need of it.
type glance struct {
	r       *search
	name    string
	c       *model.Content
	b       []byte // all of it, or the beginning of a large file
	all     bool
	extent  *model.Extent
	primary bool
	blamed  bool // a finding is about it
	trials  []*trial
	told    []*Cause
}

// wholes looks at every file that something is wrong with, tries what could have happened to it, and returns what can only be told.
func (r *search) wholes() (told []*Cause) {
	r.extents = map[string]model.Extent{}
	if f := r.base.format; f != nil && f.Extents != nil && r.base.tree != nil {
		model.Contain(func() error {
			for _, e := range f.Extents(r.ctx, r.base.tree) {
				if e.File == "" {
					e.File = r.base.snap.Primary
				}
				r.extents[e.File] = e
			}
			return nil
		})
	}
	names, blamed := r.files()
	for _, name := range names {
		c, err := r.base.snap.Content(name)
		if err != nil {
			continue
		}
		g := &glance{r: r, name: name, c: c, primary: name == r.base.snap.Primary, blamed: blamed[name]}
		if e, ok := r.extents[name]; ok {
			g.extent = &e
		}
		b := make([]byte, min(c.Len(), maxTransform))
		n, _ := c.ReadAt(b, 0)
		g.b, g.all = b[:n], int64(n) == c.Len()
		if g.kind(); len(g.told) == 0 {
			g.look()
			before := len(r.hits)
			r.run(g.trials)
			if len(r.hits) == before && len(g.told) == 0 {
				g.zeros()
			}
		}
		told = append(told, g.told...)
		if r.ctx.Err() != nil {
			break
		}
	}
	return told
}

// files lists the files that a finding is in, or that are not as long as they should be, and then some others.
func (r *search) files() (out []string, blamed map[string]bool) {
	blamed = map[string]bool{}
	add := func(name string) {
		if name != "" && !slices.Contains(out, name) && len(out) < maxFiles {
			out = append(out, name)
		}
	}
	for i := range r.found {
		if r.found[i].Grade() != model.Note {
			add(r.base.tree.FileName(r.found[i].Where()))
		}
	}
	for i := range r.found { // a finding about a file as such has its name
		if name, _, _ := strings.Cut(r.found[i].Path(), ":"); name != "" && r.found[i].Grade() != model.Note {
			if _, err := r.base.snap.Content(name); err == nil {
				add(name)
			}
		}
	}
	for name, e := range r.extents {
		if c, err := r.base.snap.Content(name); err == nil && c.Len() != e.Size {
			add(name)
		}
	}
	add(r.base.snap.Primary)
	for _, name := range out {
		blamed[name] = true
	}
	if r.base.tree != nil {
		for _, s := range r.base.tree.Spaces() {
			if !s.Derived() && len(out) < 8 {
				add(s.File)
			}
		}
	}
	return out, blamed
}

// look makes the trials of a file.
func (g *glance) look() {
	g.behind()
	g.front()
	g.wrapped()
	if http := bytes.HasPrefix(g.b, []byte("HTTP/")); g.all && len(g.b) > 0 && !http {
		g.recoded()
		g.lines()
		g.swapped()
	}
	g.short()
}

// becomes adds a trial in which the file has other bytes.
func (g *glance) becomes(c *model.Content, label, means, evidence, text string, args ...any) {
	t := &trial{kind: legal, whole: true, snap: g.r.base.snap.With(g.name, c), label: label, means: means, text: fmt.Sprintf(text, args...)}
	t.at = Place{File: g.name, Len: min(1, c.Len())}
	if evidence != "" {
		t.evidence = []string{evidence}
	}
	if g.r.base.format == nil {
		found, err := model.Choose(path.Base(g.name), c, g.r.o.Formats)
		if err != nil || len(found) == 0 || found[0].Confidence < 20 {
			return
		}
		t.format = found[0].Format
	}
	g.trials = append(g.trials, t)
}

// tell adds what cannot be undone.
func (g *glance) tell(grade Grade, means string, evidence []string, text string, args ...any) {
	c := &Cause{Grade: grade, Text: fmt.Sprintf(text, args...), Means: means, Evidence: evidence, At: Place{File: g.name, Len: min(1, g.c.Len())}}
	for i := range g.r.found {
		if g.r.base.tree.FileName(g.r.found[i].Where()) == g.name {
			c.Explains = append(c.Explains, i)
		}
	}
	g.told = append(g.told, c)
}

// the names a file for the start of a sentence: "The file", or its name in a folder.
func (g *glance) the() string {
	if g.primary {
		return "The file"
	}
	return g.name
}

// unexplained is what stands in front of a file when nothing says what it is.
const unexplained = "bytes that belong to no structure"

// front looks for the beginning of the file further in.
func (g *glance) front() {
	starts := map[int64]string{}
	add := func(at int64, what string) {
		if _, ok := starts[at]; !ok && at > 0 && at < g.c.Len() && len(starts) < maxFront {
			starts[at] = what
		}
	}
	if bytes.HasPrefix(g.b, []byte("HTTP/1.")) || bytes.HasPrefix(g.b, []byte("HTTP/2")) {
		for _, end := range []string{"\r\n\r\n", "\n\n"} {
			if i := bytes.Index(g.b[:min(len(g.b), 1<<16)], []byte(end)); i > 0 {
				add(int64(i+len(end)), "the head of an HTTP response")
			}
		}
	}
	for _, bom := range []string{"\xef\xbb\xbf", "\xff\xfe", "\xfe\xff"} {
		if bytes.HasPrefix(g.b, []byte(bom)) {
			add(int64(len(bom)), "the mark that text files begin with")
		}
	}
	if e := g.extent; e != nil && e.Size < g.c.Len() {
		add(g.c.Len()-e.Size, unexplained)
	}
	for _, f := range g.formats() {
		for _, m := range f.Magics {
			if m.At < 0 || len(m.Bytes) < 3 {
				continue
			}
			for from := int64(1); from < int64(min(len(g.b), 1<<20)); {
				i := bytes.Index(g.b[from:min(len(g.b), 1<<20)], []byte(m.Bytes))
				if i < 0 {
					break
				}
				from += int64(i)
				add(from-m.At, unexplained)
				from++
			}
		}
	}
	if g.primary {
		g.detected(add)
	}
	for _, at := range slices.Sorted(keysOf(starts)) {
		before := len(g.trials)
		g.becomes(g.c.Splice(0, at, nil), fmt.Sprintf("cut the first %s bytes", model.Thousands(at)), "What follows them is the file itself.", "",
			"%s bytes precede %s: %s.", model.Thousands(at), lower(g.the()), starts[at])
		if len(g.trials) > before { // a part of the file may begin as the file does
			t := g.trials[before]
			zero := len(bytes.Trim(g.b[:min(at, int64(len(g.b)), 64)], "\x00")) == 0
			t.drops, t.unsure = true, starts[at] == unexplained && (len(starts) > 1 || at > 4096 || zero)
		}
	}
}

func lower(s string) string {
	if strings.HasPrefix(s, "The ") {
		return "t" + s[1:]
	}
	return s
}

// detected asks the formats about the next beginnings, as not every format has a magic.
func (g *glance) detected(add func(int64, string)) {
	for _, f := range g.formats() {
		if f.Detect == nil || len(f.Magics) > 0 {
			continue
		}
		tail := g.b[max(0, len(g.b)-1<<16):]
		for at := 1; at <= 256 && at < len(g.b) && g.r.ctx.Err() == nil; at++ {
			var sure model.Confidence
			model.Contain(func() error {
				sure, _ = f.Detect("file", g.b[at:min(len(g.b), at+1<<16)], tail, g.c.Len()-int64(at))
				return nil
			})
			if sure >= 60 {
				add(int64(at), unexplained)
			}
		}
	}
}

// formats are those that the file may be of.
func (g *glance) formats() []*model.Format {
	if f := g.r.base.format; f != nil {
		return []*model.Format{f}
	}
	return g.r.o.Formats
}

// behind looks for the end of the file further in front: where it should be, where a second copy or padding begins, and what no
// structure explains at the end.
func (g *glance) behind() {
	n := g.c.Len()
	ends, doubt := map[int64]bool{}, map[int64]bool{} // doubt: nothing but the structure in front says so
	if e := g.extent; e != nil && e.Size > 0 && e.Size < n {
		ends[e.Size] = true
	}
	if g.all && n > 1 && n%2 == 0 && bytes.Equal(g.b[:n/2], g.b[n/2:]) {
		ends[n/2] = true
	}
	if g.r.base.tree != nil && g.r.base.format != nil {
		for _, s := range g.r.base.tree.Spaces() {
			if s.File != g.name || s.Derived() || s.Root == nil {
				continue
			}
			for i := s.Root.Count() - 1; i >= max(0, s.Root.Count()-3); i-- {
				if k := s.Root.Child(i); k.Range.Space == s.ID && k.Range.Off > 0 && k.Range.Off < n && k.Shape == model.Leaf {
					doubt[k.Range.Off] = true
				}
			}
		}
	}
	if g.all {
		if z := len(bytes.TrimRight(g.b, "\x00")); int64(n)-int64(z) >= 16 && z > 0 {
			for k := range 17 {
				ends[int64(z+k)] = true
			}
		}
		if at := g.again(); at > 0 {
			ends[at] = true
		}
	}
	for end := range doubt {
		if doubt[end] = !ends[end]; doubt[end] {
			ends[end] = true
		}
	}
	for _, end := range slices.Sorted(keysOf(ends)) {
		if end <= 0 || end >= n {
			continue
		}
		label := fmt.Sprintf("cut the last %s bytes", model.Thousands(n-end))
		g.becomes(g.c.Splice(end, n-end, nil), label, "What stands before them is whole.", "", "%s", g.surplus(end))
		n := len(g.trials)
		if n == 0 || g.trials[n-1].label != label {
			continue
		}
		g.trials[n-1].drops = true
		if e := g.extent; e != nil && e.Size == end || 2*end == g.c.Len() && end == g.again() {
			g.trials[n-1].kind = derived
		}
		if doubt[end] {
			g.trials[n-1].loses = model.Thousands(g.c.Len()-end) + " bytes, if they are not junk"
		}
	}
}

// again returns where the file begins once more and goes on with the same bytes to its end, or 0.
func (g *glance) again() int64 {
	if len(g.b) < 64 || len(bytes.Trim(g.b[:32], string(g.b[:1]))) == 0 {
		return 0
	}
	for from := 32; ; {
		i := bytes.Index(g.b[from:], g.b[:32])
		if i < 0 {
			return 0
		}
		from += i
		if rest := g.b[from:]; bytes.HasPrefix(g.b[:from], rest[:min(len(rest), from)]) {
			return int64(from)
		}
		from++
	}
}

// surplus says what lies behind the end of a file.
func (g *glance) surplus(end int64) string {
	rest := g.b[min(end, int64(len(g.b))):]
	extra := model.Thousands(g.c.Len() - end)
	switch {
	case len(bytes.Trim(rest, "\x00")) == 0:
		return fmt.Sprintf("%s zeros follow the end of %s: it was padded.", extra, lower(g.the()))
	case len(rest) >= 16 && bytes.Equal(rest[:16], g.b[:min(16, len(g.b))]):
		return fmt.Sprintf("A second copy of %s begins at byte %s.", lower(g.the()), model.Thousands(end))
	}
	return fmt.Sprintf("%s bytes follow the end of %s; they belong to no structure.", extra, lower(g.the()))
}

// short tells that a file is cut.
func (g *glance) short() {
	e := g.extent
	if e == nil || e.Size <= g.c.Len() || e.Size <= 0 {
		return
	}
	says := ""
	if e.Says != "" {
		says = ", as " + e.Says
	}
	missing := e.Size - g.c.Len()
	means := "What is missing is not in this file: get it again, or save what is left."
	if e.Unit > 0 {
		all := (e.Size - e.Overhead) / e.Unit
		left := max(0, (g.c.Len()-e.Overhead)/e.Unit)
		means = fmt.Sprintf("%s of %s %s are missing. ", model.Thousands(all-left), model.Thousands(all), e.Content) + means
	}
	g.tell(Likely, means, []string{"its length"}, "%s is cut: %s of %s bytes are missing%s.", g.the(), model.Thousands(missing), model.Thousands(e.Size), says)
	c := g.told[len(g.told)-1]
	if e.By != nil {
		c.At = Place{g.r.base.tree.FileName(e.By.Range), e.By.Range.Off, e.By.Range.Len, e.By.Path(), e.By}
	}
	if e.Says != "" {
		c.Evidence = append(c.Evidence, e.Says)
	}
}
