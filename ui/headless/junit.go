package headless

import (
	"fmt"
	"html"
	"io"
	"slices"
	"strings"
)

// junit prints a test case for each document: one with errors has failed.
func (b *batch) junit(verdicts []*verdict) error {
	failures, errors := 0, 0
	var cases strings.Builder
	for _, v := range verdicts {
		fmt.Fprintf(&cases, "    <testcase classname=\"%s\" name=\"%s\"", xmlText("spandrel."+v.format), xmlText(v.path))
		said := xmlText(strings.Join(v.lines(), "\n"))
		bad := slices.IndexFunc(v.problems, func(p problem) bool { return p.Severity == "error" })
		switch {
		case v.err != nil:
			errors++
			fmt.Fprintf(&cases, "><error message=\"%s\"/></testcase>\n", xmlText(v.err.Error()))
		case bad >= 0:
			failures++
			fmt.Fprintf(&cases, "><failure type=\"%s\" message=\"%s\">%s</failure></testcase>\n", xmlText(v.problems[bad].Rule), xmlText(v.problems[bad].Message), said)
		case said != "":
			fmt.Fprintf(&cases, "><system-out>%s</system-out></testcase>\n", said)
		default:
			cases.WriteString("/>\n")
		}
	}
	counts := fmt.Sprintf("tests=\"%d\" failures=\"%d\" errors=\"%d\"", len(verdicts), failures, errors)
	_, err := io.WriteString(b.Out, "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites "+counts+">\n"+
		"  <testsuite name=\"spandrel check\" "+counts+">\n"+
		cases.String()+"  </testsuite>\n</testsuites>\n")
	return err
}

// lines are the causes and the problems, one a line.
func (v *verdict) lines() (out []string) {
	for _, x := range v.causes {
		out = append(out, fmt.Sprintf("%s cause: %s %s", x.Grade, x.Text, x.Means))
	}
	for _, p := range v.problems {
		line := fmt.Sprintf("%s at 0x%x: %s %s: %s", fileOf(v.path, p.File), p.Offset, p.Severity, p.Rule, p.Message)
		if p.Path != "" {
			line += " (" + p.Path + ")"
		}
		out = append(out, line)
	}
	return out
}

// xmlText is text for XML, which has no way to write most control characters.
func xmlText(s string) string { return html.EscapeString(printable(s)) }

// printable is text without characters that XML and HTML cannot represent.
func printable(s string) string {
	return strings.Map(func(r rune) rune {
		if r < ' ' && r != '\n' && r != '\t' || r == 0xfffe || r == 0xffff {
			return '\ufffd'
		}
		return r
	}, strings.ToValidUTF8(s, "\ufffd"))
}
