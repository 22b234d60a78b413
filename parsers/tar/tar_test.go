package tar

import (
	"archive/tar"
	"bytes"
	"context"
	"fmt"
	"io"
	"slices"
	"strings"
	"testing"
	"time"

	"spandrel/model"
	"spandrel/parsers/internal/suite"
	"spandrel/parsers/internal/tarfile"
)

// archive writes members by their names and contents.
func archive(format tar.Format, members ...string) []byte {
	var b bytes.Buffer
	w := tar.NewWriter(&b)
	for i := 0; i < len(members); i += 2 {
		h := &tar.Header{Name: members[i], Size: int64(len(members[i+1])), Mode: 0o644, ModTime: time.Unix(1700000000, 0), Format: format}
		err := w.WriteHeader(h)
		if err == nil {
			_, err = w.Write([]byte(members[i+1]))
		}
		if err != nil {
			panic(err)
		}
	}
	if err := w.Close(); err != nil {
		panic(err)
	}
	return b.Bytes()
}

// samples are the files of testdata/tar by their names there.
func samples() map[string][]byte {
	long := strings.Repeat("a long name ", 15) + "b.txt"
	plain := archive(tar.FormatUSTAR, "img/0001.jpg", strings.Repeat("x", 600), "img/0001.cls", "7")
	with := func(at int, b ...byte) []byte {
		out := bytes.Clone(plain)
		copy(out[at:], b)
		return out
	}
	noSize := func() []byte { // its checksum is right
		out := with(124, []byte("zzzzzzzzzzz")...)
		b, _ := tarfile.Octal{Bytes: 8}.Encode(model.U(uint64(tarfile.Parse(out).Sum)))
		copy(out[148:], b)
		return out
	}
	record := archive(tar.FormatPAX, long, "b", "c.txt", "c")
	record[bytes.Index(record, []byte(" path="))-1] ^= 1
	lacking := func() (members []string) {
		for i := range 20 {
			for _, ext := range []string{".cls", ".jpg"} {
				if name := fmt.Sprint(i, ext); name != "13.jpg" {
					members = append(members, name, "x")
				}
			}
		}
		return members
	}
	return map[string][]byte{
		"good/ustar.tar":          plain,
		"bad/010-split.tar":       archive(tar.FormatUSTAR, "0.jpg", "a", "0.cls", "0", "1.jpg", "b", "2.jpg", "c", "2.cls", "2", "1.cls", "1", "3.jpg", "d", "3.cls", "3", "4.jpg", "e", "4.cls", "4"),
		"bad/013-repeated.tar":    archive(tar.FormatUSTAR, "0.jpg", "a", "0.cls", "0", "1.jpg", "b", "1.cls", "1", "0.jpg", "a", "0.cls", "0", "2.jpg", "c", "2.cls", "2"),
		"bad/014-lacking.tar":     archive(tar.FormatUSTAR, lacking()...),
		"good/pax.tar":            archive(tar.FormatPAX, long, "b", "ключ.txt", "c"),
		"good/gnu.tar":            archive(tar.FormatGNU, long, "b", "c.txt", "c"),
		"bad/001-checksum.tar":    with(3, '-'),
		"bad/002-no-header.tar":   append(bytes.Clone(plain[:512]), plain[512+512:]...),
		"bad/002-renamed.tar":     bytes.ReplaceAll(plain, []byte("img/"), []byte("images/")),
		"bad/003-size.tar":        noSize(),
		"bad/004-cut.tar":         plain[:800],
		"bad/004-cut-padding.tar": plain[:1200],
		"bad/009-same-name.tar":   archive(tar.FormatUSTAR, "img/0001.jpg", "x", "img/0001.cls", "7", "img/0001.jpg", "y"),
		"bad/005-no-end.tar":      plain[:512*5],
		"bad/006-behind.tar":      append(bytes.Clone(plain), "a line of a log\n"...),
		"bad/011-twice.tar":       append(bytes.Clone(plain), plain...),
		"bad/012-macos.tar":       archive(tar.FormatUSTAR, ".DS_Store", "x", "._1.jpg", "x", "1.jpg", "y"),
		"bad/007-pax-record.tar":  record,
		"bad/008-padding.tar":     with(512+700, 1, 2, 3),
	}
}

func TestTarSamples(t *testing.T) { suite.Samples(t, "tar", samples()) }

// What each rule says of a file that breaks it is written down.
func TestTranscript(t *testing.T) { suite.Transcript(t, Format, suite.BadSamples(t, Format)) }

// read is the members of an archive as Go's reader sees them.
func read(t *testing.T, b []byte) (out []string) {
	t.Helper()
	r := tar.NewReader(bytes.NewReader(b))
	for {
		h, err := r.Next()
		if err == io.EOF {
			return out
		}
		if err != nil {
			t.Fatal(err)
		}
		body, err := io.ReadAll(r)
		if err != nil {
			t.Fatal(err)
		}
		out = append(out, h.Name, string(body))
	}
}

// Names in headers and in pax records are edited, and lengths and checksums follow, as Go's reader sees.
func TestEdits(t *testing.T) {
	for _, c := range []struct{ sample, path, to string }{
		{"good/ustar.tar", "members[1]/header/name", "img/0001.label"},
		{"good/pax.tar", "members[0]/records[0]/value", "short.txt"},
		{"good/pax.tar", "members[0]/records[0]/value", strings.Repeat("long ", 50) + ".txt"},
	} {
		ctx := context.Background()
		d, err := model.OpenBytes(ctx, "x.tar", samples()[c.sample], []*model.Format{Format}, nil)
		if err != nil {
			t.Fatal(err)
		}
		s, err := d.Tree.Find(ctx, c.path)
		if err != nil {
			t.Fatal(err)
		}
		p, err := d.Plan(ctx, "set", model.SetValue(s, model.S(c.to)))
		if err != nil {
			t.Fatalf("%s: %v", c.path, err)
		}
		d.Apply(ctx, p, nil)
		b := suite.Bytes(t, d)
		if got := read(t, b); !strings.Contains(strings.Join(got, "|"), c.to) || len(got) != 4 {
			t.Errorf("%s: %q", c.path, got)
		}
		d.Close()
	}
}

// What is damaged ends nothing: the members behind it are listed, and one wrong digit of a size is offered back.
func TestDamaged(t *testing.T) {
	plain := archive(tar.FormatUSTAR, "a.jpg", strings.Repeat("x", 600), "b.cls", "7", "c.txt", "text")
	long := archive(tar.FormatPAX, "a.jpg", "x", strings.Repeat("b", 150), "7")
	clear(long[4*512:]) // what the header after a.jpg describes
	zeroed, digit := bytes.Clone(plain), bytes.Clone(plain)
	digit[124+7] ^= 2 // the digit of 512: the next header is not there
	clear(zeroed[512+1024 : 512+1024+512])
	wiped := archive(tar.FormatPAX, "a.jpg", "x", strings.Repeat("b", 150), "7", "c.txt", "y")
	clear(wiped[2048:3072]) // the records are those of a member that is gone
	samples := archive(tar.FormatUSTAR, "x/1.a", "1", "x/1.b", "2", "x/2.a", "3", "x/2.b", "4", "x/3.a", "5", "x/3.b", "6")
	misnamed := bytes.Clone(samples)
	misnamed[3*1024+2] ^= 0x40 // 2 becomes r
	for name, c := range map[string]struct {
		b     []byte
		names string
		rule  *model.Rule
		fixed []byte
	}{
		"zeros over a header": {zeroed, "a.jpg||c.txt", noHeader, nil},
		"two archives":        {append(bytes.Clone(plain), plain...), "a.jpg|b.cls|c.txt|a.jpg|b.cls|c.txt", joined, append(bytes.Clone(plain[:512*8-512]), plain...)},
		"nothing to describe": {long, "a.jpg", cut, nil},
		"zeros, no end":       {wiped, "a.jpg|c.txt", joined, slices.Concat(wiped[:1024], wiped[3072:])},
		"continued":           {append(bytes.Clone(plain[:512+300]), plain...), "a.jpg|b.cls|c.txt", noHeader, plain},
		"a name":              {misnamed, "x/1.a|x/1.b|x/2.a||x/3.a|x/3.b", badChecksum, samples},
		"a digit":             {digit, "|b.cls|c.txt", badChecksum, plain},
	} {
		ctx := context.Background()
		d, err := model.OpenBytes(ctx, "x.tar", c.b, []*model.Format{Format}, nil)
		if err != nil {
			t.Fatal(err)
		}
		x := d.Tree.Tables(ctx)[0]
		rows, err := x.Read(ctx, 0, x.Rows)
		if err != nil {
			t.Fatal(err)
		}
		var names []string
		for _, r := range rows {
			names = append(names, r[0].Value.Text())
		}
		if got := strings.Join(names, "|"); got != c.names {
			t.Errorf("%s: %s", name, got)
		}
		if s := d.Tree.Root.Get("members"); name == "two archives" && s.Field.Note(ctx, d.Tree, s) != "6 members" {
			t.Errorf("%s: of %d links it is said: %q", name, s.Count(), s.Field.Note(ctx, d.Tree, s))
		}
		if err := d.Deep(ctx, nil); err != nil {
			t.Fatal(err)
		}
		found, _ := d.Tree.Findings()
		i := slices.IndexFunc(found, func(f model.Finding) bool { return f.Rule == c.rule })
		if i < 0 {
			t.Errorf("%s: nothing is said", name)
			continue
		}
		offered := false
		for _, fix := range d.Tree.Fixes(ctx, &found[i]) {
			edits, err := fix.Make(ctx, d.Tree)
			if err != nil {
				t.Fatal(err)
			}
			p, err := d.Plan(ctx, "fix", edits...)
			if err != nil {
				continue
			}
			content, err := p.To.Content("x.tar")
			if err != nil {
				t.Fatal(err)
			}
			b := make([]byte, content.Len())
			content.ReadAt(b, 0)
			offered = offered || bytes.Equal(b, c.fixed)
		}
		if c.fixed != nil && !offered {
			t.Errorf("%s: the way back is not offered", name)
		}
		d.Close()
	}
}

// The card does not deny the checksums of headers, nor does it let someone trust that they cover members.
func TestCard(t *testing.T) {
	d, err := model.OpenBytes(t.Context(), "x.tar", samples()["good/pax.tar"], []*model.Format{Format}, nil)
	if err != nil {
		t.Fatal(err)
	}
	defer d.Close()
	lines := model.Card(t.Context(), d.Tree)
	if i := slices.IndexFunc(lines, func(l model.CardLine) bool { return l.Label == model.SumsLabel }); i < 0 || !strings.Contains(lines[i].Text, "each header") {
		t.Errorf("%v", lines)
	}
}
