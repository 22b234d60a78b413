package parsers

import (
	"context"
	"crypto/sha256"
	"encoding/binary"
	"fmt"
	"os"
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

// What the program makes of damaged files, as rates: `make damage` prints them. Sound samples of every format are damaged in known
// ways, and diagnosed; SPANDREL_CORPUS adds the files of a collection, SPANDREL_DAMAGE=all every sample of it.

var payload = regexp.MustCompile(`(decoded|/data/|/data\[|values|rows\[|items|\.npy|\.parquet|cells|text$|bounds|unused|reserved|/payload|chunks?\[|blob)`)

// structure lists the numbers of a document that are neither content nor decoded from it.
func structure(t *testing.T, d *model.Document) (out []*model.Span) {
	ctx := context.Background()
	var walk func(s *model.Span, depth int)
	walk = func(s *model.Span, depth int) {
		if sp := d.Tree.Space(s.Range.Space); depth > 12 || sp != nil && sp.Derived() {
			return
		}
		if s.Shape == model.Leaf && s.Field.Codec != nil && s.Range.Len >= 1 && s.Range.Len <= 8 {
			if k := s.Field.Codec.Kind(); (k == model.Uint || k == model.Int) && !payload.MatchString(s.Path()) {
				out = append(out, s)
			}
		}
		if d.Tree.Open(ctx, s) != nil {
			return
		}
		for i := range min(s.Count(), 64) {
			walk(s.Child(i), depth+1)
		}
	}
	walk(d.Tree.Root, 0)
	return out
}

// wrongValues are what a number becomes: one more, one less, twice, nothing, everything, its bytes in the other order.
func wrongValues(b []byte) (out [][]byte) {
	n := len(b)
	order := binary.ByteOrder(binary.LittleEndian)
	num := func(o binary.ByteOrder, b []byte) (v uint64) {
		for i := range b {
			if o == binary.BigEndian {
				v = v<<8 | uint64(b[i])
			} else {
				v |= uint64(b[i]) << (8 * i)
			}
		}
		return v
	}
	if num(binary.BigEndian, b) < num(order, b) {
		order = binary.BigEndian
	}
	v := num(order, b)
	for _, x := range []uint64{v + 1, v - 1, 2*v + 1, 0, ^uint64(0)} {
		c := make([]byte, 8)
		if order == binary.BigEndian {
			binary.BigEndian.PutUint64(c, x)
			c = c[8-n:]
		} else {
			binary.LittleEndian.PutUint64(c, x)
			c = c[:n]
		}
		out = append(out, c)
	}
	swapped := slices.Clone(b)
	slices.Reverse(swapped)
	out = append(out, swapped)
	var use [][]byte
	for _, c := range out {
		if string(c) != string(b) && !slices.ContainsFunc(use, func(u []byte) bool { return string(u) == string(c) }) {
			use = append(use, c)
		}
	}
	return use
}

// pick chooses by a hash, so that the choice stays when others are added. The third part of SPANDREL_DAMAGE makes it another one: other
// files, damaged at other places.
func pick(key string, n int) int {
	if asked := strings.SplitN(os.Getenv("SPANDREL_DAMAGE"), ",", 3); len(asked) == 3 {
		key = asked[2] + key
	}
	h := sha256.Sum256([]byte(key))
	return int(binary.BigEndian.Uint32(h[:]) % uint32(n))
}

// soundSamples lists the sound samples of a format: those of the project, and of the collection if there is one.
func soundSamples(t *testing.T, format string) (out []string) {
	all, err := filepath.Glob(filepath.Join("..", "testdata", format, "good", "*"))
	if err != nil {
		t.Fatal(err)
	}
	if root := os.Getenv("SPANDREL_CORPUS"); root != "" {
		for _, pattern := range map[string][]string{"taridx": {"taridx/t*"}, "scdl": {"scdl/archives/*"}, "idv": {"idv/[g-rx]*.idv"}, "tiledb": {"tiledb/generated-v*/*"}, "samediff": {"samediff/[a-z]*.*"}}[format] {
			found, _ := filepath.Glob(filepath.Join(root, pattern))
			all = append(all, found...)
		}
	}
	for _, p := range all {
		if strings.HasSuffix(p, ".tree") || strings.HasSuffix(p, ".json") || strings.HasSuffix(p, ".md") || strings.Contains(filepath.Base(p), "bad") {
			continue
		}
		if st, err := os.Stat(p); err == nil && st.IsDir() {
			if index, _ := filepath.Glob(filepath.Join(p, "*.taridx")); len(index) > 0 {
				p = index[0]
			}
		}
		out = append(out, p)
	}
	sort.Slice(out, func(i, j int) bool { return pick(filepath.Base(out[i]), 1<<30) < pick(filepath.Base(out[j]), 1<<30) })
	return out
}

// damages tells whether rates are asked for: they take minutes.
func damages(t *testing.T) (files, fields int) {
	if os.Getenv("SPANDREL_DAMAGE") == "" {
		t.Skip("SPANDREL_DAMAGE asks for the rates of damaged files")
	}
	files, fields = 8, 6
	fmt.Sscanf(os.Getenv("SPANDREL_DAMAGE"), "%d,%d", &files, &fields)
	return files, fields
}

// openSound opens a sample and returns nil when it has errors of its own, or something that a repair is proven for: what that changes was not
// damaged.
func openSound(t *testing.T, path string) *model.Document {
	d, err := model.Open(context.Background(), path, All(), nil)
	if err != nil || d.Format == nil {
		return nil
	}
	t.Cleanup(d.Close)
	found, _ := d.Tree.Findings()
	for i := range found {
		if found[i].Grade() == model.Error {
			return nil
		}
	}
	g, err := cause.Find(t.Context(), d, cause.Options{Formats: All()})
	if err != nil || slices.ContainsFunc(g.Causes, func(c *cause.Cause) bool { return c.Grade == cause.Proven && len(c.Repairs) > 0 }) {
		return nil
	}
	return d
}

// TestDamageField sets one number of a document wrongly.
func TestDamageField(t *testing.T) {
	files, fields := damages(t)
	for _, f := range All() {
		t.Run(f.Name, func(t *testing.T) {
			var all rates
			for _, path := range soundSamples(t, f.Name) {
				if files--; files < 0 {
					break
				}
				d := openSound(t, path)
				if d == nil {
					files++
					continue
				}
				list := structure(t, d)
				sort.Slice(list, func(i, j int) bool {
					return pick(filepath.Base(path)+list[i].Path(), 1<<30) < pick(filepath.Base(path)+list[j].Path(), 1<<30)
				})
				for _, s := range list[:min(len(list), fields)] {
					o, was, is := wrongField(t, d, s)
					all.add(o)
					t.Logf("first=%d offered=%d restored=%d wrong=%d %5s %s %s %x->%x | %s", o.first, o.offered, o.restored, o.wrong, o.took.Round(10*time.Millisecond), filepath.Base(path), s.Path(), was, is, o.text)
					o.explain(t)
				}
			}
			files, _ = damages(t)
			t.Logf("%s, one wrong field: %s", f.Name, &all)
			suite.Rate(f.Name+", one wrong field", all.String())
		})
	}
}

func wrongField(t *testing.T, d *model.Document, s *model.Span) (o outcome, was, is []byte) {
	was, err := d.Tree.Bytes(context.Background(), s.Range)
	if err != nil {
		t.Fatal(err)
	}
	wrong := wrongValues(was)
	is = wrong[pick(s.Path(), len(wrong))]
	file := d.Tree.FileName(s.Range)
	c, err := d.Tree.Snapshot.Content(file)
	if err != nil {
		t.Fatal(err)
	}
	damaged := d.Tree.Snapshot.With(file, c.Splice(s.Range.Off, s.Range.Len, model.Memory(is)))
	o = diagnosed(t, waits, d, damaged, func(p cause.Place) bool {
		return p.File == file && p.Off <= s.Range.Off && s.Range.Off < p.Off+max(1, p.Len) && p.Len <= 64
	})
	return o, was, is
}
