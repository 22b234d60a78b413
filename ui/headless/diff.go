package headless

import (
	"flag"
	"fmt"
	"io"

	"spandrel/model"
)

// difference is a line of `diff --json`.
type difference struct {
	Path string `json:"path"`
	A    any    `json:"a"` // null where the field is missing
	B    any    `json:"b"`
}

// maxDiff is how many differences are printed; the rest are counted.
const maxDiff = 10_000

func diff(_ *flag.FlagSet, c *call) func() (int, error) {
	return func() (int, error) {
		if err := c.need(2, 2, "diff A B"); err != nil {
			return Failed, err
		}
		whole := model.DecodedBudget() // both documents together keep as much as one does
		model.SetCacheBudget(whole / 2)
		defer model.SetCacheBudget(whole)
		a, err := c.open(c.args[0])
		if err != nil {
			return Failed, err
		}
		b, err := c.open(c.args[1])
		if err != nil {
			return Failed, err
		}
		n := 0
		err = model.Compare(c.ctx, a.Tree, b.Tree, func(path string, x, y *model.Value) error {
			if n++; n > maxDiff {
				return nil
			}
			d := difference{Path: path}
			if x != nil {
				d.A = x.JSON()
			}
			if y != nil {
				d.B = y.JSON()
			}
			if c.json {
				return c.line(d)
			}
			text := fmt.Sprintf("%s: %s -> %s", path, shown(x), shown(y))
			if shown(x) == shown(y) {
				text += " (the same value in other bytes)"
			}
			return linef(c.Out, "%s", text)
		})
		if err != nil {
			return Failed, err
		}
		partly(c.Err, a)
		partly(c.Err, b)
		if n > maxDiff {
			fmt.Fprintf(c.Err, "spandrel: %d more differences are not listed\n", n-maxDiff)
		}
		if n > 0 {
			return Found, nil
		}
		return Done, nil
	}
}

// partly says what of a document could not be decoded whole, and so is compared in part.
func partly(w io.Writer, d *model.Document) {
	for _, s := range d.Tree.Spaces() {
		if err := s.Fault(); err != nil {
			linef(w, "spandrel: %s, %s: %v. What lies behind is not compared.", d.Path, s.Name(), err)
			return
		}
	}
}

func shown(v *model.Value) string {
	if v == nil {
		return "missing"
	}
	return v.String()
}
