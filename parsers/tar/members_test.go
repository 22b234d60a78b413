package tar

import (
	"archive/tar"
	"bytes"
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"spandrel/model"
	"spandrel/parsers/internal/suite"
)

// listed opens an archive, checks all of it, and returns its table of members and what was found.
func listed(t *testing.T, b []byte) (rows []string, found []model.Finding, d *model.Document) {
	t.Helper()
	ctx := context.Background()
	d, err := model.OpenBytes(ctx, "x.tar", b, []*model.Format{Format}, nil)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { d.Close() })
	if err := d.Deep(ctx, nil); err != nil {
		t.Fatal(err)
	}
	suite.ReadAll(ctx, t, d, d.Tree)
	x := d.Tree.Tables(ctx)[0]
	all, err := x.Read(ctx, 0, x.Rows)
	if err != nil {
		t.Fatal(err)
	}
	for _, r := range all {
		rows = append(rows, fmt.Sprintf("%s %s %d %d %d", r[0].Value.Text(), r[1].Value.Text(), r[2].Value.Int(), r[5].Value.Int(), r[3].Value.Int()))
	}
	found, _ = d.Tree.Findings()
	return rows, found, d
}

// Archives of GNU tar and bsdtar with sparse files in all forms and times before 1970: nothing is wrong with them, and members have their real
// names, sizes and times.
func TestOtherWriters(t *testing.T) {
	old := "weights.json 0 2 2 -34560000"
	for name, want := range map[string]string{
		"gnutar-sparse.tar":        "weights.bin S 65536 15360 1700000000|" + old,
		"gnutar-sparse-0.0.tar":    "weights.bin 0 65536 15360 1700000000|" + old,
		"gnutar-sparse-0.1.tar":    "weights.bin 0 65536 15360 1700000000|" + old,
		"gnutar-sparse-1.0.tar":    "weights.bin 0 65536 15872 1700000000|" + old,
		"bsdtar-negative-time.tar": old,
	} {
		b, err := os.ReadFile(filepath.Join("..", "..", "testdata", "tar", "good", name))
		if err != nil {
			t.Fatal(err)
		}
		rows, found, _ := listed(t, b)
		if got := strings.Join(rows, "|"); got != want || len(found) > 0 {
			t.Errorf("%s: %s\n%v", name, got, found)
		}
	}
}

// Long names stand in the table as they are, headers that hold them are no members, and go with the member that is taken out.
func TestFolded(t *testing.T) {
	for _, name := range []string{"good/gnu.tar", "good/pax.tar"} {
		rows, _, d := listed(t, samples()[name])
		if len(rows) != 2 || !strings.HasPrefix(rows[0], strings.Repeat("a long name ", 15)+"b.txt") {
			t.Errorf("%s: %q", name, rows)
		}
		ctx := context.Background()
		s, err := d.Tree.Find(ctx, "members[1]")
		if err != nil {
			t.Fatal(err)
		}
		edits, err := actions[0].Plan(ctx, d.Tree, s, nil)
		if err != nil {
			t.Fatal(err)
		}
		p, err := d.Plan(ctx, "drop", edits...)
		if err != nil {
			t.Fatal(err)
		}
		d.Apply(ctx, p, nil)
		if got := read(t, suite.Bytes(t, d)); len(got) != 2 || len(got[0]) > 20 {
			t.Errorf("%s: %q", name, got)
		}
	}
}

// Records say how long a payload is where the header does not.
func TestRecordSize(t *testing.T) {
	b := archive(0, "a.txt", strings.Repeat("x", 700), "b.txt", "b")
	record := []byte("12 size=700\n")
	helper := bytes.Clone(b[:512])
	helper[156] = 'x'
	size := func(header []byte, n int) {
		copy(header[124:136], fmt.Sprintf("%011o\x00", n))
		copy(header[148:156], "        ")
		sum := 0
		for _, c := range header[:512] {
			sum += int(c)
		}
		copy(header[148:156], fmt.Sprintf("%06o\x00 ", sum))
	}
	size(helper, len(record))
	size(b, 0)
	b = append(append(helper, append(record, make([]byte, 512-len(record))...)...), b...)
	rows, found, _ := listed(t, b)
	if got := strings.Join(rows, "|"); len(found) > 0 || got != "a.txt 0 700 700 1700000000|b.txt 0 1 1 1700000000" {
		t.Errorf("%s %v", got, found)
	}
}

// A sample with two members of one name is an error in a shard, whose other samples have several members too: webdataset refuses it. An archive
// that was appended to is no shard.
func TestSameName(t *testing.T) {
	for _, k := range []struct {
		members []string
		want    model.Severity
	}{
		{[]string{"a.jpg", "1", "a.cls", "1", "b.jpg", "2", "b.cls", "2", "b.cls", "3"}, model.Error},
		{[]string{"a.txt", "1", "b.txt", "1", "b.txt", "2"}, model.Warning},
		{[]string{"a.jpg", "1", "a.cls", "1", "b.jpg", "2", "b.cls", "2", "a.jpg", "3"}, 0},
	} {
		_, found, _ := listed(t, archive(tar.FormatUSTAR, k.members...))
		got := model.Severity(0)
		for i := range found {
			if found[i].Rule == sameName {
				got = found[i].Grade()
			}
		}
		if got != k.want {
			t.Errorf("%v: %v, want %v", k.members, got, k.want)
		}
	}
}

// TestDropNeeded: neither a member that a hard link needs, nor a header that describes the next member, is removed by itself.
func TestDropNeeded(t *testing.T) {
	var b bytes.Buffer
	w, long := tar.NewWriter(&b), strings.Repeat("long", 40)
	for _, h := range []tar.Header{{Name: "a"}, {Name: "b"}, {Name: "link", Typeflag: tar.TypeLink, Linkname: "a"}, {Name: long, Format: tar.FormatGNU}} {
		if err := w.WriteHeader(&h); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	_, _, d := listed(t, b.Bytes())
	for i, want := range []bool{false, true, true, false, true} {
		s, err := d.Tree.Find(t.Context(), fmt.Sprintf("members[%d]", i))
		if err != nil {
			t.Fatal(err)
		}
		if _, err := actions[0].Plan(t.Context(), d.Tree, s, nil); (err == nil) != want {
			t.Errorf("members[%d]: %v", i, err)
		}
	}
}
