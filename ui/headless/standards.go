package headless

import (
	"fmt"
	"html"
	"io"
	"net/url"
	"path/filepath"
	"slices"
	"strings"

	"spandrel/model"
)

// object is a JSON object.
type object = map[string]any

// sarif prints the findings of all documents as one SARIF 2.1.0 log. The library for SARIF brings an HTTP client
// into the program, for schemas on the network, so it is only used in a test that reads these logs.
func (b *batch) sarif(verdicts []*verdict) error {
	results, rules, failed := []object{}, []object{}, []object{}
	used := map[string]bool{}
	for _, v := range verdicts {
		if v.err != nil {
			failed = append(failed, object{"level": "error", "message": sarifText(v.err.Error())})
		}
		for _, p := range v.problems {
			used[p.Rule] = true
			results = append(results, sarifOf(v, p))
		}
	}
	for _, r := range everyRule(b.call) {
		if used[r.ID] {
			rule := object{"id": r.ID, "shortDescription": sarifText(r.Title)}
			if r.Doc != "" {
				rule["fullDescription"] = sarifText(r.Doc)
			}
			rules = append(rules, rule)
		}
	}
	ended := object{"executionSuccessful": len(failed) == 0}
	if len(failed) > 0 {
		ended["toolExecutionNotifications"] = failed
	}
	driver := object{"name": "spandrel", "version": b.Version, "rules": rules}
	return b.line(object{"$schema": "https://json.schemastore.org/sarif-2.1.0.json", "version": "2.1.0",
		"runs": []object{{"tool": object{"driver": driver}, "invocations": []object{ended}, "results": results}}})
}

func sarifText(text string) object { return object{"text": text} }

// everyRule is the rules of the engine and of all formats, each once.
func everyRule(c *call) []*model.Rule {
	out := slices.Clone(model.EngineRules)
	for _, f := range c.Formats {
		out = append(out, f.Rules.All()...)
	}
	seen := map[string]bool{}
	return slices.DeleteFunc(out, func(r *model.Rule) bool {
		again := seen[r.ID]
		seen[r.ID] = true
		return again
	})
}

// sarifOf is one finding.
func sarifOf(v *verdict, p problem) object {
	more := object{}
	physical := object{"artifactLocation": object{"uri": uri(fileOf(v.path, p.File))}}
	if p.Space == "file" {
		physical["region"] = object{"byteOffset": p.Offset, "byteLength": p.Length}
	} else {
		more["space"], more["offset"] = p.Space, fmt.Sprint(p.Offset)
	}
	at := object{"physicalLocation": physical}
	if p.Path != "" {
		at["logicalLocations"] = []object{{"fullyQualifiedName": p.Path}}
	}
	if p.Cause > 0 && p.Cause <= len(v.causes) {
		more["cause"], more["grade"] = v.causes[p.Cause-1].Text, v.causes[p.Cause-1].Grade
	}
	result := object{"ruleId": p.Rule, "level": p.Severity, "message": sarifText(p.text()), "locations": []object{at}}
	if len(more) > 0 {
		result["properties"] = more
	}
	return result
}

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

// uri is a path as a URI; a path with a drive letter needs a scheme before it.
func uri(path string) string {
	if filepath.VolumeName(path) != "" {
		return (&url.URL{Scheme: "file", Path: "/" + filepath.ToSlash(path)}).String()
	}
	return (&url.URL{Path: filepath.ToSlash(path)}).String()
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
