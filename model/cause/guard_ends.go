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
	for e, n := range stated(g) {
		if g.t.op == rewriteFile && e.File == g.t.at.File && e.Size < n {
			return model.Words("%s bytes follow the end of the converted file, so something else has happened to it", model.Thousands(n-e.Size))
		}
	}
	return ""
}
