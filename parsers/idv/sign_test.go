package idv

import (
	"math"
	"testing"

	"spandrel/model"
)

// A zero that becomes -0 is another value: its block is deflated again, and everything behind it stays where the directory says.
func TestNegativeZero(t *testing.T) {
	for _, deflate := range []bool{false, true} {
		f := sample(deflate)
		d := open(t, "x.idv", f.encode())
		do(t, d, []model.Edit{model.Set{Path: "blocks[11]/decoded/values[0]", Value: model.F(math.Copysign(0, -1))}}, nil)
	}
}
