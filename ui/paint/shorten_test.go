package paint

import "testing"

func TestShorten(t *testing.T) {
	for in, want := range map[string]string{"": "", "abcdefgh": "abcdefgh", "abcdefghi": "abcd…ghi", "äöüäöüäöü": "äöüä…äöü", "äöüäöüäö": "äöüäöüäö"} {
		if got := Shorten(in, 8); got != want {
			t.Errorf("%q: %q, want %q", in, got, want)
		}
	}
}
