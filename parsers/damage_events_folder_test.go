package parsers

import (
	"archive/tar"
	"bytes"
	"fmt"
	"path"
	"strings"

	"spandrel/model"
)

// How the events of damage_events_list_test.go change folders.

// rename gives the files of a folder other names; "" takes them away.
func (p *patient) rename(to func(string) string) *model.Snapshot {
	s, same := p.d.Tree.Snapshot, true
	for _, n := range p.all() {
		if is := to(n); is != n && n != s.Primary {
			c, err := p.d.Tree.Snapshot.Content(n)
			if err != nil {
				continue
			}
			if s, same = s.With(n, nil), false; is != "" {
				s = s.With(is, c)
			}
		}
	}
	if same {
		return nil
	}
	return s
}

// all are the files of the folder, those that are empty too.
func (p *patient) all() (out []string) {
	s := p.d.Tree.Snapshot
	var walk func(dir string)
	walk = func(dir string) {
		list, _, err := s.List(dir)
		if err != nil {
			return
		}
		for _, e := range list {
			if e.Regular {
				out = append(out, e.Name)
			} else {
				walk(e.Name)
			}
		}
	}
	walk(".")
	return out
}

func upper(name string) string { return path.Join(path.Dir(name), strings.ToUpper(path.Base(name))) }

// twoVersions keeps a shorter, older version of a file under its name, and the file itself as a conflicted copy.
func twoVersions(p *patient) *model.Snapshot {
	s := p.d.Tree.Snapshot
	c, err := s.Content(p.file)
	if err != nil || p.file == s.Primary || c.Len() < 2 {
		return nil
	}
	ext := path.Ext(p.file)
	return s.With(p.file, c.Splice(c.Len()*2/3, c.Len()-c.Len()*2/3, nil)).With(strings.TrimSuffix(p.file, ext)+" (conflicted copy 2026-03-02)"+ext, c)
}

func renamedCopy(p *patient) *model.Snapshot {
	if p.file == p.d.Tree.Snapshot.Primary {
		return nil
	}
	ext := path.Ext(p.file)
	return p.rename(func(n string) string {
		if n == p.file {
			return strings.TrimSuffix(n, ext) + " (1)" + ext
		}
		return n
	})
}

// otherFile puts a file of another data set in the place of one beside the main file.
func otherFile(p *patient) *model.Snapshot {
	if p.file == p.d.Tree.Snapshot.Primary {
		return nil
	}
	b := mapped(p.b, func(x byte) byte { return x })
	switch path.Ext(p.file) {
	case ".tar":
		b = tarOf(p, 3+p.IntN(5))
	case ".npy": // values alone
		for i := range b {
			b[i] = p.b[(i*7+3)%len(p.b)]
		}
	default:
		return nil
	}
	return p.d.Tree.Snapshot.With(p.file, model.BytesContent(b))
}

func tarOf(p *patient, n int) []byte {
	var out bytes.Buffer
	w := tar.NewWriter(&out)
	for i := range n {
		b := random(p, 100+p.IntN(2000))
		w.WriteHeader(&tar.Header{Name: fmt.Sprintf("other/%06d.jpg", i*17), Mode: 0o644, Size: int64(len(b))})
		w.Write(b)
	}
	w.Close()
	return out.Bytes()
}

// shardsAgain packs the members of all archives again, in another order.
func shardsAgain(p *patient) *model.Snapshot {
	s, done := p.d.Tree.Snapshot, false
	for _, name := range p.all() {
		if path.Ext(name) != ".tar" {
			continue
		}
		var heads []*tar.Header
		var bodies [][]byte
		in := tar.NewReader(bytes.NewReader(p.content(name)))
		for {
			h, err := in.Next()
			if err != nil {
				break
			}
			var b bytes.Buffer
			b.ReadFrom(in)
			heads, bodies = append(heads, h), append(bodies, b.Bytes())
		}
		var out bytes.Buffer
		w := tar.NewWriter(&out)
		for _, i := range p.Perm(len(heads)) {
			h := &tar.Header{Name: heads[i].Name, Mode: 0o600, Size: int64(len(bodies[i])), Typeflag: heads[i].Typeflag}
			if w.WriteHeader(h) != nil {
				return nil
			}
			w.Write(bodies[i])
		}
		w.Close()
		if !bytes.Equal(out.Bytes(), p.content(name)) {
			s, done = s.With(name, model.BytesContent(out.Bytes())), true
		}
	}
	if !done {
		return nil
	}
	return s
}
