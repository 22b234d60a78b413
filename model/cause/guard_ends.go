package cause

import (
	"cmp"

	"spandrel/model"
)

// ends: a conversion of a whole file gives it its end back, too. If bytes follow the end, something else has happened to the file, and perhaps to what
// precedes them.
func (g guarded) ends() (why string) {
	c, err := g.to.Content(g.t.at.File)
	if g.t.op != rewriteFile || err != nil || g.t.res.format == nil || g.t.res.format.Extents == nil {
		return ""
	}
	model.Contain(func() error {
		for _, e := range g.t.res.format.Extents(g.all, g.after.tree) {
			if cmp.Or(e.File, g.to.Primary) == g.t.at.File && !e.Guess && e.Size < c.Len() {
				why = model.Words("%s bytes follow the end of the converted file, so something else has happened to it", model.Thousands(c.Len()-e.Size))
			}
		}
		return nil
	})
	return why
}
