package doc

import (
	"context"
	"fmt"
	"strconv"
	"strings"

	"spandrel/model"
	"spandrel/ui/rows"
)

// FindMost is how many hits are listed.
const FindMost = 2000

// Filter is a condition on fields: `name ~ feat` on names, `value ~ text` on values, `row_count > 1000` on the value of the
// fields whose names contain row_count. A lone word is looked for in names and values.
type Filter struct {
	Subject, Op, want string
	number            float64
	numeric           bool
	Whole             bool // the subject is all of a name, not a part of it
}

// ParseFilter reads a condition as somebody typed it.
func ParseFilter(s string) (f Filter, err error) {
	for _, op := range []string{"!=", ">=", "<=", "=", ">", "<", "~"} {
		if a, b, ok := strings.Cut(s, op); ok {
			f = Filter{Subject: strings.ToLower(strings.TrimSpace(a)), Op: op, want: strings.ToLower(strings.TrimSpace(b))}
			if n, err := strconv.ParseInt(f.want, 0, 64); err == nil {
				f.number, f.numeric = float64(n), true
			} else if x, err := strconv.ParseFloat(f.want, 64); err == nil {
				f.number, f.numeric = x, true
			}
			if f.Subject == "" || f.want == "" {
				return f, fmt.Errorf("write name %s value", op)
			}
			return f, nil
		}
	}
	if f.want = strings.ToLower(strings.TrimSpace(s)); f.want == "" {
		return f, fmt.Errorf("nothing to look for")
	}
	return f, nil
}

// Trouble says why no value can meet the condition; "" where some may.
func (f Filter) Trouble() string {
	if strings.ContainsAny(f.Op, "<>") && !f.numeric {
		return fmt.Sprintf("%q is not a number", f.want)
	}
	return ""
}

// Match tells whether a field meets the condition.
func (f Filter) Match(name string, value func() (string, model.Value)) bool {
	name = strings.ToLower(name)
	switch {
	case f.Op == "":
		if strings.Contains(name, f.want) {
			return true
		}
		text, _ := value()
		return strings.Contains(strings.ToLower(text), f.want)
	case f.Subject == "name":
		return f.compare(name, model.Value{})
	case f.Subject != "value" && !strings.Contains(name, f.Subject):
		return false
	}
	text, v := value()
	return f.compare(strings.ToLower(text), v)
}

func (f Filter) compare(text string, v model.Value) bool {
	if f.numeric && v.IsNumber() {
		x := v.Float()
		switch f.Op {
		case "=":
			return x == f.number
		case "!=":
			return x != f.number
		case ">":
			return x > f.number
		case "<":
			return x < f.number
		case ">=":
			return x >= f.number
		case "<=":
			return x <= f.number
		}
	}
	switch f.Op {
	case "~":
		return strings.Contains(text, f.want)
	case "=":
		return text == f.want
	case "!=":
		return text != f.want
	}
	return false
}

// filterMost is how many spans a search of fields looks at.
const filterMost = 2_000_000

// Search walks the spans that have been read and opens what costs little: frames of the main file, and with all also those of
// other files, but no decoded spaces.
func (f Filter) Search(ctx context.Context, t *model.Tree, all bool) (items []Place, err error) {
	left := filterMost
	var walk func(s *model.Span)
	walk = func(s *model.Span) {
		if !s.Ready() {
			if sp := t.Space(s.Range.Space); sp == nil || sp.Derived() || !all && sp.ID != t.Root.Range.Space || t.Open(ctx, s) != nil {
				return
			}
		}
		for i := range s.Count() {
			if left--; left < 0 || len(items) >= FindMost || ctx.Err() != nil {
				return
			}
			k := s.Child(i)
			if f.Match(k.Name(), func() (string, model.Value) {
				v, _ := t.Value(ctx, k)
				return ShowValue(k.Field, v), v
			}) {
				items = append(items, Place{Span: k, At: k.Range, Cells: []rows.Cell{{Text: fmt.Sprintf("0x%x", k.Range.Off), Mono: true}, {Text: k.Path(), Tail: true}, {Text: ValueText(ctx, t, k)}}})
			}
			walk(k)
		}
	}
	walk(t.Root)
	return items, ctx.Err()
}
