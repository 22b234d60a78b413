package remote

import (
	"bytes"
	"context"
	"errors"
	"io"
	"math/rand/v2"
	"slices"
	"testing"

	"spandrel/model"
)

// TestSegments: the parts of a new object cover it once and in order, copy nothing but what was kept, and none but the last is shorter than S3 takes.
func TestSegments(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 4))
	for range 2000 {
		var kept []model.Kept
		at, was := int64(0), int64(0)
		for range r.IntN(6) {
			at, was = at+r.Int64N(3)*r.Int64N(20<<20), was+r.Int64N(3)*r.Int64N(20<<20)
			k := model.Kept{Off: at, Was: was, N: 1 + r.Int64N(900<<20)}
			if r.IntN(2) == 0 {
				k.N = 1 + r.Int64N(9<<20)
			}
			kept = append(kept, k)
			at, was = at+k.N, was+k.N
		}
		size := at + r.Int64N(3)*r.Int64N(20<<20)
		end := int64(0)
		list := segments(size, kept)
		for i, s := range list {
			if s.off != end || s.n <= 0 || i < len(list)-1 && s.n < partLeast || s.n > partCopied {
				t.Fatalf("%+v of %d bytes, %+v: %+v", s, size, kept, list)
			}
			if end += s.n; s.was >= 0 && !slices.ContainsFunc(kept, func(k model.Kept) bool {
				return s.off >= k.Off && end <= k.Off+k.N && s.off-s.was == k.Off-k.Was
			}) {
				t.Fatalf("%+v is not in %+v", s, kept)
			}
		}
		if end != size {
			t.Fatalf("%d bytes of %d", end, size)
		}
		changed := size
		for _, k := range kept {
			changed -= k.N
		}
		if len(kept) == 1 && kept[0].N > 100<<20 && sentBy(list) > changed+2*partLeast {
			t.Fatalf("%d bytes are sent for %d", sentBy(list), changed)
		}
	}
}

// assembled is a bucket of one object, which is put together in it.
type assembled struct {
	bucket
	copies bool
	object []byte
	state  int
	parts  [][]byte
	sent   int64
	copied int64
	gone   bool
}

func (b *assembled) get(_ context.Context, _ string, off, n int64, _ string) (io.ReadCloser, object, error) {
	o := object{size: int64(len(b.object)), tag: string(rune('a' + b.state))}
	return io.NopCloser(bytes.NewReader(b.object[off : off+min(n, o.size-off)])), o, nil
}

func (b *assembled) begin(_ context.Context, _ string, _ int64, parts int, _ string) (assembly, int, error) {
	b.parts, b.gone = make([][]byte, parts), false
	return b, 1, nil
}

func (b *assembled) keep(_ context.Context, i int, off, n int64) error {
	if !b.copies {
		return final{errors.ErrUnsupported}
	}
	b.parts[i], b.copied = b.object[off:off+n], b.copied+n
	return nil
}

func (b *assembled) send(_ context.Context, i int, p []byte) error {
	b.parts[i], b.sent = p, b.sent+int64(len(p))
	return nil
}

func (b *assembled) finish(context.Context) error {
	b.object = bytes.Join(b.parts, nil)
	b.state++
	return nil
}

func (b *assembled) abandon(context.Context) { b.gone = true }

// TestAssemble: of a large object a small change is sent, where the store can copy the rest; else all is; and nothing, if it was replaced meanwhile.
func TestAssemble(t *testing.T) {
	old := make([]byte, 60<<20)
	for i := 0; i < len(old); i += 7 {
		old[i] = byte(rand.Uint32())
	}
	was := model.BytesContent(old)
	is := was.Splice(30<<20, 100, model.Memory([]byte("changed, and shorter")))
	kept := []model.Kept{{N: 30 << 20}, {Off: 30<<20 + 20, Was: 30<<20 + 100, N: int64(len(old)) - 30<<20 - 100}}
	want := make([]byte, is.Len())
	is.ReadAt(want, 0)
	for _, x := range []struct{ copies, replaced bool }{{true, false}, {false, false}, {true, true}} {
		b := &assembled{object: old, copies: x.copies}
		s := newStore(t.Context(), b, "")
		tag := "a"
		if x.replaced {
			tag = "z"
		}
		err := s.assemble(t.Context(), "x", tag, model.Upload{Content: is, Kept: kept})
		switch {
		case x.replaced:
			if !errors.Is(err, ErrReplaced) || !bytes.Equal(b.object, old) || !b.gone {
				t.Errorf("%+v: %v", x, err)
			}
		case err != nil || !bytes.Equal(b.object, want):
			t.Errorf("%+v: %d bytes, %v", x, len(b.object), err)
		case x.copies && b.sent > 2*partLeast, !x.copies && b.sent != is.Len():
			t.Errorf("%+v: %d bytes sent", x, b.sent)
		}
	}
}
