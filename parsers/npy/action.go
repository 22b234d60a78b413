package npy

import (
	"context"
	"fmt"
	"maps"
	"math"
	"slices"
	"strconv"
	"strings"

	"spandrel/model"
	"spandrel/parsers/internal/npyfile"
)

// actions are the structural edits of an array in a file of its own.
var actions = []model.Action{
	{Name: "reshape", Label: "Reshape…", Doc: "Gives the array another shape with as many elements, in the same order. One dimension may be -1: it is computed.",
		Params: []model.Param{{Name: "shape", Label: "Shape, such as 2, 3"}}, On: onArray, Plan: reshape},
	{Name: "convert-type", Label: "Convert the type…", Doc: "Converts the elements to another type. A value that does not fit is refused; only floats are rounded, to shorter ones.",
		Params: []model.Param{{Name: "dtype", Label: "Type", Default: "<f4", Choices: slices.Sorted(maps.Keys(model.Dtypes))}}, On: onArray, Plan: convertType},
}

// mostConverted is how many elements are converted at once.
const mostConverted = 1 << 26

func onArray(t *model.Tree, s *model.Span) bool {
	f := model.StateOf[*file](t)
	return s == t.Root && f != nil && f.array != nil && f.array.Err == nil && f.array.Item > 0
}

func reshape(_ context.Context, t *model.Tree, _ *model.Span, args map[string]string) ([]model.Edit, error) {
	a := model.StateOf[*file](t).array
	h := a.Head
	var err error
	if h.Shape, err = shapeFor(args["shape"], a.Count); err != nil {
		return nil, err
	}
	return rewritten(t, a, &h, nil)
}

// shapeFor parses a shape for a number of elements, with one dimension that may be computed.
func shapeFor(text string, count int64) (shape []int64, err error) {
	open, known := -1, int64(1)
	for i, word := range strings.FieldsFunc(text, func(r rune) bool { return strings.ContainsRune("(), []", r) }) {
		n, err := strconv.ParseInt(word, 10, 64)
		switch {
		case err != nil || n < -1 || n == -1 && open >= 0:
			return nil, fmt.Errorf("%q is not a shape: write numbers such as 2, 3, of which one may be -1", text)
		case n == -1:
			open = i
		case n > 0 && known > math.MaxInt64/n:
			return nil, fmt.Errorf("a shape of %s has too many elements", text)
		default:
			known *= n
		}
		shape = append(shape, n)
	}
	if open >= 0 && known > 0 && count%known == 0 {
		shape[open], known = count/known, count
	}
	if known != count || open >= 0 && shape[open] < 0 {
		return nil, fmt.Errorf("the array has %s, which do not make a shape of %s", model.Count(count, "elements"), text)
	}
	return shape, nil
}

func convertType(ctx context.Context, t *model.Tree, _ *model.Span, args map[string]string) ([]model.Edit, error) {
	a := model.StateOf[*file](t).array
	from, to := npyfile.CodecOf(a.Descr.Text()), model.Dtypes[args["dtype"]]
	switch {
	case to == nil:
		return nil, fmt.Errorf("%q is not a type of numbers, such as <f4", args["dtype"])
	case from == nil || from.Kind() == model.Text:
		return nil, fmt.Errorf("elements of type %s cannot be converted to numbers", a.Head.Type)
	case a.Count > mostConverted:
		return nil, fmt.Errorf("%s are too many to convert at once", model.Count(a.Count, "elements"))
	case a.Bytes < a.Count*a.Item:
		return nil, fmt.Errorf("the file ends before the array does")
	}
	out, n := make([]byte, 0, a.Count*int64(to.Size())), int64(0)
	err := t.Stream(ctx, model.Range{Space: t.Root.Range.Space, Off: a.Head.Data, Len: a.Count * a.Item}, 1<<20/a.Item*a.Item, func(_ int64, b []byte) error {
		for ; len(b) > 0; b = b[a.Item:] {
			v, _, err := from.Decode(b[:a.Item])
			if err == nil {
				b, e := converted(v, to)
				out, n, err = append(out, b...), n+1, e
			}
			if err != nil {
				return fmt.Errorf("element %d: %w", n-1, err)
			}
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	h := a.Head
	h.Descr = args["dtype"]
	return rewritten(t, a, &h, out)
}

// converted is a value in another type.
func converted(v model.Value, to model.Codec) ([]byte, error) {
	w, err := as(to.Kind(), v)
	if err != nil {
		return nil, err
	}
	b, err := to.Encode(w)
	if err == nil && to.Kind() == model.Float && v.Kind != model.Float {
		if back, _, _ := to.Decode(b); back.Float() != w.Float() || !exact(v, w.Float()) {
			return nil, fmt.Errorf("%s does not fit in the type", v)
		}
	}
	return b, err
}

// exact tells whether a number is an integer, and one up to which floats have all integers.
func exact(v model.Value, x float64) bool {
	const all = 1 << 53
	if v.Kind == model.Uint {
		return v.Uint() <= all && uint64(x) == v.Uint()
	}
	return v.Int() <= all && v.Int() >= -all && int64(x) == v.Int()
}

// as is a value as one of another kind. Only floats are rounded.
func as(kind model.Kind, v model.Value) (model.Value, error) {
	x := v.Float()
	switch v.Kind {
	case model.Int:
		x = float64(v.Int())
	case model.Uint:
		x = float64(v.Uint())
	case model.Bool:
		v = model.U(v.Uint())
		x = float64(v.Uint())
	}
	switch {
	case kind == model.Float:
		return model.F(x), nil
	case kind == model.Bool && (x == 0 || x == 1):
		return model.B(x == 1), nil
	case kind == model.Bool, v.Kind == model.Float && (x != math.Trunc(x) || math.Abs(x) > 1<<53):
		return v, fmt.Errorf("%s does not fit in the type", v)
	case v.Kind == model.Float:
		return model.I(int64(x)), nil
	}
	return v, nil
}

// rewritten replaces the head of the file, and the elements unless there are no new ones.
func rewritten(t *model.Tree, a *npyfile.Array, h *npyfile.Head, elements []byte) ([]model.Edit, error) {
	c, err := t.Snapshot.Content(t.Snapshot.Primary)
	if err != nil {
		return nil, err
	}
	if elements != nil {
		c = c.Splice(a.Head.Data, a.Count*a.Item, model.Memory(elements))
	}
	return []model.Edit{model.Splice{Range: t.Root.Range, With: c.Splice(0, a.Head.Data, model.Memory(h.Written())), Into: t.Root.Path()}}, nil
}
