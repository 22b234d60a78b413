package cause

import (
	"bytes"
	"slices"
)

// A file of nothing but values that is too long is whole without its first bytes and without its last: which of them do not belong to it is
// told by what they look like.

// alike is by how many bits each byte of one end must be more surprising than those of the other; leastMiddle is how long the middle must be.
const (
	alike       = 0.7
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

// unlike is by how many bits each of the last n bytes is more surprising than each of the first n, by those in the middle; 0 where the middle is too
// short to tell.
func unlike(b []byte, n int) float64 {
	if len(b)-2*n < leastMiddle {
		return 0
	}
	middle := likenessOf(lane, b)
	middle.add(b[:n], 0, -1)
	middle.add(b[len(b)-n:], int64(len(b)-n), -1)
	return float64(middle.surprise(b[len(b)-n:], int64(len(b)-n))-middle.surprise(b[:n], 0)) / float64(n)
}
