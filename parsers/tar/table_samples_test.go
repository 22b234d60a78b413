package tar

import (
	"archive/tar"
	"bytes"
	"fmt"
	"strings"
	"testing"

	"spandrel/model"
)

// Members that follow each other and differ behind the first dot are a sample; those of a sample that stand apart are told, but only in a shard.
func TestSamples(t *testing.T) {
	shard := func(names string) []byte {
		var members []string
		for _, n := range strings.Fields(names) {
			members = append(members, n, strings.Repeat("x", len(n)))
		}
		return archive(tar.FormatPAX, members...)
	}
	for names, want := range map[string]struct{ table, split string }{
		"a/1.jpg a/1.cls a/2.seg.png a/2.jpg": {"key members bytes .jpg .cls .seg.png|a/1 2 14 7 7 |a/2 2 18 7  11", ""},
		"README 1.a 1.b x 2.A 2.b":            {"key members bytes .a .b|1 2 6 3 3|2 2 6 3 3", ""},
		"1.a 1.b 2.a 3.a 3.b 2.b 4.a 4.b":     {"key members bytes .a .b|1 2 6 3 3|2 1 3 3 |3 2 6 3 3|2 1 3  3|4 2 6 3 3", "2.b"},
		"m.c m.h n.c n.h o.c o-x.c o.h y.txt": {"key members bytes .c .h .txt|m 2 6 3 3 |n 2 6 3 3 |o 1 3 3  |o-x 1 5 5  |o 1 3  3 |y 1 5   5", ""},
		"a.txt b.txt c.txt":                   {"", ""},
	} {
		d, err := model.OpenBytes(t.Context(), "x.tar", shard(names), []*model.Format{Format}, nil)
		if err != nil {
			t.Fatal(err)
		}
		defer d.Close()
		var got []string
		for _, tab := range d.Tree.Tables(t.Context()) {
			if tab.Name != "samples" {
				continue
			}
			var head []string
			for _, c := range tab.Columns {
				head = append(head, c.Name)
			}
			rows, err := tab.Read(t.Context(), 0, tab.Rows)
			if err != nil {
				t.Fatal(err)
			}
			got = append(got, strings.Join(head, " "))
			for _, r := range rows {
				var cells []string
				for j, c := range r {
					cells = append(cells, c.Value.String())
					if b, err := d.Tree.Bytes(t.Context(), c.Range); j > 2 && c.Value.Kind != model.None && (err != nil || b[0] != 'x') {
						t.Errorf("%s: a member is not where its cell says: %v", names, err)
					}
				}
				got = append(got, strings.Join(cells, " "))
			}
		}
		if text := strings.Join(got, "|"); text != want.table {
			t.Errorf("%s:\n%s, not\n%s", names, text, want.table)
		}
		if err := d.Deep(t.Context(), nil); err != nil {
			t.Fatal(err)
		}
		found, _ := d.Tree.Findings()
		split := ""
		for _, f := range found {
			if f.Rule == splitSample {
				split += f.Found
			}
		}
		if split != want.split {
			t.Errorf("%s: %q is told to stand apart, not %q", names, split, want.split)
		}
	}
}

// Members that are sorted by their extensions are told, and can be grouped by sample; so are files of a program, which have no common names, not.
func TestSamplesInLists(t *testing.T) {
	var lists, want, sources []string
	for _, ext := range []string{"jpg", "json", "txt"} {
		for i := range 12 {
			lists = append(lists, fmt.Sprintf("a/%02d.%s", i, ext), ext+strings.Repeat("x", 600))
			sources = append(sources, fmt.Sprintf("a/%02d.%s", i+len(sources)/6, ext), ext)
		}
	}
	for i := range 12 {
		for _, ext := range []string{"jpg", "json", "txt"} {
			want = append(want, fmt.Sprintf("a/%02d.%s", i, ext), ext+strings.Repeat("x", 600))
		}
	}
	if d, err := model.OpenBytes(t.Context(), "x.tar", archive(tar.FormatPAX, sources...), []*model.Format{Format}, nil); err != nil {
		t.Fatal(err)
	} else if found, _ := d.Tree.Findings(); len(found) > 0 {
		t.Error(found[0].Text())
	}
	d, err := model.OpenBytes(t.Context(), "x.tar", archive(tar.FormatPAX, lists...), []*model.Format{Format}, nil)
	if err != nil {
		t.Fatal(err)
	}
	defer d.Close()
	found, _ := d.Tree.Findings()
	if len(found) != 1 || found[0].Rule != splitSample {
		t.Fatal(found)
	}
	edits, err := regrouped(t.Context(), d.Tree)
	if err != nil {
		t.Fatal(err)
	}
	got := make([]byte, edits[0].(model.Splice).With.Len())
	edits[0].(model.Splice).With.ReadAt(got, 0)
	if grouped := archive(tar.FormatPAX, want...); !bytes.Equal(got, grouped[:len(grouped)-1024]) { // all but its end
		t.Error("the members are not grouped by sample")
	}
}

// A global header holds for all members after it, so that members are not put before or behind it.
func TestSamplesAroundGlobalHeader(t *testing.T) {
	var b bytes.Buffer
	w := tar.NewWriter(&b)
	for i, name := range []string{"1.a", "2.a", "3.a", "", "1.b", "2.b", "3.b"} {
		h := &tar.Header{Name: name, Mode: 0o644, Format: tar.FormatPAX}
		if name == "" {
			h = &tar.Header{Typeflag: tar.TypeXGlobalHeader, Name: "pax_global_header", PAXRecords: map[string]string{"comment": "x"}}
		}
		if err := w.WriteHeader(h); err != nil {
			t.Fatal(i, err)
		}
	}
	w.Close()
	d, err := model.OpenBytes(t.Context(), "x.tar", b.Bytes(), []*model.Format{Format}, nil)
	if err != nil {
		t.Fatal(err)
	}
	defer d.Close()
	if edits, err := regrouped(t.Context(), d.Tree); err == nil {
		t.Errorf("members are moved over a global header: %v", edits)
	}
}

// A sample that is in the archive twice is no split one: its second copy can be removed if it is the same, and its members are not put together.
func TestSampleTwice(t *testing.T) {
	once := []string{"0.a", "x", "0.b", "x", "1.a", "x", "1.b", "x"}
	for last, fixes := range map[string]int{"x": 1, "y": 0} {
		d, err := model.OpenBytes(t.Context(), "x.tar", archive(tar.FormatPAX, append(once[:8:8], "0.a", "x", "0.b", last)...), []*model.Format{Format}, nil)
		if err != nil {
			t.Fatal(err)
		}
		defer d.Close()
		if err := d.Deep(t.Context(), nil); err != nil {
			t.Fatal(err)
		}
		found, _ := d.Tree.Findings()
		if len(found) != 1 || found[0].Rule != twice || len(d.Tree.Fixes(t.Context(), &found[0])) != fixes || regroup(t.Context(), d.Tree, nil) != nil {
			t.Errorf("%s: %v", last, found)
		}
	}
}

// A sample with members of its own kind lacks nothing.
func TestSamplesOfAnotherKind(t *testing.T) {
	members := []string{"README.md", "x"}
	for i := range 40 {
		members = append(members, fmt.Sprint(i, ".c"), "x", fmt.Sprint(i, ".h"), "x")
	}
	d, err := model.OpenBytes(t.Context(), "x.tar", archive(tar.FormatPAX, members...), []*model.Format{Format}, nil)
	if err != nil {
		t.Fatal(err)
	}
	defer d.Close()
	if err := d.Deep(t.Context(), nil); err != nil {
		t.Fatal(err)
	}
	if found, _ := d.Tree.Findings(); len(found) > 0 {
		t.Error(found[0].Text())
	}
}
