package taridx

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"spandrel/model"
	"spandrel/parsers/internal/suite"
)

// listing is an index of names and rows as they are.
func listing(exts, stems string, rows []byte) []byte {
	b := (&writer{}).bytes()[:64]
	le := binary.LittleEndian
	le.PutUint64(b[16:], uint64(len(rows)/32))
	le.PutUint64(b[24:], uint64(len(rows)/32))
	le.PutUint32(b[32:], uint32(strings.Count(exts, "\n")+1))
	le.PutUint32(b[36:], uint32(strings.Count(stems, "\n")))
	le.PutUint64(b[40:], uint64(64+len(exts)))
	le.PutUint64(b[48:], uint64(64+len(exts)+len(stems)))
	return append(append(append(b, exts...), stems...), rows...)
}

// line is a row.
func line(shard uint16, offset, size uint64, ext uint16, crash uint32, hash uint64) []byte {
	le := binary.LittleEndian
	b := le.AppendUint64(le.AppendUint64(le.AppendUint16(nil, shard), offset), size)
	return le.AppendUint64(le.AppendUint32(le.AppendUint16(b, ext), crash), hash)
}

// Indexes of one row many times, of names without letters, of shards that are elsewhere.
func TestTaridxLimits(t *testing.T) {
	head := tarBytes(t, file{name: "a.jpg"})[:512]
	of := func(f func(n int) []byte) func(int) map[string][]byte {
		return func(n int) map[string][]byte {
			return map[string][]byte{"train.taridx": f(n / 2), "train_0000.tar": bytes.Repeat(head, n/2/512)}
		}
	}
	rows := func(n int, row func(i int) []byte) []byte {
		b := make([]byte, 0, n)
		for i := range n / 32 {
			b = append(b, row(i)...)
		}
		return b
	}
	suite.Limits(t, Format, suite.Hostile{
		"extensions": of(func(n int) []byte { return listing(strings.Repeat("\n", n), "", nil) }),
		"stems":      of(func(n int) []byte { return listing("jpg", strings.Repeat("\n", n), nil) }),
		"one-row": of(func(n int) []byte {
			return listing("jpg", "", rows(n, func(int) []byte { return line(0, 0, 0, 0, 0, 1) }))
		}),
		"one-place": of(func(n int) []byte {
			return listing("jpg", "", rows(n, func(i int) []byte { return line(0, 0, 0, 0, 0, uint64(i)) }))
		}),
		"most":    of(func(n int) []byte { return listing("jpg", "", bytes.Repeat([]byte{255}, n)) }),
		"nothing": of(func(n int) []byte { return listing("jpg", "", make([]byte, n)) }),
		"all-shards": of(func(n int) []byte {
			return listing("jpg", "", rows(n, func(i int) []byte { return line(uint16(i), uint64(i)<<40, 1<<62, uint16(i), uint32(i), uint64(i*i)) }))
		}),
		"backwards": of(func(n int) []byte {
			return listing("jpg", "", rows(n, func(i int) []byte { return line(0, uint64(n-i)*512, 1<<40, 0, 0, uint64(n-i)) }))
		}),
		"links": func(n int) map[string][]byte {
			return map[string][]byte{"train.taridx": listing("jpg", "", make([]byte, n)), "train_0000.tar -> ../../../../../../../../etc/passwd": nil,
				"train_0001.tar -> train_0001.tar": nil, "train_0002.tar -> /dev/zero": nil, "train_0003.tar -> .": nil}
		},
		"shards": func(n int) map[string][]byte {
			out := map[string][]byte{"train.taridx": listing("jpg", "", make([]byte, 3200))}
			for i := range min(n/512, 20_000) {
				out[fmt.Sprintf("train_%06d.tar", i)] = head
			}
			return out
		},
	})
}

// An index can tell as many shards from each other as a number of two bytes says: of more that lie beside it the others are not read, and
// that is said.
func TestShardsBeyondNumbers(t *testing.T) {
	if testing.Short() {
		t.Skip("it makes 65,540 files")
	}
	dir := t.TempDir()
	for i := range maxFold + 4 {
		if err := os.WriteFile(filepath.Join(dir, fmt.Sprintf("train_%05d.tar", i)), nil, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	path := filepath.Join(dir, "train.taridx")
	if err := os.WriteFile(path, listing("jpg", "a", nil), 0o600); err != nil {
		t.Fatal(err)
	}
	d, err := model.Open(t.Context(), path, []*model.Format{Format}, nil)
	if err != nil {
		t.Fatal(err)
	}
	defer d.Close()
	found, _ := d.Tree.Findings()
	if !slices.ContainsFunc(found, func(f model.Finding) bool {
		return f.Rule == model.RuleCap && strings.Contains(f.Text(), "65,540 shards")
	}) {
		t.Errorf("nothing is said of shards that are not read: %v", found)
	}
}

// More names than rows could need are read on demand, and that is said; what is wrong with one of them is not said of each.
func TestNamesBeyondNumbers(t *testing.T) {
	for _, more := range []int{0, 1} {
		names := strings.Repeat("a\n", mostNames+more-1) + "a"
		d, err := model.OpenBytes(t.Context(), "train.taridx", listing(names, "", line(0, 0, 0, 7, 0, 1)), []*model.Format{Format}, nil)
		if err != nil {
			t.Fatal(err)
		}
		found, _ := d.Tree.Findings()
		said := slices.ContainsFunc(found, func(f model.Finding) bool {
			return f.Rule == model.RuleCap && strings.Contains(f.Text(), "131,073 names")
		})
		repeated := slices.ContainsFunc(found, func(f model.Finding) bool { return f.Rule == repeatedName })
		if said != (more > 0) || repeated == said || len(stateOf(d.Tree).exts) != (1-more)*mostNames {
			t.Errorf("%d names: said %v, repeated %v, %d kept", mostNames+more, said, repeated, len(stateOf(d.Tree).exts))
		}
		if _, err := d.Tree.Find(t.Context(), "ext[131071]/name"); err != nil {
			t.Errorf("%d names: %v", mostNames+more, err)
		}
	}
}
