package cause

import "spandrel/model"

// alone says of the only problem of a document that there is no other, and admits that values without a checksum cannot be verified.
func (g *Diagnosis) alone() string {
	if g.Deep && vouched(g.Tree) {
		return "Nothing else is wrong."
	}
	return "No other errors were found."
}

// vouched tells whether checksums cover the files of a document, except a tenth of their bytes, which is their structure.
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
