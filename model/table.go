package model

import (
	"context"
	"slices"
	"strconv"
	"strings"
)

// Table is the content of a file as rows and columns. Tables are cheap to list; workers read rows in pages.
type Table struct {
	Name, Title, Doc string
	Columns          []Column
	Rows             int64
	Aside            bool     // it describes the others: no one opens the document for it
	Groups           bool     // its rows group those of another table: fewer of them may say as much
	Partial          bool     // what its rows stand for is neither in a table nor a payload: contents cannot be compared by tables
	Layout           bool     // it tells how the content is stored, and is no content itself
	Key              []string // the columns that tell which row is which, whatever their order; none: the order does
	Made             []string // values of the first key column of rows that tell how the content is stored
	// Read returns n rows from first, or fewer at the end. It may decode and take time; it stops if ctx is cancelled.
	Read func(ctx context.Context, first, n int64) ([]Row, error)
	// Payload is the place of the bytes that a row stands for, besides its cells; ok is false if there are none. Nil: no row has any.
	Payload func(ctx context.Context, row int64) (r Range, ok bool)
	// Times returns the moments at which the table changed, the oldest first. Nil if the document has no history.
	Times func() []Moment
	// At returns the table at a time, in ms since 1970. Nil if the document has no history.
	At func(ctx context.Context, ms int64) Table
	// Set makes the edits for typed cells, each in the type of its column. An error says in words which cell
	// cannot be set. Nil: a cell is edited as the field that its bytes are.
	Set func(ctx context.Context, cells []Typed) ([]Edit, error)
	// Put is Set that also takes runs of values, which the columns' batches have the form of. Nil: runs are set cell by cell.
	Put func(ctx context.Context, cells []Typed, runs []Run) ([]Edit, error)
	// Fill makes the edits after which the table has new rows from a place on, and none after them. At the end of the table it appends; with
	// no rows it truncates. A format with ordered rows keeps the order, and what a row implies need not be given. Nil: the number of rows is
	// fixed.
	Fill func(ctx context.Context, rows GivenRows) ([]Edit, error)
	// Judges means that Fill compares new rows with those that they replace, and values for columns that
	// cannot be edited with their results: unchanged rows stay, and others may be left out.
	Judges bool
	// Tensor says how the rows are the elements of an array; nil: they are not.
	Tensor *Tensor
	// Numpy is the array of numpy that the rows are the elements of; nil: of none.
	Numpy *NumpyArray
	// Elements is where those of an array are stored one after another; no bytes if they are not.
	Elements Range
	// Of is the array that the table is a slice of, and Number the name of a row, its index; nil: its position in the table.
	Of     *Table
	Number func(row int64) int64
	// From are the columns of the original table if it was arranged; otherwise nil.
	From []int
}

// Moment is when a table changed.
type Moment struct {
	MS    int64  // since 1970
	Text  string // what changed, and when, for people
	Write bool   // rows were written
}

// NumpyArray is what an array is for numpy.
type NumpyArray struct {
	Dtype   string // as its files write it: <f4, or the list of the fields of a structure
	Shape   []int64
	Fortran bool // the first index changes fastest
}

// AsNumpy says that the rows of a table are the elements of an array of numpy. It has no effect unless the table has exactly that many rows.
func (t Table) AsNumpy(dtype string, shape []int64, fortran bool) Table {
	if elementsIn(shape) == t.Rows {
		t.Numpy = &NumpyArray{dtype, shape, fortran}
	}
	return t
}

// Arrange returns a table with some of the columns, in another order.
func (t *Table) Arrange(columns []int) Table {
	out, read, set := *t, t.Read, t.Set
	out.From, out.Columns, out.Tensor, out.Numpy, out.Fill, out.Put = columns, nil, nil, nil, nil, nil
	for _, k := range columns {
		out.Columns = append(out.Columns, t.Columns[k])
	}
	out.Read = func(ctx context.Context, first, n int64) ([]Row, error) {
		rows, err := read(ctx, first, n)
		for i, r := range rows {
			rows[i] = make(Row, len(columns))
			for j, k := range columns {
				if k < len(r) {
					rows[i][j] = r[k]
				}
			}
		}
		return rows, err
	}
	if set != nil {
		out.Set = func(ctx context.Context, cells []Typed) ([]Edit, error) {
			all := slices.Clone(cells)
			for i := range all {
				all[i].Column = columns[all[i].Column]
			}
			return set(ctx, all)
		}
	}
	return out
}

// pageCells is about how many cells of a table are read at once.
const pageCells = 1 << 18

// Page is how many rows are read at once if up to n are wanted: fewer in a table with very many columns, and at least one.
func (t *Table) Page(n int64) int64 { return max(1, min(n, pageCells/int64(len(t.Columns)+1))) }

// MainTable is the index of the table that a document is opened for: the first that is not aside.
func MainTable(list []Table) int {
	for i := range list {
		if !list[i].Aside {
			return i
		}
	}
	return 0
}

// Typed is text for a cell of a table.
type Typed struct {
	Row    int64
	Column int
	Text   string
	// Missing asks for a missing value, if the column's type has one.
	Missing bool
}

// Column is a column of a table.
type Column struct {
	Name string
	Doc  string
	Type string // the codec type of its cells: u32, utf8 …; with [] for vectors
	Kind Kind
	Show Show // of numbers, for people
	// Slots returns the names of the positions of a vector column's items; nil if they have none. It may decode, so workers
	// call it.
	Slots func() []string
	// Fixed says in one line why no cell of the column can be edited, and what can be done instead; "" if cells can.
	Fixed string
	// Guessed means that the file no longer says what the column contains: its type is guessed from its values.
	Guessed bool
	// Layout means that the column describes how a row is stored, and is not content.
	Layout bool
	// Numbers means that each value is the number of its row.
	Numbers bool
	// About is what else the document says about the column, in lines; nil for nothing.
	About func(ctx context.Context) []string
	// Len is the number of items in each vector of the column; 0: they differ.
	Len int64
	// Clock is the unit of times; nil for other numbers.
	Clock *Clock
	// Names are the distinct names that the values index, as for keys and enumerations. It may
	// decode, so workers call it. Nil, or an empty list: there are none. NamesFrom is the number of the first, if the values are numbers.
	Names     func(ctx context.Context) []string
	NamesFrom int64
	// Batch returns n existing rows of the column, without other columns and cells. An error means that they must
	// be read as cells, which say what is wrong with each. Nil: they must always be.
	Batch func(ctx context.Context, first, n int64) (Batch, error)
}

// Column is the index of the column with a name; -1: there is none.
func (t *Table) Column(name string) int {
	return slices.IndexFunc(t.Columns, func(c Column) bool { return c.Name == name })
}

// TableIndex is the index of the table with a name; -1: there is none.
func TableIndex(list []Table, name string) int {
	return slices.IndexFunc(list, func(t Table) bool { return t.Name == name })
}

// Records is the table over an array of records, with a column for each field. Rows cost nothing until they are read.
func Records(name, title string, t *Tree, array *Span) Table {
	e, ok := array.kids.(*elements)
	if !ok || e.rec == nil {
		return Table{Name: name, Title: title}
	}
	tab := Table{Name: name, Title: title, Doc: array.Field.Doc, Rows: e.n, Elements: array.Range}
	for j, f := range e.rec.Fields {
		tab.Columns = append(tab.Columns, Column{Name: f.Name, Doc: f.Doc, Type: f.Codec.Type(), Kind: f.Codec.Kind(), Show: f.Show,
			Batch: storedBatch(t, f.Codec, array.Range, e.stride, e.rec.starts[j])})
	}
	tab.Read = func(ctx context.Context, first, n int64) ([]Row, error) {
		cells, err := e.cells(ctx, t, array.Range, first, n)
		k := len(e.rec.Fields)
		rows := make([]Row, len(cells)/k)
		for i := range rows {
			rows[i] = Row(cells[i*k : (i+1)*k : (i+1)*k])
		}
		return rows, err
	}
	return tab
}

// fields are those of an element, with their offsets.
func (e *elements) fields() ([]*Field, []int64) {
	if e.rec != nil {
		return e.rec.Fields, e.rec.starts
	}
	return []*Field{e.field}, []int64{0}
}

// cells reads n elements of the array at a range: the cells of the fields of each, one element after the other.
func (e *elements) cells(ctx context.Context, t *Tree, array Range, first, n int64) ([]Cell, error) {
	n = max(0, min(n, e.n-first))
	at := Range{array.Space, array.Off + first*e.stride, n * e.stride}
	b, err := t.Bytes(ctx, at)
	if err != nil {
		return nil, err
	}
	fields, starts := e.fields()
	cells := make([]Cell, 0, n*int64(len(fields)))
	for i := range n {
		for j, f := range fields {
			from := i*e.stride + starts[j]
			v, size, err := f.Codec.Decode(b[from:])
			c := Cell{Value: v, Label: f.Enum[v.Uint()], Range: Range{at.Space, at.Off + from, int64(size)}}
			if err != nil {
				c.Trouble = err.Error()
			}
			cells = append(cells, c)
		}
	}
	return cells, nil
}

// Placed is a table of records with an additional first column, the position of each in an array.
func (t Table) Placed(at func(i int64) string) Table {
	read := t.Read
	t.Columns = append([]Column{{Name: "position", Type: "utf8", Kind: Text, Batch: positions(at)}}, t.Columns...)
	t.Read = func(ctx context.Context, first, n int64) ([]Row, error) {
		rows, err := read(ctx, first, n)
		for i, r := range rows {
			rows[i] = append(Row{{Value: S(at(first + int64(i)))}}, r...)
		}
		return rows, err
	}
	return t
}

// ArrayAt is an array of numbers that fills a range of a file whose structure may not have been read.
func ArrayAt(f, elem *Field, r Range) *Span {
	s := &Span{Field: f, Range: r, Shape: Array}
	s.kids = &elements{parent: s, field: elem, stride: int64(elem.Codec.Size()), n: r.Len / int64(elem.Codec.Size())}
	return s
}

// Values is the table over an array of numbers: the position of each, as given by at, and its value. AsTensor says how it is indexed.
func Values(name, title string, t *Tree, array *Span, at func(i int64) string) Table {
	e, ok := array.kids.(*elements)
	if !ok || e.rec != nil {
		return Table{Name: name, Title: title}
	}
	codec := e.field.Codec
	tab := Table{Name: name, Title: title, Doc: array.Field.Doc, Rows: e.n, Elements: array.Range,
		Columns: []Column{{Name: "position", Type: "utf8", Kind: Text, Batch: positions(at)},
			{Name: "value", Type: codec.Type(), Kind: codec.Kind(), Batch: storedBatch(t, codec, array.Range, e.stride, 0)}}}
	read := func(ctx context.Context, first, n int64) ([]Cell, error) {
		return e.cells(ctx, t, array.Range, first, n)
	}
	tab.Tensor = &Tensor{Read: read, Dtype: dtypeOf(codec)}
	tab.Read = func(ctx context.Context, first, n int64) ([]Row, error) {
		cells, err := read(ctx, first, n)
		rows := make([]Row, len(cells))
		for i, c := range cells {
			rows[i] = Row{{Value: S(at(first + int64(i)))}, c}
		}
		return rows, err
	}
	in := stored{e, t, array.Range}
	tab.Set, tab.Put = func(ctx context.Context, cells []Typed) ([]Edit, error) { return in.set(ctx, cells, nil) }, in.set
	return tab
}

// positions are the names of positions as a batch.
func positions(at func(i int64) string) func(context.Context, int64, int64) (Batch, error) {
	return func(_ context.Context, first, n int64) (Batch, error) {
		b := Batch{Rows: n, Starts: make([]int32, 1, n+1)}
		for i := range n {
			b.Data = append(b.Data, at(first+i)...)
			b.Starts = append(b.Starts, int32(len(b.Data)))
		}
		return b, nil
	}
}

// Position returns the indices of the elements of an array of a shape: "2, 0" in two dimensions. The last index changes fastest, or
// the first if the array is column-major.
func Position(shape []int64, columnMajor bool) func(i int64) string {
	return func(i int64) string {
		at := make([]string, len(shape))
		for j := range shape {
			k := len(shape) - 1 - j
			if columnMajor {
				k = j
			}
			d := max(shape[k], 1)
			at[k], i = strconv.FormatInt(i%d, 10), i/d
		}
		return strings.Join(at, ", ")
	}
}

// ByUse orders columns by usefulness: what identifies a row, its content, and how it is stored.
func (t *Table) ByUse() []int {
	rank := func(k int) int {
		switch key := slices.Index(t.Key, t.Columns[k].Name); {
		case key >= 0:
			return key
		case t.Columns[k].Layout:
			return len(t.Key) + 1
		}
		return len(t.Key)
	}
	out := Indices(len(t.Columns))
	slices.SortStableFunc(out, func(a, b int) int { return rank(a) - rank(b) })
	return out
}

// Stored marks columns that describe how rows are stored, and are not content.
func (t *Table) Stored(names ...string) {
	for i := range t.Columns {
		t.Columns[i].Layout = t.Columns[i].Layout || slices.Contains(names, t.Columns[i].Name)
	}
}

// Columns makes columns from a list of names and types: "name utf8, rows u64, values f32[]". It panics on an unknown
// type, which is a bug in a format.
func Columns(list string) (out []Column) {
	for _, c := range strings.Split(list, ",") {
		name, typ, ok := cutLast(strings.TrimSpace(c), " ")
		kind := kindOf(strings.TrimSuffix(typ, "[]"))
		if !ok || kind == None {
			panic("model: column " + c)
		}
		out = append(out, Column{Name: name, Type: typ, Kind: kind})
	}
	return out
}

// cutLast is strings.Cut at the last separator, because names may contain spaces.
func cutLast(s, sep string) (before, after string, ok bool) {
	i := strings.LastIndex(s, sep)
	if i < 0 {
		return s, "", false
	}
	return s[:i], s[i+len(sep):], true
}

// kindOf is the kind of the values of a codec type; None for an unknown type.
func kindOf(typ string) Kind {
	switch {
	case typ == "bool":
		return Bool
	case typ == "bytes":
		return Bytes
	case strings.HasPrefix(typ, "utf") || typ == "ascii" || typ == "latin1" || typ == "text":
		return Text
	case strings.HasPrefix(typ, "f") || strings.HasPrefix(typ, "bf"):
		return Float
	case strings.HasPrefix(typ, "u"):
		return Uint
	case strings.HasPrefix(typ, "i"):
		return Int
	}
	return None
}

// RowsOf is the Read of a table whose n rows are made one by one.
func RowsOf(n int64, row func(ctx context.Context, i int64) (Row, error)) func(context.Context, int64, int64) ([]Row, error) {
	return func(ctx context.Context, first, count int64) (out []Row, err error) {
		for i := first; i < n && i-first < count; i++ {
			if err := ctx.Err(); err != nil {
				return out, err
			}
			r, err := row(ctx, i)
			if err != nil {
				return out, err
			}
			out = append(out, r)
		}
		return out, nil
	}
}
