package parsers

import (
	"fmt"
	"sync"
	"testing"

	"spandrel/model"
)

// A table is read by all who show, sort and count it at once: each gets the rows that one gets who reads it alone. The race detector watches
// (make race).
func TestTablesReadAtOnce(t *testing.T) {
	eachSample(t, func(t *testing.T, s sample) {
		d := s.open(t)
		alone := s.open(t)
		tables, want := d.Tree.Tables(t.Context()), alone.Tree.Tables(t.Context())
		for k := range tables {
			rows := min(tables[k].Rows, 300)
			text := func(table *model.Table) string {
				got, err := table.Read(t.Context(), 0, rows)
				return fmt.Sprint(got, err)
			}
			var all sync.WaitGroup
			said := make([]string, 4)
			for i := range said {
				all.Go(func() { said[i] = text(&tables[k]) })
			}
			all.Wait()
			for _, got := range said {
				if alone := text(&want[k]); got != alone {
					t.Errorf("%s: rows read at once are\n%.300s\nand alone\n%.300s", tables[k].Name, got, alone)
					return
				}
			}
		}
	})
}
