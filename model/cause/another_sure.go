package cause

import "spandrel/model"

// Bytes of a copy that nothing confirms: they are taken only because errors disappear with the range that contains them.

// unsure counts the unconfirmed bytes of a set of runs: values without a checksum, where the document has other bytes or the copy differs nearby.
func (x *taking) unsure(set []bool, after *model.Tree) (n int64) {
	free := after.Unvouched(x.all, true)
	moved := map[string]int64{} // by how much what follows is further in than before
	for i, r := range x.runs {
		if !set[i] {
			continue
		}
		at := model.Range{Off: r.Off + moved[r.name], Len: r.N}
		if moved[r.name] += r.N - r.Len; x.agrees(set, i) {
			continue
		}
		for _, f := range free {
			if sp := after.Space(f.Space); sp.File == r.name {
				n += max(0, min(f.End(), at.End())-max(f.Off, at.Off))
			}
		}
	}
	return n
}

// besideIt is how many bytes before and after a range must be equal in both copies.
const besideIt = 4096

// agrees tells whether the document has lost the bytes of run i, and both copies are equal around it: then nothing valid is overwritten, and the
// copy is of the same data.
func (x *taking) agrees(set []bool, i int) bool {
	r := x.runs[i]
	near := func(o run) bool {
		return r.was == nil || o.pair == r.pair && o.Off < r.Off+r.Len+besideIt && r.Off < o.Off+o.Len+besideIt
	}
	for k, o := range x.runs {
		if !set[k] && near(o) {
			return false
		}
	}
	return x.lost(r)
}

// lost tells whether the document has no content at a run: the file is missing, or bytes are, or all of them have the same value.
func (x *taking) lost(r run) bool {
	if r.was == nil || r.Len == 0 {
		return true
	}
	b := front(r.was, r.Off, min(r.Len, maxRegular))
	return len(b) > 0 && r.Len > 1 && uniform(b)
}
