package cause

import (
	"bytes"
	"fmt"
	"maps"
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
				g.sectors()
			}
			for _, c := range g.told {
				if c.At.Len >= sector {
					r.lost = append(r.lost, c.At)
				}
			}
		}
		told = append(told, g.told...)
		if g.blamed && len(g.told) == 0 {
			r.glances = append(r.glances, g)
		}
		if r.late() {
			break
		}
	}
	return told
}

// guesses tries what nothing in a file speaks for but that it could have happened, when all else fails.
func (r *search) guesses() {
	for _, g := range r.glances {
		if !g.all || len(g.b) == 0 || r.late() {
			continue
		}
		g.trials = nil
		g.returned()
		g.swapped()
		r.run(g.trials)
	}
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
		if r.found[i].Grade() != model.Note && r.base.tree.FileName(r.found[i].Where()) == r.base.snap.Primary {
			add(r.base.snap.Primary) // what is wrong with it is often said of the others too
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
	g.doubled()
	g.front()
	g.wrapped()
	if http := bytes.HasPrefix(g.b, []byte("HTTP/")); g.all && len(g.b) > 0 && !http {
		g.recoded()
		g.lines()
	}
	if g.primary && g.all {
		g.swappedMagic()
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
	starts, magic := map[int64]string{}, map[int64]bool{}
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
		if slices.ContainsFunc(f.Magics, g.begins) {
			continue // it begins as it should: what is further in is content
		}
		for _, m := range f.Magics {
			if m.At < 0 || len(m.Bytes) < 3 || m.Again && bytes.HasPrefix(g.b[min(m.At, int64(len(g.b))):], []byte(m.Bytes)) {
				continue // with Again, what begins further in as the file does is a part of it
			}
			for from := int64(1); from < int64(min(len(g.b), 1<<20)); {
				i := bytes.Index(g.b[from:min(len(g.b), 1<<20)], []byte(m.Bytes))
				if i < 0 {
					break
				}
				from += int64(i)
				add(from-m.At, unexplained)
				magic[from-m.At] = true
				from++
			}
		}
	}
	if g.primary {
		g.detected(add)
	}
	for _, at := range slices.Sorted(maps.Keys(starts)) {
		before := len(g.trials)
		g.becomes(g.c.Splice(0, at, nil), fmt.Sprintf("cut the first %s bytes", model.Thousands(at)), "What follows them is the file itself.", "",
			"%s bytes precede %s: %s.", model.Thousands(at), lower(g.the()), starts[at])
		if len(g.trials) > before { // a part of the file may begin as the file does
			t := g.trials[before]
			zero := len(bytes.Trim(g.b[:min(at, int64(len(g.b)), 64)], "\x00")) == 0
			t.begins = magic[at]
			t.drops, t.unsure = true, starts[at] == unexplained && (len(starts) > 1 || at > 4096 || zero)
		}
	}
}

// begins tells whether a magic stands at its place at the front of the file.
func (g *glance) begins(m model.Magic) bool {
	return m.At >= 0 && len(m.Bytes) >= 3 && m.At < int64(len(g.b)) && bytes.HasPrefix(g.b[m.At:], []byte(m.Bytes))
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
	for _, end := range slices.Sorted(maps.Keys(ends)) {
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

// doubled looks for a piece that is there twice in a file that is longer by it than it should be, or a piece of a size in which programs write
// where nothing says how long the file is.
func (g *glance) doubled() {
	if !g.all {
		return
	}
	if g.extent != nil {
		g.doubledBy(int(g.c.Len()-g.extent.Size), "the file is longer by as much than it should be")
		return
	}
	for n := sector; n <= 1<<16; n *= 2 {
		g.doubledBy(n, "programs write in pieces of that size")
	}
}

func (g *glance) doubledBy(n int, why string) {
	run := 0
	if n < 8 || 2*n > len(g.b) {
		return
	}
	var at []int64
	for j := n; j < len(g.b); j++ {
		if run++; g.b[j] != g.b[j-n] {
			run = 0
		}
		if first := j + 1 - n; run == n && len(bytes.Trim(g.b[first:j+1], string(g.b[j:j+1]))) > 0 { // one byte over and over is no piece
			at = append(at, int64(first))
		}
	}
	if len(at) > 8 {
		return // the file repeats itself
	}
	for _, at := range at {
		g.becomes(g.c.Splice(at, int64(n), nil), "take the second of them out", "A download or a copy that is resumed too early does that.",
			why, "%s bytes are there twice, at 0x%x and behind them.", model.Thousands(int64(n)), at-int64(n))
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
		if rest := g.b[from:]; 8*from >= len(g.b) && bytes.HasPrefix(g.b[:from], rest[:min(len(rest), from)]) {
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
	means, rows := "What is missing is not in this file: get it again, or save what is left.", ""
	if e.Unit > 0 {
		all := (e.Size - e.Overhead) / e.Unit
		left := max(0, (g.c.Len()-e.Overhead)/e.Unit)
		rows = fmt.Sprintf(", and with them %s of %s %s", model.Thousands(all-left), model.Thousands(all), e.Content)
	}
	g.tell(Likely, means, []string{"its length"}, "%s is cut: %s of %s bytes are missing%s%s.", g.the(), model.Thousands(missing), model.Thousands(e.Size), says, rows)
	c := g.told[len(g.told)-1]
	if e.By != nil {
		c.At = Place{g.r.base.tree.FileName(e.By.Range), e.By.Range.Off, e.By.Range.Len, e.By.Path(), e.By}
	}
	if e.Says != "" {
		c.Evidence = append(c.Evidence, e.Says)
	}
}
