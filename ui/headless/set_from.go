package headless

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

	"spandrel/model"
)

// editLine is a line of a file of edits: of a field by path, or of a cell by table, row and column.
type editLine struct {
	Path   string          `json:"path"`
	Table  string          `json:"table"`
	Row    *int64          `json:"row"`
	Column string          `json:"column"`
	Value  json.RawMessage `json:"value"`
}

// editsFrom makes the edits in a file of JSON lines; - is standard input.
func editsFrom(c *call, d *model.Document, path string) (edits []model.Edit, err error) {
	in, err := c.input(path)
	if err != nil {
		return nil, err
	}
	defer in.Close()
	lines := bufio.NewScanner(in)
	lines.Buffer(make([]byte, 64<<10), maxLine)
	a := requested{call: c, d: d}
	for n := 1; lines.Scan(); n++ {
		if len(bytes.TrimSpace(lines.Bytes())) == 0 {
			continue
		}
		if err := a.add(lines.Bytes()); err != nil {
			return nil, fmt.Errorf("%s, line %d: %w", path, n, err)
		}
	}
	if err := lines.Err(); err != nil && !errors.Is(err, io.EOF) {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	for _, t := range a.tables {
		more, err := t.table.Edits(c.ctx, d.Tree, t.cells)
		if err != nil {
			return nil, fmt.Errorf("%s, table %s: %w", path, t.table.Name, err)
		}
		a.fields = append(a.fields, more...)
	}
	return a.fields, nil
}

// requested is the edits of all lines.
type requested struct {
	*call
	d      *model.Document
	fields []model.Edit
	tables []*requestedCells
}

// requestedCells are the edits of one table.
type requestedCells struct {
	table model.Table
	cells []model.Typed
}

// add takes a line: a field, or a cell of a table.
func (a *requested) add(line []byte) error {
	x, err := readEdit(line)
	if err != nil {
		return err
	}
	if x.Path != "" {
		e, err := editOf(a.call, a.d, x)
		a.fields = append(a.fields, e)
		return err
	}
	t, err := a.tableOf(x.Table)
	if err != nil {
		return err
	}
	typed, err := x.cell(&t.table)
	t.cells = append(t.cells, typed)
	return err
}

// tableOf is the table with a name, for lines that change it.
func (a *requested) tableOf(name string) (*requestedCells, error) {
	if i := slices.IndexFunc(a.tables, func(t *requestedCells) bool { return t.table.Name == name }); i >= 0 {
		return a.tables[i], nil
	}
	t, err := tableOf(a.ctx, a.args[0], a.d.Tree, name)
	if err != nil {
		return nil, err
	}
	a.tables = append(a.tables, &requestedCells{table: t})
	return a.tables[len(a.tables)-1], nil
}

// readEdit reads a line.
func readEdit(line []byte) (x editLine, err error) {
	read := json.NewDecoder(bytes.NewReader(line))
	read.DisallowUnknownFields()
	if err := read.Decode(&x); err != nil {
		why := "it is not a JSON object"
		if key, unknown := strings.CutPrefix(err.Error(), "json: unknown field "); unknown {
			why = "an edit has no " + key
		}
		return x, fmt.Errorf(`%s: write {"path":"header/n_rows","value":12}, or table, row, column and value of a cell`, why)
	}
	switch {
	case x.Value == nil:
		return x, errors.New("it has no value")
	case x.Path == "" && (x.Table == "" || x.Row == nil || x.Column == ""):
		return x, errors.New("it needs a path, or table, row and column")
	case x.Path != "" && x.Table != "":
		return x, errors.New("it has a path and a table: a field or a cell?")
	}
	return x, nil
}

// text is the value as someone would type it; missing means null.
func (x *editLine) text() (text string, missing bool) {
	if err := json.Unmarshal(x.Value, &text); err == nil {
		return text, bytes.Equal(x.Value, []byte("null"))
	}
	return string(x.Value), false
}

// editOf is the edit of a field.
func editOf(c *call, d *model.Document, x editLine) (model.Edit, error) {
	s, err := d.Tree.Find(c.ctx, x.Path)
	if err != nil {
		return nil, err
	}
	text, missing := x.text()
	if missing {
		return nil, fmt.Errorf("%s: a field cannot be missing", x.Path)
	}
	v, err := s.Field.Parse(text)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", x.Path, err)
	}
	return model.SetValue(s, v), nil
}

// cell is the edit of a cell.
func (x *editLine) cell(t *model.Table) (model.Typed, error) {
	i := t.Column(x.Column)
	switch {
	case i < 0:
		return model.Typed{}, fmt.Errorf("table %s has no column %q; available: %s", t.Name, x.Column, columnNames(*t))
	case *x.Row < 0 || *x.Row >= t.Rows:
		return model.Typed{}, fmt.Errorf("table %s has rows from 0 to %d", t.Name, t.Rows-1)
	}
	text, missing := x.text()
	return model.Typed{Row: *x.Row, Column: i, Text: text, Missing: missing}, nil
}
