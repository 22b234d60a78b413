package cause

import (
	"context"
	"testing"
	"time"

	"spandrel/model"
)

func TestCancel(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	d, err := model.OpenBytes(context.Background(), "a.toy", toyFile("a")[:14], []*model.Format{toy}, nil)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := Find(ctx, d, Options{Formats: []*model.Format{toy}}); err == nil {
		t.Error("a cancelled search says nothing")
	}
}

// What a cancelled search did not compare is not the same.
func TestNotCompared(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	a, b := model.BytesContent([]byte("one content")), model.BytesContent([]byte("another one"))
	if firstDifference(ctx, a, b, 0) != 0 {
		t.Error("the difference is not found")
	}
	cancel()
	if firstDifference(ctx, a, b, 1) < 0 {
		t.Error("they are called the same")
	}
}

func TestCloseTo(t *testing.T) {
	for _, c := range []struct {
		a, b string
		is   bool
	}{{"\x01\x02\x03\x04", "\x04\x03\x02\x01", true}, {"\x01\x02\x03\x04", "\x01\x02\x03\xff", true}, {"\xff\x00\x03\x04", "\x00\x01\x03\x04", true}, {"\x01\x02\x03\x04", "\x11\x12\x03\x04", false}, {"", "", false}} {
		if closeTo([]byte(c.a), []byte(c.b)) != c.is {
			t.Errorf("%x and %x: not %v", c.a, c.b, c.is)
		}
	}
}

// A purse gives the first searches all that they ask for and the others less and less; when there is none left a finding says that nothing was
// looked for, and what is wrong is told all the same.
func TestPurse(t *testing.T) {
	p := NewPurse(DefaultTime)
	all, n := time.Duration(0), 0
	for got := p.take(DefaultTime); got > 0; got = p.take(DefaultTime) {
		if n++; n <= pursed/4 && got != DefaultTime {
			t.Fatalf("search %d may take %s", n, got)
		}
		all += got
	}
	if n < pursed || all > pursed*DefaultTime {
		t.Errorf("%d searches, %s", n, all)
	}
	torn := append(toyFile("one"), 1)
	d, err := model.OpenBytes(t.Context(), "a.toy", torn, []*model.Format{toy}, toy)
	if err != nil {
		t.Fatal(err)
	}
	for _, purse := range []*Purse{p, nil} {
		g, err := Find(t.Context(), d, Options{Formats: []*model.Format{toy}, Purse: purse})
		if err != nil {
			t.Fatal(err)
		}
		said, wrong := 0, 0
		for i := range g.Findings {
			said += b2i(g.Findings[i].Rule == model.RuleCap)
			wrong += b2i(g.Findings[i].Rule == toyBehind)
		}
		if searched := purse == nil; wrong != 1 || searched != (len(g.Causes) > 0) || searched != (said == 0) || len(g.By) != len(g.Findings) {
			t.Errorf("purse %v: %d causes, said %d times, wrong %d", purse, len(g.Causes), said, wrong)
		}
	}
}

// TestOutOfTime: a search that time cut short says so, whichever part of it had no time.
func TestOutOfTime(t *testing.T) {
	for _, b := range [][]byte{append(toyFile("one"), 1), append([]byte("in front "), toyFile("one")...)} {
		d, err := model.OpenBytes(t.Context(), "a.toy", b, []*model.Format{toy}, nil)
		if d == nil {
			t.Fatal(err)
		}
		for most, cut := range map[time.Duration]bool{1: true, 4 * DefaultTime: false} {
			if g, err := Find(t.Context(), d, Options{Formats: []*model.Format{toy}, Time: most}); err != nil || g.Cut != cut {
				t.Errorf("%.12q, %s: cut short %v, %v", b, most, g.Cut, err)
			}
		}
	}
}
