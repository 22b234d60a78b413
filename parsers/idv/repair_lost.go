package idv

import (
	"cmp"
	"errors"
	"fmt"

	"spandrel/model"
)

// fileOfLost makes a file of the lost columns: with the groups of rows that all of them have.
func (s lostColumns) fileOfLost() (*file, []model.SalvagedPart, error) {
	left := s.left()
	if left == nil {
		_, err := s.carve() // why not
		return nil, nil, cmp.Or(err, errors.New("no column is known"))
	}
	f, parts, err := left.of.in(s.ctx, s.t).keep()
	if f == nil || f.rows == 0 {
		return nil, nil, cmp.Or(err, errors.New("no block of rows is intact"))
	}
	columns, rows := &parts[0], &parts[1]
	columns.Of, rows.Of = -1, -1
	if s.stream.columnCount > 0 {
		columns.Of = max(s.stream.columnCount, columns.Saved)
	}
	if s.stream.rows > 0 {
		rows.Of = max(s.stream.rows, rows.Saved)
	}
	if left.of.cols[0].guessed {
		columns.Lost = "the names and types of all columns: the types are guessed from the values"
	}
	if left.carved && len(left.of.cols) > 1 {
		rows.Says = "which values form a row is taken from the order of the blocks in the file"
	}
	if left.broken {
		rows.Lost = "rows from " + model.Thousands(left.of.rows) + " on: only the lost directory says which of their blocks belong together"
	}
	if left.capped && !left.broken {
		rows.Lost = fmt.Sprintf("everything after the first %d MiB of values: without the directory, no more of a file of this size is searched",
			s.searched()>>20)
	}
	return f, parts, nil
}
