package samediff

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"spandrel/model"
)

// refilled gives an array other elements from one on.
func refilled(t *testing.T, d *model.Document, name string, from int64, values ...string) error {
	t.Helper()
	for _, tab := range d.Tree.Tables(t.Context()) {
		if tab.Name != name {
			continue
		}
		edits, err := tab.Fill(t.Context(), model.GivenRows{From: from, N: int64(len(values)), Cell: func(row int64, column int) model.Typed {
			return model.Typed{Row: row, Column: column, Text: values[row-from], Missing: values[row-from] == ""}
		}})
		if err == nil {
			apply(t, d, edits...)
		}
		return err
	}
	t.Fatalf("no array %s", name)
	return nil
}

// gathered is a graph whose operation takes rows of w by their numbers.
func gathered(axis int64) tableSpec {
	g := inline()
	g[2] = []tableSpec{{0: int32(10), 1: "rows", 2: e(21), 3: int64(operationHash("gather")), 6: []tableSpec{{0: int32(2)}, {0: int32(3)}},
		9: []int64{axis}, 15: []string{"y"}, 16: "gather", 17: []byte{5}}}
	return g
}

// Rows come and go wherever an array is stored; the shape of its variable follows, and the other arrays stay as they are.
func TestFillArrays(t *testing.T) {
	for name, b := range good(t) {
		if strings.HasPrefix(name, "set.") {
			continue
		}
		d := openModel(t, name, b)
		if err := refilled(t, d, "w", 4, "7", "8"); err == nil {
			t.Errorf("%s: w grew, though the operation needs its shape", name)
		}
		if name == "nested.fb" || name == "container.fb" {
			continue // several graphs, or one that cannot grow where it is
		}
		actOn(t, d, "drop-operation", "", "name", "affine")
		for _, c := range []struct {
			from   int64
			values []string
			want   string
		}{{4, []string{"7", "-8.5"}, "[1 -2 0.5 3 7 -8.5]"}, {2, []string{"9", "10"}, "[1 -2 9 10]"}, {2, nil, "[1 -2]"}} {
			if err := refilled(t, d, "w", c.from, c.values...); err != nil {
				t.Errorf("%s: %v", name, err)
				break
			}
			d = openModel(t, name, bytesOf(t, d, name))
			if bad := errorsOf(t, d); len(bad) > 0 {
				t.Errorf("%s, %s: %v", name, c.want, bad)
			}
			if got := fmt.Sprint(elements(t, d, "w")); got != c.want {
				t.Errorf("%s: w = %s, not %s", name, got, c.want)
			}
			if got := fmt.Sprint(elements(t, d, "b")); got != "[0.25 -1]" {
				t.Errorf("%s: b = %s", name, got)
			}
			list, _ := main(d.Tree).st.arrays(t.Context(), d.Tree)
			i := slices.IndexFunc(list, func(a *data) bool { return a.name == "w" })
			n := int64(strings.Count(c.want, " ") + 1)
			if dims := list[i].dims; !slices.Equal(dims, []int64{n / 2, 2}) && !slices.Equal(dims, []int64{n}) {
				t.Errorf("%s: w has the shape %v", name, dims)
			}
		}
	}
}

// The shape that a variable says follows.
func TestFillShape(t *testing.T) {
	d := openModel(t, "g.fb", fb(inline()))
	actOn(t, d, "add-variable", "", "name", "table", "kind", "VARIABLE", "type", "INT32", "shape", "[2, 3]", "value", "4")
	if err := refilled(t, d, "table", 6, "1", "2", "3"); err != nil {
		t.Fatal(err)
	}
	d = openModel(t, "g.fb", bytesOf(t, d, "g.fb"))
	if bad := errorsOf(t, d); len(bad) > 0 {
		t.Error(bad)
	}
	rows, err := d.Tree.Tables(t.Context())[0].Read(t.Context(), 0, 100)
	if err != nil || !slices.ContainsFunc(rows, func(r model.Row) bool { return r[0].String() == "table" && r[3].String() == "[3, 3]" }) {
		t.Errorf("%v: %v", rows, err)
	}
}

// byColumn is gathered with an array that is stored column by column.
func byColumn(axis int64) tableSpec {
	g := gathered(axis)
	g[1] = slices.Clone(g[1].([]tableSpec))
	w := shapeInfoOf([]int64{2, 2}, 1, -2, 0.5, 3)
	w[0] = []int64{2, 2, 2, 1, 2, 8192, 1, 102}
	g[1].([]tableSpec)[1] = varOf(2, "w", varVariable, tableSpec{4: w})
	return g
}

// TestFillColumns: an array that is stored column by column grows by columns, and stays stored so.
func TestFillColumns(t *testing.T) {
	d := openModel(t, "g.fb", fb(byColumn(1)))
	if err := refilled(t, d, "w", 4, "7", "8"); err != nil {
		t.Fatal(err)
	}
	d = openModel(t, "g.fb", bytesOf(t, d, "g.fb"))
	if bad := errorsOf(t, d); len(bad) > 0 {
		t.Error(bad)
	}
	list, _ := main(d.Tree).st.arrays(t.Context(), d.Tree)
	a := list[slices.IndexFunc(list, func(a *data) bool { return a.name == "w" })]
	if got := fmt.Sprint(elements(t, d, "w")); got != "[1 -2 0.5 3 7 8]" || !slices.Equal(a.dims, []int64{2, 3}) || a.order != 'f' {
		t.Errorf("w = %s %v %c", got, a.dims, a.order)
	}
}

// What else needs the shape of an array, or what no array can hold, refuses.
func TestFillRefused(t *testing.T) {
	trained := gathered(0)
	trained[8] = []tableSpec{{0: "w", 1: []string{"m"}, 2: []tableSpec{shapeInfoOf([]int64{2, 2}, 0, 0, 0, 0)}}}
	for _, c := range []struct {
		graph  tableSpec
		from   int64
		values []string
		want   string
	}{
		{gathered(0), 4, []string{"7", "8"}, ""},
		{gathered(0), 2, []string{"7", "8"}, ""},
		{gathered(0), 2, nil, "operation rows refers to rows of w by number"},
		{gathered(1), 4, []string{"7", "8"}, "operation rows uses w"},
		{inline(), 4, []string{"7", "8"}, "operation affine uses w"},
		{trained, 4, []string{"7", "8"}, "the updater state"},
		{byColumn(1), 4, []string{"7", "8"}, ""},
		{byColumn(0), 4, []string{"7", "8"}, "operation rows uses w"},
		{byColumn(1), 2, nil, "operation rows refers to columns of w by number, which may include removed columns"},
		{byColumn(1), 4, []string{"7"}, "w has columns of 2 elements, and 5 do not make whole columns"},
		{gathered(0), 4, []string{"7"}, "w has rows of 2 elements, and 5 do not make whole rows"},
		{gathered(0), 0, nil, "w would have no rows"},
		{gathered(0), 4, []string{"7", "x"}, `row 1 of the new rows, column "value"`},
		{gathered(0), 4, []string{"7", ""}, `row 1 of the new rows, column "value": values cannot be missing`},
		{gathered(0), 5, nil, "too many"},
	} {
		d := openModel(t, "g.fb", fb(c.graph))
		err := refilled(t, d, "w", c.from, c.values...)
		if c.want == "" && err != nil || c.want != "" && (err == nil || !strings.Contains(err.Error(), c.want)) {
			t.Errorf("from %d %v: %v, not %s", c.from, c.values, err, c.want)
		}
	}
}
