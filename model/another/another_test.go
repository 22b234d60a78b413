package another

import (
	"bytes"
	"math/rand"
	"slices"
	"testing"

	"spandrel/model"
)

func all(t *testing.T, c *model.Content) []byte {
	t.Helper()
	b := make([]byte, c.Len())
	if n, _ := c.ReadAt(b, 0); n < len(b) {
		t.Fatalf("%d of %d bytes", n, len(b))
	}
	return b
}

// TestCompare: what is taken from the copy makes the file the copy, and no more is taken than what was damaged.
func TestCompare(t *testing.T) {
	r := rand.New(rand.NewSource(1))
	for _, size := range []int{1, 100, 4096, 4097, 50_000, 200_000} {
		sound := make([]byte, size)
		r.Read(sound)
		at := size / 3
		for name, damage := range map[string]func([]byte) ([]byte, int){
			"none":     func(b []byte) ([]byte, int) { return b, 0 },
			"bit":      func(b []byte) ([]byte, int) { b[at] ^= 4; return b, 1 },
			"hole":     func(b []byte) ([]byte, int) { n := min(9000, size-at); clear(b[at : at+n]); return b, n },
			"cut":      func(b []byte) ([]byte, int) { return b[:at], size - at },
			"beheaded": func(b []byte) ([]byte, int) { return b[at:], at },
			"behind":   func(b []byte) ([]byte, int) { return append(b, "junk behind it"...), 14 },
			"put in":   func(b []byte) ([]byte, int) { return slices.Insert(b, at, []byte("put in")...), 6 },
			"taken out and a bit": func(b []byte) ([]byte, int) {
				b[0] ^= 1
				n := min(777, size-at)
				return slices.Delete(b, at, at+n), n + 1
			},
		} {
			b, lost := damage(bytes.Clone(sound))
			file, copied := model.BytesContent(b), model.BytesContent(sound)
			list, agree, err := Compare(t.Context(), file, copied)
			if err != nil {
				t.Fatal(err)
			}
			if !bytes.Equal(all(t, Apply(file, copied, list)), sound) {
				t.Errorf("%s of %d: with %v it is not the copy", name, size, list)
			}
			taken := int64(0)
			for _, x := range list {
				taken += max(x.Len, x.N)
			}
			if taken > int64(lost)+gap || agree.Other > 16*weighed {
				t.Errorf("%s of %d: %d bytes are taken for %d, %d do not agree", name, size, taken, lost, agree.Other)
			}
		}
	}
}

// TestCompareOther: two files of other data agree in nothing.
func TestCompareOther(t *testing.T) {
	r := rand.New(rand.NewSource(2))
	a, b := make([]byte, 100_000), make([]byte, 90_000)
	r.Read(a)
	r.Read(b)
	_, agree, err := Compare(t.Context(), model.BytesContent(a), model.BytesContent(b))
	if err != nil || agree.Same > agree.Other/50 {
		t.Errorf("%+v, %v", agree, err)
	}
}

// TestCompareCutAtZeros: zeros at the end of a file that was cut are not the end of the copy, which is another save.
func TestCompareCutAtZeros(t *testing.T) {
	r := rand.New(rand.NewSource(3))
	save := make([]byte, 2000)
	r.Read(save[:800])
	old := append(bytes.Clone(save), make([]byte, 3000)...)
	old[790] ^= 1
	list, _, err := Compare(t.Context(), model.BytesContent(save), model.BytesContent(old))
	if want := []Range{{790, 1, 790, 1}, {2000, 0, 2000, 3000}}; err != nil || !slices.Equal(list, want) {
		t.Errorf("%v, %v", list, err)
	}
}

// TestCompareMoved: what precedes a file moves all of it, and where its end was cut so that its length is the same, neither end is aligned.
func TestCompareMoved(t *testing.T) {
	r := rand.New(rand.NewSource(4))
	sound := make([]byte, 20_000)
	r.Read(sound)
	note := []byte("Notice: undefined variable in line 5")
	n := int64(len(note))
	for name, x := range map[string]struct {
		is   []byte
		want []Range
	}{
		"put in front, same length": {append(bytes.Clone(note), sound[:20_000-n]...), []Range{{0, n, 0, 0}, {20_000, 0, 20_000 - n, n}}},
		"first bytes lost":          {append(bytes.Clone(sound[512:]), note...), []Range{{0, 0, 0, 512}, {20_000 - 512, n, 20_000, 0}}},
	} {
		file, copied := model.BytesContent(x.is), model.BytesContent(sound)
		list, agree, err := Compare(t.Context(), file, copied)
		if err != nil || !slices.Equal(list, x.want) || agree.Other > 0 || !bytes.Equal(all(t, Apply(file, copied, list)), sound) {
			t.Errorf("%s: %v, %+v, %v", name, list, agree, err)
		}
	}
	other := bytes.Clone(sound)
	r.Read(other[8000:12_000]) // another save has moved parts too
	list, agree, _ := Compare(t.Context(), model.BytesContent(append(bytes.Clone(note), other[:20_000-n]...)), model.BytesContent(sound))
	if agree.Same > agree.Other {
		t.Errorf("another save: %v, %+v", list, agree)
	}
}
