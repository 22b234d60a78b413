package parsers

import (
	"fmt"
	"strings"
)

// sdCount prints a number of things.
func sdCount(n int, what string) string {
	if n != 1 {
		what += "s"
	}
	return fmt.Sprintf("%d %s", n, what)
}

// sdPercent encodes a name for a file: all but letters, digits and -_.~ as % and two digits.
func sdPercent(name string) string {
	var b strings.Builder
	for i := range len(name) {
		switch c := name[i]; {
		case c >= '0' && c <= '9', c >= 'A' && c <= 'Z', c >= 'a' && c <= 'z', strings.IndexByte("-_.~", c) >= 0:
			b.WriteByte(c)
		default:
			fmt.Fprintf(&b, "%%%02X", c)
		}
	}
	return b.String()
}

// sdList prints the first of some texts.
func sdList(list []string) string {
	var out []string
	for i, s := range list {
		if i == 16 {
			out = append(out, fmt.Sprintf("… %d", len(list)))
			break
		}
		if len(s) > 64 {
			s = strings.ToValidUTF8(s[:64], "") + "…"
		}
		out = append(out, s)
	}
	return "[" + strings.Join(out, ", ") + "]"
}
