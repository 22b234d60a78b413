package cause

import (
	"strings"
	"testing"
)

// TestOwnText: text in a file that consists of text is not another file's.
func TestOwnText(t *testing.T) {
	b := toyFile(text(3000))
	copy(b[1000:], strings.Repeat("x", 40))
	for _, x := range find(t, b).Causes {
		if strings.Contains(x.Text, unrelated) {
			t.Errorf("the file's own text: %s", x.Text)
		}
	}
}
