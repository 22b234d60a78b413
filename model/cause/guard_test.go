package cause

import (
	"archive/zip"
	"bytes"
	"context"
	"errors"
	"math/rand"
	"testing"

	"spandrel/model"
)

// TestChance: of damage that is not one byte, a long record under a CRC-32 has a change of one byte that makes the sum agree by luck.
// None of these may be called proven.
func TestChance(t *testing.T) {
	r := rand.New(rand.NewSource(7))
	sound := toyFile(text(2 << 20))
	answered, rounds := 0, 6
	if testing.Short() {
		rounds = 1
	}
	for range rounds {
		b := bytes.Clone(sound)
		at := 16 + r.Intn(1<<20)
		r.Read(b[at : at+1000])
		g := find(t, b)
		for _, c := range g.Causes {
			for _, x := range c.Repairs {
				answered++
				if x.Safe {
					t.Errorf("1,000 wrong bytes at 0x%x: %s: %s, %q is safe", at, c.Grade, c.Text, x.Label)
				}
			}
		}
	}
	if answered == 0 {
		t.Error("nothing was on offer: the test says nothing")
	}
}

// TestChanceAmongOthers: of several records that no small change makes right, one may have a change of one byte that makes its sum agree by luck.
func TestChanceAmongOthers(t *testing.T) {
	if testing.Short() {
		t.Skip("takes seconds")
	}
	r := rand.New(rand.NewSource(3))
	var records []string
	for i := range 16 {
		records = append(records, text(1500+i))
	}
	b, at := toyFile(records...), 0
	for i, record := range records {
		at += bytes.Index(b[at:], []byte(record))
		if b[at+700] ^= 0x5a; i > 0 {
			r.Read(b[at+100 : at+300])
		}
	}
	g := find(t, b)
	for _, c := range g.Causes {
		for _, x := range c.Repairs {
			if x.Safe {
				t.Errorf("%s: %s, %q is safe", c.Grade, c.Text, x.Label)
			}
		}
	}
}

// TestOneBitIsProven: what chance cannot explain stays proven.
func TestOneBitIsProven(t *testing.T) {
	b := toyFile(text(1500))
	sound := bytes.Clone(b)
	b[700] ^= 0x10
	g := find(t, b)
	if x := g.Safe(); x == nil || !bytes.Equal(bytesOf(t, x.To), sound) {
		t.Errorf("one bit of 1,500 bytes: %+v", g.Causes)
	}
}

// TestShownIsWritten: of two damages that have nothing to do with each other, each repair changes its own bytes of the document as it is.
func TestShownIsWritten(t *testing.T) {
	b := toyFile(text(900), text(901))
	sound := bytes.Clone(b)
	b[300] ^= 0x04  // in the first record
	b[1400] ^= 0x20 // in the second
	g := find(t, b)
	if len(g.Causes) != 2 {
		for _, c := range g.Causes {
			t.Errorf("%s: %s, %d repairs", c.Grade, c.Text, len(c.Repairs))
		}
		t.FailNow()
	}
	for _, c := range g.Causes {
		x := c.Repairs[0]
		is := bytesOf(t, x.To)
		shown := bytes.Clone(b)
		for _, ch := range x.Changes {
			copy(shown[ch.Off:], ch.Is)
		}
		if !bytes.Equal(is, shown) || bytes.Equal(is, sound) {
			t.Errorf("%q shows %+v and writes something else", x.Label, x.Changes)
		}
	}
	if a, z := g.Causes[0].Repairs[0].ID, g.Causes[1].Repairs[0].ID; a == z || len(a) != 8 {
		t.Errorf("IDs %q and %q", a, z)
	}
}

// TestRepairOfAnotherState: a repair is not made of a document that changed since.
func TestRepairOfAnotherState(t *testing.T) {
	b := toyFile(text(900))
	b[300] ^= 0x04
	x := find(t, b).Safe()
	if x == nil {
		t.Fatal("nothing is proven")
	}
	other := bytes.Clone(b)
	other[500]++
	d, err := model.OpenBytes(context.Background(), "a.toy", other, []*model.Format{toy}, nil)
	if err != nil {
		t.Fatal(err)
	}
	defer d.Close()
	if err := x.Make(context.Background(), d); !errors.Is(err, ErrChanged) {
		t.Errorf("made of another state: %v", err)
	}
}

// TestErrorsOnly: what is only warned of starts no search, unless that is asked for.
func TestErrorsOnly(t *testing.T) {
	odd := *toy
	odd.Parse = func(c *model.Cursor) {
		c.Field(fMagic)
		n := c.Field(&model.Field{Name: "version", Codec: model.U32LE, Check: model.Is(model.U(1)), Rule: toyOdd})
		_ = n
	}
	b := append([]byte(toyMagic), 2, 0, 0, 0)
	if g := diagnose(t, b, &odd); len(g.Findings) == 0 || len(g.Causes) > 0 {
		t.Errorf("%d findings, causes %+v", len(g.Findings), g.Causes)
	}
}

var toyOdd = toyRules.Warning(3, "the version is unusual", "", "")

// TestFuse: an archive that another reader reads whole is not changed where that changes nothing it reads, or so that it cannot read it.
func TestFuse(t *testing.T) {
	var b bytes.Buffer
	w := zip.NewWriter(&b)
	f, _ := w.Create("a.npy")
	f.Write(make([]byte, 1<<20))
	w.Close()
	sound := b.Bytes()
	content := func(change func([]byte)) *model.Content {
		c := bytes.Clone(sound)
		change(c)
		return model.BytesContent(c)
	}
	cd := bytes.LastIndex(sound, []byte("PK\x01\x02"))
	was := content(func([]byte) {})
	for name, is := range map[string]*model.Content{
		"the declared size is lowered": content(func(b []byte) { b[cd+24]-- }),
		"a time is another":            content(func(b []byte) { b[cd+12] ^= 1 }),
	} {
		if fused(t.Context(), "x.npz", was, is) == "" {
			t.Errorf("%s: nothing is said against it", name)
		}
	}
	broken := content(func(b []byte) { b[cd+24]-- })
	if why := fused(t.Context(), "x.npz", broken, was); why != "" {
		t.Errorf("what other readers refuse may be repaired: %s", why)
	}
}
