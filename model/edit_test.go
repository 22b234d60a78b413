package model

import (
	"bytes"
	"context"
	"encoding/binary"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

var bg = context.Background()

// openToy writes a toy file to a folder of its own and opens it.
func openToy(t testing.TB, b []byte) *Document {
	t.Helper()
	path := filepath.Join(t.TempDir(), "a.toy")
	if err := os.WriteFile(path, b, 0o640); err != nil {
		t.Fatal(err)
	}
	d, err := Open(bg, path, nil, toy)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(d.Close)
	return d
}

func (d *Document) set(t testing.TB, path string, v Value) {
	t.Helper()
	p, err := d.Plan(bg, "set "+path, Set{Path: path, Value: v})
	if err != nil {
		t.Fatal(err)
	}
	d.Apply(bg, p, nil)
}

func (d *Document) value(t testing.TB, path string) string {
	t.Helper()
	s, err := d.Tree.Find(bg, path)
	if err != nil {
		t.Fatal(err)
	}
	v, err := d.Tree.Value(bg, s)
	if err != nil {
		t.Fatal(err)
	}
	return v.String()
}

func (d *Document) bytes(t testing.TB) []byte {
	t.Helper()
	c, err := d.Tree.Snapshot.Content(d.Tree.Snapshot.Primary)
	if err != nil {
		t.Fatal(err)
	}
	b, err := read(c, 0, c.Len())
	if err != nil {
		t.Fatal(err)
	}
	return b
}

// sound fails when the tree has a finding, checksums included, or does not tile.
func (d *Document) sound(t testing.TB) {
	t.Helper()
	checkTiles(t, d.Tree)
	d.Tree.CheckSums(bg)
	if f, _ := d.Tree.Findings(); len(f) > 0 {
		t.Fatalf("%s at %s: found %s, expected %s (%s)", f[0].Rule.ID, f[0].Path(), f[0].Found, f[0].Expected, f[0].Text())
	}
}

func TestEditFollowsLinks(t *testing.T) {
	d := openToy(t, toyFile("one", "two", "three"))
	before := d.bytes(t)
	d.set(t, "names[1]/text", S("a much longer name"))
	d.sound(t)
	if got := d.value(t, "names[1]/text"); got != "a much longer name" {
		t.Errorf("name is %s", got)
	}
	if got := d.value(t, "names[1]/len"); got != "18" {
		t.Errorf("length is %s", got)
	}
	d.set(t, "names[1]/text", S(""))
	d.sound(t)
	d.set(t, "names[1]/text", S("back"))
	d.sound(t)
	d.set(t, "body/words[7]", U(0xdeadbeef)) // through the derived space
	d.sound(t)
	if got := d.value(t, "body/words[7]"); got != "3735928559" {
		t.Errorf("word is %s", got)
	}
	for d.Undo(bg) != nil {
	}
	if !bytes.Equal(d.bytes(t), before) || d.Dirty() {
		t.Error("undo does not lead back to the same bytes")
	}
	for d.Redo(bg) != nil {
	}
	d.sound(t)
	if got := d.value(t, "names[1]/text"); got != "back" {
		t.Errorf("after redo the name is %s", got)
	}
}

func TestInsertAndDeleteElements(t *testing.T) {
	d := openToy(t, toyFile("one", "two", "three"))
	s, _ := d.Tree.Find(bg, "names[1]")
	p, err := d.Plan(bg, "delete", Replace(s.Range, nil))
	if err != nil {
		t.Fatal(err)
	}
	d.Apply(bg, p, nil)
	d.sound(t)
	if d.value(t, "count") != "2" || d.value(t, "names[1]/text") != "three" {
		t.Errorf("count %s, second name %s", d.value(t, "count"), d.value(t, "names[1]/text"))
	}
	names, _ := d.Tree.Find(bg, "names")
	add := Replace(Range{names.Range.Space, names.Range.End(), 0}, []byte("\x04\x00four"))
	add.Into, add.Elements = "names", 1
	if p, err = d.Plan(bg, "add", add); err != nil {
		t.Fatal(err)
	}
	d.Apply(bg, p, nil)
	d.sound(t)
	if d.value(t, "count") != "3" || d.value(t, "names[2]/text") != "four" {
		t.Errorf("count %s, third name %s", d.value(t, "count"), d.value(t, "names[2]/text"))
	}
}

func TestEditDoesNotFit(t *testing.T) {
	d := openToy(t, toyFile("one"))
	for path, v := range map[string]Value{"count": U(65536), "rows[0]/b": I(1 << 31), "magic": S("too long"), "names[0]/text": S(strings.Repeat("x", 70000))} {
		if _, err := d.Plan(bg, "", Set{Path: path, Value: v}); err == nil {
			t.Errorf("%s takes %.20s", path, v)
		}
	}
	if _, err := d.Plan(bg, "", Set{Path: "nowhere", Value: U(1)}); err == nil {
		t.Error("a field that is not there was set")
	}
}

func TestLooseEditLeavesLinks(t *testing.T) {
	d := openToy(t, toyFile("one"))
	s, _ := d.Tree.Find(bg, "data")
	e := Replace(Range{s.Range.Space, s.Range.Off + 3, 1}, []byte{0})
	e.Loose = true
	p, err := d.Plan(bg, "", e)
	if err != nil || len(p.Patches) != 1 {
		t.Fatalf("%d patches, %v", len(p.Patches), err)
	}
}

func TestFixesRemoveFindings(t *testing.T) {
	good := toyFile("one", "two")
	b := bytes.Clone(good)
	b[14] ^= 1
	b[4] = 1 // count
	d := openToy(t, b)
	d.Tree.CheckSums(bg)
	for range 4 {
		f, _ := d.Tree.Findings()
		if len(f) == 0 {
			break
		}
		fixes := d.Tree.Fixes(bg, &f[0])
		if len(fixes) == 0 {
			t.Fatalf("%s has no fix", f[0].Rule.ID)
		}
		p, err := d.Plan(bg, "fix", fixes[0].Edits...)
		if err != nil {
			t.Fatal(err)
		}
		d.Apply(bg, p, nil)
		d.Tree.CheckSums(bg)
	}
	if !bytes.Equal(d.bytes(t)[14:18], good[14:18]) {
		t.Errorf("crc %s", d.value(t, "crc"))
	}
	d.Tree.CheckSums(bg)
	if f, _ := d.Tree.Findings(); len(f) > 0 && f[0].Rule != RuleOverlap {
		t.Errorf("%s is left", f[0].Rule.ID)
	}
}

// A checksum that did not match stays when some of its bytes are edited: with a new one no one could tell that others of them are damaged. Where all of
// them are replaced it follows, as one that did match always does.
func TestWrongChecksumStays(t *testing.T) {
	good := toyFile("one")
	for _, c := range []struct {
		what            string
		damaged, whole  bool
		follows, broken bool
	}{
		{what: "a part, and the sum matched", follows: true},
		{what: "a part, and the sum did not match", damaged: true, broken: true},
		{what: "all, and the sum did not match", damaged: true, whole: true, follows: true},
	} {
		b := bytes.Clone(good)
		if c.damaged {
			b[14] ^= 1
		}
		d := openToy(t, b)
		data, err := d.Tree.Find(bg, "data")
		if err != nil {
			t.Fatal(err)
		}
		at := data.Range
		if !c.whole {
			at.Off, at.Len = at.End()-1, 1
		}
		p, err := d.Plan(bg, "edit", Splice{Range: at, With: Fill(0xa5, at.Len)})
		if err != nil {
			t.Fatal(c.what, err)
		}
		d.Apply(bg, p, nil)
		if follows := !bytes.Equal(d.bytes(t)[14:18], b[14:18]); follows != c.follows {
			t.Errorf("%s: the checksum follows: %t", c.what, follows)
		}
		d.Tree.CheckSums(bg)
		found, _ := d.Tree.Findings()
		if broken := slices.ContainsFunc(found, func(f Finding) bool { return f.Rule == RuleChecksum }); broken != c.broken {
			t.Errorf("%s: the checksum is wrong: %t", c.what, broken)
		}
	}
}

// TestRandomEdits compares random edits, undo, redo, save and reload with a plain byte slice.
func TestRandomEdits(t *testing.T) {
	rounds := 10_000
	if testing.Short() {
		rounds = 1000
	}
	rnd := rand.New(rand.NewPCG(7, 7))
	f := &Format{Name: "raw", Parse: func(*Cursor) {}}
	path := filepath.Join(t.TempDir(), "raw")
	if err := os.WriteFile(path, []byte("some bytes to start with"), 0o600); err != nil {
		t.Fatal(err)
	}
	reload := func() *Document {
		d, err := Open(bg, path, nil, f)
		if err != nil {
			t.Fatal(err)
		}
		return d
	}
	d := reload()
	defer func() { d.Close() }()
	states, at := [][]byte{d.bytes(t)}, 0
	for i := range rounds {
		switch b, what := states[at], rnd.IntN(200); {
		case what == 0: // save; the history goes on
			if _, err := d.Save(bg, SaveOptions{NoBackup: true}); err != nil {
				t.Fatal(err)
			}
			if disk, _ := os.ReadFile(path); !bytes.Equal(disk, b) || d.Dirty() {
				t.Fatalf("round %d: %q on disk, want %q", i, disk, b)
			}
		case what == 1: // save, and open again
			if _, err := d.Save(bg, SaveOptions{NoBackup: true}); err != nil {
				t.Fatal(err)
			}
			d.Close()
			d, states, at = reload(), [][]byte{b}, 0
		case what < 50:
			if d.Undo(bg) != nil {
				at--
			}
		case what < 100:
			if d.Redo(bg) != nil {
				at++
			}
		default:
			off := rnd.IntN(len(b) + 1)
			del, ins := rnd.IntN(min(len(b)-off, 9)+1), make([]byte, rnd.IntN(9))
			for k := range ins {
				ins[k] = byte(rnd.Uint32())
			}
			p, err := d.Plan(bg, "", Splice{Range: Range{0, int64(off), int64(del)}, With: Memory(ins), Loose: true})
			if err != nil {
				t.Fatal(err)
			}
			d.Apply(bg, p, nil)
			if !p.Empty() {
				next := append(append(append([]byte(nil), b[:off]...), ins...), b[off+del:]...)
				states, at = append(states[:at+1], next), at+1
			}
		}
		if !bytes.Equal(d.bytes(t), states[at]) {
			t.Fatalf("round %d: %q, want %q", i, d.bytes(t), states[at])
		}
	}
}

func TestUndoOfFill(t *testing.T) {
	d := openToy(t, toyFile("one"))
	p, err := d.Plan(bg, "fill", Splice{Range: Range{0, 30, 0}, With: Fill('x', 1<<30), Loose: true})
	if err != nil {
		t.Fatal(err)
	}
	d.Apply(bg, p, nil)
	if c, _ := d.Tree.Snapshot.Content("a.toy"); c.Len() < 1<<30 {
		t.Errorf("%d bytes", c.Len())
	}
	d.Undo(bg)
	if d.Dirty() {
		t.Error("undo does not lead back")
	}
}

// A step that made the document one of another format leads back to the format that it had, and forth again.
func TestUndoOfAnotherFormat(t *testing.T) {
	d := openToy(t, toyFile("one"))
	was, other := d.Format, &Format{Name: "other", Parse: func(*Cursor) {}}
	p, err := d.Plan(bg, "make it another", Splice{Range: Range{0, 0, 1}, With: Memory([]byte("x")), Loose: true})
	if err != nil {
		t.Fatal(err)
	}
	d.Commit(p, Parse(bg, p.To, other), nil)
	for i, want := range []*Format{other, was, other} {
		switch i {
		case 1:
			d.Undo(bg)
		case 2:
			d.Redo(bg)
		}
		if d.Format != want || d.Tree.Format != want {
			t.Errorf("step %d: the document is a %s, its tree a %s", i, d.Format.Name, d.Tree.Format.Name)
		}
	}
}

func TestMapped(t *testing.T) {
	d := openToy(t, toyFile("one"))
	rows, _ := d.Tree.Find(bg, "rows")
	src, err := d.Tree.Mapped(rows.Range, 6, func(i int64, b []byte) { binary.LittleEndian.PutUint16(b, uint16(100+i)) })
	if err != nil {
		t.Fatal(err)
	}
	p, err := d.Plan(bg, "", Splice{Range: rows.Range, With: src})
	if err != nil {
		t.Fatal(err)
	}
	d.Apply(bg, p, nil)
	d.sound(t)
	if got := d.value(t, "rows[9]/a"); got != "109" {
		t.Errorf("row 9 is %s", got)
	}
	now, _ := d.Tree.Snapshot.Content("a.toy")
	then, _ := d.saved.Content("a.toy")
	if _, inPlace := patched(now, then); inPlace {
		t.Error("bytes made from those of the file would be written over them")
	}
}
