// Package correct uses checksums as error-correcting codes. It is arithmetic on bytes
// and knows nothing about files. An answer is Unique if everything of its kind was tried and nothing else fits; callers that
// get several need other evidence to choose.
package correct

// Change is bytes to be XORed into the message at an offset.
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

// step is how many positions are processed between two checks of a context.
const step = 1 << 16
