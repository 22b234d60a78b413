package cause

import (
	"bytes"
	"cmp"
	"maps"
	"path"
	"slices"
	"strings"

	"spandrel/model"
)

// A file as a whole, before any field. Each hypothesis is a transformation of one file and a sentence; it counts
// if the result has fewer problems. What cannot be undone is only reported.

const (
	maxTransform = 64 << 20 // of a file that is transformed in memory
	maxUnpacked  = 512 << 20
	maxFiles     = 32 // of a folder that are looked at
	maxOthers    = 8  // … up to which those without problems are, too
	maxFront     = 64 // how many beginnings further in are tried
)

// subject is the file that hypotheses are about: one file of the document, and what they need to know about it.
type subject struct {
	r       *search
	name    string
	c       *model.Content
	b       []byte // its bytes, or the beginning of a large file
	all     bool
	extent  *model.Extent
	primary bool
	blamed  bool // a finding is about it
	named   bool // a finding about another file names it
	before  int  // hits about other files
	trials  []*trial
	spelt   *trial         // decoded from text, if the result is of the right kind
	inside  *model.Content // what it unpacks to, if it is compressed and complete
	told    []*Cause
}

// wholes looks at every file with problems, tries what may have happened to it, and returns what cannot be undone.
func (r *search) wholes() (told []*Cause) {
	r.extents = map[string]model.Extent{}
	if r.spoiled == nil {
		r.spoiled = map[string]bool{}
	}
	for _, e := range r.base.tree.Extents(r.ctx) {
		r.extents[e.File] = e
	}
	together := false
	if r.step("packed together", func() { together = packedTogether(r) }); together {
		return nil
	}
	names, blamed := problemFiles(r)
	names = slices.DeleteFunc(names, func(name string) bool { return spares(r, name) })
	r.step("padded together", func() { paddedTogether(r, names) })
	for _, name := range names {
		c, err := r.base.snap.Content(name)
		if err != nil || appleDouble(name) && name != r.base.snap.Primary { // it belongs to no document
			continue
		}
		g := subjectOf(r, name, c, blamed[name])
		examine(g)
		told = append(told, g.told...)
		if g.blamed && len(g.told) == 0 {
			r.subjects = append(r.subjects, g)
		}
		if r.late() {
			break
		}
	}
	var more []*Cause
	r.step("folder", func() { more = folderCauses(r, suspectFiles(r, names, blamed)) })
	told = slices.DeleteFunc(told, func(c *Cause) bool { // another file is the one that is lost
		return slices.ContainsFunc(r.hits, func(t *trial) bool { return t.by == "folder" && t.at.File == c.File })
	})
	more = slices.DeleteFunc(more, func(c *Cause) bool { return spares(r, cmp.Or(c.File, c.At.File)) })
	r.o.Worth.note("folder", Part{Kept: len(more)})
	return append(append(independent(told, more), more...), misnamed(r)...)
}

// spares tells whether everything that should be in a file is stored elsewhere too.
func spares(r *search, file string) bool {
	return slices.ContainsFunc(r.found, func(f model.Finding) bool { return f.Spare != "" && strings.HasPrefix(file, f.Spare+"/") })
}

// independent drops causes that follow from those of the folder: bytes seem foreign if the file that explains them is missing, and a copy of another file
// has that one's length.
func independent(told, more []*Cause) []*Cause {
	return slices.DeleteFunc(told, func(c *Cause) bool {
		return slices.ContainsFunc(more, func(m *Cause) bool { return m.gone && (c.guess || c.File == m.File) })
	})
}

// subjectOf is a file of the document; blamed tells whether a finding is about it.
func subjectOf(r *search, name string, c *model.Content, blamed bool) *subject {
	g := &subject{r: r, name: name, c: c, b: bytesAt(c, 0, r.front), before: len(r.hits), primary: name == r.base.snap.Primary, blamed: blamed}
	g.all = int64(len(g.b)) == c.Len()
	g.named = g.blamed || !g.primary && findingsAbout(r, name) > 0
	if e, ok := r.extents[name]; ok {
		g.extent = &e
	}
	return g
}

// examine finds out what happened to the file as a whole.
func examine(g *subject) {
	if g.step("another kind", anotherKind); len(g.told) > 0 {
		return
	}
	if g.step("unfinished", unfinished); len(g.told) > 0 {
		return
	}
	if g.step("lossy text", lossyText); len(g.told) > 0 {
		return
	}
	if textForBinary(g) {
		textInstead(g)
		return
	}
	if savedAsText(g); g.explained() {
		return
	}
	commonDamage(g)
	if g.r.run(g.trials); packedAndDamaged(g) {
		return
	}
	if !g.improved() && g.all && g.blamed && g.r.base.format != nil {
		g.step("parts renumbered", partsRenumbered)
	}
	if !g.improved() && g.primary && g.prose() && !g.fits() { // every other problem follows from that
		g.told = nil
		knownKind(g, true)
		return
	}
	g.step("beheaded", frontMissing)
	g.step("narrow numbers", narrowNumbers)
	g.step("text replaced", textReplaced)
	g.step("shifted", shifted)
	if !g.explained() {
		notUndone(g)
	}
	noteLost(g)
}

// improved tells whether a trial about the file improves the document, and explained whether one does or a cause has been reported.
func (g *subject) improved() bool  { return len(g.r.hits) > g.before }
func (g *subject) explained() bool { return g.improved() || len(g.told) > 0 }

// textInstead finds out what happened to a binary file that is text now.
func textInstead(g *subject) {
	g.step("wrapped", wrapped)
	g.step("recoded", recoded)
	if g.primary { // some formats are text themselves
		g.step("line ends", lineEnds)
		g.step("bytes in front", bytesInFront)
		g.step("words swapped, by the magic", wordsSwappedByMagic)
	}
	if g.r.run(g.trials); !packedAndDamaged(g) && !g.improved() {
		knownKind(g, true)
	}
}

// notUndone tries what can only be reported, in this order, until something is.
func notUndone(g *subject) {
	read := g.blamed && g.r.base.format != nil
	said := slices.ContainsFunc(g.r.hits, func(t *trial) bool { return t.op == makeRepair && t.heals() && !t.lossy }) // a rule says what happened
	for _, last := range []struct {
		name string
		can  bool
		try  func(*subject)
	}{
		{"joined", read && g.all && g.primary, joinedFiles},
		{"restarted and cut", read && g.all, restartedAndCut},
		{"a known kind", true, func(g *subject) { knownKind(g, true) }},
		{"a known head", true, headBeforeDamage},
		{"a page over it", read && g.all && !g.prose(), textOver},
		{"pages exchanged", read && g.all && !said, pagesExchanged},
		{"pieces exchanged", read && g.all && !said, piecesSwapped},
		{"text written over", read, textSpoiled},
		{"sectors", true, foreignSectors},
		{"wiped", read && g.all, wiped},
		{"too long", true, tooLong},
		{"severed", true, frontWrong},
		{"noise", read, noise},
		{"foreign throughout", read && g.all && !g.primary, foreignThroughout},
	} {
		if last.can {
			g.step(last.name, last.try)
		}
		if g.explained() {
			return
		}
	}
}

// savedAsText tries whether the file was saved as text, and reports it if bytes were lost.
func savedAsText(g *subject) {
	if http := bytes.HasPrefix(g.b, []byte("HTTP/")); !g.all || len(g.b) == 0 || http {
		return
	}
	g.step("recoded", recoded)
	g.r.run(g.trials)
	if g.trials = nil; g.blamed && !g.explained() {
		g.step("code pages", codePages)
		g.r.run(g.trials)
	}
	if g.trials = nil; g.blamed && !g.explained() {
		g.step("garbled text", garbledText)
	}
}

// noteLost notes which bytes are not the file's own, according to the causes so far.
func noteLost(g *subject) {
	r := g.r
	for _, c := range g.told {
		if c.guess {
			continue // not certain yet
		}
		if c.Grade == Proven && len(c.Repairs) == 0 { // none of its bytes are the file's own
			r.lost = append(r.lost, Place{File: g.name, Len: g.c.Len()})
		}
		if c.At.Len > 1 {
			r.lost = append(r.lost, c.At)
		}
	}
}

// sure drops guesses about lost bytes if a small change makes everything whole: then nothing else was wrong with them. Otherwise
// they count as lost.
func (r *search) sure(told []*Cause) []*Cause {
	if top := r.healed(); top != nil && top.res.clean() && !top.lossy {
		return slices.DeleteFunc(told, func(c *Cause) bool {
			return c.guess && !(c.blank && c.At.contains(top.at))
		})
	}
	for _, c := range told {
		if c.guess && c.At.Len > 1 {
			r.lost = append(r.lost, c.At)
		}
	}
	return told
}

// suspectFiles are the files of a folder with problems.
func suspectFiles(r *search, names []string, blamed map[string]bool) (out []string) {
	for _, name := range names {
		if c, err := r.base.snap.Content(name); err == nil && blamed[name] && c.Len() > 0 {
			out = append(out, name)
		}
	}
	return out
}

// guesses tries hypotheses without any sign in the file, when everything else has failed.
func (r *search) guesses() {
	for _, g := range r.subjects {
		if !g.all || len(g.b) == 0 || r.late() {
			continue
		}
		g.trials = nil
		g.step("line ends put back", returnsRemoved)
		g.step("words swapped", wordsSwapped)
		r.run(g.trials)
		if r.base.format != nil && !g.primary {
			r.hits = slices.DeleteFunc(r.hits, func(t *trial) bool { return slices.Contains(g.trials, t) && !t.res.clean() }) // it then fails in other ways
			remark(r)
		}
	}
}

// problemFiles lists the files with findings, those of the wrong length, and then some others.
func problemFiles(r *search) (out []string, blamed map[string]bool) {
	primary := r.base.snap.Primary
	var at, named, long []string
	for _, f := range graded(r.found, model.Warning) {
		at = append(at, r.base.tree.FileName(f.Where()))
		name, _, _ := strings.Cut(f.Path(), ":") // a finding about a whole file has its name
		if _, err := r.base.snap.Content(name); err == nil {
			named = append(named, name)
		}
	}
	slices.SortStableFunc(at, func(a, b string) int { return b2i(b == primary) - b2i(a == primary) }) // its problems are often reported for the others too
	for _, name := range slices.Sorted(maps.Keys(r.extents)) {
		if c, err := r.base.snap.Content(name); err == nil && c.Len() != r.extents[name].Size {
			long = append(long, name)
		}
	}
	add := func(list []string, most int) {
		for _, name := range list {
			if name != "" && !slices.Contains(out, name) && len(out) < most {
				out = append(out, name)
			}
		}
	}
	add(slices.Concat(at, named, long, []string{primary}), maxFiles)
	blamed = map[string]bool{}
	for _, name := range out {
		blamed[name] = true
	}
	add(filesOf(r.base.tree), maxOthers)
	return out, blamed
}

// filesOf are the names of the files of a document.
func filesOf(t *model.Tree) (out []string) {
	for _, s := range t.Spaces() {
		if !s.Derived() {
			out = append(out, s.File)
		}
	}
	return out
}

// commonDamage makes the trials of a file.
func commonDamage(g *subject) {
	g.step("bytes behind", bytesAtEnd)
	g.step("doubled", doubledPiece)
	g.step("bytes in front", bytesInFront)
	g.step("wrapped", wrapped)
	if http := bytes.HasPrefix(g.b, []byte("HTTP/")); g.all && len(g.b) > 0 && !http {
		g.step("line ends", lineEnds)
		g.step("bytes put beside others", repeatedAfter)
		g.step("text inside", textInserted)
	}
	switch {
	case g.primary && g.all:
		g.step("words swapped, by the magic", wordsSwappedByMagic)
	case g.all && g.blamed && !g.hasMagic():
		g.step("words swapped", wordsSwapped)
	}
	g.step("a page behind it", pageBehind)
	g.step("truncated", truncated)
}

// becomes adds a trial in which the file has other content, and returns it; nil if no format recognises that.
func (g *subject) becomes(c *model.Content, label, means, evidence, text string) *trial {
	t := &trial{kind: legal, op: rewriteFile, snap: g.r.base.snap.With(g.name, c), label: label, means: means, text: text}
	t.at = Place{File: g.name, Len: min(1, c.Len())}
	if evidence != "" {
		t.evidence = []string{evidence}
	}
	if g.r.base.format == nil {
		if t.format, _ = g.r.recognised(path.Base(g.name), c); t.format == nil {
			return nil
		}
	}
	g.trials = append(g.trials, t)
	return t
}

// withdraw removes a trial.
func (g *subject) withdraw(t *trial) {
	g.trials = slices.DeleteFunc(g.trials, func(o *trial) bool { return o == t })
}

// recognised returns the format of a content and the confidence; nil if no format recognises it.
func (r *search) recognised(name string, c *model.Content) (*model.Format, model.Confidence) {
	found, err := model.Choose(name, c, r.o.Formats)
	if err != nil || len(found) == 0 || found[0].Confidence < 20 {
		return nil, 0
	}
	return found[0].Format, found[0].Confidence
}

// tell adds a cause that cannot be undone, and returns it.
func (g *subject) tell(grade Grade, means string, evidence []string, text string, args ...any) *Cause {
	c := &Cause{Grade: grade, Text: model.Words(text, args...), Means: means, Evidence: evidence, At: Place{File: g.name, Len: min(1, g.c.Len())}, File: g.name, Explains: findingsOf(g.r, g.name)}
	g.told = append(g.told, c)
	return c
}

// the names the file for the start of a sentence.
func (g *subject) the() string { return theFile(g.r.base.snap, g.name) }

// theFile names a file for the start of a sentence: "The file", or its name in a folder.
func theFile(snap *model.Snapshot, name string) string {
	if name == snap.Primary {
		return "The file"
	}
	return name
}

// hasMagic tells whether a file of a folder begins with a magic of its kind: then its byte order is not swapped.
func (g *subject) hasMagic() bool {
	f := g.r.base.format
	return g.extent != nil && slices.ContainsFunc(g.extent.Magics, g.begins) || f != nil && slices.ContainsFunc(f.Magics, g.begins)
}
