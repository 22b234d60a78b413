package paint

import "testing"

// Words from the right stand in the order in which they are read, among others and with numbers; Arabic letters are joined; other texts stay.
func TestVisual(t *testing.T) {
	for in, want := range map[string]string{
		"plain → text é 漢":   "plain → text é 漢",
		"שלום":               "םולש",
		"name שלום עולם end": "name םלוע םולש end",
		"שלום 123 עולם":      "םלוע 123 םולש",
		"سلام":               "\ufee1\ufefc\ufeb3", // seen, lam with alef, meem alone: read from the right
		"بيت":                "\ufe96\ufef4\ufe91",
	} {
		if got := Visual(in); got != want {
			t.Errorf("%q: %q (%+q), want %+q", in, got, got, want)
		}
	}
	if n := testing.AllocsPerRun(100, func() { Visual("a number 1234567 and “a name”") }); n > 0 {
		t.Errorf("%v allocations for a text that stays", n)
	}
}
