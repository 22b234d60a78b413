package tar

import (
	"archive/tar"
	"bytes"
	"slices"
	"strings"
	"testing"

	"spandrel/model"
	"spandrel/parsers/internal/suite"
)

// Lines that the writing program printed are between the blocks of an archive. They are removed unless other lines could be meant, also where something
// else is wrong; members without any in them can be salvaged.
func TestMessages(t *testing.T) {
	whole := archive(tar.FormatGNU, "a.bin", strings.Repeat("\x01\xfe", 900), "b.txt", strings.Repeat("a line of it\n", 90), "c.bin", strings.Repeat("\x02", 700), "d.txt", "7")
	b, c := bytes.Index(whole, []byte("b.txt")), bytes.Index(whole, []byte("c.bin"))
	const name, says = "names.txt\n", "tar: a.bin: file changed as we read it\n"
	put := func(parts ...any) []byte { // an offset, then the text there, from the last to the first
		out := bytes.Clone(whole)
		for i := 0; i < len(parts); i += 2 {
			out = slices.Insert(out, parts[i].(int), []byte(parts[i+1].(string))...)
		}
		return out
	}
	damaged := put(c, name, b, says)
	damaged[bytes.Index(damaged, []byte("d.txt"))+20] ^= 1
	for what, x := range map[string]struct {
		b    []byte
		left int // errors after the repair; -1: no repair
	}{
		"at headers":                   {put(c, name, b, says), 0},
		"inside values":                {put(1024, name), 0},
		"two inside values":            {put(1024, says+says), 0},
		"a message inside text":        {put(b+1024, says), 0},
		"in front, and at the end":     {put(len(whole)-512, says, c, name, 0, says), 0},
		"in front of the end":          {put(len(whole)-1024, says, c, name), 0},
		"lines inside text":            {put(b+1024, "a line of it\n"), -1},
		"no text":                      {put(1024, "\x01\x02\x03\x04\x05\x06\n"), -1},
		"and a header that is damaged": {damaged, 1},
	} {
		d, err := model.OpenBytes(t.Context(), "a.tar", x.b, []*model.Format{Format}, Format)
		if err != nil {
			t.Fatal(err)
		}
		defer d.Close()
		d.Deep(t.Context(), nil)
		found, _ := d.Tree.Findings()
		i := slices.IndexFunc(found, func(f model.Finding) bool { return f.Rule == noHeader })
		if i < 0 {
			t.Errorf("%s: %v", what, found)
			continue
		}
		fixes := d.Tree.Fixes(t.Context(), &found[i])
		if len(fixes) == 0 || x.left < 0 {
			if len(fixes) > 0 != (x.left >= 0) {
				t.Errorf("%s: %v", what, fixes)
			}
			continue
		}
		p, err := d.Plan(t.Context(), "repair", fixes[0].Edits...)
		if err != nil {
			t.Fatal(err)
		}
		d.Apply(t.Context(), p, nil)
		d.Deep(t.Context(), nil)
		found, _ = d.Tree.Findings()
		errors := len(found) - len(slices.DeleteFunc(found, func(f model.Finding) bool { return f.Grade() == model.Error }))
		if got := suite.Bytes(t, d); errors != x.left || x.left == 0 && !bytes.Equal(got, whole) {
			t.Errorf("%s: %d errors, %d bytes, not %d", what, errors, len(got), len(whole))
		}
		if fixes[0].Safe {
			t.Errorf("%s: nothing proves it", what)
		}
	}
	out := salvaged(t, put(c, name, b, says))
	if got := read(t, out); len(got) < 6 || got[len(got)-2] != "d.txt" {
		t.Errorf("salvaged %q", got)
	}
}
