package parsers

import (
	"archive/zip"
	"bytes"
	"compress/gzip"
	"context"
	"encoding/base64"
	"fmt"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"sort"
	"strings"
	"testing"
	"time"

	"spandrel/model"
	"spandrel/model/cause"
	"spandrel/parsers/internal/suite"
)

// scenario is one way in which a file breaks as a whole. says is what the sentence that names it has, a regular expression; back tells that the file can be had
// back from what is left. damage returns nil when a file cannot break this way.
type scenario struct {
	name, says string
	back       bool
	damage     func(b []byte) []byte
}

func cutAt(part float64) func([]byte) []byte {
	return func(b []byte) []byte { return b[:int(float64(len(b))*part)] }
}

// zeroed wipes a sector, where that changes something.
func zeroed(at func(n int) int) func([]byte) []byte {
	return func(b []byte) []byte {
		if len(b) < 1024 {
			return nil
		}
		out, from := bytes.Clone(b), at(len(b))/512*512
		clear(out[from:min(from+512, len(out))])
		return out
	}
}

// foreign puts text of something else where a sector of the file was.
func foreign(b []byte) []byte {
	if len(b) < 1536 {
		return nil
	}
	out := bytes.Clone(b)
	at := len(b) / 2 / 512 * 512
	copy(out[at:min(at+512, len(out))], junk(512))
	return out
}

func zipped(b []byte) []byte {
	var out bytes.Buffer
	w := zip.NewWriter(&out)
	f, _ := w.Create("file")
	f.Write(b)
	w.Close()
	return out.Bytes()
}

func inFront(s string) func([]byte) []byte {
	return func(b []byte) []byte { return append([]byte(s), b...) }
}

// swapped exchanges bytes by words.
func swapped(w int) func([]byte) []byte {
	return func(b []byte) []byte {
		if len(b)%w != 0 {
			return nil
		}
		out := bytes.Clone(b)
		for i := 0; i+w <= len(out); i += w {
			slices.Reverse(out[i : i+w])
		}
		return out
	}
}

// junk is bytes that mean nothing, without a line end.
func junk(n int) string {
	b := make([]byte, n)
	for i := range b {
		b[i] = byte(pick(fmt.Sprint(i), 200)) + 32
	}
	return string(b)
}

func always(text string) func([]byte) []byte { return func([]byte) []byte { return []byte(text) } }

var scenarios = []scenario{
	{"cut in its header", "truncated|missing", false, func(b []byte) []byte { return b[:min(len(b)/2, 20)] }},
	{"cut at a quarter", "truncated|missing", false, cutAt(0.25)},
	{"cut at half", "truncated|missing", false, cutAt(0.5)},
	{"cut at three quarters", "truncated|missing", false, cutAt(0.75)},
	{"cut at 99 %", "truncated|missing", false, cutAt(0.99)},
	{"last byte missing", "truncated|missing", false, func(b []byte) []byte { return b[:len(b)-1] }},
	{"first byte missing", "missing", true, func(b []byte) []byte { return b[1:] }},
	{"zeros in front", "zero", false, zeroed(func(int) int { return 0 })},
	{"zeros in the middle", "zero", false, zeroed(func(n int) int { return n / 2 })},
	{"a foreign sector", "", false, foreign},
	{"zeros at the end", "zero", false, zeroed(func(n int) int { return n - 1 })},
	{"twice", "second copy", true, func(b []byte) []byte { return append(bytes.Clone(b), b...) }},
	{"byte order mark", "precede", true, inFront("\xef\xbb\xbf")},
	{"1 byte in front", "precede", true, inFront(junk(1))},
	{"16 bytes in front", "precede", true, inFront(junk(16))},
	{"512 bytes in front", "precede", true, inFront(junk(512))},
	{"HTTP head in front", "HTTP", true, inFront("HTTP/1.1 200 OK\r\nServer: x\r\nContent-Type: application/octet-stream\r\n\r\n")},
	{"1 byte behind", "follow", true, func(b []byte) []byte { return append(bytes.Clone(b), junk(1)...) }},
	{"512 bytes behind", "follow", true, func(b []byte) []byte { return append(bytes.Clone(b), junk(512)...) }},
	{"padded to 4096", "padded", true, func(b []byte) []byte { return append(bytes.Clone(b), make([]byte, 4096-len(b)%4096)...) }},
	{"LF to CR LF", "line feeds", true, func(b []byte) []byte {
		if bytes.IndexByte(b, '\n') < 0 {
			return nil
		}
		return bytes.ReplaceAll(b, []byte("\n"), []byte("\r\n"))
	}},
	{"as UTF-8", "as text", true, func(b []byte) []byte {
		var out []rune
		for _, x := range b {
			out = append(out, rune(x))
		}
		if len(string(out)) == len(b) {
			return nil
		}
		return []byte(string(out))
	}},
	{"as U+FFFD", "lost", false, func(b []byte) []byte {
		if out := bytes.ToValidUTF8(b, []byte("\uFFFD")); bytes.Count(out, []byte("\uFFFD")) > 4 {
			return out
		}
		return nil
	}},
	{"swapped in 16 bits", "order", true, swapped(2)},
	{"swapped in 32 bits", "order", true, swapped(4)},
	{"swapped in 64 bits", "order", true, swapped(8)},
	{"gzip", "gzip", true, func(b []byte) []byte {
		var out bytes.Buffer
		w := gzip.NewWriter(&out)
		w.Write(b)
		w.Close()
		return out.Bytes()
	}},
	{"zip", "zip", true, zipped},
	{"base64", "base64", true, func(b []byte) []byte { return []byte(base64.StdEncoding.EncodeToString(b)) }},
	{"a web page", "web page", false, always("<!DOCTYPE html>\n<html><head><title>Sign in</title></head><body></body></html>")},
	{"Git-LFS pointer", "Git-LFS", false, always("version https://git-lfs.github.com/spec/v1\noid sha256:" + strings.Repeat("ab", 32) + "\nsize 123456\n")},
	{"empty", "empty", false, always("")},
	{"all zeros", "zeros", false, func(b []byte) []byte { return make([]byte, len(b)) }},
}

// folderWays are the ways in which the files of a folder get mixed up: one is lost, has another name, two have each other's.
var folderWays = []struct {
	name, says string
	back       bool
	damage     func(s *model.Snapshot, a, b string) *model.Snapshot
}{
	{"a file missing", "missing", false, func(s *model.Snapshot, a, _ string) *model.Snapshot { return s.With(a, nil) }},
	{"a file renamed", "under another name", true, func(s *model.Snapshot, a, _ string) *model.Snapshot {
		c, err := s.Content(a)
		if err != nil {
			return nil
		}
		return s.With(a, nil).With(path.Join(path.Dir(a), "x"+path.Base(a)), c)
	}},
	{"two files swapped", "have swapped content|each other.s", true, func(s *model.Snapshot, a, b string) *model.Snapshot {
		x, xerr := s.Content(a)
		y, yerr := s.Content(b)
		if xerr != nil || yerr != nil || a == b || contentSum(x) == contentSum(y) {
			return nil
		}
		return s.With(a, y).With(b, x)
	}},
}

// TestDamageFolder mixes up the files of folders.
func TestDamageFolder(t *testing.T) {
	files, _ := damages(t)
	for _, f := range All() {
		if f.Dataset == nil {
			continue
		}
		t.Run(f.Name, func(t *testing.T) {
			var all [2]rates
			paths := soundSamples(t, f.Name)
			for _, p := range paths[:min(len(paths), files)] {
				d := openSound(t, p)
				if d == nil {
					continue
				}
				names := companions(d)
				if len(names) < 2 {
					continue
				}
				for _, w := range folderWays {
					damaged := w.damage(d.Tree.Snapshot, names[pick(p+w.name, len(names))], names[pick(w.name+p, len(names))])
					if damaged == nil {
						continue
					}
					o := diagnosed(t, waits, d, damaged, func(cause.Place) bool { return false })
					if regexp.MustCompile(w.says).MatchString(o.text) {
						o.first = 1
					}
					k := 0
					if !w.back {
						k = 1
					}
					all[k].add(o)
					t.Logf("%s: first=%d back=%d restored=%d wrong=%d %5s %s | %s", w.name, o.first, o.back, o.restored, o.wrong, o.took.Round(10*time.Millisecond), filepath.Base(p), o.text)
					o.explain(t)
				}
			}
			suite.Rate(f.Name+", files mixed up, can be had back", all[0].String())
			suite.Rate(f.Name+", a file missing", all[1].String())
		})
	}
}

// companions are the files of a folder beside the main one.
func companions(d *model.Document) (out []string) {
	s := d.Tree.Snapshot
	for _, sp := range d.Tree.Spaces() {
		if c, err := s.Content(sp.File); err == nil && !sp.Derived() && c.Len() > 0 && sp.File != s.Primary && !slices.Contains(out, sp.File) {
			out = append(out, sp.File)
		}
	}
	slices.Sort(out)
	return out
}

// TestDamageWhole breaks files as a whole.
func TestDamageWhole(t *testing.T) {
	files, _ := damages(t)
	for _, f := range All() {
		t.Run(f.Name, func(t *testing.T) {
			var back, told rates
			paths := soundSamples(t, f.Name)
			for _, path := range paths[:min(len(paths), files)] {
				d := openSound(t, path)
				if d == nil {
					continue
				}
				sound := rowsOf(d.Tree)
				for _, name := range members(d) {
					for _, s := range scenarios {
						o, ok := broken(t, d, name, s, sound)
						if !ok {
							continue
						}
						if s.back {
							back.add(o)
						} else {
							told.add(o)
						}
						t.Logf("%s: first=%d offered=%d restored=%d wrong=%d rows=%d/%d %5s %s %s | %s", s.name, o.first, o.offered, o.restored, o.wrong, o.kept, o.of, o.took.Round(10*time.Millisecond), filepath.Base(path), filepath.Base(name), o.text)
						o.explain(t)
					}
				}
			}
			suite.Rate(f.Name+", broken as a whole, can be had back", back.String())
			suite.Rate(f.Name+", broken as a whole, something lost", told.String())
		})
	}
}

// members chooses files of a document: the main one, and two others of its folder.
func members(d *model.Document) (out []string) {
	if p := d.Tree.Snapshot.Primary; p != "" {
		out = append(out, p)
	}
	others := companions(d)
	sort.Slice(others, func(i, j int) bool {
		return pick(filepath.Base(d.Path)+path.Base(others[i]), 1<<30) < pick(filepath.Base(d.Path)+path.Base(others[j]), 1<<30)
	})
	return append(out, others[:min(len(others), 2)]...)
}

// broken breaks one file and looks what becomes of it.
func broken(t *testing.T, d *model.Document, name string, s scenario, sound map[string]printed) (o outcome, ok bool) {
	c, err := d.Tree.Snapshot.Content(name)
	if err != nil || c.Len() > 1<<20 || c.Len() == 0 || s.name == "padded to 4096" && path.Ext(name) == ".tar" { // zeros may follow the end of an archive
		return o, false
	}
	b := make([]byte, c.Len())
	c.ReadAt(b, 0)
	is := s.damage(b)
	if is == nil && s.name != "empty" || bytes.Equal(is, b) {
		return o, false
	}
	damaged := d.Tree.Snapshot.With(name, model.BytesContent(is))
	o = diagnosed(t, waits, d, damaged, func(cause.Place) bool { return false })
	if len(is) > 0 && s.says != "web page" && s.says != "Git-LFS" && s.says != "zeros" { // of these nothing is left
		var there *intact // all of it, where it can be had back
		if !s.back {
			there = left(d.Tree, name, b, is)
		}
		o.kept, o.of = readable(sound, rowsOf(o.shown), there)
		if saved := salvaged(o.shown); saved != nil && o.kept < o.of {
			kept, _ := readable(sound, rowsOf(saved), there)
			o.kept = max(o.kept, kept)
		}
	}
	if regexp.MustCompile(s.says).MatchString(o.text) {
		o.first = 1
	}
	return o, true
}

// TestDamageByte flips bytes: what a checksum covers comes back.
func TestDamageByte(t *testing.T) {
	files, fields := damages(t)
	for _, f := range All() {
		t.Run(f.Name, func(t *testing.T) {
			var all, summed rates
			paths := soundSamples(t, f.Name)
			for _, path := range paths[:min(len(paths), files)] {
				d := openSound(t, path)
				if d == nil {
					continue
				}
				for _, name := range members(d) {
					c, err := d.Tree.Snapshot.Content(name)
					if err != nil || c.Len() == 0 {
						continue
					}
					for k := range fields {
						at := int64(pick(fmt.Sprint(path, name, k), int(c.Len())))
						was := make([]byte, 1)
						c.ReadAt(was, at)
						is := was[0] ^ byte(1+pick(fmt.Sprint(k, path), 255))
						o := diagnosed(t, waits, d, d.Tree.Snapshot.With(name, c.Splice(at, 1, model.Memory([]byte{is}))), func(p cause.Place) bool {
							return p.File == name && p.Off-16 <= at && at < p.Off+p.Len+16 && p.Len <= 4096
						})
						all.add(o)
						if covered(d, name, at) {
							summed.add(o)
						}
						t.Logf("first=%d offered=%d restored=%d wrong=%d %5s %s %s@%d %02x->%02x | %s", o.first, o.offered, o.restored, o.wrong, o.took.Round(10*time.Millisecond), filepath.Base(path), filepath.Base(name), at, was, is, o.text)
						o.explain(t)
					}
				}
			}
			suite.Rate(f.Name+", one wrong byte", all.String())
			if summed.tried > 0 {
				suite.Rate(f.Name+", one wrong byte under a CRC-32", summed.String())
			}
		})
	}
}

// covered tells whether a byte of a file lies under a CRC-32.
func covered(d *model.Document, name string, at int64) bool {
	for _, l := range d.Tree.Links() {
		for _, s := range l.Targets {
			if l.Kind == model.ChecksumLink && l.Sum == model.CRC32 && d.Tree.FileName(s.Range) == name && s.Range.Off <= at && at < s.Range.End() {
				if sp := d.Tree.Space(s.Range.Space); sp != nil && !sp.Derived() && d.Tree.CheckSums(context.Background()) == nil {
					return true
				}
			}
		}
	}
	return false
}
