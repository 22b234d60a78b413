package tar

import (
	"archive/tar"
	"bytes"
	"context"
	"fmt"
	"io"
	"slices"
	"strings"
	"testing"

	"spandrel/model"
)

// salvaged is what is salvaged of an archive, after it was opened and checked; nil for nothing.
func salvaged(t *testing.T, b []byte) []byte {
	t.Helper()
	d, err := model.OpenBytes(context.Background(), "x.tar", b, []*model.Format{Format}, nil)
	if err != nil {
		t.Fatal(err)
	}
	defer d.Close()
	s, err := model.Salvage(context.Background(), d.Tree)
	if err != nil {
		t.Log(err)
		return nil
	}
	out, err := io.ReadAll(io.NewSectionReader(s.Files["x.tar"], 0, s.Files["x.tar"].Len()))
	if err != nil || !s.Valid() {
		t.Fatalf("%v, %s", err, s.Verdict())
	}
	return out
}

// What is salvaged of a damaged archive are members that are whole, as Go's reader sees them, in blocks that are those of the archive.
func TestSalvage(t *testing.T) {
	long := strings.Repeat("a long name ", 15)
	for _, format := range []tar.Format{tar.FormatUSTAR, tar.FormatPAX, tar.FormatGNU} {
		name := map[bool]string{true: long, false: "short"}[format != tar.FormatUSTAR]
		var members []string
		for i := range 6 {
			members = append(members, fmt.Sprintf("%s%d.bin", name, i), strings.Repeat(fmt.Sprint(i), 700+i))
		}
		b := archive(format, members...)
		starts := func(i int) int { return bytes.Index(b, []byte(strings.Repeat(fmt.Sprint(i), 700+i))) }
		header := bytes.Clone(b)
		header[starts(2)-512+150] ^= 7
		zeros := bytes.Clone(b)
		copy(zeros[starts(2)-512:], make([]byte, 512))
		noise := bytes.Clone(b)
		copy(noise[starts(2)-512:], strings.Repeat("noise!", 90)[:512])
		missing := append(bytes.Clone(b[:starts(2)+100]), b[starts(2)+612:]...)
		more := slices.Insert(bytes.Clone(b), starts(2)+100, 'x')
		odd := append(bytes.Clone(b[:starts(2)+100]), b[starts(2)+101:]...)
		mixed := bytes.Clone(b)
		copy(mixed[starts(2)+512:], b[starts(4)-512:starts(4)])
		mixed[starts(0)-512+150] ^= 7
		for what, x := range map[string]struct {
			b    []byte
			want string
		}{"another header over the end": {mixed, "1345"}, "cut in the last": {b[:starts(5)+300], "01234"}, "cut in padding": {b[:starts(5)+720], "012345"}, "cut in a header": {b[:starts(5)-300], "01234"},
			"header": {header, "01345"}, "zeros over a header": {zeros, "01345"}, "noise over a header": {noise, "01345"}, "a block is missing": {missing, "01345"}, "a byte is missing": {odd, "01345"}, "a byte is inserted": {more, "01345"},
			"cut in the first": {b[:starts(0)+10], ""}} {
			out := salvaged(t, x.b)
			if out == nil {
				if x.want != "" {
					t.Errorf("%v, %s: nothing", format, what)
				}
				continue
			}
			r, got := tar.NewReader(bytes.NewReader(out)), ""
			for {
				h, err := r.Next()
				if err == io.EOF {
					break
				}
				if err != nil {
					t.Fatalf("%v, %s: %v", format, what, err)
				}
				body, err := io.ReadAll(r)
				i := slices.Index(members, h.Name) / 2
				if got += fmt.Sprint(i); err != nil || h.Name != members[2*i] || string(body) != members[2*i+1] {
					t.Errorf("%v, %s: %s is another: %v", format, what, h.Name, err)
				}
			}
			if got != x.want {
				t.Errorf("%v, %s: %s, expected %s", format, what, got, x.want)
			}
			if prefix := len(out) - 1024; what == "cut in padding" && !bytes.Equal(out[:prefix], b[:prefix]) {
				t.Errorf("%v, %s: other blocks", format, what)
			}
		}
	}
}

// TestSalvageUnknownNumber: how many members there were is said only if that is known.
func TestSalvageUnknownNumber(t *testing.T) {
	b := archive(tar.FormatUSTAR, "a", strings.Repeat("a", 700), "b", strings.Repeat("b", 700), "c", strings.Repeat("c", 700), "d", strings.Repeat("d", 700))
	at := func(text string) int { return bytes.Index(b, []byte(strings.Repeat(text, 700))) - 512 }
	one, two := bytes.Clone(b), bytes.Clone(b)
	one[at("b")+150] ^= 7
	clear(two[at("b") : at("c")+512])
	for what, x := range map[string]struct {
		b    []byte
		want string
	}{"a header": {one, "3 of 4 members"}, "two headers": {two, "2 members"}} {
		d, err := model.OpenBytes(t.Context(), "x.tar", x.b, []*model.Format{Format}, nil)
		if err != nil {
			t.Fatal(err)
		}
		s, err := Format.Salvage(t.Context(), d.Tree)
		if err != nil || s.Contents() != x.want {
			t.Errorf("%s: %v, expected %s", what, s.Contents(), x.want)
		}
	}
}

// A member whose end is zeros, like the header after it, is left out: what was there is unknown.
func TestSalvageBeforeZeros(t *testing.T) {
	b := archive(tar.FormatUSTAR, "a", strings.Repeat("a", 700), "b", strings.Repeat("b", 1700), "c", strings.Repeat("c", 700), "d", strings.Repeat("d", 700))
	clear(b[1024+512+1024 : 1024+512+512+2048+512])
	out := salvaged(t, b)
	if bytes.Contains(out, []byte("bb")) || !bytes.Contains(out, []byte("aa")) || !bytes.Contains(out, []byte("dd")) {
		t.Errorf("%q", out)
	}
}

// A member that goes over into another one, because the piece between is missing, is left out. One before a header that was overwritten
// stays.
func TestSalvageJoinedHalves(t *testing.T) {
	b := archive(tar.FormatUSTAR, "a", strings.Repeat("a", 700), "b", strings.Repeat("b", 1700), "c", strings.Repeat("c", 5000), "d", "ddd")
	in := func(text string) int { return bytes.Index(b, []byte(strings.Repeat(text, 3))) }
	noise := bytes.Clone(b)
	copy(noise[in("c")-512:], strings.Repeat("noise!", 90)[:512])
	for what, x := range map[string]struct {
		b    []byte
		want string
	}{"missing up to a longer one": {slices.Concat(b[:in("b")+100], b[in("c")+1124:]), "ad"},
		"a header overwritten": {noise, "abd"}} {
		got := ""
		for r := tar.NewReader(bytes.NewReader(salvaged(t, x.b))); ; {
			h, err := r.Next()
			if err != nil {
				break
			}
			body, _ := io.ReadAll(r)
			if got += h.Name; strings.Trim(string(body), h.Name) != "" {
				t.Errorf("%s: %s has bytes of another", what, h.Name)
			}
		}
		if got != x.want {
			t.Errorf("%s: %s, expected %s", what, got, x.want)
		}
	}
}

// It is said that a piece is missing inside a member if its padding is not zero, and not if only a header was overwritten.
func TestPieceMissing(t *testing.T) {
	b := archive(tar.FormatUSTAR, "a", strings.Repeat("a", 700), "b", strings.Repeat("b", 1700), "c", strings.Repeat("c", 5000), "d", "ddd")
	in := func(text string) int { return bytes.Index(b, []byte(strings.Repeat(text, 3))) }
	noise := bytes.Clone(b)
	copy(noise[in("c")-512:], strings.Repeat("noise!", 90)[:512])
	const says = "b goes over into bytes that are not its own"
	for what, x := range map[string]struct {
		b    []byte
		want bool
	}{"missing": {slices.Concat(b[:in("b")+100], b[in("c")+1124:]), true}, "overwritten": {noise, false}} {
		d, err := model.OpenBytes(t.Context(), "x.tar", x.b, []*model.Format{Format}, nil)
		if err != nil {
			t.Fatal(err)
		}
		if err := d.Deep(t.Context(), nil); err != nil {
			t.Fatal(err)
		}
		found, _ := d.Tree.Findings()
		if got := slices.ContainsFunc(found, func(f model.Finding) bool { return strings.HasPrefix(f.Text(), says) }); got != x.want {
			t.Errorf("%s: %v", what, found)
		}
	}
}

// A header that goes over into another one, because the piece between is missing, has no checksum to set; the members around the piece are named.
func TestPieceMissingInHeaders(t *testing.T) {
	b := archive(tar.FormatUSTAR, "a", strings.Repeat("a", 700), "b", strings.Repeat("b", 1700), "c", strings.Repeat("c", 5000), "d", "ddd")
	in := func(text string) int { return bytes.Index(b, []byte(strings.Repeat(text, 3))) - 512 }
	d, err := model.OpenBytes(t.Context(), "x.tar", slices.Concat(b[:in("b")+300], b[in("c")+100:]), []*model.Format{Format}, nil)
	if err != nil {
		t.Fatal(err)
	}
	if err := d.Deep(t.Context(), nil); err != nil {
		t.Fatal(err)
	}
	found, _ := d.Tree.Findings()
	i := slices.IndexFunc(found, func(f model.Finding) bool { return f.Rule == badChecksum })
	if i < 0 || !strings.Contains(found[i].Text(), "members between a and d may be lost") || len(d.Tree.Fixes(t.Context(), &found[i])) > 0 {
		t.Errorf("%v", found)
	}
	if s, err := Format.Salvage(t.Context(), d.Tree); err != nil || s.Contents() != "2 members" || s.Parts[0].Lost != "members between a and d" || !s.Aligned {
		t.Errorf("%+v, %v", s, err)
	}
}
