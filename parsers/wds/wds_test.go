package wds

import (
	"archive/tar"
	"bytes"
	"context"
	"crypto/md5"
	"errors"
	"fmt"
	"html"
	"io"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"spandrel/model"
	"spandrel/model/cause"
	"spandrel/parsers/internal/suite"
)

// packed is a shard as webdataset's TarWriter makes it: n samples with a class and a text that grows.
func packed(first, n int) []byte {
	var b bytes.Buffer
	w := tar.NewWriter(&b)
	for i := first; i < first+n; i++ {
		for _, m := range [][2]string{{"cls", fmt.Sprint(i % 3)}, {"jpg.txt", strings.Repeat("x", 300*i)}} {
			w.WriteHeader(&tar.Header{Name: fmt.Sprintf("img/%05d.%s", i, m[0]), Size: int64(len(m[1])), Mode: 0o444, ModTime: time.Unix(1700000000, 0), Format: tar.FormatUSTAR})
			w.Write([]byte(m[1]))
		}
	}
	w.Close()
	return b.Bytes()
}

// daliIndex is what wds2idx writes of packed(0, 3).
const daliIndex = "v1.2 3\n" +
	"cls 512 1 img/00000.cls jpg.txt 1536 0 img/00000.jpg.txt\n" +
	"cls 2048 1 img/00001.cls jpg.txt 3072 300 img/00001.jpg.txt\n" +
	"cls 4096 1 img/00002.cls jpg.txt 5120 600 img/00002.jpg.txt\n"

// widsIndex is what wids-index writes of two shards.
func widsIndex(shards ...[]byte) string {
	var entries []string
	for i, b := range shards {
		entries = append(entries, fmt.Sprintf("    {\n      \"url\": \"train-%d.tar\",\n      \"md5sum\": \"%x\",\n      \"nsamples\": %d,\n      \"filesize\": %d\n    }", i, md5.Sum(b), 3-i, len(b)))
	}
	return "{\n  \"__kind__\": \"wids-shard-index-v1\",\n  \"wids_version\": 1,\n  \"shardlist\": [\n" + strings.Join(entries, ",\n") + "\n  ],\n  \"name\": \"train\"\n}"
}

func samplesMade() map[string][]byte {
	out := map[string][]byte{}
	dali := func(name, old, new string) {
		out[name+"/train.idx"], out[name+"/train.tar"] = []byte(strings.Replace(daliIndex, old, new, 1)), packed(0, 3)
	}
	wids := func(name, old, new string) {
		a, b := packed(0, 3), packed(3, 2)
		out[name+"/shardindex.json"], out[name+"/train-0.tar"], out[name+"/train-1.tar"] = []byte(strings.Replace(widsIndex(a, b), old, new, 1)), a, b
	}
	dali("good/dali", "", "")
	wids("good/wids", "", "")
	out["good/old.idx"] = []byte("v1.1 2\ncls 512 1\ncls 1536 1\n")
	out["good/empty-lines.idx"] = []byte("v1.1 2\r\ncls 512 1\r\ncls 1536 1\r\n\r\n\n")
	out["bad/001-heading.idx"] = []byte("v1.2\n" + daliIndex[7:])
	dali("bad/002-version", "v1.2", "v1.3")
	dali("bad/003-count", "v1.2 3", "v1.2 4")
	dali("bad/004-word", " 300 img/00001.jpg.txt", " 300")
	dali("bad/006-order", "1536 0 ", "0 1536 ")
	dali("bad/005-offset", "3072", "3073")
	dali("bad/006-moved", "5120", "5632")
	dali("bad/007-size", " 300 ", " 301 ")
	dali("bad/008-name", "img/00001.cls", "img/00009.cls")
	dali("bad/008-extension", "cls 2048", "cla 2048")
	dali("bad/008-exchanged", "4096 1 img/00002.cls", "512 1 img/00002.cls")
	dali("bad/009-unlisted", daliIndex, "v1.2 2\n"+strings.Join(strings.SplitAfter(daliIndex, "\n")[1:3], ""))
	dali("bad/005-blocks", daliIndex, inUnits(func(n int) int { return n / 512 }))
	dali("bad/010-no-archive", "", "")
	delete(out, "bad/010-no-archive/train.tar")
	wids("bad/011-cut", "    {\n      \"url\": \"train-1.tar\"", "    {\n      \"url\": \"train-1.tar\n")
	wids("bad/011-comma", "    }\n  ]", "    },\n  ]")
	wids("bad/011-quotes", `"name": "train"`, `'name': None`)
	wids("bad/012-version", `"wids_version": 1`, `"wids_version": 2`)
	wids("bad/012-no-version", `"wids_version": 1`, `"wids": 1`)
	wids("bad/013-no-shards", `"shardlist"`, `"shards"`)
	wids("bad/014-no-count", `"nsamples": 2`, `"samples": 2`)
	wids("bad/015-count", `"nsamples": 2`, `"nsamples": 3`)
	wids("bad/016-size", `"filesize": `, `"filesize": 1`)
	dali("bad/019-archive", "", "")
	out["bad/019-archive/train.tar"] = out["bad/019-archive/train.tar"][:2000]
	dali("bad/019-header", "", "")
	out["bad/019-header/train.tar"][1024+109] ^= 4 // in the user id of the second member
	out["bad/018-appended.idx"] = append(bytes.Clone(out["good/empty-lines.idx"]), out["good/old.idx"]...)
	wids("bad/017-sum", `"md5sum": "`, `"md5sum": "0`)
	return out
}

func TestWDSSamples(t *testing.T) { suite.Samples(t, "wds", samplesMade()) }

func TestTranscript(t *testing.T) { suite.Transcript(t, Format, suite.BadSamples(t, Format)) }

// open writes files into a folder and opens the one with a name.
func open(t *testing.T, name string, files map[string][]byte) *model.Document {
	t.Helper()
	dir := t.TempDir()
	for file, b := range files {
		if err := os.WriteFile(filepath.Join(dir, file), b, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	d, err := model.Open(context.Background(), filepath.Join(dir, name), []*model.Format{Format}, nil)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(d.Close)
	return d
}

// TestTables: an index has a row for each sample or archive, and an offset leads into the archive.
func TestTables(t *testing.T) {
	d := open(t, "train.idx", map[string][]byte{"train.idx": []byte(daliIndex), "train.tar": packed(0, 3)})
	tab := tables(t.Context(), d.Tree)[0]
	rows, err := tab.Read(t.Context(), 0, tab.Rows)
	if err != nil || len(rows) != 3 || rows[2][0].Value.Text() != "img/00002" || rows[2][1].Value.Text() != "cls jpg.txt" || rows[2][3].Value.Uint() != 601 || rows[2][4].Value.Uint() != 4096 {
		t.Errorf("%v, %v", rows, err)
	}
	x := model.StateOf[*index](d.Tree)
	s := x.word(t.Context(), d.Tree, place{1, 1}, 1)
	if at, ok := toPayload(d.Tree, s); s.Field != words[1] || !ok || at.Off != 3072 || at.Space != x.archives[0].beside.Range.Space {
		t.Errorf("%v: %v, %v", s.Field.Name, at, ok)
	}
	a, b := packed(0, 3), packed(3, 2)
	d = open(t, "shardindex.json", map[string][]byte{"shardindex.json": []byte(widsIndex(a, b)), "train-0.tar": a, "train-1.tar": b})
	tab = tables(t.Context(), d.Tree)[0]
	if rows, err = tab.Read(t.Context(), 0, tab.Rows); err != nil || len(rows) != 2 || rows[1][0].Value.Text() != "train-1.tar" || rows[1][1].Value.Int() != 2 {
		t.Errorf("%v, %v", rows, err)
	}
	if lines := model.Card(t.Context(), d.Tree); !slices.Contains(lines, model.CardLine{Label: model.SumsLabel, Text: "MD5 of 2 archives"}) {
		t.Errorf("%v", lines)
	}
}

// TestEditedByHand: an index with slips of someone who edited it is still recognised, and the repair restores it. One that may change a value is not safe.
func TestEditedByHand(t *testing.T) {
	a, b := packed(0, 3), packed(3, 2)
	for name, x := range map[string]struct {
		change func(string) string
		safe   bool
	}{
		"a comma":         {func(s string) string { return strings.Replace(s, "    }\n  ]", "    },\n  ]", 1) }, true},
		"a mark":          {func(s string) string { return "\ufeff" + s }, true},
		"no comma":        {func(s string) string { return strings.Replace(s, "3,\n", "3\n", 1) }, false},
		"Python":          {func(s string) string { return strings.ReplaceAll(s, `"`, "'") }, false},
		"an editor":       {func(s string) string { return regexp.MustCompile(`"([^"]*)"`).ReplaceAllString(s, "“$1”") }, true},
		"a template":      {html.EscapeString, true},
		"a bracket":       {func(s string) string { return strings.TrimSuffix(s, "\n}") }, false},
		"a comment first": {func(s string) string { return "// of the tests\n" + s }, false},
	} {
		whole := widsIndex(a, b)
		d := open(t, "shardindex.json", map[string][]byte{"shardindex.json": []byte(x.change(whole)), "train-0.tar": a, "train-1.tar": b})
		found, _ := d.Tree.Findings()
		if len(found) != 1 || !strings.Contains(found[0].Message, "the index is not valid JSON: ") {
			t.Errorf("%s: %v", name, found)
			continue
		}
		fixes := d.Tree.Fixes(t.Context(), &found[0])
		if len(fixes) != 1 || fixes[0].Safe != x.safe {
			t.Errorf("%s: %v", name, fixes)
			continue
		}
		p, err := d.Plan(t.Context(), "repair", fixes[0].Edits...)
		if err != nil {
			t.Fatal(err)
		}
		d.Apply(t.Context(), p, nil)
		if got := suite.Bytes(t, d); strings.Join(strings.Fields(string(got)), "") != strings.Join(strings.Fields(whole), "") {
			t.Errorf("%s: %s", name, got)
		}
	}
	d := open(t, "shardindex.json", map[string][]byte{"shardindex.json": []byte(strings.Replace(strings.Replace(widsIndex(a, b), "    }\n  ]", "    },\n  ]", 1), `: 1`, `: 2`, 1))})
	found, _ := d.Tree.Findings()
	for i := range found {
		if fixes := d.Tree.Fixes(t.Context(), &found[i]); found[i].Rule == notJSON && len(fixes) > 0 {
			t.Errorf("an index of an unknown version: %v", fixes)
		}
	}
}

// TestRebuild: an index that is rebuilt is what DALI's own indexer writes of the archive.
func TestRebuild(t *testing.T) {
	for _, was := range []string{"v1.1 1\ncls 512 1\n", "v9.9\n", strings.ReplaceAll(daliIndex, " 5", " 6")} {
		d := open(t, "train.idx", map[string][]byte{"train.idx": []byte(was), "train.tar": packed(0, 3)})
		edits, err := rebuild(t.Context(), d.Tree)
		if err != nil {
			t.Fatal(err)
		}
		p, err := d.Plan(t.Context(), "rebuild", edits...)
		if err != nil {
			t.Fatal(err)
		}
		d.Apply(t.Context(), p, nil)
		if got := suite.Bytes(t, d); string(got) != daliIndex {
			t.Errorf("%s", got)
		}
	}
}

// Lists of nothing, one line, one word, shards that say it again.
func TestWDSLimits(t *testing.T) {
	of := func(name string, f func(n int) string) func(int) map[string][]byte {
		return func(n int) map[string][]byte {
			files := map[string][]byte{name: []byte(f(n))}
			maps.Copy(files, map[string][]byte{"a.tar": packed(0, 3)})
			return files
		}
	}
	suite.Limits(t, Format, suite.Hostile{
		"lines":    of("a.idx", func(n int) string { return "v1.2 9\n" + strings.Repeat("\n", n) }),
		"one-line": of("a.idx", func(n int) string { return "v1.1 1\n" + strings.Repeat("a 512 1 ", n/8) }),
		"one-word": of("a.idx", func(n int) string { return "v1.1 1\n" + strings.Repeat("a", n) }),
		"wrong":    of("a.idx", func(n int) string { return "v1.1 1\n" + strings.Repeat("a 1 1\n", n/6) }),
		"again":    of("a.idx", func(n int) string { return "v1.1 1\n" + strings.Repeat("a 512 1\n", n/8) }),
		"large": of("a.idx", func(n int) string {
			return "v1.1 999999999999999999\n" + strings.Repeat("a 9223372036854775296 9223372036854775807\n", n/43)
		}),
		"shards": of("a.json", func(n int) string {
			return `{"wids_version":1,"shardlist":[` + strings.Repeat(`{"url":"a.tar","nsamples":3},`, n/29) + `{}]}`
		}),
		"no-shards": of("a.json", func(n int) string { return `{"wids_version":1,"shardlist":[` + strings.Repeat(`{},`, n/3) + `{}]}` }),
		"open":      of("a.json", func(n int) string { return `{"wids_version":1,"shardlist":` + strings.Repeat(`[`, n) }),
		"far": of("a.json", func(n int) string {
			return `{"wids_version":1,"shardlist":[` + strings.Repeat(`{"url":"../../etc/passwd","nsamples":3},`, n/40) + `{}]}`
		}),
	})
}

// inUnits is the index with offsets that are counted in another way.
func inUnits(n func(int) int) string {
	return regexp.MustCompile(`(cls|txt) (\d+) `).ReplaceAllStringFunc(daliIndex, func(s string) string {
		at, _ := strconv.Atoi(s[4 : len(s)-1])
		return fmt.Sprintf("%s %d ", s[:3], n(at))
	})
}

// TestOffsetsRecounted: a writer counted the offsets in blocks, or from another place. The repair restores the index, of both versions.
func TestOffsetsRecounted(t *testing.T) {
	names := regexp.MustCompile(` img/\S+`)
	for says, n := range map[string]func(int) int{
		"count units of 512 bytes instead of bytes.":                           func(n int) int { return n / 512 },
		"are each 512 too small.":                                              func(n int) int { return n - 512 },
		"count units of 512 bytes instead of bytes, and then are each 1 too s": func(n int) int { return n/512 - 1 },
	} {
		for _, version := range []string{"v1.1", "v1.2"} {
			good, bad := daliIndex, inUnits(n)
			if version == "v1.1" {
				good, bad = names.ReplaceAllString(strings.Replace(good, "v1.2", version, 1), ""), names.ReplaceAllString(strings.Replace(bad, "v1.2", version, 1), "")
			}
			dir := t.TempDir()
			if err := errors.Join(os.WriteFile(filepath.Join(dir, "train.idx"), []byte(bad), 0o600), os.WriteFile(filepath.Join(dir, "train.tar"), packed(0, 3), 0o600)); err != nil {
				t.Fatal(err)
			}
			d, err := model.Open(t.Context(), filepath.Join(dir, "train.idx"), []*model.Format{Format}, nil)
			if err != nil {
				t.Fatal(err)
			}
			t.Cleanup(d.Close)
			g, err := cause.Find(t.Context(), d, cause.Options{Formats: []*model.Format{Format}, Deep: true})
			if err != nil || len(g.Causes) == 0 || len(g.Causes[0].Repairs) == 0 {
				t.Errorf("%s %s: %v %+v", version, says, err, g.Findings)
				continue
			}
			c := g.Causes[0]
			is, err := c.Repairs[0].To.Content("train.idx")
			if err != nil {
				t.Fatal(err)
			}
			b, _ := io.ReadAll(io.NewSectionReader(is, 0, is.Len()))
			if !strings.HasPrefix(c.Text, "The offsets of all components "+says) || c.Grade < cause.Likely || string(b) != good {
				t.Errorf("%s %s: %s %s %v\n%s", version, says, c.Grade, c.Text, c.Evidence, b)
			}
		}
	}
}

// The lines of a sorted index are put back in the order of the archive, if they are those of its index.
func TestSortedIndex(t *testing.T) {
	for _, lost := range []bool{false, true} {
		lines := slices.Sorted(strings.Lines(daliIndex))
		if lost {
			lines = lines[1:]
		}
		dir := t.TempDir()
		if err := errors.Join(os.WriteFile(filepath.Join(dir, "train.idx"), []byte(strings.Join(lines, "")), 0o600), os.WriteFile(filepath.Join(dir, "train.tar"), packed(0, 3), 0o600)); err != nil {
			t.Fatal(err)
		}
		d, err := model.Open(t.Context(), filepath.Join(dir, "train.idx"), []*model.Format{Format}, nil)
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(d.Close)
		list, _, err := cause.ApplyProven(t.Context(), d, cause.Options{Formats: []*model.Format{Format}}, nil)
		if err != nil || len(list) > 0 == lost {
			t.Fatalf("a line lost: %v; repairs made: %d, %v", lost, len(list), err)
		}
		is, err := d.Tree.Snapshot.Content("train.idx")
		if err != nil {
			t.Fatal(err)
		}
		if b, _ := io.ReadAll(io.NewSectionReader(is, 0, is.Len())); !lost && string(b) != daliIndex {
			t.Errorf("%s", b)
		}
	}
}

// A text tool replaced a word in the names of an archive: its checksums are written again, and the index keeps what it says about the archive that it lists.
func TestWordReplaced(t *testing.T) {
	good := packed(0, 3)
	index := widsIndex(good, packed(3, 2))
	d := open(t, "train.json", map[string][]byte{"train.json": []byte(index), "train-0.tar": bytes.ReplaceAll(good, []byte("img/"), []byte("pic/")), "train-1.tar": packed(3, 2)})
	g, err := cause.Find(t.Context(), d, cause.Options{Formats: []*model.Format{Format}, Deep: true})
	if err != nil || len(g.Causes) == 0 || len(g.Causes[0].Repairs) == 0 {
		t.Fatal(err, g.Findings)
	}
	c := g.Causes[0]
	if to := c.Repairs[0].To.Edited(); !strings.HasPrefix(c.Text, "The names of 6 members were changed") || c.Grade != cause.Likely || len(to) != 1 || to[0] != "train-0.tar" {
		t.Errorf("%s %s: %v", c.Grade, c.Text, to)
	}
}
