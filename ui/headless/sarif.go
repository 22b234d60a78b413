package headless

import (
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"fmt"
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
	used, same := map[string]bool{}, map[string]int{}
	for _, v := range verdicts {
		if v.err != nil {
			failed = append(failed, object{"level": "error", "message": sarifText(v.err.Error())})
		}
		for _, p := range v.problems {
			used[p.Rule] = true
			print := fingerprint(v, p)
			same[print]++
			result := sarifOf(v, p)
			result["partialFingerprints"] = object{"primaryLocationLineHash": fmt.Sprintf("%s:%d", print, same[print])}
			results = append(results, result)
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
	if p.Space != "file" {
		more["space"], more["offset"] = p.Space, fmt.Sprint(p.Offset)
	}
	if p.Cause > 0 && p.Cause <= len(v.causes) {
		more["cause"], more["grade"] = v.causes[p.Cause-1].Text, v.causes[p.Cause-1].Grade
	}
	result := object{"ruleId": p.Rule, "level": p.Severity, "message": sarifText(p.text() + " (" + p.place() + ")"), "locations": []object{sarifPlace(v, p)}}
	if len(more) > 0 {
		result["properties"] = more
	}
	if len(p.Fixes) > 0 { // its cause leads with it
		if fixes := sarifFixes(v, v.causes[p.Cause-1].Repairs); len(fixes) > 0 {
			result["fixes"] = fixes
		}
	}
	return result
}

// sarifPlace is where a finding is. Code scanning shows nothing without a line, and does not know bytes.
func sarifPlace(v *verdict, p problem) object {
	region := object{"startLine": 1}
	if p.Space == "file" {
		region["byteOffset"], region["byteLength"] = p.Offset, p.Length
	}
	at := object{"physicalLocation": object{"artifactLocation": sarifFile(v, p.File), "region": region}}
	if p.Path != "" {
		at["logicalLocations"] = []object{{"fullyQualifiedName": p.Path}}
	}
	return at
}

func sarifFile(v *verdict, file string) object { return object{"uri": uri(fileOf(v.path, file))} }

// fingerprint is the same for the same problem of a file in each run: code scanning then shows it once. What was found is no part of it.
func fingerprint(v *verdict, p problem) string {
	at := p.Path
	if at == "" {
		at = fmt.Sprint(p.Offset)
	}
	sum := sha256.Sum256([]byte(strings.Join([]string{p.Rule, filepath.ToSlash(fileOf(v.path, p.File)), p.Space, at}, "\x00")))
	return hex.EncodeToString(sum[:8])
}

// sarifFixes are the repairs whose changes are known to the last byte: of long ones a cause keeps only the first bytes.
func sarifFixes(v *verdict, repairs []repairLine) (out []object) {
	for _, r := range repairs {
		if slices.ContainsFunc(r.Changes, func(x changeLine) bool { return int64(len(x.Is)) != 2*x.NewLength }) {
			continue
		}
		files := []object{}
		for _, x := range r.Changes {
			files = append(files, object{"artifactLocation": sarifFile(v, x.File), "replacements": []object{sarifReplacement(x)}})
		}
		out = append(out, object{"description": sarifText(r.Label + remark(r.Loses, r.Safe)), "artifactChanges": files})
	}
	return out
}

func sarifReplacement(x changeLine) object {
	replaced := object{"deletedRegion": object{"byteOffset": x.Offset, "byteLength": x.Length}}
	if is, _ := hex.DecodeString(x.Is); len(is) > 0 {
		replaced["insertedContent"] = object{"binary": base64.StdEncoding.EncodeToString(is)}
	}
	return replaced
}

// uri is a path as a URI; a path with a drive letter needs a scheme before it.
func uri(path string) string {
	if filepath.VolumeName(path) != "" {
		return (&url.URL{Scheme: "file", Path: "/" + filepath.ToSlash(path)}).String()
	}
	return (&url.URL{Path: filepath.ToSlash(path)}).String()
}
