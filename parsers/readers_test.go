package parsers

import (
	"bytes"
	"context"
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"spandrel/model"
	"spandrel/model/cause"
)

// What a reader is said to do has a source, is of rules that exist, and of versions that are known in their order. A message that no
// rule explains says itself what it means and what to do.
func TestReadersKnow(t *testing.T) {
	for _, f := range All() {
		for _, r := range f.Readers {
			for _, x := range r.Reactions {
				for fault, is := range map[string]bool{
					"without Rules needs Text, Means and Do": len(x.Rules) == 0 && (x.Text == "" || x.Means == "" || x.Do == ""),
					"without Rules cannot say what it Does":  len(x.Rules) == 0 && x.Does != model.May,
					"says what it Does without a Source":     x.Does != model.May && x.Source == "",
					"has a Source, but not what it Does":     x.Does == model.May && x.Source != "",
					"has neither Text nor what it Does":      x.Does == model.May && x.Text == "",
				} {
					if is {
						t.Errorf("%s: the reaction %q of %v %s", r.Name, x.Text, x.Rules, fault)
					}
				}
				for _, id := range x.Rules {
					if f.Rule(id) == nil {
						t.Errorf("%s: no rule %s", r.Name, id)
					}
				}
				from, to := slices.Index(r.Versions, x.From), slices.Index(r.Versions, x.To)
				if x.From != "" && from < 0 || x.To != "" && to < 0 || x.From != "" && x.To != "" && from > to {
					t.Errorf("%s: %q: versions %q to %q are not known", r.Name, x.Text, x.From, x.To)
				}
			}
		}
	}
}

// Verdicts on samples are those that the readers themselves gave.
func TestReadersJudge(t *testing.T) {
	for _, x := range []struct {
		path, reader, version string
		does                  model.Does
		says                  string
	}{
		{"npy/good/vector.npy", "numpy", "", model.Ignores, ""},
		{"npy/bad/003-cut.npy", "numpy", "2.2", model.Refuses, "cannot reshape array of size … into shape"},
		{"npy/bad/003-cut.npy", "numpy", "2.4.6", model.Refuses, "Failed to read all data"},
		{"npy/bad/004-behind.npy", "numpy", "", model.Ignores, ""},
		{"npy/bad/005-objects.npy", "numpy", "", model.Refuses, "Object arrays cannot be loaded when allow_pickle=False"},
		{"npy/bad/005-structured-objects.npy", "numpy", "", model.Refuses, "Object arrays cannot be loaded when allow_pickle=False"},
		{"npy/good/structured.npy", "numpy", "", model.Ignores, ""},
		{"tar/bad/010-split.tar", "tarfile", "", model.Ignores, ""},
		{"tar/bad/010-split.tar", "webdataset", "", model.Misreads, ""},
		{"npy/bad/014-checksum.npz", "numpy", "", model.Fails, "Bad CRC-32 for file"},
		{"safetensors/bad/008-cut.safetensors", "safetensors", "0.5", model.Refuses, "MetadataIncompleteBuffer"},
		{"safetensors/bad/008-cut.safetensors", "safetensors", "", model.Refuses, "incomplete metadata, file not fully covered"},
		{"safetensors/good/small-floats.safetensors", "safetensors", "", model.Ignores, ""},
		{"safetensors/good/small-floats.safetensors", "safetensors", "0.5", model.Refuses, "InvalidHeaderDeserialization"},
		{"tar/bad/009-same-name.tar", "tarfile", "", model.Ignores, ""},
		{"tar/bad/009-same-name.tar", "webdataset", "", model.Fails, "duplicate file name in tar file"},
		{"npy/bad/010-no-directory.npz", "numpy", "", model.Refuses, "File is not a zip file"},
		{"npy/bad/011-no-member.npz", "numpy", "", model.Fails, ""},
		{"npy/bad/012-differs.npz", "numpy", "", model.Fails, "File name in directory … and header … differ"},
		{"npy/bad/013-in-front.npz", "numpy", "", model.Refuses, "This file contains pickled"},
		{"npy/bad/014-magic.npz", "numpy", "", model.Fails, "Bad CRC-32 for file"},
		{"npy/bad/015-no-array.npz", "numpy", "", model.Ignores, ""},
		{"tar/bad/001-checksum.tar", "tarfile", "", model.Refuses, "bad checksum"},
		{"tar/bad/002-no-header.tar", "tarfile", "", model.May, ""},
		{"tar/bad/003-size.tar", "tarfile", "", model.Refuses, "invalid header"},
		{"tar/bad/004-cut.tar", "tarfile", "", model.Fails, "unexpected end of data"},
		{"tiledb/good/dense-v22", "tiledb", "", model.Ignores, ""},
		{"tiledb/good/dense-v22", "tiledb", "2.20", model.Refuses, "Array format version (22) is newer than the library format version (21)"},
		{"idv/bad/008-negative-rows.idv", "mlnet", "3", model.Refuses, "Row count cannot be negative"},
		{"scdl/bad/003-sample.sch", "bionemo-scdl", "", model.Refuses, "Invalid endianness: … (must be 1 for NETWORK)"},
		{"scdl/good/legacy", "bionemo-scdl", "", model.Ignores, ""},
		{"scdl/good/chunked", "bionemo-scdl", "", model.Refuses, "The mmap file at … is missing"},
		{"scdl/good/chunks.sch", "bionemo-scdl", "", model.Refuses, "Invalid backend value: 2"},
		{"taridx/bad/022-n-rows", "glzn", "", model.Refuses, "n_rows in data do not match header!"},
		{"gguf/bad/001-magic.gguf", "llama.cpp", "", model.May, ""},
		{"gguf/bad/001-magic.gguf", "gguf", "", model.Refuses, "GGUF magic invalid"},
		{"gguf/bad/003-big-endian.gguf", "gguf", "", model.Ignores, ""},
		{"gguf/bad/006-strings.gguf", "gguf", "", model.Refuses, ""},
		{"gguf/bad/012-dims.gguf", "gguf", "", model.Ignores, ""},
		{"gguf/bad/015-offset.gguf", "gguf", "", model.Misreads, ""},
		{"gguf/bad/017-cut.gguf", "gguf", "", model.Refuses, "cannot reshape array of size … into shape"},
		{"gguf/bad/024-tensors.gguf", "gguf", "", model.Misreads, ""},
		{"gguf/bad/025-key.gguf", "gguf", "", model.May, ""},
		{"gguf/bad/027-text.gguf", "gguf", "", model.Fails, "UnicodeDecodeError: 'utf-8' codec can't decode"},
		{"gguf/bad/token.gguf", "gguf", "", model.Fails, "UnicodeDecodeError: 'utf-8' codec can't decode"},
		{"npy/good/vector.npy", "mlnet", "", model.Refuses, ""},
	} {
		g := judged(t, filepath.Join("..", "testdata", x.path), true)
		v := reader(t, x.reader).Judge(context.Background(), g.Tree, g.Findings, x.version)
		if v.Does != x.does || v.Says != x.says {
			t.Errorf("%s: %s, %q", x.path, v.Does.Word(), v.Says)
		}
		if slices.ContainsFunc(v.Findings, func(i int) bool { return i >= len(g.Findings) }) {
			t.Errorf("%s: the verdict follows from what was not found", x.path)
		}
	}
	if r := reader(t, "tiledb"); r.Version("2") != "2.30" || r.Version("2.20.1") != "2.20" || r.Version("9") != "" {
		t.Error("a version is taken for another")
	}
}

// What a document's own readers make of it is told where it is known: all of it after a check of everything, before that only that it is refused.
// The file of a folder that is refused has its name.
func TestReadersAnswer(t *testing.T) {
	for path, want := range map[string][2][]string{ // after a quick check, after a deep one
		"idv/bad/008-negative-rows.idv":    {{`ML.NET refuses this file: "Row count cannot be negative"`}, {`ML.NET refuses this file: "Row count cannot be negative"`}},
		"idv/bad/051-length.idv":           {{}, {`ML.NET opens this file, but fails when it reads the damaged part: "negative compressed block length detected"`}},
		"npy/good/matrix.npy":              {{}, {"numpy opens this file: [2, 3], 6 values"}},
		"safetensors/bad/checkpoint-zeros": {{`safetensors refuses model-00003-of-00003.safetensors: "invalid JSON in header"`}, {`safetensors refuses model-00003-of-00003.safetensors: "invalid JSON in header"`}},
		"tiledb/good/sparse-v23":           {{}, {}}, // of a version later than what is known
		"gguf/bad/001-magic.gguf":          {{`gguf (Python) refuses this file: "GGUF magic invalid"`}, {`gguf (Python) refuses this file: "GGUF magic invalid"`}},
	} {
		for i, deep := range []bool{false, true} {
			g := judged(t, filepath.Join("..", "testdata", path), deep)
			got := []string{}
			for _, v := range g.Tree.Verdicts(context.Background(), g.Findings, deep) {
				got = append(got, v.Text(context.Background(), g.Tree))
			}
			if !slices.Equal(got, want[i]) {
				t.Errorf("%s, deep %v: %q", path, deep, got)
			}
		}
	}
}

// verdict is what a reader makes of a file, all of which is checked.
func verdict(t *testing.T, path, name, version string) model.Verdict {
	t.Helper()
	g := judged(t, path, true)
	return reader(t, name).Judge(context.Background(), g.Tree, g.Findings, version)
}

// zipfile looks at what it has a use for: at the lower byte of the version in the directory, and at the size there until it has all of an array.
func TestReadersZip(t *testing.T) {
	b, err := os.ReadFile("../testdata/npy/good/arrays.npz")
	if err != nil {
		t.Fatal(err)
	}
	entry := bytes.Index(b, []byte("PK\x01\x02"))
	for _, x := range []struct {
		at, add int
		does    model.Does
	}{
		{entry + 26, 0x80, model.Ignores}, // the size is 8 MiB larger
		{entry + 24, -1, model.Fails},
		{entry + 6, 0x80, model.Refuses}, // the version
		{entry + 7, 0x80, model.Ignores},
		{4, 0x80, model.Ignores},                                             // that of the header in front of the data
		{bytes.LastIndex(b, []byte("PK\x01\x02")) + 31, 0x80, model.Ignores}, // the extra field of the last entry is longer
		{len(b) - 10, -int(b[len(b)-10]), model.Misreads},                    // the directory is empty
	} {
		c := bytes.Clone(b)
		c[x.at] += byte(x.add)
		path := filepath.Join(t.TempDir(), "a.npz")
		if err := os.WriteFile(path, c, 0o600); err != nil {
			t.Fatal(err)
		}
		if v := verdict(t, path, "numpy", ""); v.Does != x.does {
			t.Errorf("%d added at %d: numpy %s", x.add, x.at, v.Does.Word())
		}
	}
}

// judged is what is found in a file.
func judged(t *testing.T, path string, deep bool) *cause.Diagnosis {
	t.Helper()
	d, err := model.Open(context.Background(), path, All(), nil)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { d.Close() })
	g, err := cause.Find(context.Background(), d, cause.Options{Formats: All(), Deep: deep, Tree: d.Tree, Time: -1})
	if err != nil {
		t.Fatal(err)
	}
	return g
}

func reader(t *testing.T, name string) *model.Software {
	t.Helper()
	for _, f := range All() {
		for _, r := range f.Readers {
			if r.Name == name {
				return r
			}
		}
	}
	t.Fatalf("no reader %s", name)
	return nil
}

// Where the corpus has what a reader did with a file, the table says nothing else. That it is silent about a file is allowed, and counted.
func TestReadersAgree(t *testing.T) {
	corpus := os.Getenv("SPANDREL_CORPUS")
	if corpus == "" {
		t.Skip("SPANDREL_CORPUS is not set")
	}
	lists, _ := filepath.Glob(filepath.Join(corpus, "idv", "expected", "*.json"))
	more, _ := filepath.Glob(filepath.Join(corpus, "scdl", "expected", "*", "*.json"))
	judged, silent := 0, 0
	for _, list := range append(lists, more...) {
		b, err := os.ReadFile(list)
		if err != nil {
			t.Fatal(err)
		}
		var truth struct {
			LoaderVerdict *struct{ Opens, ReadsAll bool }
			Reference     *struct {
				Loads bool
				Rows  string `json:"rows_error"`
			} `json:"reference_reader"`
		}
		if err := json.Unmarshal(b, &truth); err != nil {
			t.Fatal(list, err)
		}
		path := strings.TrimSuffix(strings.Replace(list, string(filepath.Separator)+"expected", "", 1), ".json")
		var does []model.Does
		name, version := "mlnet", "0.6"
		switch l, r := truth.LoaderVerdict, truth.Reference; {
		case l != nil:
			does = deeds(l.Opens, l.ReadsAll)
		case r != nil:
			does, name, version = deeds(r.Loads, r.Rows == ""), "bionemo-scdl", ""
		default:
			continue
		}
		if _, err := os.Stat(path); err != nil {
			path += ".sch"
		}
		v := verdict(t, path, name, version)
		judged++
		if v.Does == model.May {
			silent++
		} else if !slices.Contains(does, v.Does) {
			t.Errorf("%s: %s does %q, and is said to do %q", path, name, does[0].Word(), v.Does.Word())
		}
	}
	if t.Logf("%d files, silent of %d", judged, silent); judged < 100 || silent*20 > judged {
		t.Error("too little is known")
	}
}

// deeds are the words for what a reader was seen to do.
func deeds(opens, reads bool) []model.Does {
	switch {
	case !opens:
		return []model.Does{model.Refuses}
	case !reads:
		return []model.Does{model.Fails}
	}
	return []model.Does{model.Ignores, model.Misreads}
}
