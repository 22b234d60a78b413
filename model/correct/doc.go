// Package correct treats checksums as what they also are: codes that tell where an error is. All of it is arithmetic on bytes
// and says nothing about files. An answer is Unique when everything of its kind was tried and nothing else fits; callers that
// get several need another witness to choose.
package correct

// Change is bytes that are xored into the message at an offset.
type Change struct {
	At  int64
	Xor []byte
}

// Apply returns a copy of b with the change made.
func (c Change) Apply(b []byte) []byte {
	out := append([]byte(nil), b...)
	for i, x := range c.Xor {
		out[c.At+int64(i)] ^= x
	}
	return out
}

// step is how many positions are looked at between two glances at a context.
const step = 1 << 16
