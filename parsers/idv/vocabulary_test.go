package idv

import (
	"archive/zip"
	"bufio"
	"context"
	"encoding/binary"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"unicode/utf16"

	"spandrel/model"
)

// vocabularyOf is a vocabulary as ML.NET writes it: a map of texts, and one of numbers.
func vocabularyOf(texts []string, numbers ...int32) []byte {
	le := binary.LittleEndian
	maps := le.AppendUint32(nil, 2)
	maps = le.AppendUint32(append(maps, 0), uint32(len(texts)))
	var ends, letters []byte
	for i, s := range texts {
		maps = le.AppendUint32(maps, uint32(i))
		for _, u := range utf16.Encode([]rune(s)) {
			letters = le.AppendUint16(letters, u)
		}
		ends = le.AppendUint64(ends, uint64(len(letters)))
	}
	maps = le.AppendUint32(append(maps, "\x01\x05Int32\x00"...), uint32(len(numbers)))
	for _, n := range numbers {
		maps = le.AppendUint32(maps, uint32(n))
	}
	head := append([]byte(partSignature), 2, 0, 1, 0, 2, 0, 1, 0)
	at := uint64(256)
	for _, part := range [][]byte{maps, ends, letters} {
		head = le.AppendUint64(le.AppendUint64(head, at), uint64(len(part)))
		at += uint64(len(part))
	}
	head = append(append(head, "TERM\x00MAN"...), make([]byte, 256-72)...)
	return slices.Concat(head, maps, ends, letters, []byte("A\x00LEDOM\x00LM"))
}

// The vocabularies of a model archive are tables, and what is left of a damaged one is no reason to fail.
func TestVocabulary(t *testing.T) {
	const name = `Transform_000\Vocabulary`
	b := vocabularyOf([]string{"rot", "", "blau 🙂"}, 7, -1)
	tables := tablesOf(t, open(t, "model.zip", zipped(t, member{name + `\Model.key`, b})))
	if got, want := tables[name], "1 rot, 2 , 3 blau 🙂"; got != want {
		t.Errorf("texts: %s, want %s", got, want)
	}
	if got, want := tables[name+" #2"], "1 7, 2 -1"; got != want {
		t.Errorf("numbers: %s, want %s", got, want)
	}
	for at := 16; at < len(b); at += 3 { // whatever a byte is changed to, and wherever the rest is cut
		for _, damaged := range [][]byte{b[:at], slices.Concat(b[:at], []byte{^b[at]}, b[at+1:])} {
			tablesOf(t, open(t, "model.zip", zipped(t, member{name + `\Model.key`, damaged})))
		}
	}
}

// Beside each vocabulary ML.NET writes its terms as text: the tables are the same.
func TestVocabularyTexts(t *testing.T) {
	root := os.Getenv("SPANDREL_CORPUS")
	if root == "" {
		t.Skip("no SPANDREL_CORPUS")
	}
	compared := 0
	err := filepath.WalkDir(root, func(path string, _ fs.DirEntry, err error) error {
		if ext := filepath.Ext(path); err != nil || ext != ".zip" && ext != ".mlnet" {
			return err
		}
		z, err := zip.OpenReader(path)
		if err != nil {
			return nil // damaged on purpose
		}
		defer z.Close()
		b, _ := os.ReadFile(path)
		var tables map[string]string
		for _, f := range z.File {
			label, is := strings.CutSuffix(f.Name, `\Terms.txt`)
			if !is {
				continue
			}
			if tables == nil {
				tables = tablesOf(t, open(t, filepath.Base(path), b))
			}
			if got, want := tables[label], termsIn(t, f); got != want {
				t.Errorf("%s: %s: %.200q, want %.200q", path, label, got, want)
			}
			compared++
		}
		return nil
	})
	if err != nil || compared == 0 {
		t.Errorf("%d vocabularies compared, %v", compared, err)
	}
}

// termsIn is a list of terms that ML.NET wrote, with keys that begin at 1.
func termsIn(t *testing.T, f *zip.File) string {
	r, err := f.Open()
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	var out []string
	for lines := bufio.NewScanner(r); lines.Scan(); {
		if key, term, ok := strings.Cut(lines.Text(), "\t"); ok && !strings.HasPrefix(key, "#") {
			var i int
			fmt.Sscan(key, &i)
			out = append(out, fmt.Sprintf("%d %s", i+1, term))
		}
	}
	return strings.Join(out, ", ")
}

// tablesOf are the tables of a document, their rows in a line.
func tablesOf(t *testing.T, d *model.Document) map[string]string {
	t.Helper()
	out := map[string]string{}
	for _, tab := range d.Format.Tables(context.Background(), d.Tree) {
		rows, err := tab.Read(context.Background(), 0, tab.Rows)
		if err != nil {
			t.Fatal(tab.Name, err)
		}
		var text []string
		for _, r := range rows {
			var cells []string
			for _, c := range r {
				cells = append(cells, c.String())
			}
			text = append(text, strings.Join(cells, " "))
		}
		out[tab.Name] = strings.Join(text, ", ")
	}
	return out
}
