package cause

import "spandrel/model"

// spoiled: in a file that lost bytes in a transfer as text, a repaired number hides that the others are wrong as well.
func spoiled(g guarded) string {
	for _, name := range changed(g.base.snap, g.to) {
		if g.search.spoiled[name] && !g.t.copies() {
			return "bytes all over " + name + " were lost in a transfer as text"
		}
	}
	return ""
}

// ends: a conversion of a whole file gives it its end back, too. If bytes follow the end, something else has happened to the file, and perhaps to what
// precedes them.
func (g guarded) ends() string {
	c, err := g.to.Content(g.t.at.File)
	if g.t.op != rewriteFile || err != nil {
		return ""
	}
	for _, e := range g.after.tree.Extents(g.all) {
		if e.File == g.t.at.File && !e.Guess && e.Size < c.Len() {
			return model.Words("%s bytes follow the end of the converted file, so something else has happened to it", model.Thousands(c.Len()-e.Size))
		}
	}
	return ""
}
