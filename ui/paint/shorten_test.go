package paint

import "testing"

func TestShorten(t *testing.T) {
	for in, want := range map[string]string{"": "", "abcdefgh": "abcdefgh", "abcdefghi": "abcd…ghi", "äöüäöüäöü": "äöüä…äöü", "äöüäöüäö": "äöüäöüäö"} {
		if got := Shorten(in, 8); got != want {
			t.Errorf("%q: %q, want %q", in, got, want)
		}
	}
	if got, want := Shorten("count the offsets of all tensors from the start of the data, in bytes", 50), "count the offsets of all … of the data, in bytes"; got != want {
		t.Errorf("%q, want %q", got, want)
	}
}
