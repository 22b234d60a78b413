package idv

import (
	"fmt"
	"slices"
	"sync"

	"spandrel/model"
	"spandrel/parsers/idv/block"
)

// lostCells reads columns that the directory does not name. The last block of each is kept.
type lostCells struct {
	*remains
	mu   sync.Mutex
	last map[int]*lostBlock
}

type lostBlock struct {
	k       int64
	block   *block.Block
	trouble string
}

// addLost adds the columns that are not named to a table, and returns what reads them.
func (s losing) addLost(tab *model.Table) *lostCells {
	left := s.left()
	if left == nil {
		return nil
	}
	if left.instead {
		tab.Columns = nil
	}
	l := &lostCells{remains: &remains{rpb: left.rpb, rows: left.rows, instead: left.instead}, last: map[int]*lostBlock{}}
	if !slices.ContainsFunc(left.columns, (*lostColumn).readable) {
		return l
	}
	for _, c := range left.columns {
		typ, kind := "utf8", model.Text
		if c.readable() {
			typ, kind = c.codec.Column()
		}
		tab.Columns = append(tab.Columns, model.Column{Name: c.called(), Type: typ, Kind: kind, Doc: c.doc(), Guessed: c.name == "",
			Fixed: "The directory of the columns is lost: save what is left first."})
		l.columns = append(l.columns, c)
	}
	if len(s.stream.cols) == 0 || left.instead {
		tab.Rows = l.rows
	}
	return l
}

// fill fills columns from the from-th on.
func (l *lostCells) fill(s losing, first int64, rows []model.Row, from int) error {
	for j, c := range l.columns {
		for i := range rows {
			row := first + int64(i)
			k := row / l.rpb
			b := l.block(s, c, k)
			if s.ctx.Err() != nil {
				return s.ctx.Err()
			}
			if b.trouble != "" {
				rows[i][from+j] = model.Cell{Trouble: b.trouble}
				continue
			}
			cell := b.block.Cell(row - k*l.rpb)
			cell.Range = model.Range{}
			rows[i][from+j] = cell
		}
	}
	return nil
}

func (l *lostCells) block(s losing, c *lostColumn, k int64) *lostBlock {
	l.mu.Lock()
	defer l.mu.Unlock()
	if b := l.last[c.index]; b != nil && b.k == k {
		return b
	}
	b := &lostBlock{k: k, trouble: "its block is not in the file any more"}
	if !c.readable() {
		b.trouble = "what the column holds is not known any more"
	} else if k < int64(len(c.blocks)) {
		in, err := s.held(c.blocks[k], c.deflated)
		if b.trouble = ""; err != nil && len(in) == 0 {
			b.trouble = err.Error()
		} else {
			b.block = block.Read(c.codec, in, min(l.rpb, l.rows-k*l.rpb))
		}
	}
	l.last[c.index] = b
	return b
}

// called is the name of a lost column.
func (c *lostColumn) called() string {
	if c.name == "" {
		return fmt.Sprintf("Column%d", c.index)
	}
	return c.name
}

// doc says what is known of a lost column.
func (c *lostColumn) doc() string {
	switch {
	case c.name == "" && !c.readable():
		return "its name and type are lost, and its values look like nothing that is known"
	case c.name == "":
		return "its name and type are lost: the type is what its values look like"
	}
	return "its blocks are not where the directory has them: they were looked for around there"
}
