package model

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math"
	"regexp"
	"slices"
	"strconv"
	"strings"
)

// Tensor says that the rows of a table are the elements of an array, in file order, and how the array is indexed.
type Tensor struct {
	Shape       []int64 // elements along each axis
	ColumnMajor bool    // the first index changes fastest in the file; otherwise the last
	Column      int     // of the table: where the values are
	Origin      []int64 // the index of the first element along each axis; nil: 0, and negative indices count from the end
	// Read returns n elements from first on, or fewer at the end. Nil: they are read as rows of the table.
	Read  func(ctx context.Context, first, n int64) ([]Cell, error)
	Dtype string // their type there, as numpy calls it; "" for none of its types
}

// Dtypes are the types of numbers that numpy has, by its names for them.
var Dtypes = map[string]Codec{
	"<i8": I64LE, "<i4": I32LE, "<i2": I16LE, "|i1": I8, "<u8": U64LE, "<u4": U32LE, "<u2": U16LE, "|u1": U8,
	">i8": I64BE, ">i4": I32BE, ">i2": I16BE, ">u8": U64BE, ">u4": U32BE, ">u2": U16BE,
	"<f8": F64LE, "<f4": F32LE, "<f2": F16LE, ">f8": F64BE, ">f4": F32BE, ">f2": F16BE,
	"|b1": Bool8,
}

// spokenType is how libraries call a type of numbers: its kind, and the bits of a value or, as numpy has it, its bytes.
var spokenType = regexp.MustCompile(`^(?:[a-z]+\.|[<>=|])?(bf|b|f|i|u|s)(?:p|loat|nt|int|ool|in)?(\d*)(?:_t)?$`)

// wordTypes are types that have no number in their names.
var wordTypes = map[string]string{"half": "f16", "single": "f32", "double": "f64", "bool": "b8"}

// MeansType tells whether a name means a type of numbers, in the notation of any library: FP32, float32, torch.float32 and f4 mean <f4 and F32.
func MeansType(name, typ string) bool {
	kind, bits := spoken(name)
	of, width := spoken(typ)
	return kind != "" && kind == of && slices.ContainsFunc(bits, func(n int) bool { return slices.Contains(width, n) })
}

// spoken are the kind of a type and the possible bits of a value by its name; "" for none.
func spoken(name string) (kind string, bits []int) {
	name = strings.ToLower(strings.TrimSpace(name))
	m := spokenType.FindStringSubmatch(cmp.Or(wordTypes[name], name))
	if m == nil {
		return "", nil
	}
	n, _ := strconv.Atoi(m[2])
	if kind = m[1]; kind == "s" {
		kind = "i"
	}
	switch {
	case kind == "b":
		return kind, []int{8}
	case n <= 8:
		return kind, []int{n, 8 * n}
	}
	return kind, []int{n}
}

// dtypeOf is numpy's name for a type of numbers, or "".
func dtypeOf(codec Codec) string {
	for name, c := range Dtypes {
		if c == codec {
			return name
		}
	}
	return ""
}

// AsTensor says that the rows of a table are the elements of an array, whose values are in the last column. Of a truncated array it indexes what is
// left: the slowest axis is shorter, and the cells after the last element are empty. It has no effect on a table with more rows than elements.
func (t Table) AsTensor(shape []int64, columnMajor bool) Table {
	if len(shape) > 0 && len(shape) <= mostAxes && len(t.Columns) > 0 {
		if shape = remaining(shape, columnMajor, t.Rows); shape != nil {
			if t.Tensor == nil {
				t.Tensor = &Tensor{}
			}
			t.Tensor.Shape, t.Tensor.ColumnMajor, t.Tensor.Column = shape, columnMajor, len(t.Columns)-1
		}
	}
	if t.Tensor != nil && t.Tensor.Shape == nil {
		t.Tensor = nil
	}
	return t
}

// Truncated tells whether a table is an array with missing elements.
func (t *Table) Truncated() bool { return t.Tensor != nil && elementsIn(t.Tensor.Shape) > t.Rows }

// shapePath follows the path of a column whose table is an array of another shape.
const shapePath = "/shape"

// reindexed tells whether elements of an array have other indices in another state of it: not if it only has more or fewer along its slowest axis.
func (a *Tensor) reindexed(b *Tensor) bool {
	if a == nil || b == nil { // a single value or none has no indices
		return a != nil && len(a.Shape) > 1 || b != nil && len(b.Shape) > 1
	}
	slow := 0
	if a.ColumnMajor {
		slow = len(a.Shape) - 1
	}
	for i := range a.Shape {
		if len(a.Shape) != len(b.Shape) || a.Shape[i] != b.Shape[i] && (i != slow || a.ColumnMajor != b.ColumnMajor) {
			return true
		}
	}
	return false
}

// shape is the shape as text; "" for no array.
func (a *Tensor) shape() string {
	if a == nil {
		return ""
	}
	return ShapeText(a.Shape)
}

// remaining is the shape of an array of which n elements are left, the last row perhaps incomplete; nil if it has fewer, or none are left.
func remaining(shape []int64, columnMajor bool, n int64) []int64 {
	all, slow := elementsIn(shape), 0
	if columnMajor {
		slow = len(shape) - 1
	}
	switch {
	case n == all:
		return shape
	case n == 0 || n > all:
		return nil
	}
	each := all / shape[slow]
	shape = slices.Clone(shape)
	shape[slow] = (n-1)/each + 1
	return shape
}

// Grid is one column of a table whose rows are the cells of an array, as an array by itself: what is read and written is the table's.
func (t *Table) Grid(name string, column int, shape, origin []int64) Table {
	of := *t
	c := of.Columns[column]
	out := Table{Name: name, Title: fmt.Sprintf("%s: %s [%s]", c.Name, c.Type, ShapeText(shape)), Doc: c.Doc, Rows: of.Rows, Columns: []Column{c}, Times: of.Times,
		Read: func(ctx context.Context, first, n int64) ([]Row, error) {
			rows, err := of.Read(ctx, first, n)
			for i, r := range rows {
				if rows[i] = nil; column < len(r) {
					rows[i] = Row{r[column]}
				}
			}
			return rows, err
		}}
	if of.Set != nil {
		out.Set = func(ctx context.Context, cells []Typed) ([]Edit, error) {
			cells = slices.Clone(cells)
			for i := range cells {
				cells[i].Column = column
			}
			return of.Set(ctx, cells)
		}
	}
	if out = out.AsTensor(shape, false); out.Tensor != nil {
		out.Tensor.Origin = origin
	}
	return out
}

// mostAxes is how many axes an array has at most, as in numpy: a file may state any number of axes of one element.
const mostAxes = 64

// elementsIn is the product of a shape; -1 where it has a negative number or is too large.
func elementsIn(shape []int64) int64 {
	n := int64(1)
	for _, d := range shape {
		if d < 0 || d > 0 && n > math.MaxInt64/d {
			return -1
		}
		n *= d
	}
	return n
}

// ShapeText prints a shape as numpy does, without brackets: 3, 40, 60.
func ShapeText(shape []int64) string {
	return strings.ReplaceAll(strings.Trim(fmt.Sprint(shape), "[]"), " ", ", ")
}

// How many columns a slice has at most, and how many of them are shown of an array before someone asks for others.
const (
	mostSliced  = 1 << 16
	firstSliced = 1024
)

// FirstIndex is the initial slice of an array: its last two axes, at index 0 of the others.
func (a *Tensor) FirstIndex() string {
	var parts []string
	for i, d := range a.Shape {
		switch {
		case i < len(a.Shape)-2:
			parts = append(parts, strconv.FormatInt(a.origin(i), 10))
		case i == len(a.Shape)-1 && i > 0 && d > firstSliced:
			parts = append(parts, fmt.Sprintf("%d:%d", a.origin(i), a.origin(i)+firstSliced))
		default:
			parts = append(parts, ":")
		}
	}
	return "[" + strings.Join(parts, ", ") + "]"
}

// origin is the index of the first element along an axis.
func (a *Tensor) origin(axis int) int64 {
	if axis < len(a.Origin) {
		return a.Origin[axis]
	}
	return 0
}

// axis is what an index selects along an axis: n elements, step apart, from first on. An axis with a single number is fixed.
type axis struct {
	first, n, step int64
	fixed          bool
	origin         int64 // the index of its first element
	stride         int64 // elements of the array, in the order of the file, between two of the axis
}

// index is the index of a selected element.
func (x axis) index(i int64) int64 { return x.origin + x.first + i*x.step }

// axes parses an index such as [2, :, 0:10]: a number, or first:end:step as in Python, for each axis. "..." stands for
// as many whole axes as are missing, and so does nothing at the end.
func (a *Tensor) axes(index string) ([]axis, error) {
	text := strings.TrimSpace(index)
	text = strings.TrimSuffix(strings.TrimPrefix(text, "["), "]")
	parts := strings.Split(text, ",")
	for i, p := range parts {
		parts[i] = strings.TrimSpace(p)
	}
	for i, p := range parts {
		if p == "..." || i == len(parts)-1 && p == "" {
			whole := strings.Split(strings.Repeat(":", max(0, len(a.Shape)-len(parts)+1)), "")
			parts = append(append(append([]string{}, parts[:i]...), whole...), parts[i+1:]...)
			break
		}
	}
	for len(parts) < len(a.Shape) {
		parts = append(parts, ":")
	}
	if len(parts) > len(a.Shape) {
		return nil, fmt.Errorf("%s has %s, but the array has %s", index, Count(int64(len(parts)), "axes"), Count(int64(len(a.Shape)), "axes"))
	}
	out := make([]axis, len(parts))
	for i, p := range parts {
		x, err := pick(p, a.Shape[i], a.origin(i), a.Origin == nil)
		if err != nil {
			return nil, fmt.Errorf("axis %d: %w", i, err)
		}
		out[i] = x
	}
	stride := int64(1)
	for j := range a.Shape {
		k := len(a.Shape) - 1 - j
		if a.ColumnMajor {
			k = j
		}
		out[k].stride = stride
		stride *= a.Shape[k]
	}
	return out, nil
}

// pick parses the index for an axis of d elements whose first index is origin. wraps means that negative numbers count from
// the end.
func pick(text string, d, origin int64, wraps bool) (x axis, err error) {
	parts := strings.Split(text, ":")
	if len(parts) > 3 {
		return x, fmt.Errorf("%q is not an index", text)
	}
	number := [3]int64{origin, origin + d, 1}
	if err := readNumbers(parts, number[:]); err != nil {
		return x, fmt.Errorf("%q is not an index: write a number, or first:end", text)
	}
	for i := range number[:2] {
		if number[i] -= origin; number[i] < 0 && wraps {
			number[i] += d
		}
	}
	if len(parts) == 1 {
		if number[0] < 0 || number[0] >= d {
			return x, fmt.Errorf("index %s is out of range: the axis has %s", text, Count(d, "elements"))
		}
		return axis{first: number[0], n: 1, step: 1, origin: origin, fixed: true}, nil
	}
	if number[2] < 1 {
		return x, errors.New("the step must be 1 or more")
	}
	from, to := max(0, min(number[0], d)), max(0, min(number[1], d))
	n, step := max(0, to-from), number[2]
	return axis{first: from, n: n/step + min(1, n%step), step: step, origin: origin}, nil
}

// readNumbers reads the numbers of an index into list, which has those to use where an index of several leaves one out.
func readNumbers(parts []string, list []int64) (err error) {
	for i, p := range parts {
		if p = strings.TrimSpace(p); p == "" && len(parts) > 1 {
			continue
		}
		if list[i], err = strconv.ParseInt(p, 10, 64); err != nil {
			return err
		}
	}
	return nil
}

// FindTable finds a table by name: its position in the list, and the index if the name is that of a slice; otherwise "".
func FindTable(list []Table, name string) (i int, index string, ok bool) {
	if i = TableIndex(list, name); i >= 0 {
		return i, "", true
	}
	if at := strings.LastIndexByte(name, '['); at > 0 {
		if i = TableIndex(list, name[:at]); i >= 0 && list[i].Tensor != nil {
			return i, name[at:], true
		}
	}
	return -1, "", false
}

// TableNamed returns the table with a name, or a slice of an array.
func TableNamed(list []Table, name string) (Table, bool) {
	i, index, ok := FindTable(list, name)
	if !ok {
		return Table{}, false
	}
	if index == "" {
		return list[i], true
	}
	t, err := list[i].Slice(index)
	return t, err == nil
}
