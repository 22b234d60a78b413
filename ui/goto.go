package ui

import (
	"fmt"
	"strconv"
	"strings"
)

// parsePlace reads what Go to accepts: decimal and 0x numbers, end, a leading sign for counting from the caret, a field's
// path, and sums of these. With a path, off is what is added to where the field starts.
func parsePlace(s string, caret, end int64) (off int64, path string, err error) {
	s = strings.TrimSpace(s)
	if s == "" {
		return 0, "", fmt.Errorf("type an offset or a path")
	}
	if s[0] == '+' || s[0] == '-' {
		off = caret
	}
	for first := true; s != ""; first = false {
		sign := int64(1)
		if s[0] == '+' || s[0] == '-' {
			if s[0] == '-' {
				sign = -1
			}
			s = strings.TrimSpace(s[1:])
		} else if !first {
			return 0, "", fmt.Errorf("expected + or - before %q", s)
		}
		term, rest := cutTerm(s)
		n, err := strconv.ParseInt(term, 0, 64)
		switch {
		case term == "end":
			off += sign * end
		case err == nil:
			off += sign * n
		case path != "" || sign < 0 || term == "":
			return 0, "", fmt.Errorf("%q is not a number", term)
		default:
			path = term
		}
		s = strings.TrimSpace(rest)
	}
	return off, path, nil
}

// cutTerm splits a sum behind its first term. A sign inside a path's name stays part of it unless a number or end follows.
func cutTerm(s string) (term, rest string) {
	for i := 1; i < len(s); i++ {
		if s[i] != '+' && s[i] != '-' {
			continue
		}
		next := strings.TrimSpace(s[i+1:])
		if next == "" || next[0] >= '0' && next[0] <= '9' || strings.HasPrefix(next, "end") || s[i-1] == ' ' {
			return strings.TrimSpace(s[:i]), s[i:]
		}
	}
	return strings.TrimSpace(s), ""
}
