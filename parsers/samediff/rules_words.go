package samediff

import (
	"cmp"
	"fmt"
	"strings"

	"spandrel/model"
)

// percent encodes a name for a file: everything but letters, digits and -_.~ as % and two digits.
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

// brief is a text of the file shortened for findings, because damage can turn the whole file into a name.
func brief(s string) string { return short(s, 256) }

// saying gives a finding a message with shortened texts.
func saying(format string, args ...any) model.Detail {
	return func(f *model.Finding) {
		for i, a := range args {
			if s, ok := a.(string); ok {
				args[i] = cmp.Or(brief(s), "(no name)")
			}
		}
		f.Message = fmt.Sprintf(format, args...)
	}
}

// of puts a name before the title of a rule.
func of(name string, r *model.Rule) model.Detail {
	if name == "" {
		return func(*model.Finding) {}
	}
	return saying("%s: %s", name, r.Title)
}
