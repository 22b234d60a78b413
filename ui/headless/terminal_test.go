package headless

import "testing"

// What a file holds neither moves the cursor nor colours what follows.
func TestOneLine(t *testing.T) {
	for text, want := range map[string]string{"größer\t数": "größer\ufffd数", "a\x1b[31mb": "a\ufffd[31mb", "a\r\nb": "a\ufffd\ufffdb", "\x9a": "\ufffd", "\u0085": "\ufffd"} {
		if got := oneLine(text); got != want {
			t.Errorf("%q: %q", text, got)
		}
	}
}
