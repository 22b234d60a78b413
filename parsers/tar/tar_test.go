package tar

import (
	"archive/tar"
	"bytes"
	"context"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"spandrel/model"
	"spandrel/parsers/internal/suite"
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
		sum := &checksum{}
		sum.Write(out[:148])
		sum.Write(out[156:512])
		b, _ := octal(8).Encode(model.U(sum.n + 8*' '))
		copy(out[148:], b)
		return out
	}
	record := archive(tar.FormatPAX, long, "b", "c.txt", "c")
	record[bytes.Index(record, []byte(" path="))-1] ^= 1
	return map[string][]byte{
		"good/ustar.tar":         plain,
		"good/pax.tar":           archive(tar.FormatPAX, long, "b", "ключ.txt", "c"),
		"good/gnu.tar":           archive(tar.FormatGNU, long, "b", "c.txt", "c"),
		"bad/001-checksum.tar":   with(3, '-'),
		"bad/002-no-header.tar":  append(bytes.Clone(plain[:512]), plain[512+512:]...),
		"bad/003-size.tar":       noSize(),
		"bad/004-cut.tar":        plain[:800],
		"bad/005-no-end.tar":     plain[:512*5],
		"bad/006-twice.tar":      append(bytes.Clone(plain), plain...),
		"bad/007-pax-record.tar": record,
		"bad/008-padding.tar":    with(512+700, 1, 2, 3),
	}
}

func TestTarSamples(t *testing.T) {
	for name, b := range samples() {
		path := filepath.Join("..", "..", "testdata", "tar", name)
		if *suite.Update {
			if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
				t.Fatal(err)
			}
			if err := os.WriteFile(path, b, 0o644); err != nil {
				t.Fatal(err)
			}
		}
		if have, err := os.ReadFile(path); err != nil || !bytes.Equal(have, b) {
			t.Errorf("%s is not what the code makes: %v", name, err)
		}
	}
}

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
		content, err := d.Tree.Snapshot.Content(d.Tree.Snapshot.Primary)
		if err != nil {
			t.Fatal(err)
		}
		b := make([]byte, content.Len())
		content.ReadAt(b, 0)
		if got := read(t, b); !strings.Contains(strings.Join(got, "|"), c.to) || len(got) != 4 {
			t.Errorf("%s: %q", c.path, got)
		}
		d.Close()
	}
}
