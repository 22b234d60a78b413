package manifest

import (
	"bytes"
	"slices"
	"strings"
	"testing"
)

func entries() []Entry {
	return []Entry{{Name: "weights", Offset: 32, Length: 4096}, {Name: "", Offset: 4128, Length: 100}, // 100 is small enough to be shared
		{Name: "a\x00b", Offset: 4228, Length: 100}, {Name: "日本 😀", Offset: 1 << 40, Length: 1 << 33}}
}

func TestReadWritten(t *testing.T) {
	b := Write(entries())
	m := Read(b)
	if m.Err != nil || m.End != int64(len(b)) || m.Declared != 4 {
		t.Fatalf("%d of %d bytes, %d entries: %v", m.End, len(b), m.Declared, m.Err)
	}
	for i, want := range entries() {
		if got := m.Entries[i]; got.Name != want.Name || got.Offset != want.Offset || got.Length != want.Length {
			t.Errorf("entry %d is %+v, written was %+v", i, got, want)
		}
	}
	if again := Write(m.Entries); !bytes.Equal(again, b) {
		t.Error("what was read is written otherwise")
	}
	at := 0
	for _, tok := range m.Tokens {
		if int(tok.At) != at {
			t.Fatalf("a token at %d, the one before it ends at %d", tok.At, at)
		}
		at += int(tok.N)
	}
	if at != len(b) {
		t.Errorf("the tokens end at %d of %d bytes", at, len(b))
	}
}

// However it is cut, what stands before the cut is read, and the reader says where it stopped.
func TestReadCut(t *testing.T) {
	b, most := Write(entries()), 0
	for n := range b {
		m := Read(b[:n])
		if m.Err == nil {
			t.Fatalf("%d of %d bytes are a whole manifest", n, len(b))
		}
		if len(m.Entries) < most {
			t.Fatalf("%d bytes give %d entries, fewer bytes gave %d", n, len(m.Entries), most)
		}
		most = len(m.Entries)
	}
	if most != 4 {
		t.Errorf("all but the last byte gives %d entries", most)
	}
	if m := Read([]byte("PK\x03\x04 and so on")); m.Err == nil || m.Err.Kind != NoStream {
		t.Error("a ZIP archive is taken for a manifest", m.Err)
	}
}

// Java writes NUL in two bytes, and characters above U+FFFF as two surrogates of three.
func TestModifiedUTF8(t *testing.T) {
	for _, c := range []struct{ text, want string }{{"abc", "abc"}, {"\x00", "\xc0\x80"}, {"é日", "é日"}, {"😀", "\xed\xa0\xbd\xed\xb8\x80"}} {
		if got := ToModified(c.text); string(got) != c.want {
			t.Errorf("%q is written % x, Java writes % x", c.text, got, c.want)
		}
		if got := FromModified([]byte(c.want)); got != c.text {
			t.Errorf("% x is read as %q", c.want, got)
		}
	}
}

func TestMapSizes(t *testing.T) {
	for n, want := range map[int][2]int64{0: {16, 0}, 12: {16, 12}, 13: {32, 24}, 24: {32, 24}, 25: {64, 48}} {
		if c, h := MapSizes(n); c != want[0] || h != want[1] {
			t.Errorf("a map of %d has capacity %d and threshold %d, in Java %v", n, c, h, want)
		}
	}
}

func TestEntrySound(t *testing.T) {
	at := func(off, n int64) bool { return (&Entry{Offset: off, Length: n}).Sound(100) }
	if got := []bool{at(32, 68), at(31, 1), at(32, 69), at(99, -1), at(1<<62, 1<<62)}; !slices.Equal(got, []bool{true, false, false, false, false}) {
		t.Error(got)
	}
}

// Manifests share what their leaves are called: an archive may have thousands of them.
func TestSharedLeaves(t *testing.T) {
	a, b := Read(Write(entries())), Read(Write(entries()))
	for i := range b.Tokens {
		if a.Tokens[i].Field != b.Tokens[i].Field {
			t.Errorf("two manifests have a leaf %s each", b.Tokens[i].Field.Name)
		}
	}
}

func TestLongName(t *testing.T) {
	long := strings.Repeat("n", 60_000)
	if m := Read(Write([]Entry{{Name: long, Offset: 32, Length: 8}})); m.Err != nil || m.Entries[0].Name != long {
		t.Error(m.Err)
	}
}
