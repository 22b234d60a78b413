package headless

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"spandrel/model"
	"spandrel/model/remote"
)

// source is a table in another file, read in pages of rows.
type source struct {
	names []string
	// units are the units of columns of times, and whether they are durations; nil for other columns.
	units []*model.Clock
	plain bool // an empty text may also be a missing value
	text  bool // numbers are texts
	// next returns some rows, or io.EOF. A missing value has no kind. If plain is set, text stands for any kind of value, and for bytes too.
	next func() (*someRows, error)
	shut func() error
}

// someRows is some rows of a source, as columns.
type someRows struct {
	rows    int
	columns []given
}

// given is a column of a page: a batch of single values of a type, or cells.
type given struct {
	model.Batch
	item  string // "" for cells
	cells []model.Cell
}

// cell is the content of a row.
func (g *given) cell(i int) model.Cell {
	if g.item == "" {
		return g.cells[i]
	}
	return model.Cell{Value: g.Value(g.item, int64(i))}
}

// row is the content of a row.
func (p *someRows) row(i int) (cells []model.Cell) {
	for k := range p.columns {
		cells = append(cells, p.columns[k].cell(i))
	}
	return cells
}

// cellRows is how many rows of cells a page has at most.
const cellRows = 4096

// gathered makes pages of rows that come one by one. add adds one to a page, and returns about how many bytes it takes.
func gathered(columns int, item string, add func(p *someRows) (int, error)) func() (*someRows, error) {
	var failed error
	return func() (*someRows, error) {
		p := &someRows{columns: make([]given, columns)}
		for k := range p.columns {
			p.columns[k].item = item
		}
		for size := 0; failed == nil && p.rows < batchRows && size < batchBytes; p.rows++ {
			var n int
			if n, failed = add(p); failed != nil {
				break
			}
			size += n
		}
		if p.rows == 0 {
			return nil, failed
		}
		return p, nil
	}
}

// gatheredCells is gathered for rows of cells.
func gatheredCells(columns int, next func() ([]model.Cell, error)) func() (*someRows, error) {
	return gathered(columns, "", func(p *someRows) (size int, err error) {
		row, err := next()
		for k, c := range row {
			p.columns[k].cells = append(p.columns[k].cells, c)
			size += 128 + 32*len(c.Items)
		}
		return size, err
	})
}

// maxLine is the longest line of JSON.
const maxLine = 64 << 20

// openSource opens a local file according to its extension, or its first bytes. Errors call it name.
func openSource(name, path, format string) (s *source, err error) {
	once := fmt.Errorf("%s: it must be a local file, because it may be read twice", name)
	if remote.Is(path) {
		return nil, once
	}
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	head := make([]byte, 8)
	n, _ := io.ReadFull(f, head)
	if _, err = f.Seek(0, io.SeekStart); err != nil {
		f.Close()
		return nil, once
	}
	if format == "" {
		format = kindOfSource(path, head[:n])
	}
	switch format {
	case "csv":
		s, err = csvSource(f)
	case "jsonl":
		s, err = jsonSource(f)
	case "arrow":
		s, err = arrowSource(f)
	case "parquet":
		s, err = parquetSource(f)
	default:
		err = fmt.Errorf("it must be csv, jsonl, parquet or arrow, or a document of a known format, but its extension is none of these: %w with --to", errNoKind)
	}
	if err != nil {
		f.Close()
		return nil, of(name, err)
	}
	if s.shut == nil {
		s.shut = f.Close
	}
	return s, nil
}

// errNoKind is that a source is no file of rows by its extension or first bytes.
var errNoKind = errors.New("choose one")

func kindOfSource(path string, head []byte) string {
	switch ext := strings.ToLower(filepath.Ext(path)); {
	case bytes.HasPrefix(head, []byte("PAR1")):
		return "parquet"
	case bytes.HasPrefix(head, []byte("ARROW1")), bytes.HasPrefix(head, []byte{0xff, 0xff, 0xff, 0xff}):
		return "arrow"
	case ext == ".csv":
		return "csv"
	case slices.Contains([]string{".jsonl", ".ndjson", ".json"}, ext):
		return "jsonl"
	}
	return ""
}

// jsonSource reads one object per line. The columns are the keys of the first.
func jsonSource(f *os.File) (*source, error) {
	j := &jsonReader{lines: bufio.NewScanner(f)}
	j.lines.Buffer(make([]byte, 256<<10), maxLine)
	first, err := j.next()
	if err == io.EOF {
		return nil, errors.New("it has no lines")
	}
	s := &source{names: j.names, units: make([]*model.Clock, len(j.names)), text: true}
	s.next = gatheredCells(len(j.names), func() ([]model.Cell, error) {
		if row := first; row != nil {
			first = nil
			return row, nil
		}
		return j.next()
	})
	return s, err
}

// jsonReader reads rows from lines of JSON.
type jsonReader struct {
	lines *bufio.Scanner
	names []string // the keys of the first line
	at    map[string]int
}

func (j *jsonReader) next() ([]model.Cell, error) {
	for j.lines.Scan() && len(bytes.TrimSpace(j.lines.Bytes())) == 0 {
	}
	if err := j.lines.Err(); err != nil {
		return nil, err
	}
	if len(bytes.TrimSpace(j.lines.Bytes())) == 0 {
		return nil, io.EOF
	}
	keys, values, err := keysOf(j.lines.Bytes())
	if err != nil {
		return nil, err
	}
	if j.names == nil {
		j.names, j.at = keys, map[string]int{}
		for i, k := range keys {
			j.at[k] = i
		}
	}
	row := make([]model.Cell, len(j.names))
	for i, k := range keys {
		at, ok := j.at[k]
		if !ok {
			return nil, fmt.Errorf("it has a key %q, which the first line lacks", k)
		}
		row[at] = values[i]
	}
	return row, nil
}

// keysOf reads a JSON object, with its keys in order.
func keysOf(line []byte) (keys []string, values []model.Cell, err error) {
	d := json.NewDecoder(bytes.NewReader(line))
	d.UseNumber()
	if t, err := d.Token(); err != nil || t != json.Delim('{') {
		return nil, nil, fmt.Errorf("%.60q is not a JSON object", line)
	}
	for d.More() {
		key, err := d.Token()
		if err != nil {
			return nil, nil, err
		}
		var v any
		if err := d.Decode(&v); err != nil {
			return nil, nil, err
		}
		c, err := cellOfJSON(v)
		if err != nil {
			return nil, nil, fmt.Errorf("%s: %w", key, err)
		}
		keys, values = append(keys, fmt.Sprint(key)), append(values, c)
	}
	_, err = d.Token()
	return keys, values, err
}

// cellOfJSON is a JSON value as a cell: numbers as text, lists as vectors, objects of position and value as sparse ones.
func cellOfJSON(v any) (c model.Cell, err error) {
	switch v := v.(type) {
	case nil:
	case bool:
		c.Value = model.B(v)
	case json.Number:
		c.Value = model.S(v.String())
	case string:
		c.Value = model.S(v)
	case []any:
		c.Vector, c.Len, c.Items = true, int64(len(v)), []model.Value{}
		for _, x := range v {
			item, err := cellOfJSON(x)
			if err != nil || item.Vector {
				return c, errors.Join(err, errors.New("lists of lists are not supported"))
			}
			c.Items = append(c.Items, item.Value)
		}
	default:
		return c, errors.New("objects are not supported as values")
	}
	return c, nil
}

// incoming converts a cell of a source to the kind and type of a column. An error says why it cannot.
func incoming(col *model.Column, unit *model.Clock, plain bool, c model.Cell) (model.Cell, error) {
	if col.IsVector() && plain && !c.Vector && c.Value.Kind == model.Text && c.Value.Text() != "" {
		var list any
		d := json.NewDecoder(strings.NewReader(c.Value.Text()))
		d.UseNumber()
		err := d.Decode(&list)
		if err == nil {
			c, err = cellOfJSON(list)
		}
		if err != nil {
			return c, fmt.Errorf("%.60q is not a list like [1, 2]", c.Value.Text())
		}
	}
	switch {
	case c.Vector != col.IsVector() && c.Value.Kind != model.None:
		if col.IsVector() {
			return c, fmt.Errorf("it is a single value, but the column has vectors")
		}
		return c, fmt.Errorf("it is a list, but the column has single values")
	case !c.Vector:
		v, err := taken(col, unit, c.Value)
		return model.Cell{Value: v}, err
	case col.Len > 0 && int64(len(c.Items)) != col.Len:
		return c, fmt.Errorf("it has %d items, but the vectors of the column have %d", len(c.Items), col.Len)
	}
	out := model.Cell{Vector: true, Len: int64(len(c.Items)), Items: make([]model.Value, len(c.Items))}
	for i, x := range c.Items {
		v, err := taken(col, unit, x)
		if err != nil {
			return c, fmt.Errorf("item %d: %w", i, err)
		}
		out.Items[i] = v
	}
	return out, nil
}

// taken converts a value of a source to the type of a column.
func taken(col *model.Column, unit *model.Clock, v model.Value) (model.Value, error) {
	isText := v.Kind == model.Text || v.Kind == model.Bytes
	switch {
	case v.Kind == model.None:
		return v, nil
	case unit != nil:
		return timeIn(col, unit, v)
	case isText && v.Kind == col.Kind:
		return v, nil
	case col.Kind == model.Text && isText:
		return model.S(v.Text()), nil
	case col.Kind == model.Text:
		return v, fmt.Errorf("%s is a number, but the column has strings", v)
	case isText:
		parsed, err := model.ParseValue(col.Kind, v.Text())
		if n, ok := timeOf(col.Clock, v.Text()); err != nil && ok {
			parsed, err = model.I(n), nil
		}
		if err != nil {
			return parsed, err
		}
		return numberIn(col, parsed)
	}
	return numberIn(col, v)
}

// numberIn converts a number or a Boolean to the type of the column.
func numberIn(col *model.Column, v model.Value) (model.Value, error) {
	if col.Kind == model.Bool {
		if v.Kind != model.Bool && v.Uint() > 1 {
			return v, fmt.Errorf("%s is neither true nor false", v)
		}
		return model.B(v.Bool()), nil
	}
	codec := model.Items[col.Item()]
	if codec == nil {
		return v, nil
	}
	if col.Kind != model.Float && v.Kind == model.Bool {
		return v, fmt.Errorf("%s is a Boolean, but the column has numbers", v)
	}
	b, err := codec.Encode(v)
	if err != nil {
		return v, err
	}
	kept, _, err := codec.Decode(b)
	return kept, err
}
