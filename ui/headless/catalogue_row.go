package headless

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"slices"
	"strings"

	"spandrel/model"
	"spandrel/model/cause"
)

// dataset is a row of a catalogue.
type dataset struct {
	path, format, version, shape string
	rows, columns                int64 // -1: it has no table
	files, size                  int64
	modified                     string
	state                        string // one of states
	causes                       []string
	fingerprint                  string
}

// states are the conditions of a dataset.
const (
	stateOK         = "ok"
	stateWarnings   = "warnings"
	stateDamaged    = "damaged"
	stateUnknown    = "unknown"    // no format takes it
	stateUnreadable = "unreadable" // it could not be read to its end
)

// datasetColumns are the columns of a catalogue, with the place of each in a row: a *string, an *int64 or a *[]string.
var datasetColumns = []struct {
	name string
	at   func(*dataset) any
}{
	{"path", func(d *dataset) any { return &d.path }},
	{"format", func(d *dataset) any { return &d.format }},
	{"version", func(d *dataset) any { return &d.version }},
	{"shape", func(d *dataset) any { return &d.shape }},
	{"rows", func(d *dataset) any { return &d.rows }},
	{"columns", func(d *dataset) any { return &d.columns }},
	{"files", func(d *dataset) any { return &d.files }},
	{"size", func(d *dataset) any { return &d.size }},
	{"modified", func(d *dataset) any { return &d.modified }},
	{"state", func(d *dataset) any { return &d.state }},
	{"causes", func(d *dataset) any { return &d.causes }},
	{"fingerprint", func(d *dataset) any { return &d.fingerprint }},
}

// datasets is the rows of a catalogue as a table.
func datasets(list []*dataset) model.Table {
	t := model.Table{Name: "datasets", Title: "datasets: one per row", Rows: int64(len(list)), Key: []string{"path"}}
	for _, c := range datasetColumns {
		col := model.Column{Name: c.name, Type: "utf8", Kind: model.Text}
		switch c.at(&dataset{}).(type) {
		case *int64:
			col.Type, col.Kind = "i64", model.Int
		case *[]string:
			col.Type = "utf8[]"
		}
		t.Columns = append(t.Columns, col)
	}
	t.Read = func(_ context.Context, first, n int64) ([]model.Row, error) {
		return model.Map(list[first:min(first+n, t.Rows)], (*dataset).cells), nil
	}
	return t
}

func (d *dataset) cells() (row model.Row) {
	for _, c := range datasetColumns {
		var cell model.Cell
		switch v := c.at(d).(type) {
		case *string:
			cell.Value = model.S(*v)
		case *int64:
			if *v >= 0 {
				cell.Value = model.I(*v)
			}
		case *[]string:
			cell = model.Cell{Vector: true, Len: int64(len(*v)), Items: []model.Value{}}
			for _, text := range *v {
				cell.Items = append(cell.Items, model.S(text))
			}
		}
		row = append(row, cell)
	}
	return row
}

// line is a row for --json, in which document is the path of the dataset, because path is that of a field in all kinds of lines.
func (d *dataset) line() map[string]any {
	out := map[string]any{"kind": "dataset", "document": d.path}
	for i, cell := range d.cells()[1:] {
		out[datasetColumns[i+1].name] = cell.JSON()
	}
	return out
}

// text is a row for people.
func (d *dataset) text() string {
	words := []string{d.path, d.state, strings.TrimSpace(d.format + " " + d.version), d.shape, model.Count(d.size, "bytes"), strings.Join(d.causes, " ")}
	return strings.TrimRight(strings.Join(model.Map(words, model.OneLine), "\t"), "\t")
}

// failed is the row of a dataset that could not be read.
func failed(path string, err error) *dataset {
	d := &dataset{path: path, rows: -1, columns: -1, state: stateUnreadable, causes: []string{said(err)}}
	if st, err := os.Stat(path); err == nil && st.Mode().IsRegular() {
		d.files, d.size, d.modified = 1, st.Size(), stamp(st.ModTime())
	}
	return d
}

// judge determines the condition of a dataset, with the reasons: the causes, or the first problem if no cause is known.
func (d *dataset) judge(g *cause.Diagnosis) {
	d.state = stateOK
	worst := -1
	for i := range g.Findings {
		if f := &g.Findings[i]; weighs(f) && (worst < 0 || f.Grade() < g.Findings[worst].Grade()) {
			worst = i
		}
	}
	switch {
	case g.Format == nil:
		d.state = stateUnknown
	case worst >= 0 && g.Findings[worst].Grade() == model.Error:
		d.state = stateDamaged
	case worst >= 0:
		d.state = stateWarnings
	}
	for _, x := range g.Causes {
		d.causes = append(d.causes, x.Text)
	}
	if len(g.Causes) == 0 && worst >= 0 {
		d.causes = []string{g.Findings[worst].Text()}
	}
}

// catalogued reads the rows of a catalogue by path; none if the file does not exist.
func catalogued(path, kind string) (map[string]*dataset, error) {
	out := map[string]*dataset{}
	if st, err := os.Stat(path); errors.Is(err, fs.ErrNotExist) || err == nil && (st.Size() == 0 || !st.Mode().IsRegular()) {
		return out, nil
	}
	s, err := openSource(path, path, kind)
	if err != nil {
		return nil, err
	}
	defer s.shut()
	at := make([]int, len(datasetColumns))
	for i, c := range datasetColumns {
		if at[i] = slices.Index(s.names, c.name); at[i] < 0 {
			return nil, fmt.Errorf("%s: it has no column %q, so it is not a catalogue: write to another file, or remove it", path, c.name)
		}
	}
	for {
		p, err := s.next()
		if err == io.EOF {
			return out, nil
		}
		if err == nil {
			err = takeOld(out, s, p, at)
		}
		if err != nil {
			return nil, fmt.Errorf("%s: row %d cannot be read: %w: write to another file, or remove it", path, len(out), err)
		}
	}
}

// takeOld reads rows of a catalogue; at is the place of each column in the file.
func takeOld(out map[string]*dataset, s *source, p *someRows, at []int) error {
	columns := datasets(nil).Columns
	for i := range p.rows {
		d, cells := &dataset{rows: -1, columns: -1}, p.row(i)
		for k := range columns {
			if at[k] >= len(cells) { // a short row
				continue
			}
			if err := d.take(k, &columns[k], s, cells[at[k]]); err != nil {
				return err
			}
		}
		out[d.path] = d
	}
	return nil
}

// take reads the value of a column from a cell of a file.
func (d *dataset) take(column int, col *model.Column, s *source, cell model.Cell) error {
	if s.plain && cell.Value.Kind == model.Text && cell.Value.Text() == "" {
		return nil
	}
	cell, err := incoming(col, nil, s.plain, cell)
	if err != nil {
		return fmt.Errorf("%s: %w", col.Name, err)
	}
	switch v := datasetColumns[column].at(d).(type) {
	case *string:
		*v = cell.Value.Text()
	case *int64:
		if cell.Value.Kind != model.None {
			*v = cell.Value.Int()
		}
	case *[]string:
		for _, x := range cell.Items {
			*v = append(*v, x.Text())
		}
	}
	return nil
}
