package protect

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"io"
	"math/rand"
	"slices"
	"testing"
)

func sources(files map[string][]byte, names []string) (out []Source) {
	for _, n := range names {
		s := Source{Name: n}
		if b, ok := files[n]; ok {
			s.Content, s.Size = bytes.NewReader(b), int64(len(b))
		}
		out = append(out, s)
	}
	return out
}

// TestRestore damages files and their protection data at random. What is restored is what was protected, byte for byte; everything else is refused.
func TestRestore(t *testing.T) {
	r := rand.New(rand.NewSource(5))
	restored, refused, same := 0, 0, 0
	for round := range 400 {
		files, names := map[string][]byte{}, []string{"a.bin", "sub/b.bin", "empty"}[:1+r.Intn(3)]
		for _, n := range names {
			b := make([]byte, r.Intn([]int{1, 5000, 100_000, 900_000}[r.Intn(4)])+1)
			if r.Read(b); n == "empty" {
				b = nil
			}
			files[n] = b
		}
		percent := 1 + r.Intn(20)
		var par bytes.Buffer
		if err := Write(t.Context(), &par, sources(files, names), true, percent); err != nil {
			t.Fatal(err)
		}
		now, p, done := map[string][]byte{}, bytes.Clone(par.Bytes()), ""
		for n, b := range files {
			now[n] = bytes.Clone(b)
		}
		for range 1 + r.Intn(3) {
			n := names[r.Intn(len(names))]
			b, ok := now[n]
			if !ok || len(b) == 0 {
				continue
			}
			at := r.Intn(len(b))
			switch how := r.Intn(7); how {
			case 0:
				b[at] ^= 1 << r.Intn(8)
			case 1:
				clear(b[at:min(len(b), at+r.Intn(20_000))])
			case 2:
				b = b[:max(at, len(b)-r.Intn(30_000))]
			case 3:
				b = append(b, "bytes behind it"...)
			case 4:
				if len(b) < 8000 || r.Intn(3) == 0 {
					delete(now, n)
					continue
				}
			case 5:
				p[r.Intn(len(p))] ^= 4
			case 6:
				p = p[:len(p)-r.Intn(min(len(p), 9000))]
			}
			now[n] = b
		}
		label := fmt.Sprintf("%d: %d %% of %d files%s", round, percent, len(names), done)
		d, err := Open(t.Context(), bytes.NewReader(p), int64(len(p)))
		if err != nil {
			refused++
			continue
		}
		got := sources(now, names)
		rep, err := d.Compare(t.Context(), got)
		if err != nil {
			t.Fatal(err)
		}
		made, err := d.Restore(t.Context(), got, rep)
		if err != nil {
			refused++
			continue
		}
		if rep.Same() {
			same++
		} else {
			restored++
		}
		for i, f := range d.Files() {
			b := slices.Clone(now[f.Name])
			b = append(b, make([]byte, max(0, f.Size-int64(len(b))))...)[:f.Size]
			for at, x := range made[i] {
				copy(b[at*Block:], x)
			}
			if !bytes.Equal(b, files[f.Name]) {
				t.Fatalf("%s: %s is not what was protected", label, f.Name)
			}
		}
	}
	t.Logf("%d restored, %d refused, %d not damaged", restored, refused, same)
	if restored < 100 || refused == 0 || same == 0 {
		t.Error("the test says nothing")
	}
}

// TestBurst: a run of damaged bytes as long as the percentage is restored, wherever it begins.
func TestBurst(t *testing.T) {
	b := make([]byte, 8<<20)
	rand.New(rand.NewSource(6)).Read(b)
	var par bytes.Buffer
	if err := Write(t.Context(), &par, []Source{{Name: "a", Content: bytes.NewReader(b), Size: int64(len(b))}}, false, 5); err != nil {
		t.Fatal(err)
	}
	if n := par.Len(); n > len(b)*6/100 {
		t.Errorf("%d bytes protect %d", n, len(b))
	}
	for _, at := range []int{0, 12_345, 4 << 20, len(b) - len(b)/20} {
		is := bytes.Clone(b)
		clear(is[at : at+len(b)/20-Block])
		got := []Source{{Name: "a", Content: bytes.NewReader(is), Size: int64(len(is))}}
		d, err := Open(t.Context(), bytes.NewReader(par.Bytes()), int64(par.Len()))
		if err != nil {
			t.Fatal(err)
		}
		rep, err := d.Compare(t.Context(), got)
		if err != nil || rep.Same() {
			t.Fatal(err, rep)
		}
		if _, err := d.Restore(t.Context(), got, rep); err != nil {
			t.Errorf("from %d: %v", at, err)
		}
	}
}

// TestHostile: a header that lies about sizes or names is refused before memory is taken for it.
func TestHostile(t *testing.T) {
	sum := make([]byte, 32)
	for name, h := range map[string]header{
		"huge":      {version, Block, false, 100, 5, 5, []File{{Name: "a", Size: maxBlocks * Block, Sum: sum}}},
		"overflow":  {version, Block, true, 100, 5, 5, []File{{Name: "a", Size: maxBlocks * Block, Sum: sum}, {Name: "b", Size: 1 << 62, Sum: sum}}},
		"negative":  {version, Block, false, 100, 5, 5, []File{{Name: "a", Size: -1, Sum: sum}}},
		"leads out": {version, Block, true, 1, 1, 5, []File{{Name: "../a", Size: 1, Sum: sum}}},
		"absolute":  {version, Block, true, 1, 1, 5, []File{{Name: "/a", Size: 1, Sum: sum}}},
		"drive":     {version, Block, true, 1, 1, 5, []File{{Name: "c:a", Size: 1, Sum: sum}}},
		"twice":     {version, Block, true, 1, 1, 5, []File{{Name: "a", Size: 1, Sum: sum}, {Name: "a", Size: 1, Sum: sum}}},
		"no data":   {version, Block, false, 0, 1, 5, []File{{Name: "a", Size: 1, Sum: sum}}},
		"version":   {2, Block, false, 1, 1, 5, []File{{Name: "a", Size: 1, Sum: sum}}},
	} {
		front, _, err := h.encode()
		if err != nil {
			t.Fatal(err)
		}
		if d, err := Open(t.Context(), bytes.NewReader(front), int64(len(front))); err == nil {
			t.Errorf("%s: %+v", name, d.Files())
		}
	}
	long := binary.LittleEndian.AppendUint32([]byte(magic), 1<<31)
	if _, err := Open(t.Context(), bytes.NewReader(long), int64(len(long))); err == nil {
		t.Error("a header of 2 GiB is read")
	}
}

func FuzzOpen(f *testing.F) {
	var par bytes.Buffer
	b := []byte("protected")
	if err := Write(f.Context(), &par, []Source{{Name: "a", Content: bytes.NewReader(b), Size: 9}}, false, 5); err != nil {
		f.Fatal(err)
	}
	f.Add(par.Bytes())
	f.Fuzz(func(t *testing.T, p []byte) {
		d, err := Open(t.Context(), bytes.NewReader(p), int64(len(p)))
		if err != nil {
			return
		}
		var got []Source
		for _, x := range d.Files() {
			got = append(got, Source{Name: x.Name, Content: io.NewSectionReader(bytes.NewReader(b), 0, 9), Size: 9})
		}
		if rep, err := d.Compare(t.Context(), got); err == nil {
			d.Restore(t.Context(), got, rep)
		}
	})
}
