package parsers

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"spandrel/model"
	copies "spandrel/model/another"
	"spandrel/model/cause"
)

// TestAnother damages sound documents and restores them from another copy, which is whole or damaged elsewhere. What is restored has fewer errors
// and is nearer to the sound document at every byte; whatever is not restored stays as it is. SPANDREL_HARM asks for more, as for TestHarm.
func TestAnother(t *testing.T) {
	asked, all := harmAsked()
	for _, f := range All() {
		t.Run(f.Name, func(t *testing.T) {
			list := newSubjects(t, f.Name, all)
			var rates outcomes
			for i := range asked.count {
				r := asked.random("another"+f.Name, asked.first+i)
				d, name := list.pick(t, r)
				if d == nil {
					continue
				}
				w := hurts[r.IntN(len(hurts))]
				snap, file := damagedBy(r, d, w.do)
				if snap == nil {
					continue
				}
				copied := sibling(d.Tree.Snapshot)
				if i%2 == 1 { // damaged too
					if s, _ := damagedBy(r, d, hurts[r.IntN(len(hurts))].do); s != nil {
						copied = sibling(s)
					}
				}
				label := fmt.Sprintf("%d: %s, %s in %s", asked.first+i, name, w.name, file)
				rates.add(t, label, d, snap, copied, i%2 == 1)
			}
			t.Logf("%+v", rates)
			if rates.Whole.Same == 0 {
				t.Error("nothing was restored: the test says nothing")
			}
		})
	}
}

// outcomes counts how documents with errors came out.
type outcomes struct {
	Whole, Damaged struct{ Same, Part, None, Refused, Unseen int }
}

// add restores a damaged document and judges the outcome.
func (x *outcomes) add(t *testing.T, label string, sound *model.Document, snap, copied *model.Snapshot, damaged bool) {
	d := opened(sound, snap)
	n := &x.Whole
	if damaged {
		n = &x.Damaged
	}
	took, err := cause.Take(t.Context(), d, cause.Options{Formats: All(), Time: waits}, copied)
	switch {
	case err != nil:
		n.Refused++
		t.Logf("%s: %v", label, err)
		return
	case took.Before == 0 && took.Plan == nil:
		n.Unseen++
		return
	case took.Plan == nil:
		n.None++
		t.Logf("%s: nothing taken; %d errors", label, took.Before)
		return
	}
	if was, is := distance(t, sound, snap), distance(t, sound, took.Plan.To); is >= was {
		t.Errorf("%s: %d bytes were wrong, and %d are now", label, was, is)
	} else if is == 0 {
		n.Same++
	} else {
		n.Part++
		t.Logf("%s: %d of %d bytes are still wrong, %d of %d errors", label, is, was, took.After, took.Before)
	}
	if took.After >= took.Before {
		t.Errorf("%s: %d errors, and %d before", label, took.After, took.Before)
	}
	for _, p := range took.Plan.Patches { // shown is what is made
		c, err := took.Plan.From.Content(p.File)
		if err != nil {
			c = model.BytesContent(nil)
		}
		if p.Off+p.Del > c.Len() {
			t.Errorf("%s: a patch is not in the file: %+v", label, p)
		}
	}
}

// sibling is a state of a document as another copy on the disk.
func sibling(s *model.Snapshot) *model.Snapshot {
	c := *s
	if c.Folder() {
		c.Primary = ""
	}
	return &c
}

// distance counts the bytes in which a state differs from a sound document.
func distance(t *testing.T, sound *model.Document, s *model.Snapshot) (n int64) {
	for _, name := range s.Edited() {
		is, err := s.Content(name)
		if err != nil {
			is = model.BytesContent(nil)
		}
		want, err := sound.Tree.Snapshot.Content(name)
		if err != nil {
			want = model.BytesContent(nil)
		}
		list, _, err := copies.Compare(t.Context(), is, want)
		if err != nil {
			t.Fatal(err)
		}
		for _, r := range list {
			a, b := make([]byte, r.Len), make([]byte, r.N)
			is.ReadAt(a, r.Off)
			want.ReadAt(b, r.From)
			if len(a) != len(b) {
				n += max(r.Len, r.N)
				continue
			}
			for i := range a {
				if a[i] != b[i] {
					n++
				}
			}
		}
	}
	return n
}

// TestAnotherOfOtherData: a copy that is of other data takes nothing's place.
func TestAnotherOfOtherData(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	values := func() []byte { b := make([]byte, 8<<10); noise(r, b); return b }
	head := bytes.Clone([]byte("\x93NUMPY\x01\x00\x46\x00{'descr': '|u1', 'fortran_order': False, 'shape': (8192,), }         "))
	head = append(head[:79:79], '\n')
	one, two := append(bytes.Clone(head), values()...), append(bytes.Clone(head), values()...)
	one[30] = 0
	d, err := model.OpenBytes(t.Context(), "a.npy", one, All(), nil)
	if err != nil {
		t.Fatal(err)
	}
	from, err := model.OpenBytes(t.Context(), "b.npy", two, All(), nil)
	if err != nil {
		t.Fatal(err)
	}
	took, err := cause.Take(t.Context(), d, cause.Options{Formats: All()}, from.Tree.Snapshot)
	if err == nil {
		t.Errorf("taken: %+v", took)
	} else {
		t.Log(err)
	}
}

// TestAnotherShort: a copy that was cut takes nothing away from a document that only has bytes too many, though fewer errors are left with it.
func TestAnotherShort(t *testing.T) {
	d := openSound(t, "../testdata/npy/good/arrays.npz")
	c, err := d.Tree.Snapshot.Content(d.Tree.Snapshot.Primary)
	if err != nil {
		t.Fatal(err)
	}
	long := c.Splice(251, 0, model.Memory(bytes.Repeat([]byte{0xa5}, 38)))
	short := c.Splice(278, c.Len()-278, nil)
	took, err := cause.Take(t.Context(), opened(d, d.Tree.Snapshot.With(d.Tree.Snapshot.Primary, long)), cause.Options{Formats: All(), Time: waits},
		sibling(d.Tree.Snapshot.With(d.Tree.Snapshot.Primary, short)))
	if err == nil && took.Plan != nil {
		t.Errorf("%d bytes are taken from the copy, and %d errors are left", took.Bytes, took.After)
	}
}

// TestAnotherUnsure: bytes of a copy that nothing vouches for are counted: values without a checksum, also where the document has lost its own, because
// the copy may be older or damaged there.
func TestAnotherUnsure(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 4))
	values := make([]byte, 64<<10)
	noise(r, values)
	text := "{'descr': '|u1', 'fortran_order': False, 'shape': (65536,), }"
	sound := append([]byte("\x93NUMPY\x01\x00\x76\x00"+text+strings.Repeat(" ", 117-len(text))+"\n"), values...)
	over := func(with byte, from, to int) func([]byte) {
		return func(b []byte) {
			for i := from; i < to; i++ {
				b[i] = b[i]*byte(b2i(with > 0)) ^ with
			}
		}
	}
	same := func([]byte) {}
	for name, x := range map[string]struct {
		damage, copied func([]byte)
		unsure         bool
	}{
		"written over, and the same elsewhere": {over(0x55, 100, 160), same, true},
		"written over, and other values":       {over(0x55, 100, 160), over(0x11, 50_000, 50_009), true},
		"of both more values are written over": {over(0x55, 100, 160), over(0x11, 161, 300), true},
		"zeros":                                {over(0, 100, 160), same, true},
		"zeros, and other values far away":     {over(0, 100, 160), over(0x11, 50_000, 50_009), true},
		"zeros, and other values right there":  {over(0, 100, 160), over(0x11, 200, 300), true},
		"only a number, and other values":      {over(0x55, 8, 10), over(0x11, 50_000, 50_009), false},
	} {
		is, from := bytes.Clone(sound), bytes.Clone(sound)
		x.damage(is)
		x.copied(from)
		d, err := model.OpenBytes(t.Context(), "a.npy", is, All(), nil)
		if err != nil {
			t.Fatal(err)
		}
		c, err := model.OpenBytes(t.Context(), "b.npy", from, All(), nil)
		if err != nil {
			t.Fatal(err)
		}
		took, err := cause.Take(t.Context(), d, cause.Options{Formats: All(), Time: waits}, c.Tree.Snapshot)
		if err != nil || took.Plan == nil {
			t.Errorf("%s: nothing is taken: %+v, %v", name, took, err)
		} else if took.Unsure > 0 != x.unsure {
			t.Errorf("%s: %d of %d bytes are unsure", name, took.Unsure, took.Bytes)
		}
	}
}

// TestAnotherUnread: a wrong byte of a copy is not taken because less is read with it.
func TestAnotherUnread(t *testing.T) {
	sound := openSound(t, "../testdata/tiledb/good/schema-v1.tdb").Tree.Snapshot
	wrong := func(at int, with byte) func(b []byte) []byte {
		return func(b []byte) []byte { b[at] = with; return b }
	}
	name := sound.Primary
	d := opened(openSound(t, "../testdata/tiledb/good/schema-v1.tdb"), becoming(name, wrong(0x3b, 2))(sound))
	took, err := cause.Take(t.Context(), d, cause.Options{Formats: All(), Time: waits}, sibling(both(becoming(name, wrong(0x2f, 0xff)), becoming(name, wrong(0x4c, 0x11)))(sound)))
	if err != nil || took.Plan == nil {
		t.Fatalf("nothing is taken: %+v, %v", took, err)
	}
	if !sameState(took.Plan.To, sound, name) {
		t.Errorf("%d ranges are taken, %d left", took.Ranges, took.Left)
	}
}
