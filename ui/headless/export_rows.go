package headless

import (
	"bufio"
	"cmp"
	"context"
	"encoding/csv"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"spandrel/model"
)

// part is rows and columns of a table.
type part struct {
	model.Table
	first, end int64
	pick       []int // indices of columns
	labels     bool  // names in place of the values that have one
}

func slice(t model.Table, rows, columns string) (*part, error) {
	p := &part{Table: t, end: t.Rows}
	if rows != "" {
		a, b, ok := strings.Cut(rows, ":")
		var err error
		if a != "" {
			p.first, err = strconv.ParseInt(a, 10, 64)
		}
		if err == nil && b != "" {
			p.end, err = strconv.ParseInt(b, 10, 64)
		}
		if err != nil || !ok || p.first < 0 || p.end < p.first {
			return nil, fmt.Errorf("--rows %s: use A:B for rows A up to but not including B, counted from 0; 5:6 is row 5, and 5: is row 5 and all after it", rows)
		}
		p.first, p.end = min(p.first, t.Rows), min(p.end, t.Rows)
	}
	var err error
	p.pick, err = picked(t, columns)
	return p, err
}

// picked are the columns in a list of names, in its order: all columns of a name, because tables may have several. A name may contain commas.
func picked(t model.Table, list string) (pick []int, err error) {
	if list == "" {
		return model.Indices(len(t.Columns)), nil
	}
	for list != "" {
		name := firstName(t, list)
		if name == "" {
			name, _, _ = strings.Cut(list, ",")
			return nil, fmt.Errorf("--columns: %s has no column %q; it has %s", t.Name, name, columnNames(t))
		}
		for i, col := range t.Columns {
			if col.Name == name {
				pick = append(pick, i)
			}
		}
		list = strings.TrimPrefix(list[len(name):], ",")
	}
	return pick, nil
}

// firstName is the longest name of a column with which a list begins; "" for none.
func firstName(t model.Table, list string) (name string) {
	for _, col := range t.Columns {
		if strings.HasPrefix(list+",", col.Name+",") && len(col.Name) > len(name) {
			name = col.Name
		}
	}
	return name
}

// columnNames lists the columns for an error about an unknown one.
func columnNames(t model.Table) string {
	return namesIn(t.Columns, func(c model.Column) string { return c.Name })
}

// exportTo writes rows in a format to w.
func exportTo(c *call, w io.Writer, p *part, to string) error {
	buf := bufio.NewWriterSize(w, 256<<10)
	var err error
	switch to {
	case "csv":
		rows := newCSV(buf, p)
		err = cmp.Or(exportRows(c, rows.Row, p), rows.flush())
	case "jsonl":
		err = exportRows(c, newJSONLines(buf, p).Row, p)
	case "parquet":
		err = exportParquet(c, buf, p)
	case "arrow":
		err = exportArrow(c, buf, p, seekless(c.out))
	default:
		err = fmt.Errorf("--to %s: csv, jsonl, parquet or arrow", to)
	}
	if err != nil {
		return err
	}
	return buf.Flush()
}

// exportRows writes rows one after the other.
func exportRows(c *call, write func(model.Row) error, p *part) error {
	if err := p.fits(c.out); err != nil {
		return err
	}
	return p.Each(c.ctx, p.first, p.end, c.progressOf("writing rows"), func(at int64, r model.Row) error {
		if p.labels {
			name(r)
		}
		if err := write(r); err != nil {
			return fmt.Errorf("%s, row %d: %w", p.Name, at, err)
		}
		return nil
	})
}

// seekless tells whether the output cannot seek: a pipe, a terminal, a device.
func seekless(out string) bool {
	st, err := os.Stat(out)
	return out == "" || out == "-" || err == nil && !st.Mode().IsRegular()
}

// fits is an error if the disk has no room for an export, however short the values are: each takes at least a byte and a separator. A
// file of a few bytes may claim to have any number of rows.
func (p *part) fits(out string) error {
	if seekless(out) {
		return nil
	}
	rows, columns := p.end-p.first, int64(max(1, len(p.pick)))
	if room, known := model.Room(filepath.Dir(out)); known && rows > room/columns {
		return fmt.Errorf("%s: %s of %s do not fit in the %s bytes left on the disk of %s: choose fewer rows", p.Name,
			model.Count(rows, "rows"), model.Count(columns, "columns"), model.Thousands(room), out)
	}
	return nil
}

// name replaces values by their names. A missing one has none: its label could be a text.
func name(r model.Row) {
	for i := range r {
		if !r[i].Vector && r[i].Label != "" && r[i].Value.Kind != model.None {
			r[i].Value = model.S(r[i].Label)
		}
	}
}

// jsonLines writes one object per row, with keys in the order of the columns.
type jsonLines struct {
	w    *bufio.Writer
	p    *part
	keys [][]byte
}

func newJSONLines(w *bufio.Writer, p *part) *jsonLines {
	return &jsonLines{w, p, model.Map(p.pick, func(i int) []byte {
		key, _ := model.MarshalLine(p.Columns[i].Name) // any text is fine
		return append(key, ':')
	})}
}

func (j *jsonLines) Row(r model.Row) error {
	j.w.WriteByte('{')
	for k, i := range j.p.pick {
		if k > 0 {
			j.w.WriteByte(',')
		}
		v, err := model.MarshalLine(r[i].JSON())
		if err != nil {
			return err
		}
		j.w.Write(j.keys[k])
		j.w.Write(v)
	}
	_, err := j.w.WriteString("}\n")
	return err
}

// csvRows writes RFC 4180 with a header; vectors are JSON arrays, missing values empty.
type csvRows struct {
	out io.Writer
	w   *csv.Writer
	p   *part
	row []string
}

func newCSV(w io.Writer, p *part) *csvRows {
	c := &csvRows{w, csv.NewWriter(w), p, make([]string, len(p.pick))}
	for k, i := range p.pick {
		c.row[k] = p.Columns[i].Name
	}
	c.w.Write(c.row)
	return c
}

func (c *csvRows) Row(r model.Row) error {
	for k, i := range c.p.pick {
		c.row[k] = ""
		switch cell := r[i]; {
		case cell.Trouble != "":
		case cell.Vector:
			b, err := json.Marshal(cell.JSON())
			if err != nil {
				return err
			}
			c.row[k] = string(b)
		case cell.Value.Kind == model.Bytes:
			c.row[k] = fmt.Sprint(cell.JSON())
		case cell.Value.Kind != model.None:
			c.row[k] = cell.Value.Text()
		}
	}
	if len(c.row) == 1 && c.row[0] == "" { // readers skip empty lines
		c.w.Flush()
		_, err := io.WriteString(c.out, "\"\"\n")
		return err
	}
	return c.w.Write(c.row)
}

func (c *csvRows) flush() error {
	c.w.Flush()
	return c.w.Error()
}

// Export writes a table to a file, for the window: csv, jsonl, parquet or arrow. The file appears when it is complete.
func Export(ctx context.Context, path string, t model.Table, to string) error {
	p, err := slice(t, "", "")
	if err != nil {
		return err
	}
	c := &call{ctx: ctx, out: path, quiet: true}
	return c.output(func(w io.Writer) error { return exportTo(c, w, p, to) })
}
