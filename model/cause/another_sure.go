package cause

import "spandrel/model"

// unsure counts the bytes of a set of runs that nothing confirms: values without a checksum. They are taken only because errors disappear with the
// range that contains them, and the copy may be older, damaged there, or of other data.
func (x *taking) unsure(set []bool, after *model.Tree) (n int64) {
	free := after.Unvouched(x.all, true)
	moved := map[string]int64{} // by how much what follows is further in than before
	for i, r := range x.runs {
		if !set[i] {
			continue
		}
		at := model.Range{Off: r.Off + moved[r.name], Len: r.N}
		moved[r.name] += r.N - r.Len
		for _, f := range free {
			if sp := after.Space(f.Space); sp.File == r.name {
				n += max(0, min(f.End(), at.End())-max(f.Off, at.Off))
			}
		}
	}
	return n
}
