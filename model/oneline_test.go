package model

import "testing"

// What a file holds neither moves the cursor nor colours what follows.
func TestOneLine(t *testing.T) {
	for text, want := range map[string]string{"größer\t数 \"\\": `größer\t数 "\`, "a\x1b[31mb": `a\x1b[31mb`, "a\r\nb": `a\r\nb`, "\x9a": `\x9a`, "\u0085": `\u0085`} {
		if got := OneLine(text); got != want {
			t.Errorf("%q: %q", text, got)
		}
	}
}
