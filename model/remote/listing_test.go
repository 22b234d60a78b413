package remote

import (
	"context"
	"fmt"
	"slices"
	"strings"
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
