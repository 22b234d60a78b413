package safetensors

import (
	"bytes"
	"context"
	"encoding/binary"
	"encoding/json"
	"html"
	"os"
	"slices"
	"strings"
	"testing"

	"spandrel/model"
	"spandrel/model/cause"
)

// TestHeaderLength gives the length of a header other values, and takes it away: the object in it says what it was.
func TestHeaderLength(t *testing.T) {
	good, err := os.ReadFile("../../testdata/safetensors/good/model.safetensors")
	if err != nil {
		t.Fatal(err)
	}
	formats := []*model.Format{Format}
	n := binary.LittleEndian.Uint64(good)
	var formatted bytes.Buffer
	if err := json.Indent(&formatted, good[8:8+n], "", "  "); err != nil {
		t.Fatal(err)
	}
	with := func(n uint64) []byte { return binary.LittleEndian.AppendUint64(nil, n) }
	for _, c := range []struct {
		name, says string
		b          []byte
	}{
		{"too short by half", "header_size", append(with(n/2), good[8:]...)},
		{"more than readers allow", "header_size", append(with(n|1<<40), good[8:]...)},
		{"its first byte is missing", "The first byte", good[1:]},
		{"all of it is missing", "The first 8 bytes", good[8:]},
		{"zeros in front of it", "100 bytes", append(make([]byte, 100), good...)},
		{"formatted for reading", "formatted for reading", slices.Concat(good[:8], formatted.Bytes(), good[8+n:])},
		{"escaped for HTML", "as in HTML", append(sized([]byte(html.EscapeString(string(good[8:8+n])))), good[8+n:]...)},
	} {
		d, err := model.OpenBytes(context.Background(), "a.safetensors", c.b, formats, nil)
		if err != nil {
			t.Fatal(err)
		}
		g, err := cause.Find(context.Background(), d, cause.Options{Formats: formats, Deep: true})
		if err != nil || len(g.Causes) == 0 || !strings.Contains(g.Causes[0].Text, c.says) || len(g.Causes[0].Repairs) == 0 {
			t.Errorf("%s: %v %+v", c.name, err, g)
			continue
		}
		is, err := g.Causes[0].Repairs[0].To.Content("a.safetensors")
		if err != nil {
			t.Fatal(err)
		}
		got := make([]byte, is.Len())
		if is.ReadAt(got, 0); !bytes.Equal(got, good) {
			t.Errorf("%s: the first repair does not restore the file", c.name)
		}
	}
}

// TestHeaderRewritten has a header that a script wrote again, with the length of the old one: where its object ends, and what the tensors need, say the new one.
// If it was formatted, the old one had that length. Neither the repair nor salvage loses a tensor, and no repair cuts bytes.
func TestHeaderRewritten(t *testing.T) {
	data := values()
	text := strings.TrimRight(padded(`{"a":{"dtype":"F32","shape":[2],"data_offsets":[0,8]},"b":{"dtype":"F32","shape":[6],"data_offsets":[8,32]}}`), " ")
	data = data[:32]
	var pretty bytes.Buffer
	if err := json.Indent(&pretty, []byte(text), "", "  "); err != nil {
		t.Fatal(err)
	}
	for name, x := range map[string]struct{ is, was string }{
		"indented":           {pretty.String(), text},
		"and a line feed":    {pretty.String() + "\n", text},
		"and a page of them": {pretty.String() + strings.Repeat("\n", 100), text},
		"compact":            {text, pretty.String()},
		"compact, line feed": {text + "\n", pretty.String()},
		"one byte more":      {text, text + " "},
	} {
		want := made(x.is, data)
		bad := slices.Concat(made(x.was, nil)[:8], want[8:])
		says, repairs := "header_size is ", 1
		if strings.HasPrefix(x.is, pretty.String()) {
			says, repairs, want = "The header was formatted for reading", 2, made(text, data)
		}
		c, d := diagnosed(t, bad)
		if !strings.HasPrefix(c.Text, says) || !bytes.Equal(repaired(t, c), want) || len(c.Repairs) != repairs {
			t.Errorf("%s: %s %v", name, c.Text, c.Repairs)
		}
		s, err := model.Salvage(t.Context(), d.Tree)
		if err != nil || !s.Whole() {
			t.Errorf("%s: %v, %v", name, err, s)
		}
	}
}

// TestContinued: a header that goes on as values lacks as many bytes, at least; zeros may have been written over it.
func TestContinued(t *testing.T) {
	text := `{"a":{"dtype":"F32","shape":[2]`
	for _, x := range []struct {
		rest string
		want int64
	}{{strings.Repeat("\x01\xff\x3c\x12", 15), 60}, {strings.Repeat("\x00", 60), 0}, {`,"data_offsets":[0,8]}}`, 0}, {"\xff more text that follows", 0}} {
		if got := continued([]byte(text + x.rest)); got != x.want {
			t.Errorf("%q: %d bytes are values, want %d", x.rest, got, x.want)
		}
	}
}

// TestSeveralWrongBytes damages brackets, keys, types and digits of a header, none of which can be anything else.
func TestSeveralWrongBytes(t *testing.T) {
	good := made(padded(intact), values())
	at := func(s string) int { return bytes.Index(good, []byte(s)) }
	for _, wrong := range [][]int{
		{at(`"ids"`), at(`:{"dtype":"I64"`)},
		{at("shape") + 1, at("BOOL") + 2, at("[24,56]") + 2},
		{at("data_offsets"), at("dtype") + 1, at(`[56,58]`), at(`},"mask"`), at(`[58,60]`) + 6},
	} {
		b := bytes.Clone(good)
		for i, at := range wrong {
			b[at] ^= 1 << (4 + i%3)
		}
		d := opened(t, b)
		g, err := cause.Find(t.Context(), d, cause.Options{Formats: []*model.Format{Format}, Deep: true})
		if err != nil || len(g.Causes) == 0 || len(g.Causes[0].Repairs) == 0 {
			t.Errorf("%v: %v %+v", wrong, err, g)
			continue
		}
		is, err := g.Causes[0].Repairs[0].To.Content(g.Causes[0].Repairs[0].To.Primary)
		if err != nil {
			t.Fatal(err)
		}
		got := make([]byte, is.Len())
		if is.ReadAt(got, 0); !bytes.Equal(got, good) || !strings.Contains(g.Causes[0].Text, "characters are wrong in the header") {
			t.Errorf("%v: %s", wrong, g.Causes[0].Text)
		}
	}
}

// TestLetterOfNameIsNotSafe: a byte that no name has may be a flipped bit, or any other letter was there.
func TestLetterOfNameIsNotSafe(t *testing.T) {
	b := made(padded(intact), values())
	b[bytes.Index(b, []byte("layer.0"))+1] ^= 0x80
	d := opened(t, b)
	found, _ := d.Tree.Findings()
	fixes := d.Tree.Fixes(t.Context(), &found[0])
	if len(fixes) == 0 || fixes[0].Safe {
		t.Errorf("%v: %+v", found[0], fixes)
	}
}

// TestDestroyedWord: if several letters of a word are destroyed, one that is left between or beside them may be wrong too, so the nearest word is not proven.
func TestDestroyedWord(t *testing.T) {
	b := bytes.Replace(made(padded(intact), values()), []byte(`"I64"`), []byte(`"F99"`), 1)
	g, err := cause.Find(t.Context(), opened(t, b), cause.Options{Formats: []*model.Format{Format}, Deep: true})
	if err != nil || len(g.Causes) == 0 {
		t.Fatal(err, g)
	}
	for _, c := range g.Causes {
		if c.Grade == cause.Proven {
			t.Errorf("proven: %s", c.Text)
		}
	}
}

// TestZeroTail: zeros to the end of a file are told if they begin inside a tensor and fill others, and not if only whole tensors are zero, or the end of one.
func TestZeroTail(t *testing.T) {
	b := made(padded(`{"a":{"dtype":"F32","shape":[50000],"data_offsets":[0,200000]},"b":{"dtype":"F32","shape":[50000],"data_offsets":[200000,400000]}}`), bytes.Repeat([]byte{1}, 400_000))
	for n, want := range map[int]bool{100_000: false, 200_000: false, 300_000: true, 300_001: true} {
		is := bytes.Clone(b)
		clear(is[len(is)-n:])
		d := opened(t, is)
		if err := d.Deep(t.Context(), nil); err != nil {
			t.Fatal(err)
		}
		found, _ := d.Tree.Findings()
		if told := slices.ContainsFunc(found, func(f model.Finding) bool { return f.Rule == model.RuleBlank }); told != want {
			t.Errorf("%d zeros: %+v", n, found)
		}
	}
}
