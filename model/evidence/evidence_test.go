package evidence

import (
	"math"
	"strings"
	"testing"
)

// The examples of the design: what a story costs decides what is told.

var null = &Story{Text: "nothing happened", Leads: "as it is", Events: []Event{{Kind: Odd}}, Failed: []Check{{Rule: "X-1", Strength: Sum(4, false), Times: 1}}}

func wrongByte(record float64) *Story {
	return &Story{Leads: "repaired", Events: []Event{{Kind: Overwritten, Place: Log(record), Value: 8}}}
}

func TestOneWrongByte(t *testing.T) {
	for _, k := range []struct {
		record float64
		grade  Grade
	}{{1 << 10, Proven}, {5 << 20, Likely}, {64 << 10, Likely}} {
		s := wrongByte(k.record)
		if l := Weigh([]*Story{null, s}); l.Grade(s) != k.grade {
			t.Errorf("in a record of %.0f bytes the margin is %.1f: grade %d, want %d", k.record, l.Margin(s), l.Grade(s), k.grade)
		}
	}
}

func TestOddValuesAreNoDamage(t *testing.T) {
	odd := &Story{Leads: "as it is", Failed: []Check{{Rule: "X-2", Strength: 2, Times: 1}}}
	dtype := &Story{Leads: "another type", Events: []Event{{Kind: Overwritten, Place: Log(8), Value: 3}}}
	if l := Weigh([]*Story{dtype, odd}); l.Stories[0] != odd {
		t.Error("a check of 2 bits outweighs an event of 12")
	}
}

func TestRivals(t *testing.T) {
	a, b := wrongByte(1024), wrongByte(1024)
	b.Leads = "repaired otherwise"
	l := Weigh([]*Story{null, a, b})
	if l.Grade(a) != Possible || l.Margin(a) != 0 {
		t.Error("two stories of one cost are choices")
	}
	b.Leads = a.Leads
	if l = Weigh([]*Story{null, a, b}); len(l.Stories) != 2 || l.Grade(a) != Proven {
		t.Error("stories that lead to the same bytes are no rivals")
	}
	a.Without = "something is lost"
	if l.Grade(a) != Likely {
		t.Error("proven in spite of a reason against it")
	}
	if r := l.Rivals(a, 3); len(r) != 1 || r[0] != null {
		t.Error("rivals", r)
	}
	if only := Weigh([]*Story{a}); !math.IsInf(float64(only.Margin(a)), 1) {
		t.Error("a story without a rival has a margin")
	}
}

func TestUnreadStructureCosts(t *testing.T) {
	reads := &Story{Leads: "read", Events: []Event{{Kind: Overwritten, Value: 6}}, Failed: []Check{{Rule: "X-1", Strength: 8, Times: 1}}}
	skips := &Story{Leads: "skipped", Events: []Event{{Kind: Overwritten, Value: 6}}, Lost: 24}
	if l := Weigh([]*Story{skips, reads}); l.Stories[0] != reads {
		t.Error("a story that leaves structure unread is cheaper than one that reads it and fails a weak check")
	}
	if lines := strings.Join(skips.lines("why", skips.Text), "\n"); !strings.Contains(lines, "24.0 structure that matches the rest is no longer read") {
		t.Error("the ledger does not say what was lost:", lines)
	}
}

func TestNumber(t *testing.T) {
	for _, k := range []struct {
		what       string
		is, should []byte
		cost       Bits
	}{
		{"a flipped bit", []byte{72, 0, 0, 0}, []byte{8, 0, 0, 0}, 5},
		{"one more", []byte{0, 1, 0, 0}, []byte{255, 0, 0, 0}, 4},
		{"the other order", []byte{0, 0, 2, 1}, []byte{1, 2, 0, 0}, 3},
		{"zero", []byte{0, 0, 0, 0}, []byte{1, 2, 3, 4}, 3},
		{"another unit", []byte{0, 0x14, 0, 0}, []byte{5, 0, 0, 0}, 6},
		{"anything", []byte{9, 201, 77, 140}, []byte{5, 0, 0, 0}, Anything},
		{"another length", []byte{1}, []byte{1, 2}, capped},
	} {
		if cost := Number(k.is, k.should); cost != k.cost {
			t.Errorf("%s costs %.1f bits, want %.1f", k.what, cost, k.cost)
		}
	}
}

func TestStrengths(t *testing.T) {
	if Sum(4, false) != 32 || Sum(4, true) != 8 || Sum(32, false) != capped || Random(2) != 16 || Constant(2) != 24 || Constant(4) != 32 || OneOf(1, 128) != 2 || OneOf(4, 1) != 32 {
		t.Error("strengths of checks")
	}
	if once, often := (Check{Strength: 16, Times: 1}).Cost(), (Check{Strength: 16, Times: 16}).Cost(); once != 16 || often != 32 {
		t.Errorf("a check that fails once costs %.1f, 16 times %.1f", once, often)
	}
	if Bare(0) != 0 || Bare(1) <= 8 || Bare(1<<20) > 2*capped {
		t.Error("bytes without a meaning")
	}
	for _, e := range []Event{{Kind: Added, Explains: 1000}, {Kind: Text, Value: 4, Explains: 8}} {
		if e.Cost() > e.Kind.Rarity || e.Cost() < e.Kind.Rarity-capped {
			t.Errorf("%s costs %.1f", e.Kind.Name, e.Cost())
		}
	}
}

func TestDisfigured(t *testing.T) {
	for _, x := range []struct {
		is, should string
		want       int
	}{
		{"\x00\x00\x00\x03", "\x03\x00\x00\x00", 2},
		{"\xff\xff\xff\xff", "\x03\x00\x00\x00", 1},
		{"\x00\x00\x00\x00", "\x03\x00\x00\x00", 0}, // many writers store 0
		{"\x00\x03", "\x03\x00", 0},
		{"\x03\x00\x00\x03", "\x03\x00\x00\x03", 0},
		{"\xff\xff\xff\xff", "\xff\xff\xff\xff", 0},
	} {
		if n := Disfigured([]byte(x.is), []byte(x.should)); n != x.want {
			t.Errorf("%x for %x: %d", x.is, x.should, n)
		}
	}
}

// Two stories about the same finding are told apart by what happened.
func TestExplainRivals(t *testing.T) {
	a := &Story{Text: "the file is truncated", Leads: "repaired", Events: []Event{{Kind: Overwritten}}}
	b := &Story{Text: "the file is truncated", Leads: "another way", Events: []Event{{Kind: Odd}}}
	text := strings.Join(Weigh([]*Story{a, b}).Explain(a), "\n")
	if strings.Count(text, a.Text) != 1 || !strings.Contains(text, "bits: "+Odd.Name) {
		t.Error(text)
	}
}
