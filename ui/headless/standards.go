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

// What follows are the parts of SARIF 2.1.0 that a log of ours has. The library for it brings an HTTP client, for schemas on the
// network, into the program; so it reads these logs in a test alone.

type sarifLog struct {
	Schema  string     `json:"$schema"`
	Version string     `json:"version"`
	Runs    []sarifRun `json:"runs"`
}

type sarifRun struct {
	Tool struct {
		Driver sarifDriver `json:"driver"`
	} `json:"tool"`
	Invocations []sarifInvocation `json:"invocations"`
	Results     []sarifResult     `json:"results"`
}

type sarifDriver struct {
	Name    string      `json:"name"`
	Version string      `json:"version"`
	Rules   []sarifRule `json:"rules"`
}

type sarifRule struct {
	ID    string     `json:"id"`
	Short sarifText  `json:"shortDescription"`
	Full  *sarifText `json:"fullDescription,omitempty"`
}

type sarifText struct {
	Text string `json:"text"`
}

type sarifInvocation struct {
	Successful    bool           `json:"executionSuccessful"`
	Notifications []sarifProblem `json:"toolExecutionNotifications,omitempty"`
}

type sarifProblem struct {
	Level   string    `json:"level"`
	Message sarifText `json:"message"`
}

type sarifResult struct {
	Rule       string            `json:"ruleId"`
	Level      string            `json:"level"`
	Message    sarifText         `json:"message"`
	Locations  []sarifLocation   `json:"locations"`
	Properties map[string]string `json:"properties,omitempty"`
}

type sarifLocation struct {
	Physical struct {
		Artifact sarifURI     `json:"artifactLocation"`
		Region   *sarifRegion `json:"region,omitempty"`
	} `json:"physicalLocation"`
	Logical []sarifLogical `json:"logicalLocations,omitempty"`
}

type sarifURI struct {
	URI string `json:"uri"`
}

type sarifRegion struct {
	Offset int64 `json:"byteOffset"`
	Length int64 `json:"byteLength"`
}

type sarifLogical struct {
	Name string `json:"fullyQualifiedName"`
}

// sarif prints the findings of all documents as one log.
func (b *batch) sarif(verdicts []*verdict) error {
	run := sarifRun{Results: []sarifResult{}, Invocations: []sarifInvocation{{Successful: true}}}
	run.Tool.Driver = sarifDriver{Name: "spandrel", Version: b.Version, Rules: []sarifRule{}}
	used := map[string]bool{}
	for _, v := range verdicts {
		if v.err != nil {
			run.Invocations[0].Successful = false
			run.Invocations[0].Notifications = append(run.Invocations[0].Notifications, sarifProblem{"error", sarifText{v.err.Error()}})
		}
		for _, p := range v.problems {
			used[p.Rule] = true
			run.Results = append(run.Results, sarifOf(v, p))
		}
	}
	for _, r := range b.everyRule() {
		if used[r.ID] {
			rule := sarifRule{ID: r.ID, Short: sarifText{r.Title}}
			if r.Doc != "" {
				rule.Full = &sarifText{r.Doc}
			}
			run.Tool.Driver.Rules = append(run.Tool.Driver.Rules, rule)
		}
	}
	return b.line(sarifLog{"https://json.schemastore.org/sarif-2.1.0.json", "2.1.0", []sarifRun{run}})
}

// everyRule is the rules of the engine and of all formats, each once.
func (c *call) everyRule() []*model.Rule {
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
func sarifOf(v *verdict, p problem) sarifResult {
	r := sarifResult{Rule: p.Rule, Level: p.Severity, Message: sarifText{p.text()}, Properties: map[string]string{}}
	var at sarifLocation
	at.Physical.Artifact.URI = uri(fileOf(v.path, p.File))
	if p.Space == "file" {
		at.Physical.Region = &sarifRegion{p.Offset, p.Length}
	} else {
		r.Properties["space"], r.Properties["offset"] = p.Space, fmt.Sprint(p.Offset)
	}
	if p.Path != "" {
		at.Logical = []sarifLogical{{p.Path}}
	}
	if p.Cause > 0 && p.Cause <= len(v.causes) {
		r.Properties["cause"], r.Properties["grade"] = v.causes[p.Cause-1].Text, v.causes[p.Cause-1].Grade
	}
	r.Locations = []sarifLocation{at}
	return r
}

// junit prints a test case for each document: one with errors has failed.
func (b *batch) junit(verdicts []*verdict) error {
	failures, errors := 0, 0
	var cases strings.Builder
	for _, v := range verdicts {
		fmt.Fprintf(&cases, "    <testcase classname=\"%s\" name=\"%s\"", xmlText("spandrel."+v.format), xmlText(v.path))
		var bad, said []string
		worst := ""
		for _, x := range v.causes {
			said = append(said, fmt.Sprintf("%s cause: %s %s", x.Grade, x.Text, x.Means))
		}
		for _, p := range v.problems {
			line := fmt.Sprintf("%s at 0x%x: %s %s: %s", fileOf(v.path, p.File), p.Offset, p.Severity, p.Rule, p.Message)
			if p.Path != "" {
				line += " (" + p.Path + ")"
			}
			if said = append(said, line); p.Severity == "error" {
				if bad = append(bad, p.Message); worst == "" {
					worst = p.Rule
				}
			}
		}
		switch {
		case v.err != nil:
			errors++
			fmt.Fprintf(&cases, "><error message=\"%s\"/></testcase>\n", xmlText(v.err.Error()))
		case len(bad) > 0:
			failures++
			fmt.Fprintf(&cases, "><failure type=\"%s\" message=\"%s\">%s</failure></testcase>\n",
				xmlText(worst), xmlText(bad[0]), xmlText(strings.Join(said, "\n")))
		case len(said) > 0:
			fmt.Fprintf(&cases, "><system-out>%s</system-out></testcase>\n", xmlText(strings.Join(said, "\n")))
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

// uri is a path as a URI; one with the letter of a drive needs a scheme before that.
func uri(path string) string {
	if filepath.VolumeName(path) != "" {
		return (&url.URL{Scheme: "file", Path: "/" + filepath.ToSlash(path)}).String()
	}
	return (&url.URL{Path: filepath.ToSlash(path)}).String()
}

// xmlText is text as XML may hold it: it has no way to write most control characters.
func xmlText(s string) string { return html.EscapeString(printable(s)) }

// printable is text without what XML and HTML cannot hold.
func printable(s string) string {
	return strings.Map(func(r rune) rune {
		if r < ' ' && r != '\n' && r != '\t' || r == 0xfffe || r == 0xffff {
			return '\ufffd'
		}
		return r
	}, strings.ToValidUTF8(s, "\ufffd"))
}
