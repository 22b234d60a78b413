package samediff

import (
	"fmt"
	"strings"
)

// counted prints a number of things.
func counted(n int, what string) string {
	if n != 1 {
		what += "s"
	}
	return fmt.Sprintf("%d %s", n, what)
}

// percent encodes a name for a file: all but letters, digits and -_.~ as % and two digits.
func percent(name string) string {
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

// short cuts a text off after n bytes.
func short(s string, n int) string {
	if len(s) <= n {
		return s
	}
	return strings.ToValidUTF8(s[:n], "") + "…"
}

// list prints the first of some texts.
func list(list []string) string {
	var out []string
	for i, s := range list {
		if i == 16 {
			out = append(out, fmt.Sprintf("… %d", len(list)))
			break
		}
		out = append(out, short(s, 64))
	}
	return "[" + strings.Join(out, ", ") + "]"
}
