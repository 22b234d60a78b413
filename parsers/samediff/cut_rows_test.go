package samediff

import (
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"spandrel/parsers/internal/suite"
)

// TestRowsOfCutGraphs cuts graphs whose descriptions of fields stand near their end: rows of what is left read as in the whole file. One is older than
// the schema of today, which its tables alone tell then; the writer of the other lays tables out in a way of its own.
func TestRowsOfCutGraphs(t *testing.T) {
	for _, x := range []struct {
		file           string
		percent, least int
	}{
		{"samediff/libnd4j-ae_00.fb", 80, 9},
		{"found/samediff/scalar_float32-adaa7ed/scalar_float32.fb", 95, 30},
	} {
		b, err := os.ReadFile(suite.Corpus(t, x.file))
		if err != nil {
			t.Fatal(err)
		}
		name, right := filepath.Base(x.file), 0
		whole := graphRows(t, name, b)
		for row, n := range graphRows(t, name, b[:len(b)*x.percent/100]) {
			right += min(n, whole[row])
		}
		if right < x.least {
			t.Errorf("%s: of %d %% of it %d rows read as before, at least %d should", name, x.percent, right, x.least)
		}
	}
}

// graphRows counts the rows of variables and nodes, without where the values of variables are.
func graphRows(t *testing.T, name string, b []byte) map[string]int {
	out := map[string]int{}
	for _, tab := range Format.Tables(t.Context(), openModel(t, name, b).Tree)[:2] {
		rows, err := tab.Read(t.Context(), 0, tab.Rows)
		if err != nil {
			t.Fatal(err)
		}
		for _, row := range rows {
			if tab.Name == "variables" {
				row[4].Value, row[5].Value = row[0].Value, row[0].Value
			}
			text := tab.Name
			for _, c := range row {
				text += fmt.Sprintf("|%v %v", c.Value, c.Items)
			}
			out[text]++
		}
	}
	return out
}
