package cause

import "spandrel/model"

// alone says of the only problem of a document that no other was found. Only checksums show that values are right, so what they cover is said; that
// nothing else is wrong is never known, because lengths, types and flags beside them are seldom covered too.
func (g *Diagnosis) alone() string {
	if g.Deep && vouched(g.Tree) {
		return "No other errors were found, and checksums cover nearly the whole file."
	}
	return "No other errors were found."
}

// vouched tells whether checksums cover the files of a document but for a tenth of their bytes.
func vouched(t *model.Tree) bool {
	if t == nil {
		return false
	}
	var size, covered int64
	for _, r := range t.Summed() {
		covered += r.Len
	}
	for _, s := range t.Spaces() {
		if !s.Derived() && s.Root != nil {
			size += s.Root.Range.Len
		}
	}
	return size > 0 && covered >= size-size/10
}
