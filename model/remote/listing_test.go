package remote

import (
	"context"
	"fmt"
	"io"
	"slices"
	"strings"
	"sync/atomic"
	"testing"

	"spandrel/model"
)

// shelf is a bucket that lists its files as stores do, and counts the lists that are asked for.
type shelf struct {
	bucket
	names []string
	asked []string
}

func (b *shelf) list(_ context.Context, prefix string, deep bool, most int) (list []model.Entry, more bool, err error) {
	b.asked = append(b.asked, fmt.Sprint(prefix, " ", deep))
	for _, name := range b.names {
		rest, in := strings.CutPrefix(name, prefix)
		first, _, below := strings.Cut(rest, "/")
		e := model.Entry{Name: name, Regular: true}
		if below && !deep {
			e = model.Entry{Name: prefix + first, Dir: true}
		}
		switch {
		case !in || len(list) > 0 && list[len(list)-1].Name == e.Name:
		case len(list) == most:
			return list, true, nil
		default:
			list = append(list, e)
		}
	}
	return list, false, nil
}

// TestFewListings: what a list of everything has before it becomes too long is known, nothing is listed twice, and what its folder does not have is not listed.
func TestFewListings(t *testing.T) {
	b := &shelf{}
	for i := range 100 {
		b.names = append(b.names, fmt.Sprintf("a/commits/%03d", i))
	}
	for i := range 1000 {
		b.names = append(b.names, fmt.Sprintf("a/parts/%04d/x", i), fmt.Sprintf("a/parts/%04d/y", i), fmt.Sprintf("a/parts/%04d/z", i))
	}
	b.names = append(b.names, "a/zones/1/x")
	s := newStore(t.Context(), b, "")
	for _, x := range []struct {
		dir     string
		entries int
		asks    []string
	}{
		{"a", 3, []string{"a/ true", "a/ false"}},
		{"a/commits", 100, nil},
		{"a/parts", 1000, []string{"a/parts/ false"}},
		{"a/parts", 1000, nil},
		{"a/parts/0005", 3, nil},
		{"a/parts/0900", 3, []string{"a/parts/0900/ true"}},
		{"a/none", 0, nil},
		{"a/zones", 1, []string{"a/zones/ true"}},
		{"a/zones/1", 1, nil},
	} {
		b.asked = nil
		list, more, err := s.List(x.dir)
		if err != nil || more || len(list) != x.entries || !slices.Equal(b.asked, x.asks) {
			t.Errorf("%s: %d entries, %v, %v after asking for %q", x.dir, len(list), more, err, b.asked)
		}
	}
	b.names, b.asked = append([]string{"z/last"}, b.names...), nil // in no order, as some stores list
	s = newStore(t.Context(), b, "")
	for _, dir := range []string{".", "a", "a/commits"} {
		list, _, err := s.List(dir)
		if err != nil || len(list) == 0 {
			t.Errorf("%s: %d entries, %v", dir, len(list), err)
		}
	}
}

// TestListedFiles: a file that a list names is opened without a request, and requested when it is read; those of its kind after it then too, more and more.
func TestListedFiles(t *testing.T) {
	b := &tray{}
	for i := range 40 {
		b.files = append(b.files, fmt.Sprintf("a/%02d/x", i))
	}
	s := newStore(t.Context(), b, "")
	if _, _, err := s.List("a"); err != nil {
		t.Fatal(err)
	}
	var open []model.Reader
	for _, name := range b.files {
		r, stamp, err := s.Open(name)
		if err != nil || stamp.Size != 3 {
			t.Fatal(name, stamp, err)
		}
		open = append(open, r)
	}
	if n := b.gets.Load(); n != 0 {
		t.Errorf("%d requests to open listed files", n)
	}
	for i, r := range open {
		p := make([]byte, 3)
		if _, err := r.ReadAt(p, 0); err != nil || string(p) != b.files[i][2:5] {
			t.Errorf("%s: %q, %v", b.files[i], p, err)
		}
		s.mu.Lock()
		for _, name := range b.files[i+1 : min(40, i+1+min(2*i, 16))] {
			if !s.begun[name] {
				t.Errorf("%s is not requested after %d others", name, i+1)
			}
		}
		s.mu.Unlock()
	}
	if n := b.gets.Load(); n != 40 {
		t.Errorf("%d requests for 40 files", n)
	}
}

// tray is a bucket of files that have the middle of their names as content.
type tray struct {
	bucket
	files []string
	gets  atomic.Int64
}

func (b *tray) list(context.Context, string, bool, int) (list []model.Entry, more bool, err error) {
	for _, name := range b.files {
		list = append(list, model.Entry{Name: name, Size: 3, Regular: true, Stamp: model.Stamp{Size: 3}, Tag: "1"})
	}
	return list, false, nil
}

func (b *tray) get(_ context.Context, name string, _, _ int64, tag string) (io.ReadCloser, object, error) {
	b.gets.Add(1)
	return io.NopCloser(strings.NewReader(name[2:5])), object{size: 3, tag: tag}, nil
}
