package cause

import (
	"bytes"
	"math"
	"slices"
)

// A file of nothing but values that is too long is whole without its first bytes and without its last: which of them do not belong to it is
// told by what they look like.

// alike is by how much, for each byte, one end must look less like the middle than the other does; leastMiddle is how long that must be.
const (
	alike       = 0.5
	leastMiddle = 64
)

// sides decides between the first and the last bytes of a file, where it is whole without either.
func sides(g *glance) {
	front, behind := g.both[0], g.both[1]
	if front == nil || behind == nil || !g.all || !slices.Contains(g.r.hits, front) || !slices.Contains(g.r.hits, behind) {
		return
	}
	n, d := len(g.b)-int(g.extent.Size), front.res.problems()-behind.res.problems()
	if marked := bytes.HasPrefix(g.b, []byte("HTTP/")) || n == 3 && bytes.HasPrefix(g.b, []byte("\xef\xbb\xbf")); marked || d < 0 {
		front.kind, front.unsure = derived, false
		drop(g, behind)
		return
	}
	if d > 0 {
		return
	}
	switch d := unlike(g.b, n); {
	case d > alike:
		drop(g, front)
	case d < -alike:
		front.kind, front.unsure = derived, false
		drop(g, behind)
	default:
		front.kind, behind.kind = derived, derived
		front.unsure, behind.unsure = true, true
	}
}

func drop(g *glance, t *trial) {
	g.r.hits = slices.DeleteFunc(g.r.hits, func(o *trial) bool { return o == t })
	remark(g.r)
}

// unlike is by how much less the last n bytes look like those in the middle than the first n do, for each byte; 0 where the middle is too short
// to tell. Bytes are compared with those at the same place of words of 8.
func unlike(b []byte, n int) float64 {
	if len(b)-2*n < leastMiddle {
		return 0
	}
	var count [8][256]float64
	var all [8]float64
	for i := n; i < len(b)-n; i++ {
		count[i%8][b[i]]++
		all[i%8]++
	}
	looks := func(part []byte, from int) (sum float64) {
		for i, x := range part {
			lane := (from + i) % 8
			sum += math.Log((count[lane][x] + 0.5) / (all[lane] + 128))
		}
		return sum / float64(len(part))
	}
	return looks(b[:n], 0) - looks(b[len(b)-n:], len(b)-n)
}
