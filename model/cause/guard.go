package cause

import (
	"bytes"
	"cmp"
	"fmt"
	"path"
	"slices"
	"strings"

	"spandrel/model"
	"spandrel/model/evidence"
)

// The ledger says which repair is the best. What is checked here must hold before any repair is called proven, whatever search it came from:
// each guard is a promise to a user who has only this copy of a file.

// maxChance is how many wrong answers may be expected among everything that was tried, for the one that was found to be proven.
const maxChance = 1e-4

// guarded is a repair that the ledger calls proven, with the states before and after it.
type guarded struct {
	*search
	t      *trial
	to     *model.Snapshot
	before *model.Tree
	after  *verdict // parsed, not checked deep
}

// guards say why a repair is not proven; "" where they have nothing against it. The cheap ones come first.
var guards = []struct {
	name string
	why  func(guarded) string
}{
	{"chance", guarded.chance},
	{"idle", guarded.idle},
	{"unopened", guarded.unopened},
	{"capped", guarded.capped},
	{"several", guarded.several},
	{"weak", guarded.weak},
	{"inside", guarded.inside},
	{"displaced", guarded.displaced},
	{"alike", guarded.alike},
	{"part", guarded.part},
	{"wiped", guarded.wiped},
	{"remade", guarded.remade},
	{"shorter", guarded.shorter},
	{"short", guarded.short},
	{"measured", guarded.measured},
	{"replaced", guarded.replaced},
	{"residue", guarded.residue},
	{"brings", guarded.brings},
	{"less", guarded.less},
	{"fewer", guarded.fewer},
	{"fuse", guarded.fuse},
}

// doubt returns why a trial is not proven whatever speaks for it; "" for nothing.
func (r *search) doubt(t *trial) string {
	to, err := r.reach(t)
	if err != nil {
		return "it could not be tried"
	}
	f := t.res.format
	g := guarded{search: r, t: t, to: to, before: r.base.tree, after: judge(r.all, to, f, nil)}
	if g.after.tree == nil {
		return "it could not be tried"
	}
	for _, guard := range guards {
		if why := r.objects("guard "+guard.name, guard.why(g)); why != "" {
			return why
		}
	}
	return ""
}

// chance: a checksum agrees by luck now and then, and the more is tried the more often.
func (g guarded) chance() string {
	if g.t.chance < maxChance {
		return ""
	}
	return fmt.Sprintf("of the changes that were tried %.2g agree by chance alone", g.t.chance)
}

// idle: only what a reader trips over is damage. What is merely unusual may be meant.
func (g guarded) idle() string {
	if g.base.format == nil || g.o.Warnings || g.t.res.count[model.Error] < g.base.count[model.Error] {
		return ""
	}
	return "it removes no error"
}

// unopened: a repaired file must open as one of its format, with nothing said about which that is.
func (g guarded) unopened() string {
	name := g.to.Primary
	if f := g.t.res.format; f != nil && f.Dataset != nil && f.Dataset.Detect != nil {
		if _, sure := f.Dataset.Detect(g.to); sure > 0 {
			return ""
		}
	}
	if name == "" || g.t.res.format == nil || !slices.Contains(changed(g.base.snap, g.to), name) {
		return ""
	}
	c, err := g.to.Content(name)
	if err != nil {
		return name + " would be gone"
	}
	if f, _ := g.recognised(path.Base(name), c); f != g.t.res.format {
		return "it would not be recognised as " + g.t.res.format.Title
	}
	return ""
}

// capped: what a limit of this program leaves unread after a repair is no error there, and no proof.
func (g guarded) capped() string {
	n := 0
	for k, m := range g.t.res.keys {
		if strings.Contains(k, " "+model.RuleCap.ID+" ") {
			n += max(0, m-g.base.keys[k])
		}
	}
	if n == 0 {
		return ""
	}
	return "a limit of this program keeps a part of the file from being checked after it"
}

// several: changes that were put together, each because the bytes fit it, are as many stories, of which one may be wrong.
func (g guarded) several() string {
	if !g.t.batch() {
		return ""
	}
	return "each of its changes would have to be proven by itself"
}

// weak: a sum that almost any byte can set right does not say which one is wrong, nor that the sum is not.
func (g guarded) weak() string {
	if g.t.field == nil || g.t.repair || g.before == nil {
		return ""
	}
	at := g.t.field.span.Range
	for _, l := range g.before.Links() {
		if l.Kind != model.ChecksumLink || !l.Sum.Weak {
			continue
		}
		if l.Field.Range == at || slices.ContainsFunc(l.Targets, func(s *model.Span) bool { return s.Range.Overlaps(at) }) {
			return "other changes give the same sum of bytes"
		}
	}
	return ""
}

// inside: a file that no format takes may hold others that are sound. What is left of it without some of its bytes is the file itself only
// if it is whole, and nothing at all is known of the bytes that go.
func (g guarded) inside() string {
	if g.base.format != nil || !g.t.drops {
		return ""
	}
	if !g.t.exact && g.t.res.gap > 0 {
		return "the rest does not fill the file exactly"
	}
	c, err := g.base.snap.Content(g.t.at.File)
	if err != nil {
		return "it could not be tried"
	}
	b := make([]byte, min(c.Len(), 4096))
	n, _ := c.ReadAt(b, 0)
	b = b[:n]
	for _, f := range g.o.Formats {
		for _, m := range f.Magics {
			if at := int(m.At); m.At >= 0 && at < n && len(m.Bytes) >= 3 && bytes.HasPrefix(b[at:], []byte(m.Bytes)) && f != g.t.format {
				return "the file begins as " + f.Title + " does"
			}
		}
	}
	if slices.ContainsFunc(wrappers, func(w wrapper) bool { return len(w.magic) > 1 && bytes.HasPrefix(b, []byte(w.magic)) }) {
		return "the file begins as an archive or a compressed file does"
	}
	return ""
}

// part: where a part of a file begins as all of it does, what precedes the first sound part may be a damaged one.
func (g guarded) part() string {
	f := cmp.Or(g.t.format, g.base.format)
	if !g.t.drops || f == nil || !slices.ContainsFunc(f.Magics, func(m model.Magic) bool { return m.Again }) {
		return ""
	}
	return "a part of such a file begins as a whole one does"
}

// alike: of two files that are the same but for a few bytes those bytes may be what is damaged, and under the other's name stand where nothing reads them.
func (g guarded) alike() string {
	names := changed(g.base.snap, g.to)
	if !g.t.whole || len(names) != 2 {
		return ""
	}
	a, aerr := g.base.snap.Content(names[0])
	b, berr := g.base.snap.Content(names[1])
	if aerr != nil || berr != nil || a.Len() != b.Len() {
		return ""
	}
	differ, at := 0, firstDifference(g.all, a, b, 0)
	for ; at >= 0 && differ <= mostAlike; at = firstDifference(g.all, a, b, at+1) {
		differ++
	}
	if differ > mostAlike {
		return ""
	}
	return "the two files are the same but for " + model.Count(int64(differ), "bytes") + ", which may be damaged"
}

// mostAlike is in how many bytes two files differ of which one may be a damaged copy of the other.
const mostAlike = 8

// wiped: zeros at the front of a file are more often what is left of a header than something put in front of one.
func (g guarded) wiped() string {
	for _, c := range changes(g.all, g.base.snap, g.to) {
		was, err := g.base.snap.Content(c.File)
		if err != nil || c.Off > 0 || c.Del < leastBlank || c.Grown >= c.Del {
			continue
		}
		b := make([]byte, min(c.Del-c.Grown, 1<<16))
		if n, _ := was.ReadAt(b, 0); n > 0 && len(bytes.TrimLeft(b[:n], "\x00")) == 0 {
			return fmt.Sprintf("the zeros at the front of %s may have replaced its header", c.File)
		}
	}
	return ""
}

// remade: a file that is made again from others is the one that was there only as far as what is left of it says so.
func (g guarded) remade() string {
	if !g.t.copies {
		return ""
	}
	for _, name := range changed(g.base.snap, g.to) {
		was, err := g.base.snap.Content(name)
		is, gone := g.to.Content(name)
		if err == nil && gone == nil && was.Len() < leastLeft && is.Len() >= 2*was.Len() {
			return fmt.Sprintf("only %s of %s are left to compare with", model.Count(was.Len(), "bytes"), name)
		}
		if e, ok := g.extents[name]; ok && err == nil && gone == nil && e.By != nil && e.Size == was.Len() && !e.Least && is.Len() != was.Len() && g.rewrites(e.By) {
			return fmt.Sprintf("%s is as long as %s says, and would have another length", name, e.By.Path())
		}
	}
	return ""
}

// rewrites tells whether a repair changes a field.
func (g guarded) rewrites(field *model.Span) bool {
	at, name := field.Range, g.before.FileName(field.Range)
	return slices.ContainsFunc(changes(g.all, g.base.snap, g.to), func(c Change) bool { return c.File == name && c.Off < at.End() && at.Off < c.Off+c.Del })
}

// leastLeft is how many bytes of a file must be left for them to say that what is made again is the same: a magic says nothing.
const leastLeft = 64

// shorter: where a file is shorter than it should be, a number that makes it long enough hides that bytes are lost.
func (g guarded) shorter() string {
	if g.t.whole {
		return "" // the length was read where another number stood
	}
	for name, e := range g.extents {
		was, err := g.base.snap.Content(name)
		if err != nil || e.Size <= was.Len() || e.Guess {
			continue
		}
		is, err := g.to.Content(name)
		if err == nil && is.Len() > was.Len() || g.stated(e.By) {
			continue
		}
		return fmt.Sprintf("%s is shorter than it should be, and stays so", name)
	}
	return g.shortAfter()
}

// shortAfter: what a header says of a length may be seen only when the header is read as the repair leaves it.
func (g guarded) shortAfter() (why string) {
	f := g.t.res.format
	if f == nil || f.Extents == nil {
		return ""
	}
	model.Contain(func() error {
		for _, e := range f.Extents(g.all, g.after.tree) {
			name := cmp.Or(e.File, g.to.Primary)
			if c, err := g.to.Content(name); err == nil && !e.Guess && e.Size > c.Len() && slices.Contains(changed(g.base.snap, g.to), name) {
				why = fmt.Sprintf("%s is shorter after it than it should be", name)
			}
		}
		return nil
	})
	return why
}

// stated tells whether the trial corrects the very field that a length comes from, with more witnesses for it than against it.
func (g guarded) stated(by *model.Span) bool {
	if g.t.field == nil || g.clues == nil {
		return false
	}
	v, _, err := g.t.field.span.Field.Codec.Decode(g.t.raw)
	if err != nil {
		return false
	}
	with, against := g.clues.witnesses(g.t.field, v)
	return len(with) > len(against) || by != nil && g.t.field.span.Range == by.Range && len(with) > 0
}

// short: a length that should be a smaller one, which nothing leads to from what is there, may be a larger one of which one byte changed, in a file
// that was cut as well.
func (g guarded) short() string {
	if g.t.field == nil {
		return ""
	}
	f, raw := g.t.field, bytes.Clone(g.t.field.raw)
	cost, _ := evidence.Number(raw, g.t.raw)
	should, is := number(g.t.raw, f.order()), number(raw, f.order())
	c, err := g.base.snap.Content(f.file)
	if err != nil || !isNumber(f.span.Field) || cost < min(evidence.Anything, evidence.Random(int64(len(raw)))) || is <= should {
		return ""
	}
	for i, x := range raw {
		for b := range 256 {
			raw[i] = byte(b)
			if n := number(raw, f.order()); n > should && n <= 2*uint64(c.Len()) {
				return fmt.Sprintf("%s may have been %d, of a file that was longer", f.path, n)
			}
		}
		raw[i] = x
	}
	return ""
}

// measured: a length that fits, around bytes in which something else is wrong, may have been right before bytes of them were lost or came in.
func (g guarded) measured() string {
	if g.t.field == nil || g.after.tree == nil {
		return ""
	}
	found, _ := g.after.tree.Findings()
	for _, l := range g.after.tree.Links() {
		if l.Kind != model.LengthLink || l.Field.Range != g.t.field.span.Range {
			continue
		}
		for i := range found {
			if at := found[i].Where(); found[i].Grade() == model.Error && slices.ContainsFunc(l.Targets, func(s *model.Span) bool { return s.Range.Overlaps(at) }) {
				return fmt.Sprintf("in the bytes that %s measures something else is wrong", g.t.field.path)
			}
		}
	}
	return ""
}

// replaced: a number that counts too few bytes, by as many as characters U+FFFD take more than the bytes in whose place they are, is right: the bytes are
// lost.
func (g guarded) replaced() string {
	f := g.t.field
	if f == nil || !f.value.IsNumber() {
		return ""
	}
	c, err := g.base.snap.Content(f.file)
	if err != nil || c.Len() > g.front {
		return ""
	}
	b := make([]byte, c.Len())
	n, _ := c.ReadAt(b, 0)
	lost := bytes.Count(b[:n], []byte("\uFFFD"))
	if lost == 0 || number(g.t.raw, f.order())-number(f.raw, f.order()) != 2*uint64(lost) {
		return ""
	}
	return fmt.Sprintf("the file has the character U+FFFD %d times, which stands for bytes that were lost in a transfer as text", lost)
}

// residue: where a warning stays that no writer and no reader is known to cause, what explains it too may be what happened.
func (g guarded) residue() string {
	if g.t.solved || g.t.unpacked {
		return ""
	}
	for _, c := range g.t.res.checks.list(false) {
		if c.Minor && c.Strength >= evidence.ErrorCost {
			return "it does not explain that " + c.What
		}
	}
	return ""
}

// brings: a number after which something else is wrong that was right is one of two ways to read the bytes, of which neither is whole.
func (g guarded) brings() string {
	if g.t.field == nil || g.base.format == nil || g.t.res.fresh(g.base, model.Error) == 0 {
		return ""
	}
	return "another error appears with it"
}

// less: bytes that have a meaning before have one after it.
func (g guarded) less() string {
	if g.base.format == nil || g.before == nil {
		return ""
	}
	for name, n := range g.after.holes {
		if n > g.base.holes[name] && !g.t.solved {
			return fmt.Sprintf("more bytes of %s are without a meaning after it", name)
		}
	}
	return ""
}

// fewer: every table has at least as many rows after it as before, whatever those say. Where the bytes of a whole file were something else, or stood at
// other places, the rows that were read of them were none.
func (g guarded) fewer() string {
	if g.base.format == nil || g.before == nil || g.t.whole || g.t.shift || g.t.begins {
		return ""
	}
	rows := map[string]int64{}
	for _, t := range g.after.tree.Tables(g.all) {
		rows[t.Name] = t.Rows
	}
	for _, t := range g.before.Tables(g.all) {
		if n, ok := rows[t.Name]; !t.Aside && !t.Groups && (!ok || n < t.Rows) {
			return model.Words("the table %s has %s rows before it and %s after it", t.Name, model.Thousands(t.Rows), model.Thousands(n))
		}
	}
	return ""
}
