package model

import "testing"

func TestWords(t *testing.T) {
	for _, x := range []struct{ got, want string }{
		{Words("%d rows of %d columns are lost", 1, 2), "1 row of 2 columns are lost"},
		{Words("%d rows are lost, and %s more entries", 1, "1"), "1 row is lost, and 1 more entry"},
		{Words("the %s members that are here", Thousands(1)), "the 1 member that is here"},
		{Words("%s members that are here", Thousands(1000)), "1,000 members that are here"},
		{Words("100 %% of %d bytes, %v", 1, "1 rows"), "100 % of 1 byte, 1 rows"},
		{Words("%s stands at %d, %d matches", "1", 1, 1), "1 stands at 1, 1 match"},
		{Words("%d vertices, %d boxes, %d keys", uint64(1), int64(1), uint8(1)), "1 vertex, 1 box, 1 key"},
		{Words("%d bytes", -1), "-1 bytes"},
		{Words("%-4d bytes %[1]d", 1), "1    byte 1"},
	} {
		if x.got != x.want {
			t.Errorf("%q instead of %q", x.got, x.want)
		}
	}
}
