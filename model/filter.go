package model

import (
	"errors"
	"fmt"
	"iter"
	"math"
	"slices"
	"strconv"
	"strings"
)

// Filter is a condition on fields: `name ~ feat` on names, `value ~ text` on values, `row_count > 1000` on the value of
// fields whose names contain row_count. A single word is searched for in names and values.
type Filter struct {
	Subject, Op, want string
	number            Value // None: it is no number
	Whole             bool  // the subject is a whole name, not a part of it
}

// operators are the operators between a name and a value; one that contains another comes first.
var operators = []string{"!=", ">=", "<=", "=", ">", "<", "~"}

// operands splits a condition; op is "" for a single word.
func operands(s string) (subject, op, value string) {
	for _, op := range operators {
		if a, b, ok := strings.Cut(s, op); ok {
			return strings.TrimSpace(a), op, strings.TrimSpace(b)
		}
	}
	return "", "", strings.TrimSpace(s)
}

// ParseFilter parses a condition.
func ParseFilter(s string) (f Filter, err error) {
	if subject, op, value := operands(s); op != "" {
		f = Filter{Subject: strings.ToLower(subject), Op: op, want: strings.ToLower(unquoted(value))}
		f.number = numberIn(f.want)
		if subject == "" || value == "" {
			return f, fmt.Errorf("write name %s value", op)
		}
		return f, nil
	}
	if f.want = strings.ToLower(strings.TrimSpace(s)); f.want == "" {
		return f, fmt.Errorf("nothing to look for")
	}
	return f, nil
}

// numberIn is the number in a text, exact if it is an integer; none if the text is not a number.
func numberIn(s string) Value {
	if n, err := ParseInt(s); err == nil {
		return I(n)
	} else if n, err := ParseUint(s); err == nil {
		return U(n)
	} else if x, err := strconv.ParseFloat(s, 64); err == nil {
		return F(x)
	}
	return Value{}
}

// Trouble says why no value can meet the condition; "" if some may.
func (f Filter) Trouble() string {
	if strings.ContainsAny(f.Op, "<>") && f.number.Kind == None {
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
	if !v.IsNumber() && strings.ContainsAny(f.Op, "<>") { // a text may be a number
		v = numberIn(text)
	}
	if f.number.Kind != None && v.IsNumber() && f.Op != "~" {
		if math.IsNaN(v.Float()) || math.IsNaN(f.number.Float()) {
			return f.Op == "!="
		}
		by := v.Compare(f.number)
		return by == 0 && strings.Contains(f.Op, "=") && f.Op != "!=" || by != 0 && f.Op == "!=" || by > 0 && f.Op[0] == '>' || by < 0 && f.Op[0] == '<'
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

// unquoted is a text without quotes around it.
func unquoted(s string) string {
	if n := len(s); n >= 2 && s[0] == s[n-1] && (s[0] == '\'' || s[0] == '"') {
		return s[1 : n-1]
	}
	return s
}

// Filters are conditions that must all be met.
type Filters []Filter

// Meet tells whether a row meets all conditions.
func (all Filters) Meet(t *Table, row Row) bool {
	return !slices.ContainsFunc(all, func(f Filter) bool { return !f.Meets(t, row) })
}

// Conditions parses what rows must meet: one condition, or several with "and" between them. A column with exactly the name in a condition is
// meant alone, otherwise all columns whose names contain it.
func Conditions(t *Table, text string) (all Filters, err error) {
	if text == "" {
		return nil, nil
	}
	for _, part := range conditionParts(text) {
		f, err := ParseFilter(part)
		if err != nil {
			return nil, err
		}
		named := func(same func(a, b string) bool) bool {
			return slices.ContainsFunc(t.Columns, func(c Column) bool { return same(strings.ToLower(c.Name), f.Subject) })
		}
		if f.Op != "" && f.Subject != "value" && !named(strings.Contains) {
			return nil, fmt.Errorf("there is no column %q", f.Subject)
		}
		if why := f.Trouble(); why != "" {
			return nil, errors.New(why)
		}
		f.Whole = named(func(a, b string) bool { return a == b })
		all = append(all, f)
	}
	return all, nil
}

// Meets tells whether one of the cells of a row meets a condition.
func (f Filter) Meets(t *Table, row Row) bool {
	for range f.Cells(t, row) {
		return true
	}
	return false
}

// Cells yields the columns of the cells of a row that meet a condition.
func (f Filter) Cells(t *Table, row Row) iter.Seq[int] {
	in := Filter{Subject: "value", Op: f.Op, want: f.want, number: f.number} // of a cell, whatever its column is called
	return func(yield func(int) bool) {
		for k := range row[:min(len(row), len(t.Columns))] {
			if f.about(t.Columns[k].Name) && in.meets(&row[k]) && !yield(k) {
				return
			}
		}
	}
}

// meets tells whether a cell, its label, or one of its list meets a condition on values.
func (f Filter) meets(c *Cell) bool {
	return f.Match("", func() (string, Value) { return c.String(), c.Value }) ||
		c.Label != "" && f.Op != "!=" && f.Match("", func() (string, Value) { return c.Label, Value{} }) ||
		f.Op != "" && f.Op != "!=" && slices.ContainsFunc(c.Items, func(v Value) bool { return f.Match("", func() (string, Value) { return v.String(), v }) })
}

// about tells whether a condition applies to the cells of a column.
func (f Filter) about(column string) bool {
	switch {
	case f.Whole:
		return strings.EqualFold(column, f.Subject)
	case f.Op == "" || f.Subject == "value":
		return true
	}
	return strings.Contains(strings.ToLower(column), f.Subject)
}

// conditionParts are the conditions of a text with "and" between them; the text itself if "and" is part of a value.
func conditionParts(text string) []string {
	parts := splitAnd(text)
	if slices.ContainsFunc(parts, func(part string) bool { f, err := ParseFilter(part); return err != nil || f.Op == "" }) {
		return []string{text}
	}
	return parts
}

const and = " and "

// splitAnd splits a text at every "and" outside a quoted value.
func splitAnd(text string) (parts []string) {
	from, quote := 0, byte(0)
	for i := 0; i < len(text); i++ {
		c := text[i]
		before := strings.TrimRight(text[from:i], " ")
		switch {
		case quote != 0:
			if rest := text[i+1:]; c == quote && (strings.TrimSpace(rest) == "" || strings.HasPrefix(rest, and)) {
				quote = 0
			}
		case (c == '"' || c == '\'') && before != "" && strings.ContainsRune("=<>~", rune(before[len(before)-1])):
			quote = c
		case strings.HasPrefix(text[i:], and):
			parts = append(parts, text[from:i])
			i += len(and) - 1
			from = i + 1
		}
	}
	if quote != 0 { // an unclosed quote is an ordinary character
		return strings.Split(text, and)
	}
	return append(parts, text[from:])
}

// Asked is the part of a condition on rows that is about one column, without its name: "> 10", or ">= 1 and < 3"; a bare text must be contained.
func (t *Table) Asked(condition string, col int) string {
	var out []string
	for _, part := range conditionParts(condition) {
		if subject, op, value := operands(part); op != "" && strings.EqualFold(subject, t.Columns[col].Name) {
			out = append(out, op+" "+value)
		}
	}
	if len(out) == 1 {
		return strings.TrimPrefix(out[0], "~ ")
	}
	return strings.Join(out, and)
}

// Ask replaces the part of a condition on rows that is about one column, written as by Asked; "" removes it.
func (t *Table) Ask(condition string, col int, asked string) (string, error) {
	name := t.Columns[col].Name
	if strings.ContainsAny(name, "!=<>~") || strings.Contains(name, and) || strings.TrimSpace(name) != name || name == "" {
		return "", fmt.Errorf("a condition cannot name the column %q", name)
	}
	var out []string
	own := askedParts(strings.TrimSpace(asked))
	for i, part := range own {
		own[i] = name + " " + part
	}
	if _, err := Conditions(t, strings.Join(own, and)); err != nil {
		return "", err
	}
	for _, part := range conditionParts(condition) {
		switch subject, op, value := operands(part); {
		case value == "":
		case op == "" && len(own) > 0: // a single word is searched in all columns
			out = append(out, "value ~ "+quotedAnd(value))
		case op == "" || !strings.EqualFold(subject, name):
			out = append(out, strings.TrimSpace(subject+" "+op+" "+quotedAnd(value)))
		}
	}
	return strings.Join(append(out, own...), and), nil
}

// askedParts are the conditions on a column, each an operator and a value.
func askedParts(asked string) (own []string) {
	if asked == "" {
		return nil
	}
	for _, part := range splitAnd(asked) {
		subject, op, value := operands(part)
		if subject != "" || op == "" { // "and" is part of the search text
			if subject, op, value = operands(asked); op == "" || subject != "" {
				op, value = "~", asked
			}
			return []string{op + " " + quotedAnd(value)}
		}
		own = append(own, op+" "+value)
	}
	return own
}

// quotedAnd is a value in quotes if it would otherwise be split into several conditions.
func quotedAnd(value string) string {
	if !strings.Contains(value, and) || unquoted(value) != value {
		return value
	}
	if strings.Contains(value, `"`) {
		return "'" + value + "'"
	}
	return `"` + value + `"`
}
