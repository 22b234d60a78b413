package model

import (
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
)

// Filter is a condition on fields: `name ~ feat` on names, `value ~ text` on values, `row_count > 1000` on the value of the
// fields whose names contain row_count. A lone word is looked for in names and values.
type Filter struct {
	Subject, Op, want string
	number            float64
	numeric           bool
	Whole             bool // the subject is all of a name, not a part of it
}

// ParseFilter reads a condition as someone typed it.
func ParseFilter(s string) (f Filter, err error) {
	for _, op := range []string{"!=", ">=", "<=", "=", ">", "<", "~"} {
		if a, b, ok := strings.Cut(s, op); ok {
			f = Filter{Subject: strings.ToLower(strings.TrimSpace(a)), Op: op, want: strings.ToLower(unquoted(strings.TrimSpace(b)))}
			if n, err := strconv.ParseInt(f.want, 0, 64); err == nil {
				f.number, f.numeric = float64(n), true
			} else if x, err := strconv.ParseFloat(f.want, 64); err == nil {
				f.number, f.numeric = x, true
			}
			if f.Subject == "" || strings.TrimSpace(b) == "" {
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
func (f Filter) Match(name string, value func() (string, Value)) bool {
	name = strings.ToLower(name)
	switch {
	case f.Op == "":
		if strings.Contains(name, f.want) {
			return true
		}
		text, _ := value()
		return strings.Contains(strings.ToLower(text), f.want)
	case f.Subject == "name":
		return f.compare(name, Value{})
	case f.Subject != "value" && !strings.Contains(name, f.Subject):
		return false
	}
	text, v := value()
	return f.compare(strings.ToLower(text), v)
}

func (f Filter) compare(text string, v Value) bool {
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

// unquoted is a text without the quotes that it may stand in.
func unquoted(s string) string {
	if n := len(s); n >= 2 && s[0] == s[n-1] && (s[0] == '\'' || s[0] == '"') {
		return s[1 : n-1]
	}
	return s
}

// Conditions reads what rows must meet: one condition, or several with "and" between them. A column that is called as a condition says is
// meant alone, otherwise all that have it in their names.
func Conditions(t *Table, text string) (all []Filter, err error) {
	if text == "" {
		return nil, nil
	}
	parts := strings.Split(text, " and ")
	if slices.ContainsFunc(parts, func(part string) bool { f, err := ParseFilter(part); return err != nil || f.Op == "" }) {
		parts = []string{text} // it is part of what is looked for
	}
	for _, part := range parts {
		f, err := ParseFilter(part)
		if err != nil {
			return nil, err
		}
		named := func(same func(a, b string) bool) bool {
			return slices.ContainsFunc(t.Columns, func(c Column) bool { return same(strings.ToLower(c.Name), f.Subject) })
		}
		if f.Subject != "name" && f.Subject != "value" && !named(strings.Contains) {
			return nil, fmt.Errorf("no column is called %q", f.Subject)
		}
		if why := f.Trouble(); why != "" {
			return nil, errors.New(why)
		}
		f.Whole = named(func(a, b string) bool { return a == b })
		all = append(all, f)
	}
	return all, nil
}

// Meets tells whether a row meets a condition in one of its cells.
func (f Filter) Meets(t *Table, row Row) bool {
	for k := range row[:min(len(row), len(t.Columns))] {
		c := &row[k]
		name := t.Columns[k].Name
		if f.Whole && !strings.EqualFold(name, f.Subject) {
			continue
		}
		if f.Op == "" || f.Subject == "name" {
			name = "" // of a lone word, the columns' names are not meant
		}
		if f.Match(name, func() (string, Value) { return c.String(), c.Value }) ||
			c.Label != "" && f.Op != "!=" && f.Match(name, func() (string, Value) { return c.Label, Value{} }) {
			return true
		}
		if f.Op != "" && f.Op != "!=" && slices.ContainsFunc(c.Items, func(v Value) bool {
			return f.Match(name, func() (string, Value) { return v.String(), v })
		}) { // one of a list
			return true
		}
	}
	return false
}
