package cause

import (
	"bytes"
	"cmp"
	"fmt"
	"path"
	"slices"

	"spandrel/model"
	"spandrel/model/evidence"
)

// The ledger says which repair is best. The guards check what must also be true before any repair is called proven, whatever search found it:
// each is a promise to a user who has only this copy of the file.

// maxChance is the number of false answers expected by chance among everything that was tried, at most, for the one found to be proven.
const maxChance = 1e-4

// guarded is a repair that the ledger calls proven, with the state after it.
type guarded struct {
	*search
	t     *trial
	to    *model.Snapshot
	after *verdict // parsed, without deep checks
}

// guards say why a repair is not proven; "" for no objection. The cheap ones come first.
var guards = []struct {
	name string
	why  func(guarded) string
}{

	{"chance", guarded.chance},
	{"idle", guarded.idle},
	{"unopened", guarded.unopened},
	{"capped", guarded.capped},
	{"avoids", avoids},
	{"several", guarded.several},
	{"presumed", presumed},
	{"weak", guarded.weak},
	{"inside", guarded.inside},
	{"displaced", guarded.displaced},
	{"turned", guarded.turned},
	{"longer", guarded.longer},
	{"alike", guarded.alike},
	{"stray", stray},
	{"named", guarded.named},
	{"ends", guarded.ends},
	{"spoiled", spoiled},
	{"part", guarded.part},
	{"wiped", guarded.wiped},
	{"scrap", guarded.scrap},
	{"remade", guarded.remade},
	{"shorter", guarded.shorter},
	{"short", guarded.short},
	{"measured", guarded.measured},
	{"replaced", guarded.replaced},
	{"twice", guarded.twice},
	{"residue", guarded.residue},
	{"brings", guarded.brings},
	{"less", guarded.less},
	{"left", guarded.left},
	{"fewer", guarded.fewer},
	{"fuse", guarded.fuse},
	{"spilled", guarded.spilled},
}

// doubt returns the first objection to calling a trial proven; "" for none.
func (r *search) doubt(t *trial) string {
	to, err := r.reach(t)
	if err != nil {
		return "it could not be tried"
	}
	f := t.res.format
	g := guarded{search: r, t: t, to: to, after: judge(r.all, to, f, nil)}
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

// needless tells whether the repair removes a file because everything that should be in it is stored elsewhere too.
func (g guarded) needless(file string) bool { return g.t.spare && spares(g.search, file) }

// chance: now and then a checksum matches by chance, and the more is tried, the more often.
func (g guarded) chance() string {
	if g.t.chance < maxChance {
		return ""
	}
	return fmt.Sprintf("%.2g of the changes tried would agree by chance alone", g.t.chance)
}

// idle: damage is only what a reader rejects. What is merely unusual may be intended.
func (g guarded) idle() string {
	if g.base.format == nil || g.o.Warnings || g.t.exact || g.t.res.count[model.Error] < g.base.count[model.Error] {
		return ""
	}
	return "it does not remove any error"
}

// unopened: a repaired file must be recognised as its format without being told which that is.
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
		return name + " would be lost"
	}
	if f, _ := g.recognised(path.Base(name), c); f != g.t.res.format {
		return "the file would no longer be recognised as " + g.t.res.format.Title
	}
	return ""
}

// capped: what a limit of this program leaves unread after a repair is neither an error nor a proof.
func (g guarded) capped() string {
	if g.t.res.beyond(g.base, func(f finding) bool { return f.rule == model.RuleCap.ID }) == 0 {
		return ""
	}
	return "part of the repaired file exceeds a limit of this program and cannot be checked"
}

// avoids: any bytes can be read as plain values, so that damaged compressed bytes seem intact once they are no longer decompressed. Only if there are
// several runs of them, and nothing else looks odd afterwards, is it likelier that they were never compressed.
func avoids(g guarded) string {
	if g.t.field == nil && g.t.op != makeRepair {
		return ""
	}
	n := 0
	for at, whole := range g.base.packed {
		n += b2i(!whole && !g.needless(at.File) && !unpacks(g.t.res.packed, at) && !streamIntact(g.search, at))
	}
	if n == 0 || n > 1 && g.t.res.fresh(g.base, model.Warning) == 0 {
		return ""
	}
	return "damaged compressed bytes would only be read in another way"
}

// several: every change of a batch is a story of its own, and one of them may be wrong.
func (g guarded) several() string {
	if !g.t.batch() {
		return ""
	}
	return "each of its changes would have to be proven on its own"
}

// weak: a sum that a change of almost any byte can correct does not say which byte is wrong, nor that the sum is right.
func (g guarded) weak() string {
	if g.t.field == nil || g.t.op == makeRepair {
		return ""
	}
	at := g.t.field.span.Range
	for _, l := range g.base.tree.Links() {
		if l.Kind != model.ChecksumLink || !l.Sum.Weak {
			continue
		}
		if l.Field.Range == at || slices.ContainsFunc(l.Targets, func(s *model.Span) bool { return s.Range.Overlaps(at) }) {
			return "other changes give the same checksum"
		}
	}
	return ""
}

// inside: a file that no format recognises may contain others that are sound. What remains after removing bytes is the file itself only
// if it is whole, and nothing is known about the removed bytes.
func (g guarded) inside() string {
	if g.base.format != nil || g.t.op != trimFile {
		return ""
	}
	if !g.t.res.fits && g.t.res.gap > 0 {
		return "the rest does not fill the file exactly"
	}
	if f := atFront(g.after.tree, g.t.at.File); f != nil {
		return "the rest does not begin as such a file should: " + f.Rule.Title
	}
	c, err := g.base.snap.Content(g.t.at.File)
	if err != nil {
		return "it could not be tried"
	}
	b := bytesAt(c, 0, 4096)
	for _, f := range g.o.Formats {
		for _, m := range f.Magics {
			if at := int(m.At); m.At >= 0 && at < len(b) && len(m.Bytes) >= 3 && bytes.HasPrefix(b[at:], []byte(m.Bytes)) && f != g.t.format {
				return "the file begins like " + f.Title + " does"
			}
		}
	}
	if slices.ContainsFunc(wrappers, func(w wrapper) bool { return len(w.magic) > 1 && bytes.HasPrefix(b, []byte(w.magic)) }) {
		return "the file begins like an archive or a compressed file"
	}
	return ""
}

// atFront is a problem of the first field of a file, even a slight one; nil for none. If a format has no magic, only that field says where the
// file begins.
func atFront(t *model.Tree, file string) *model.Finding {
	found, _ := t.Findings()
	for _, f := range graded(found, model.Warning) {
		if at := f.Where(); at.Off == 0 && at.Len <= 8 && t.FileName(at) == file {
			return f
		}
	}
	return nil
}

// part: if a part of a file begins as the file does, what precedes the first sound part may be a damaged one.
func (g guarded) part() string {
	f := cmp.Or(g.t.format, g.base.format)
	if g.t.op != trimFile || f == nil || !slices.ContainsFunc(f.Magics, func(m model.Magic) bool { return m.Again }) {
		return ""
	}
	return "a part of such a file begins like a complete one"
}

// alike: if two files differ in a few bytes only, those bytes may be the damage, which no check would find under the other name.
func (g guarded) alike() string {
	names := changed(g.base.snap, g.to)
	if !g.t.whole() || len(names) != 2 {
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

// olderCopy is how programs and people name a copy that they keep before a change.
var olderCopy = model.Pattern(`(?i)(\.(bak|backup|old|orig|prev)|~)$`)

// stray: a file that takes the place of a missing one may be an older copy of it, as its name may say, or another file of that length if it is
// nothing but values.
func stray(g guarded) string {
	for _, name := range changed(g.base.snap, g.to) {
		_, missing := g.base.snap.Content(name)
		is, err := g.to.Content(name)
		switch {
		case missing == nil && err != nil && olderCopy().MatchString(name):
			return name + " may be an older copy, as its name says"
		case missing == nil || err != nil || !g.t.whole() || !movedFrom(g, name, is):
			continue
		}
		if values := unchecked(g.all, g.after.tree, name); len(values) > 0 && values[len(values)-1].Range.Off == 0 {
			return "nothing checks its values: it may be an older copy, or another file"
		}
	}
	return ""
}

// mostAlike is in how many bytes two files may differ for one of them to be a damaged copy of the other.
const mostAlike = 8

// wiped: zeros at the front of a file are more often an erased header than something put before one.
func (g guarded) wiped() string {
	for _, c := range changes(g.all, g.base.snap, g.to) {
		was, err := g.base.snap.Content(c.File)
		if err != nil || g.needless(c.File) || c.Off > 0 || c.Del < leastBlank || c.Grown >= c.Del {
			continue
		}
		if b := bytesAt(was, 0, min(c.Del-c.Grown, 1<<16)); len(b) > 0 && allOf(b, 0) {
			return fmt.Sprintf("the zeros at the front of %s may have replaced its header", c.File)
		}
	}
	return ""
}

// residue: if a warning remains that no known reader or writer causes, whatever explains it too may be the cause.
func (g guarded) residue() string {
	if g.t.solved || g.t.op == unpackFile {
		return ""
	}
	for _, c := range g.t.res.checks.list(false) {
		if c.Minor && c.Strength >= evidence.ErrorCost {
			return "it does not explain this: " + c.What
		}
	}
	return ""
}

// spoiled: in a file that lost bytes in a transfer as text, a repaired number hides that the others are wrong as well.
func spoiled(g guarded) string {
	for _, name := range changed(g.base.snap, g.to) {
		if g.search.spoiled[name] && !g.t.copies() {
			return "bytes all over " + name + " were lost in a transfer as text"
		}
	}
	if alsoAsText(g.search, g.t) != "" {
		return "other values were changed in the same transfer as text"
	}
	return ""
}

// brings: a number that makes something else wrong is one of two readings of the bytes, and neither is whole.
func (g guarded) brings() string {
	if g.t.field == nil || g.base.format == nil || g.t.res.fresh(g.base, model.Error) == 0 {
		return ""
	}
	return "it causes another error"
}

// less: bytes with a meaning before the repair have one after it.
func (g guarded) less() string {
	if g.base.format == nil {
		return ""
	}
	for name, n := range g.after.holes {
		if n > g.base.holes[name] && !g.t.solved {
			return fmt.Sprintf("it leaves more bytes of %s without a meaning", name)
		}
	}
	return ""
}

// fewer: every table has at least as many rows after the repair, whatever they contain. Rows that were read from bytes of another kind or
// from the wrong places do not count, nor do those that only a number counts that everything else contradicts.
func (g guarded) fewer() string {
	if g.base.format == nil || g.t.whole() || g.t.begins {
		return ""
	}
	rows := map[string]int64{}
	for _, t := range g.after.tree.Tables(g.all) {
		rows[t.Name] = t.Rows
	}
	for _, t := range g.base.tree.Tables(g.all) {
		if n, ok := rows[t.Name]; !t.Aside && !t.Groups && (!ok || n < t.Rows && !(settled(g.search, g.t) && onlyCounted(g, &t, n))) {
			return model.Words("table %s has %s rows now and would have %s", t.Name, model.Thousands(t.Rows), model.Thousands(n))
		}
	}
	return ""
}

// onlyCounted tells whether no row of a table from one on can be read completely.
func onlyCounted(g guarded, t *model.Table, from int64) bool {
	for _, i := range []int64{from, t.Rows - 1} {
		rows, err := t.Read(g.all, i, 1)
		if err != nil || len(rows) != 1 || !slices.ContainsFunc(rows[0], func(c model.Cell) bool { return c.Trouble != "" }) {
			return false
		}
	}
	return true
}
