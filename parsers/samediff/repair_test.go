package samediff

import (
	"bytes"
	"context"
	"encoding/binary"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"spandrel/model"
	"spandrel/parsers/samediff/flat"
)

// uncovers are findings that a fix lets through: the rule is right and was hidden before.
var uncovers = map[string]string{"SDF-052": "SDF-067", "SDF-053": "SDF-067", "SDF-055": "SDF-067", "SDF-056": "SDF-067",
	"SDF-058": "SDF-067", "SDF-087": "SDF-089", "SDF-034": "SDF-012", "SDF-023": "SDF-120", "SDF-172": "SDF-173"}

// repair applies every fix of every finding of a document by itself, and fails where the finding stays or a new error or warning
// comes up. open opens the document afresh.
func repair(t *testing.T, name string, open func() *model.Document) (done map[string]int) {
	t.Helper()
	ctx := context.Background()
	done = map[string]int{}
	counts := func(d *model.Document) map[string]int {
		n := map[string]int{}
		found, _ := d.Tree.Findings()
		for _, f := range found {
			if f.Grade() != model.Note {
				n[f.Rule.ID]++
			}
			n["all "+f.Rule.ID]++
		}
		return n
	}
	d := open()
	errorsOf(t, d)
	before := counts(d)
	found, _ := d.Tree.Findings()
	problems := 0
	for i := range found {
		if found[i].Grade() != model.Note {
			problems++
		}
	}
	alone := problems == 1 // among several, what is put right shows what the next one lacks
	for _, f := range found {
		for _, x := range d.Tree.Fixes(ctx, &f) {
			edits := x.Edits
			if x.Build != nil {
				var err error
				if edits, err = x.Build(context.Background(), d.Tree); err != nil && alone {
					t.Errorf("%s: %s: %s: %v", name, f.Rule.ID, x.Label, err)
				}
				if err != nil {
					continue
				}
			}
			plan, err := d.Plan(ctx, x.Label, edits...)
			if err != nil {
				t.Errorf("%s: %s: %s: %v", name, f.Rule.ID, x.Label, err)
				continue
			}
			done[f.Rule.ID]++
			e := open()
			e.Apply(ctx, plan, nil)
			if file, ok := edits[0].(model.FileEdit); ok { // the fix is another file
				b, err := io.ReadAll(io.NewSectionReader(file.Create, 0, file.Create.Len()))
				if err != nil {
					t.Fatal(err)
				}
				e = openModel(t, file.File, b)
			}
			errorsOf(t, e)
			after := counts(e)
			if after["all "+f.Rule.ID] >= before["all "+f.Rule.ID] {
				t.Errorf("%s: %s stays after %q", name, f.Rule.ID, x.Label)
			}
			for id, n := range after {
				if !strings.HasPrefix(id, "all ") && n > before[id] && alone && f.Rule.ID != id && uncovers[f.Rule.ID] != id {
					t.Errorf("%s: %s: %q brings %s: %s", name, f.Rule.ID, x.Label, id, findings(e, id)[0].Text())
				}
			}
		}
	}
	return done
}

// TestSameDiffRepairs applies every fix that is offered for a sample, or for a file in the wild.
func TestSameDiffRepairs(t *testing.T) {
	t.Parallel()
	files, err := filepath.Glob(filepath.Join(samples, "*", "*.*"))
	if err != nil {
		t.Fatal(err)
	}
	if root := os.Getenv("SPANDREL_CORPUS"); root != "" {
		more, err := filepath.Glob(filepath.Join(root, "samediff", "*.*"))
		if err != nil {
			t.Fatal(err)
		}
		files = append(files, more...)
	}
	all := map[string]int{}
	for _, file := range files {
		if st, err := os.Stat(file); err != nil || st.Size() > 2<<20 || !slices.Contains(Format.Exts, filepath.Ext(file)) {
			continue
		}
		for id, n := range repair(t, filepath.Base(file), func() *model.Document {
			d, err := model.Open(context.Background(), file, formats, nil)
			if err != nil {
				t.Fatal(err)
			}
			t.Cleanup(d.Close)
			return d
		}) {
			all[id] += n
		}
	}
	t.Logf("%d rules with fixes: %v", len(all), all)
}

// A wrong length in the header in front of a member makes readers begin elsewhere in the file: that is no warning.
func TestMemberElsewhere(t *testing.T) {
	for _, field := range []string{"nameLength", "extraLength"} {
		d := openSample(t, "good", "deflated.sdz")
		apply(t, d, model.Set{Path: "entry[0]/" + field, Value: model.U(9)})
		if found := findings(d, "SDF-087"); len(found) != 1 || found[0].Grade() != model.Error {
			t.Errorf("%s: %v", field, found)
		}
	}
}

// Where the zero byte behind a text is wrong, writing it is proven, and nothing else is offered; where the text may be longer, nothing is proven.
func TestTextWithoutZero(t *testing.T) {
	for with, safe := range map[byte]bool{0xfe: true, 's': false} {
		b := fb(inline())
		at := bytes.Index(b, []byte("affine\x00\x00"))
		if at < 0 {
			t.Fatal("no such text")
		}
		b[at+len("affine")] = with
		d := openModel(t, "z.fb", b)
		errorsOf(t, d)
		list := findings(d, "SDF-129")
		if len(list) != 1 {
			t.Fatalf("%q: %v", with, list)
		}
		fixes := d.Tree.Fixes(context.Background(), &list[0])
		again := slices.ContainsFunc(fixes, func(f model.Fix) bool { return strings.HasPrefix(f.Label, "rewrite the strings") })
		if x := d.Tree.Safe(&list[0], fixes); (x != nil) != safe || again == safe || safe && x.Label != "terminate the string with a zero byte" {
			t.Errorf("%q: %v", with, fixes)
		}
	}
}

// A text that begins between two words is read and can be aligned; it is no error.
func TestUnalignedText(t *testing.T) {
	b := flat.Buffer(fb(inline()))
	nodes, _, _ := b.Vec(b.Root(), flat.GraphNodes, 4)
	slot := b.Slot(b.Follow(nodes), flat.NodeName)
	at := b.Len() + 1
	b = append(b, 0, 2, 0, 0, 0, 'o', 'p', 0)
	binary.LittleEndian.PutUint32(b[slot:], uint32(at-slot))
	d := openModel(t, "u.fb", b)
	if n := errorsOf(t, d); len(n) > 0 {
		t.Errorf("%v", n)
	}
	list := findings(d, "SDF-131")
	if len(list) != 1 || list[0].Grade() != model.Warning || len(d.Tree.Fixes(context.Background(), &list[0])) == 0 {
		t.Errorf("%v", list)
	}
}
