package correct

import (
	"bytes"
	"context"
	"hash"
	"slices"
	"sync"

	"spandrel/model/parallel"
)

// Work is how much searches for wrong bits may do. It is counted in squares of bytes, because every bit of a piece is a trial that reads all of the piece; so
// the same bytes have the same answers on every machine. A nil Work is unlimited.
type Work struct {
	Most int64 // bytes of a piece
	Left int64
}

// Upto is the work of searching two pieces of at most most bytes.
func Upto(most int64) *Work { return &Work{most, 2 * most * most} }

// Take tells whether a piece of n bytes may be searched, and counts it.
func (w *Work) Take(n int64) bool {
	if w == nil {
		return true
	}
	if n > w.Most || w.Left <= 0 {
		return false
	}
	w.Left -= n * n
	return true
}

const (
	hashShare   = 2       // as many bytes are hashed in the time of inflating one; only those after a change are hashed again
	hashedBytes = 1 << 10 // bytes of a message in which all values of each byte are tried if no bit is the answer
	hashStripe  = 1 << 8  // bytes that a core takes at a time
)

// Digest returns every bit of a message whose change gives it the digest want, or else every such byte of a short one; none if there is not enough work left.
// Nothing but a trial tells what a cryptographic digest becomes. With 128 bits of it an answer is no chance.
func Digest(ctx context.Context, algorithm func() hash.Hash, message, want []byte, w *Work) []Change {
	if !w.Take(int64(len(message)) / hashShare) {
		return nil
	}
	bit := func(xor byte) bool { return xor&(xor-1) == 0 }
	found := hashed(ctx, algorithm, message, want, bit)
	if len(found) == 0 && len(message) <= hashedBytes {
		found = hashed(ctx, algorithm, message, want, func(xor byte) bool { return !bit(xor) })
	}
	return found
}

// hashed are the changes of one byte, of those to try, that give a message a digest. What precedes the byte is hashed once.
func hashed(ctx context.Context, algorithm func() hash.Hash, message, want []byte, try func(xor byte) bool) (found []Change) {
	var mu sync.Mutex
	parallel.Each((len(message)+hashStripe-1)/hashStripe, func(i int) {
		b, before, sum := bytes.Clone(message), algorithm(), make([]byte, 0, len(want))
		state, ok := before.(hash.Cloner)
		before.Write(b[:i*hashStripe])
		right := func(at int, xor byte) bool {
			h, err := state.Clone()
			if err != nil {
				return false
			}
			b[at] ^= xor
			h.Write(b[at:])
			b[at] ^= xor
			return bytes.Equal(h.Sum(sum), want)
		}
		for at := i * hashStripe; ok && at < min(len(b), (i+1)*hashStripe) && ctx.Err() == nil; at++ {
			for xor := 1; xor < 256; xor++ {
				if try(byte(xor)) && right(at, byte(xor)) {
					mu.Lock()
					found = append(found, Change{int64(at), []byte{byte(xor)}})
					mu.Unlock()
				}
			}
			before.Write(b[at : at+1])
		}
	})
	slices.SortFunc(found, func(a, b Change) int { return int(a.At - b.At) })
	return found
}
