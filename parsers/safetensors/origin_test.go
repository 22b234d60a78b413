package safetensors

import (
	"bytes"
	"fmt"
	"io"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"spandrel/model"
	"spandrel/model/cause"
)

// diagnosed is the first cause of a file's problems, and the file.
func diagnosed(t *testing.T, b []byte) (*cause.Cause, *model.Document) {
	t.Helper()
	formats := []*model.Format{Format}
	d, err := model.OpenBytes(t.Context(), "x.safetensors", b, formats, nil)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(d.Close)
	g, err := cause.Find(t.Context(), d, cause.Options{Formats: formats, Deep: true})
	if err != nil || len(g.Causes) == 0 {
		t.Fatalf("%v %+v", err, g.Findings)
	}
	return g.Causes[0], d
}

// repaired are the bytes that the first repair of a cause leads to.
func repaired(t *testing.T, c *cause.Cause) []byte {
	t.Helper()
	if len(c.Repairs) == 0 {
		t.Fatalf("%s: no repair", c.Text)
	}
	is, err := c.Repairs[0].To.Content("x.safetensors")
	if err != nil {
		t.Fatal(err)
	}
	b, err := io.ReadAll(io.NewSectionReader(is, 0, is.Len()))
	if err != nil {
		t.Fatal(err)
	}
	return b
}

// TestOrigin: a writer counted the offsets from another place or in another unit. The repair restores the tensors, and so does salvage.
func TestOrigin(t *testing.T) {
	numbers := regexp.MustCompile(`\[(\d+),(\d+)\]`)
	counted := func(n func(from, to int) (int, int)) []byte {
		return made(padded(numbers.ReplaceAllStringFunc(intact, func(s string) string {
			m := numbers.FindStringSubmatch(s)
			from, _ := strconv.Atoi(m[1])
			to, _ := strconv.Atoi(m[2])
			if s == "[2,3]" { // a shape
				return s
			}
			from, to = n(from, to)
			return fmt.Sprintf("[%d,%d]", from, to)
		})), values())
	}
	both := func(n func(int) int) func(from, to int) (int, int) {
		return func(from, to int) (int, int) { return n(from), n(to) }
	}
	head := len(counted(both(func(n int) int { return n + 300 }))) - len(values())
	for says, n := range map[string]func(from, to int) (int, int){
		"the ends of all tensors are each 1 too small: they are those of the last byte": func(from, to int) (int, int) { return from, to - 1 },
		"the ends of all tensors are each 8 too large":                                  func(from, to int) (int, int) { return from, to + 8 },
		"the second number of data_offsets is the length of each tensor":                func(from, to int) (int, int) { return from, to - from },
		fmt.Sprintf("count from the start of the file: each is %d too large", head):     both(func(n int) int { return n + head }),
		fmt.Sprintf("count from the start of the header: each is %d too large", head-8): both(func(n int) int { return n + head - 8 }),
		"are each 1000 too large":                       both(func(n int) int { return n + 1000 }),
		"count units of 2 bytes instead of bytes":       both(func(n int) int { return n / 2 }),
		"count bits instead of bytes":                   both(func(n int) int { return n * 8 }),
		"count units of 2 bytes instead of bytes, and ": both(func(n int) int { return n/2 + 7 }),
	} {
		b := counted(n)
		c, d := diagnosed(t, b)
		if !strings.Contains(strings.ToLower(c.Text), strings.ToLower(says)) || c.Grade != cause.Proven {
			t.Errorf("%s: %s %s", says, c.Grade, c.Text)
		}
		got := tensorsOf(t, repaired(t, c))
		s, err := model.Salvage(t.Context(), d.Tree)
		if err != nil {
			t.Errorf("%s: %v", says, err)
			continue
		}
		out := s.Files["x.safetensors"]
		saved, _ := io.ReadAll(io.NewSectionReader(out, 0, out.Len()))
		again := tensorsOf(t, saved)
		for name, v := range map[string][]byte{"layer.0/weight": values()[:24], "ids": values()[24:56], "mask": values()[56:58], "scale": values()[58:60]} {
			if !bytes.Equal(got[name], v) || !bytes.Equal(again[name], v) {
				t.Errorf("%s: %s is another: repaired %x, salvaged %x", says, name, got[name], again[name])
			}
		}
	}
}

// TestEndsUnpadded: a header without padding keeps its length if the repair needs no more.
func TestEndsUnpadded(t *testing.T) {
	good := made(`{"a":{"dtype":"F32","shape":[4],"data_offsets":[0,16]},"bc":{"dtype":"F32","shape":[2],"data_offsets":[16,24]}}`, values()[:24])
	bad := bytes.Replace(bytes.Replace(good, []byte("[0,16]"), []byte("[0,15]"), 1), []byte("[16,24]"), []byte("[16,23]"), 1)
	if c, _ := diagnosed(t, bad); !bytes.Equal(repaired(t, c), good) {
		t.Errorf("%s: another file", c.Text)
	}
}

// TestSalvageDisplaced: nothing is salvaged if the first offset is not 0 and the data do not end where the last tensor does.
func TestSalvageDisplaced(t *testing.T) {
	header := strings.Replace(`{"a":{"dtype":"F32","shape":[4],"data_offsets":[16,32]},"b":{"dtype":"F32","shape":[4],"data_offsets":[32,48]}}`, "x", "", 1)
	for _, n := range []int{32, 40} {
		d, err := model.OpenBytes(t.Context(), "x.safetensors", made(padded(strings.Replace(header, "[4]", "[2,2]", 1)), make([]byte, n)), []*model.Format{Format}, nil)
		if err != nil {
			t.Fatal(err)
		}
		defer d.Close()
		if s, err := model.Salvage(t.Context(), d.Tree); n == 40 && err == nil {
			t.Errorf("%d bytes: %v is salvaged", n, s.Parts)
		}
	}
}

// TestRetyped: one type was replaced in all tensors. The values say which it was; if they do not, it is not proven.
func TestRetyped(t *testing.T) {
	header := func(dtype string) string {
		return fmt.Sprintf(`{"__metadata__":{"format":"pt","made by":"hand"},"a":{"dtype":"%[1]s","shape":[3],"data_offsets":[0,12]},"b":{"dtype":"%[1]s","shape":[3],"data_offsets":[12,24]}}`, dtype)
	}
	whole := make([]byte, 24)
	for i := range 6 {
		whole[4*i] = byte(7 * i)
	}
	for _, x := range []struct {
		is, was string
		data    []byte
		grade   cause.Grade
	}{{"BF16", "F32", values()[:24], cause.Likely}, {"F64", "F32", values()[:24], cause.Proven}, {"I64", "I32", whole, cause.Possible}, {"F16", "F32", make([]byte, 24), cause.Possible}} {
		c, d := diagnosed(t, made(padded(header(x.is)), x.data))
		if want := fmt.Sprintf("The dtype of 2 tensors is given as %s, but each has the bytes of values of 32 bits: %s.", x.is, x.was); c.Text != want || c.Grade != x.grade {
			t.Errorf("%s for %s: %s %s %v", x.is, x.was, c.Grade, c.Text, c.Evidence)
		}
		if want := made(padded(header(x.was)), x.data); !bytes.Equal(repaired(t, c), want) {
			t.Errorf("%s for %s: %q", x.is, x.was, repaired(t, c))
		}
		found, _ := d.Tree.Findings()
		if fixes := d.Tree.Fixes(t.Context(), &found[0]); len(fixes) == 0 || !strings.Contains(fixes[0].Label, "dtype") {
			t.Errorf("%s for %s: the first repair of the rule is %+v", x.is, x.was, fixes)
		}
	}
}

// TestForeignType: the types have the names of another library, as a script writes them; the header keeps the length that it states.
func TestForeignType(t *testing.T) {
	head := func(dtype, step string) string {
		return fmt.Sprintf(`{"__metadata__":{"step":%[2]s},"a":{"dtype":"%[1]s","shape":[3],"data_offsets":[0,12]},"b":{"dtype":"%[1]s","shape":[3],"data_offsets":[12,24]}}`, dtype, step)
	}
	good, zeros := made(padded(head("F32", `"12000"`)), values()[:24]), made(padded(head("F32", `"12000"`)), make([]byte, 24))
	for _, x := range []struct {
		name  string
		good  []byte
		grade cause.Grade
	}{{"FP32", good, cause.Proven}, {"float32", good, cause.Proven}, {"torch.float32", good, cause.Proven}, {"f4", good, cause.Proven}, {"FP32", zeros, cause.Likely}} {
		bad := bytes.ReplaceAll(x.good, []byte("F32"), []byte(x.name))
		at := 8 + bytes.LastIndex(bad[8:], []byte("}}")) + 2
		own := made(strings.TrimRight(string(bad[8:at]), " "), bad[len(bad)-24:]) // with its own length
		for _, b := range [][]byte{bad, own} {
			if len(b) < len(x.good) && len(b) == len(bad) {
				continue // two damages
			}
			c, _ := diagnosed(t, b)
			if want := fmt.Sprintf("The dtype of 2 tensors is %s, which this format calls F32.", x.name); c.Text != want || c.Grade > x.grade || c.Grade < cause.Likely {
				t.Errorf("%s: %s %s %v", x.name, c.Grade, c.Text, c.Evidence)
			}
			if is := repaired(t, c); !bytes.HasSuffix(is, bad[len(bad)-24:]) || len(b) == len(bad) && !bytes.Equal(is, x.good) {
				t.Errorf("%s: %q", x.name, is)
			}
		}
	}
	types := strings.NewReplacer("F32", "torch.float32", "I64", "torch.int64", "BOOL", "torch.bool", "BF16", "torch.bfloat16", "F16", "torch.float16")
	several := []byte(types.Replace(intact))
	if c, _ := diagnosed(t, made(padded(string(several)), values())); c.Grade != cause.Proven || !strings.Contains(c.Text, "have the names of PyTorch") || !bytes.HasPrefix(repaired(t, c)[8:], []byte(intact)) {
		t.Errorf("%s %s %q", c.Grade, c.Text, repaired(t, c))
	}
	for called, name := range map[string]string{"torch.float8_e4m3fn": "F8_E4M3", "complex64": "C64", "|b1": "BOOL", "<f4": "F32", "float8_e4m3fn": "F8_E5M2"} {
		if means(called, name) != (name != "F8_E5M2") {
			t.Error(called)
		}
	}
	both := bytes.Replace(bytes.ReplaceAll(good, []byte("F32"), []byte("FP32")), []byte(`"12000"`), []byte("12000"), 1)
	c, _ := diagnosed(t, both)
	if c, _ = diagnosed(t, repaired(t, c)); !bytes.Equal(repaired(t, c), good) {
		t.Errorf("with a number in the metadata: %s, %q", c.Text, repaired(t, c))
	}
}
