package zipfile

import (
	"archive/zip"
	"bytes"
	"context"
	"hash/crc32"
	"io"
	"testing"

	"spandrel/model"
	"spandrel/parsers/internal/inflate"
	"spandrel/parsers/internal/suite"
)

var bg = context.Background()

// contents are the members of the archives of the tests.
var (
	contents = map[string]string{"a.txt": "the first member", "dir/b.bin": string(bytes.Repeat([]byte("twice "), 200)), "c": ""}
	order    = []string{"a.txt", "dir/b.bin", "c"}
)

// archived writes an archive: with descriptors behind the data where streamed is set, with sizes in the headers otherwise.
func archived(t testing.TB, streamed bool, method uint16) []byte {
	var out bytes.Buffer
	z := zip.NewWriter(&out)
	for _, name := range order {
		h, b := &zip.FileHeader{Name: name, Method: method}, []byte(contents[name])
		create := z.CreateHeader
		if !streamed {
			h.CRC32, h.UncompressedSize64 = crc32.ChecksumIEEE(b), uint64(len(b))
			if method == zip.Deflate {
				b, _ = inflate.Deflate(inflate.Raw, 6, b)
			}
			h.CompressedSize64, create = uint64(len(b)), z.CreateRaw
		}
		w, err := create(h)
		if err == nil {
			_, err = w.Write(b)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	z.SetComment("PK\x05\x06 is the signature")
	if err := z.Close(); err != nil {
		t.Fatal(err)
	}
	return out.Bytes()
}

var (
	toyRules = model.NewRules("TOY")
	rules    = map[Kind]*model.Rule{
		NoDirectory: toyRules.Error(1, "no directory", "", ""), NoMember: toyRules.Error(2, "no member", "", ""),
		Differs: toyRules.Error(3, "headers differ", "", ""), Junk: toyRules.Warning(4, "junk", "", ""), WrongData: toyRules.Error(5, "wrong data", "", ""),
	}
)

// open reads an archive as a document of a format that is nothing else.
func open(t *testing.T, b []byte) (*model.Document, *Archive) {
	t.Helper()
	var z *Archive
	f := &model.Format{Name: "toy", Repairs: map[*model.Rule]model.Repairer{}, Rules: toyRules}
	for _, r := range rules {
		f.Repairs[r] = Repairs
	}
	f.Parse = func(c *model.Cursor) {
		z = Read(c, Client{Rules: rules, Content: func(c *model.Cursor, m *Member) {
			if m.Leaf(c); m.Method == 8 {
				m.Derive(c, Inflated, Deflated, func(c *model.Cursor) { c.Rest(Data) }, nil)
			}
		}})
	}
	f.Deep = func(ctx context.Context, t *model.Tree, p *model.Probe) error {
		return z.Sums(ctx, t, p, rules[WrongData])
	}
	d, err := model.OpenBytes(bg, "x.zip", b, nil, f)
	if err != nil {
		t.Fatal(err)
	}
	suite.Tiles(t, d.Tree)
	if err := d.DeepOn(bg, d.Tree, nil); err != nil {
		t.Fatal(err)
	}
	return d, z
}

func found(d *model.Document) (ids []string) {
	all, _ := d.Tree.Findings()
	for i := range all {
		ids = append(ids, all[i].Rule.ID)
	}
	return ids
}

func content(t *testing.T, d *model.Document) []byte {
	c, err := d.Tree.Snapshot.Content(d.Tree.Snapshot.Primary)
	if err != nil {
		t.Fatal(err)
	}
	b := make([]byte, c.Len())
	if _, err := c.ReadAt(b, 0); err != nil && err != io.EOF {
		t.Fatal(err)
	}
	return b
}

// holds fails unless archive/zip reads the members from an archive.
func holds(t *testing.T, b []byte, want map[string]string) {
	t.Helper()
	z, err := zip.NewReader(bytes.NewReader(b), int64(len(b)))
	if err != nil {
		t.Fatal(err)
	}
	if len(z.File) != len(want) {
		t.Errorf("%d members, want %d", len(z.File), len(want))
	}
	for _, f := range z.File {
		r, err := f.Open()
		if err != nil {
			t.Fatal(err)
		}
		if b, err := io.ReadAll(r); err != nil || string(b) != want[f.Name] {
			t.Errorf("%s: %q, %v", f.Name, b, err)
		}
	}
}

func apply(t *testing.T, d *model.Document, edits ...model.Edit) []byte {
	t.Helper()
	p, err := d.Plan(bg, "edit", edits...)
	if err != nil {
		t.Fatal(err)
	}
	d.Apply(bg, p, nil)
	b := content(t, d)
	if again, _ := open(t, b); len(found(again)) > 0 {
		t.Errorf("after the edit: %v", found(again))
	}
	return b
}
