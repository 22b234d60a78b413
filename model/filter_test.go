package model

import (
	"context"
	"strings"
	"testing"
)

// people is a table with a column of each kind that a condition may be about.
func people() *Table {
	rows := []Row{
		{{Value: S("Ada")}, {Value: I(36)}, {Value: S("salt and pepper")}},
		{{Value: S("Bert")}, {Value: I(5)}, {Value: S("salt")}},
		{{Value: S("name")}, {Value: I(41)}, {Value: S("4")}},
	}
	t := &Table{Name: "people", Rows: 3, Columns: Columns("name utf8, age i32, label utf8")}
	t.Read = RowsOf(3, func(_ context.Context, i int64) (Row, error) { return rows[i], nil })
	return t
}

func met(t *testing.T, text string) string {
	t.Helper()
	table, out := people(), ""
	all, err := Conditions(table, text)
	if err != nil {
		return err.Error()
	}
	rows, _ := table.Read(t.Context(), 0, 3)
rows:
	for _, r := range rows {
		for _, f := range all {
			if !f.Meets(table, r) {
				continue rows
			}
		}
		out += r[0].Value.Text()[:1]
	}
	return out
}

// A column may be called "name", and "and" may be part of a value that stands in quotes.
func TestConditionsOfRows(t *testing.T) {
	for text, want := range map[string]string{"name ~ er": "B", "name = ada and age > 30": "A", "age > 3": "ABn", "label > 3": "n", "salt and pepper": "A", `label = "salt and pepper" and age > 3`: "A",
		"label = salt and pepper": "A", "value ~ 4 and age > 40": "n", `name = "`: "", "nothing = 3": `there is no column "nothing"`, "a ~ d": "A"} {
		if got := met(t, text); got != want {
			t.Errorf("%s: %q, want %q", text, got, want)
		}
	}
}

// Whole numbers are compared exactly: neighbours of more than 53 bits are not one.
func TestConditionsOfLargeNumbers(t *testing.T) {
	const n = 1<<63 + 1025
	for text, want := range map[string]bool{"= 9223372036854776833": true, "= 9223372036854776832": false, "!= 9223372036854776832": true, "> 9223372036854776832": true,
		"< 9223372036854776832": false, ">= 9223372036854776834": false, "= 0x8000000000000401": true, "> -1": true, "= nan": false, "!= nan": true, "> 9.2e18": true} {
		f, err := ParseFilter("hash " + text)
		if err != nil {
			t.Fatal(err)
		}
		if got := f.Match("hash", func() (string, Value) { return U(n).String(), U(n) }); got != want {
			t.Errorf("%d %s: %v", uint64(n), text, got)
		}
	}
	if I(-2).Compare(I(-1)) >= 0 || I(-1).Compare(U(1<<63)) >= 0 || U(1<<63).Compare(I(-1)) <= 0 || F(0.5).Compare(I(1)) >= 0 || I(1<<53+1).Compare(I(1<<53)) <= 0 {
		t.Error("numbers are not in their order")
	}
}

// What is asked of one column is a part of the condition: it is read from there and written there.
func TestAskedOfColumn(t *testing.T) {
	table := people()
	for _, c := range []struct {
		was    string
		col    int
		asked  string
		want   string // "": it is refused
		says   string // of the column afterwards
		chosen string
	}{
		{"", 1, "> 10", "age > 10", "> 10", "An"},
		{"age > 10", 1, ">= 5 and < 40", "age >= 5 and age < 40", ">= 5 and < 40", "AB"},
		{"age > 10 and name ~ a", 1, "", "name ~ a", "", "An"},
		{"pepper", 0, "ad", "value ~ pepper and name ~ ad", "ad", "A"},
		{"salt and pepper", 1, "36", `value ~ "salt and pepper" and age ~ 36`, "36", "A"},
		{"label = salt and pepper", 1, "> 3", `label = "salt and pepper" and age > 3`, "> 3", "A"},
		{"age > 3", 2, "= salt and pepper", `age > 3 and label = "salt and pepper"`, `= "salt and pepper"`, "A"},
		{"age > 3", 1, "> x", "", "> 3", ""},
		{"age > 3", 1, ">", "", "> 3", ""},
	} {
		got, err := table.Ask(c.was, c.col, c.asked)
		if got != c.want || (err != nil) != (c.want == "") {
			t.Errorf("%q of column %d in %q: %q, %v", c.asked, c.col, c.was, got, err)
			continue
		}
		if err != nil {
			got = c.was
		} else if chosen := met(t, got); chosen != c.chosen {
			t.Errorf("%s: %q, want %q", got, chosen, c.chosen)
		}
		if says := table.Asked(got, c.col); says != c.says {
			t.Errorf("%s: of the column it says %q, want %q", got, says, c.says)
		}
	}
	table.Columns[0].Name = "a<b"
	if _, err := table.Ask("", 0, "x"); err == nil || !strings.Contains(err.Error(), "cannot name the column") {
		t.Error("of a column whose name cannot be said:", err)
	}
}
