package idv

import (
	"strings"

	"spandrel/model"
	"spandrel/parsers/idv/block"
)

// diagnose makes the finding about a span, or about bare bytes if there is none. Repairs get what it is about.
func (f finding) diagnose(at model.Range, span *model.Span, of any) model.Finding {
	more := []model.Detail{model.About(of), func(d *model.Finding) { d.Related = f.related }}
	if f.sev != 0 {
		more = append(more, model.Graded(f.sev))
	}
	if f.message != "" {
		more = append(more, model.Saying("%s: %s", f.rule.Title, f.message))
	}
	var place model.Place = model.Spot{Span: span, Range: at}
	var want any = f.expected
	if f.set != nil && span != nil && span.Range.Off == f.at && span.Range.Len == f.n { // not another leaf that starts there
		want = *f.set
		if f.ask {
			more = append(more, model.Doubtful)
		}
	}
	if f.newer {
		more = append(more, model.ForNewer)
	}
	if f.expected != "" {
		more = append(more, expecting(f.expected))
	}
	return model.Wrong(f.rule, place, f.found, want, more...)
}

// expecting describes the expected value in other words.
func expecting(what string) model.Detail { return func(d *model.Finding) { d.Expected = what } }

func intOf(v int64) *model.Value { x := model.I(v); return &x }

func str(v string) *model.Value { x := model.S(v); return &x }

// misspelt returns the load name that a name is in other letters, or that differs from it in one letter; nil if there is none or several.
func misspelt(name string) *model.Value {
	var close []string
	for known := range block.LoadNames {
		if known != name && (strings.EqualFold(known, name) || len(name) > 3 && model.Differ(known, name) == 1) {
			close = append(close, known)
		}
	}
	if len(close) != 1 {
		return nil
	}
	return str(close[0])
}

// grade is the severity of a finding: its own, otherwise its rule's.
func (f *finding) grade() model.Severity {
	if f.sev != 0 {
		return f.sev
	}
	return f.rule.Severity
}

// grave tells whether no reader accepts the file.
func (f *finding) grave() bool { return f.grade() == model.Error && !f.newer }
