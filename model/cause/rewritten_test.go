package cause

import (
	"context"
	"strings"
	"testing"

	"spandrel/model"
)

// TestRebuilt says of each way in which a file differs from what it is rebuilt to what happened to it.
func TestRebuilt(t *testing.T) {
	is := "MAGIC\x00\x00" + strings.Repeat("a row\n of the index\x00 ", 6) + "its last row"
	for _, c := range []struct{ was, says string }{
		{is[9:], "The first 9 bytes of the file are missing; everything after them is shifted towards the start."},
		{is[:len(is)-5], "The file is truncated: its last 5 bytes are missing."},
		{is[5:50], "Only a piece of the file is left: 45 of 145 bytes, those from byte 5 on."},
		{"HTTP/1.1 200 OK\r\n\r\n" + is, "19 bytes precede the file: an HTTP response header. The file itself follows them."},
		{is + "!", "1 byte follows the end of the file."},
		{is[:50] + is[61:], "11 bytes are missing inside the file, at 0x32; everything after is shifted towards the start."},
		{is[:50] + "twelve bytes" + is[50:], "12 bytes do not belong to the file at 0x32; everything after is shifted towards the end."},
		{is[:50] + strings.Repeat("\xff", 20) + is[70:], "20 bytes of the file at 0x32 are 0xff, but should be other data."},
		{is[:50] + "these bytes were not" + is[70:], "20 bytes of the file at 0x32 were overwritten with other data."},
		{strings.ReplaceAll(is, "\x00", ""), "The file was transferred as text: its zero bytes were removed."},
		{strings.ReplaceAll(is, "\n", "\r\n"), "The file was transferred as text: its line feeds became CR LF."},
		{is[:50] + "!" + is[51:], ""},
		{"something else altogether, and of another length", ""},
	} {
		from := (&model.Snapshot{Primary: "a"}).With("a", model.BytesContent([]byte(c.was)))
		to := from.With("a", model.BytesContent([]byte(is)))
		x := rebuilt{name: "a", the: "The file", list: changes(context.Background(), from, to)}
		x.was, _ = from.Content("a")
		x.is, _ = to.Content("a")
		if got := x.says(); got != c.says {
			t.Errorf("%.20q: %q, want %q", c.was, got, c.says)
		}
	}
}
