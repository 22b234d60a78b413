package model

// Equal rows without a key are told apart by their order alone. If one of them changes, it may be another one that seems to be removed, and a row that is added.

// repeated handles a row that both sides removed: if there are several like it, and rows that one of them added, each may have meant another one.
func (x *threeWay) repeated(i int64) error {
	if len(x.key) > 0 || len(x.newA)+len(x.newB) == 0 {
		return nil
	}
	if x.alike == nil {
		x.alike = map[string]int64{}
		for k := range x.base.Rows {
			_, cells, err := x.row(&x.rowsBase, k, 0)
			if err != nil {
				return err
			}
			x.alike[oneText(cells)]++
		}
	}
	_, cells, err := x.row(&x.rowsBase, i, 0)
	if n := x.alike[oneText(cells)]; err == nil && n > 1 {
		x.conflict(Conflict{Table: x.base.Name, Row: i, RowA: -1, Path: x.path(i), TextBase: "one of " + Count(n, "equal rows"), TextA: "dropped", TextB: "dropped or changed", needsBoth: true})
	}
	return err
}
