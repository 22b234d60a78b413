package safetensors

import (
	"fmt"
	"strings"

	"spandrel/model"
)

// A conversion may rename the tensors of all shards, in front of whose names another word then stands than in the index of before.

// renaming is a prefix of names in the index, and what the shards have in its place.
type renaming struct{ index, shards string }

// leastRenamed is how many names must differ in the same way.
const leastRenamed = 2

// rename finds the one prefix in which names of the index differ from those of the shards, if with it both have the same tensors in the same files. What a shard
// contained that is not there, or damaged, is not known: its names in the index have the prefix, too.
func (x *index) rename(c *model.Cursor) {
	listed, stored := 0, 0
	for _, h := range x.shards {
		if h.readable() {
			stored += len(h.byName)
		}
	}
	var foreign, unknown []*mapped
	for _, w := range x.order {
		switch h := x.shards[w.file]; {
		case h == nil:
			return
		case !h.readable():
			unknown = append(unknown, w)
			continue
		case h.byName[w.tensor] == nil:
			foreign = append(foreign, w)
		}
		listed++
	}
	if listed != stored || !x.whole || x.misspelt(c, foreign) || len(foreign) < leastRenamed {
		return
	}
	for _, s := range x.shards[foreign[0].file].tensors {
		r := differ(foreign[0].tensor, s.name)
		if names := x.renamed(foreign, r); names != nil && x.renames(unknown, r, names) {
			x.names = names
			c.Wrong(otherNames, foreign[0].node, foreign[0].tensor, s.name, model.Saying("%s", r.says(len(names), len(x.order))))
			return
		}
	}
}

// mostMisspelt is in how many letters a name may be wrong, and how many names may be.
const mostMisspelt = 2

// misspelt tells whether names of the index differ in a few letters from the only tensors of the same files that it lacks, and reports them.
func (x *index) misspelt(c *model.Cursor, foreign []*mapped) bool {
	if len(foreign) == 0 || len(foreign) > mostMisspelt {
		return false
	}
	names, files := map[string]string{}, map[string]bool{}
	for _, w := range foreign {
		left := x.unlisted(x.shards[w.file])
		if len(left) != 1 || letters(w.tensor, left[0].tensor) > mostMisspelt || files[w.file] {
			return false
		}
		names[w.tensor], files[w.file] = left[0].tensor, true
	}
	x.names = names
	for _, w := range foreign {
		c.Wrong(otherNames, w.node, w.tensor, names[w.tensor], model.Saying("the index has %.100q, and its file %.100q", w.tensor, names[w.tensor]))
	}
	return true
}

// letters is how many letters of two names lie between the beginning and the end that they share.
func letters(a, b string) int {
	for a != "" && b != "" && a[0] == b[0] {
		a, b = a[1:], b[1:]
	}
	for a != "" && b != "" && a[len(a)-1] == b[len(b)-1] {
		a, b = a[:len(a)-1], b[:len(b)-1]
	}
	return max(len(a), len(b))
}

// differ is the prefix in which two names differ: one has it and the other does not, or both have words of their own.
func differ(index, shard string) renaming {
	n := 0
	for n < min(len(index), len(shard)) && index[len(index)-1-n] == shard[len(shard)-1-n] {
		n++
	}
	if n < min(len(index), len(shard)) {
		n -= max(0, strings.IndexAny(index[len(index)-n:], "./"))
	}
	return renaming{index[:len(index)-n], shard[:len(shard)-n]}
}

// renamed are the names in the shards of names in the index; nil if the prefix does not lead to one that the index lacks for each of them.
func (x *index) renamed(list []*mapped, r renaming) map[string]string {
	names, files := map[string]string{}, map[string]bool{}
	for _, w := range list {
		rest, ok := strings.CutPrefix(w.tensor, r.index)
		is := r.shards + rest
		if !ok || x.shards[w.file].byName[is] == nil || x.weights[is] != nil {
			return nil
		}
		names[w.tensor], files[w.file] = is, true
	}
	if r.index != "" && r.shards != "" && len(files) < 2 {
		return nil // the shard may be another model's
	}
	return names
}

// readable tells whether the tensors of a shard are known.
func (h *shard) readable() bool { return h.there && !h.trouble }

// renames adds the names of tensors in unknown shards, and tells whether they have the prefix as well: all, if the index has none without it.
func (x *index) renames(unknown []*mapped, r renaming, names map[string]string) bool {
	for _, w := range unknown {
		if rest, ok := strings.CutPrefix(w.tensor, r.index); ok && x.weights[r.shards+rest] == nil {
			names[w.tensor] = r.shards + rest
		}
	}
	return len(unknown) == 0 || len(names) == len(x.order)
}

// stored is the name in the shards of a tensor of the index.
func (x *index) stored(name string) string {
	if is := x.names[name]; is != "" {
		return is
	}
	return name
}

// says is how so many names of the index differ.
func (r renaming) says(n, of int) string {
	names, begins, lacks := model.Words("%d of %d names", n, of), "begin", "lack"
	if n == of {
		names, begins, lacks = "every name", "begins", "lacks"
	}
	switch {
	case r.shards == "":
		return fmt.Sprintf("%s in the index %s with %.100q, which the shards do not have", names, begins, r.index)
	case r.index == "":
		return fmt.Sprintf("%s in the index %s the prefix %.100q of the shards", names, lacks, r.shards)
	}
	return fmt.Sprintf("%s in the index %s with %.100q, and in the shards with %.100q", names, begins, r.index, r.shards)
}

// checkNames reports tensors whose names differ from those in the other layers.
func (f *file) checkNames(c *model.Cursor) {
	var names []string
	for _, t := range f.tensors {
		names = append(names, t.name)
	}
	for i, right := range model.Misnamed(names) {
		t := f.tensors[i]
		at := t.entry.Range.Off
		text := c.PeekAt(at, int64(len(t.name))+1)
		if string(text) != `"`+t.name {
			continue // it is written with escapes
		}
		k := int64(1)
		for t.name[k-1] == right[k-1] {
			k++
		}
		c.Wrong(misnamed, c.Range(at+1, int64(len(t.name))), t.name, right, model.About([]model.Fix{{
			Label: fmt.Sprintf("write %s for %s", right, t.name), Safe: true,
			Edits: []model.Edit{model.Replace(model.Range{Space: t.entry.Range.Space, Off: at + k, Len: 1}, []byte{right[k-1]})}}}))
	}
}
