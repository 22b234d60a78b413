package cause

import (
	"bytes"
	"context"
	"path"
	"slices"
	"strings"
	"unicode"

	"spandrel/model"
	"spandrel/model/kinds"
)

// seen is how many bytes of either end of a file are used to identify its kind.
const seen = 64 << 10

// Known says what a document that no format recognises is, and what opens it: "an HDF5 file; h5py opens it"; "" if unknown.
func Known(ctx context.Context, d *model.Document) string {
	c, err := d.Tree.Snapshot.Content(d.Tree.Snapshot.Primary)
	if err != nil || ctx.Err() != nil {
		return ""
	}
	f := kindFile(path.Base(d.Tree.Snapshot.Primary), c)
	k, ok := kinds.Of(f)
	if !ok && plain(f.Head) && len(f.Head) > 0 {
		k, ok = kinds.Text(f)
	}
	if !ok {
		return ""
	}
	if k.Fetch != "" {
		return k.Name + "; “" + k.Fetch + "” fetches the file itself"
	}
	return k.Name + "; " + k.Opens + " opens it"
}

func kindFile(name string, c *model.Content) *kinds.File {
	return &kinds.File{Name: name, Size: c.Len(), All: c, Head: bytesAt(c, 0, seen), Tail: bytesAt(c, max(0, c.Len()-seen), seen)}
}

// knownKind reports a file of a kind that no format reads. Before any trial it must have an unmistakable signature; after
// trials have failed, archives and text of no particular kind count too.
func knownKind(g *subject, tried bool) {
	f := kindFile(path.Base(g.name), g.c)
	k, ok := kinds.Of(f)
	switch {
	case g.fits() && !textForBinary(g) && !(ok && (unlikelyIn(g, &k) || tried && k.Sure && k.Packs && g.blamed && !g.primary && looksPacked(g))), !tried && g.prose(): // encoded text is tried first
	case ok && !tried && (!k.Sure || k.Packs && looksPacked(g) && !unlikelyIn(g, &k)):
	case ok:
		kindInstead(g, &k)
	case (g.primary || tried) && g.prose():
		if k, ok = kinds.Text(f); ok {
			kindInstead(g, &k)
		} else if tried {
			proseInstead(g)
		}
	}
}

// kindInstead reports a file of another kind.
func kindInstead(g *subject, k *kinds.Kind) {
	grade, text, format := Likely, " looks like "+k.Name, g.r.base.format
	if k.Sure {
		grade, text = Proven, " is "+k.Name
	}
	means := "Spandrel does not read such files; " + k.Opens + " opens it."
	switch {
	case !g.primary:
		text, means = text+", not the file that belongs here", "Put the right file in its place."
	case format != nil:
		text += ", not " + article(format.Title)
	}
	switch {
	case k.Fetch != "":
		means = "Run “" + k.Fetch + "” in the folder of the file. It replaces the pointer with the file."
	case g.primary && k.Lacks != "":
		text += ", and it is truncated: " + k.Lacks
		means = "Download or copy it again. When it is complete, " + k.Opens + " opens it."
	}
	if k.Warn != "" {
		means += " " + k.Warn
	}
	switch {
	case g.inside == nil:
	case g.primary && format == nil:
		means = "Unpack it, and check what it contains."
	default:
		means = "Unpack it and check it again: what it contains is damaged or packed too."
	}
	c := g.tell(grade, means, []string{k.Evidence}, "%s%s.", g.the(), text)
	c.instead = true
	c.foreign, c.other = k.Lacks == "" && g.primary && format == nil, g.primary && k.Sure
	if g.inside != nil {
		g.offerInside(g.inside, "unpack the file")
	}
}

// offerInside adds to the last cause that was told the repair that leaves only what the file contains, in which something else is wrong.
func (g *subject) offerInside(in *model.Content, label string) {
	c := g.told[len(g.told)-1]
	c.Repairs = append(c.Repairs, g.r.offer(&trial{op: rewriteFile, label: label, snap: g.r.base.snap.With(g.name, in)}, false))
}

// fits tells whether the file may be what it is taken for: its format recognises more than its name, or prescribes no beginning.
func (g *subject) fits() bool {
	format := g.r.base.format
	switch {
	case !g.primary:
		return !g.blamed || g.extent == nil || len(g.extent.Magics) == 0 || g.hasMagic()
	case format == nil:
		return false
	case g.hasMagic():
		return true
	}
	_, named := g.r.recognised(path.Base(g.name), g.c)
	by, sure := g.r.recognised("file", g.c)
	return named > 60 || by != nil && sure >= 50
}

// unlikelyIn tells whether a companion file without a prescribed beginning is of a kind that does not occur in such a folder.
func unlikelyIn(g *subject, k *kinds.Kind) bool {
	return !g.primary && g.blamed && k.Sure && !(k.Packs && looksPacked(g)) && path.Ext(g.name) != ".parquet" && !g.hasMagic()
}

// looksPacked tells whether the file begins like one that is unpacked by trying.
func looksPacked(g *subject) bool {
	return slices.ContainsFunc(wrappers, func(w wrapper) bool { return w.magic != "" && bytes.HasPrefix(g.b, []byte(w.magic)) })
}

// leastProse is how many bytes of text are more than chance.
const leastProse = 10

// textForBinary tells whether the file is text where binary data should be.
func textForBinary(g *subject) bool {
	switch path.Ext(g.name) {
	case ".json", ".txt", ".csv", ".tsv", ".md":
		return false
	}
	return g.blamed && len(g.b) >= leastProse && g.prose() && (!g.primary || !g.fits()) && !listsText(g)
}

// listsText tells whether the format reads a companion file as lines of text, so that text is nothing strange in it.
func listsText(g *subject) bool {
	sp := spaceOf(g.r.base.tree, g.name)
	return !g.primary && sp != nil && !slices.ContainsFunc([]int64{0, g.c.Len() / 2}, func(at int64) bool {
		s, err := g.r.base.tree.AtOpen(g.r.ctx, sp.ID, at)
		return err != nil || s == nil || s.Field.Codec == nil || s.Field.Codec.Kind() != model.Text || s.Field.Fixed != ""
	})
}

// proseInstead reports a file that is text of no particular kind instead of binary data.
func proseInstead(g *subject) {
	if !textForBinary(g) && (!g.primary || g.r.base.format != nil) {
		return
	}
	not, f := "text, not a binary file", g.r.base.format
	if f == nil && g.primary {
		not = "text in an unknown format" // it may well be an encoded binary file
	} else if g.primary {
		not = "text, not " + article(f.Title)
	}
	grade, means, evidence := Proven, "If it encodes binary data, it is in no known way: decode it with what made it. Otherwise download or copy it again.", []string{"every byte is text"}
	if f != nil && g.anyMagic(func(m model.Magic) bool { return m.At+int64(len(m.Bytes)) > g.c.Len() }) {
		grade, not = Likely, not+", or is truncated to its first bytes" // which may well be text
		means, evidence = "It is shorter than every file of its kind. Download or copy it again.", append(evidence, "it is shorter than the magic")
	}
	g.tell(grade, means, evidence, "%s is %s%s.", g.the(), not, quote(strings.TrimSpace(string(g.b[:min(len(g.b), 4096)])))).other = g.primary
}

// article puts "a" or "an" before the title of a format.
func article(name string) string {
	if !strings.Contains(name, " ") {
		name += " file"
	}
	vowels := "AEIOUaeiou"
	if len(name) > 1 && unicode.IsUpper(rune(name[1])) {
		vowels = "AEFHILMNORSX" // as in an abbreviation, where it is spoken "em"
	}
	if name == "" || !strings.ContainsRune(vowels, rune(name[0])) {
		return "a " + name
	}
	return "an " + name
}
