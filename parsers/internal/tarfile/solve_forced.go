package tarfile

import (
	"bytes"
	"slices"

	"spandrel/model"
)

// mostForced is how many bytes of a header are corrected at most: if more are wrong, something else has happened to it, such as a loss of bytes.
const mostForced = 4

// forced corrects fields that cannot be what they are, and can be only one thing: text with something after its end, what all other members say.
func (x *solver) forced() (out []Correction) {
	differ := 0
	for _, p := range parts {
		if x.doubt(p, p.of(x.b)) < wrong {
			continue
		}
		text, _, _ := bytes.Cut(p.of(x.b), []byte{0})
		v := append(bytes.Clone(text), make([]byte, p.n-len(text))...)
		if same := x.agreed(p); same != nil && (p.number || p.odd(v)) {
			v = same
		}
		if differ += model.Differences(v, p.of(x.b)); differ > mostForced {
			return nil
		}
		if x.doubt(p, v) < wrong {
			out = append(out, Correction{Field: p.field, At: p.at, Is: v})
			copy(p.of(x.b), v)
		}
	}
	return out
}

// agreed is the content that a field has in all other members; nil if it differs.
func (x *solver) agreed(p part) []byte {
	if len(x.Siblings) == 0 || slices.ContainsFunc(x.Siblings, func(s []byte) bool { return !bytes.Equal(p.of(s), p.of(x.Siblings[0])) }) {
		return nil
	}
	return p.of(x.Siblings[0])
}
