package gguf

import (
	"context"
	"fmt"
	"slices"

	"spandrel/model"
)

// number offers to write the number of the type whose sizes the tensors have.
func (x mistype) number() (out []model.Fix) {
	for _, is := range x.types {
		fix := model.Fix{Label: model.Words("set the type of %s to %s", model.Count(int64(len(x.of)), "tensors"), types[is].name), Once: true, Safe: len(x.types) == 1,
			Says: model.Words("A converter wrote the number of the type %s for %s: the offsets give the tensors the sizes of that type.", x.stated(), types[is].name)}
		for _, t := range x.of {
			fix.Edits = append(fix.Edits, model.SetValue(t.typ.Span, model.U(is)))
		}
		out = append(out, fix)
	}
	return out
}

// resize offers what makes the stated sizes of tensors those that they have.
func resize(ctx context.Context, t *model.Tree, x *model.Finding) []model.Fix {
	if m, ok := x.About.(mistype); ok {
		return m.number()
	}
	return fitShape(ctx, t, x)
}

// fitShape offers the one dimension with which the shape fits the data.
func fitShape(_ context.Context, t *model.Tree, x *model.Finding) []model.Fix {
	f := model.StateOf[*file](t)
	have, ok := x.About.(int64)
	for i := 0; f != nil && ok && i < len(f.tensors); i++ {
		if typ := types[f.tensors[i].kind]; f.tensors[i].entry.Path() == x.Path() {
			return model.FitShape(f.tensors[i].dims, typ.size, have*typ.block, false)
		}
	}
	return nil
}

// turnShapes offers to reverse the dimensions of all tensors.
var turnShapes = model.Knowing(func(ctx context.Context, t *model.Tree, _ *model.Finding, _ reversed) []model.Fix {
	fix := model.Fix{Once: true, Says: "The dimensions of the tensors are in the order of numpy: GGUF has the fastest first."}
	n := 0
	for _, x := range model.StateOf[*file](t).tensors {
		if len(x.dims) < 2 {
			continue
		}
		at, is := x.dims[0].Range, []byte{}
		for _, d := range slices.Backward(x.dims) {
			b, _ := t.Bytes(ctx, d.Range)
			is = append(is, b...)
		}
		at.Len, n = int64(len(is)), n+1
		fix.Edits = append(fix.Edits, model.Splice{Range: at, With: model.Memory(is), Loose: true})
	}
	fix.Label = model.Words("reverse the dimensions of %d tensors", n)
	return []model.Fix{fix}
})

// cutTail offers to remove what follows the last tensor.
func cutTail(_ context.Context, _ *model.Tree, x *model.Finding) []model.Fix {
	return []model.Fix{{Label: model.Words("remove %s trailing bytes", model.Thousands(x.Where().Len)),
		Loses: model.Words("%s bytes that belong to no tensor", model.Thousands(x.Where().Len)), Edits: []model.Edit{model.Replace(x.Where(),
			nil)}}}
}

// moveData offers to remove the padding that keeps the data from beginning where readers look for them.
func moveData(_ context.Context, _ *model.Tree, x *model.Finding) []model.Fix {
	n := model.Count(x.Where().Len, "bytes")
	return []model.Fix{{Label: "remove " + n + " of padding after the header, so that the data begin where readers look for them", Once: true,
		Says:  "The padding after the header was not renewed when the header changed its length: the data begin " + n + " too late.",
		Edits: []model.Edit{model.Replace(x.Where(), nil)}}}
}

// setLength offers the right length of a text, with the padding after the header that it needs.
var setLength = model.Knowing(func(ctx context.Context, t *model.Tree, _ *model.Finding, x relength) []model.Fix {
	peek, in := t.Peek(ctx, t.Root.Range.Space), t.Root.Range.Space
	if x.old != nil {
		is := peek(x.at+8, x.is)
		return []model.Fix{{Label: fmt.Sprintf("write %q for %q, as the keys of the metadata say", x.old, is), Safe: true, Once: true,
			Says:  fmt.Sprintf("The text %q was written for %q, without changing its length: everything after it is shifted.", is, x.old),
			Edits: []model.Edit{model.Splice{Range: model.Range{Space: in, Off: x.at + 8, Len: x.is}, With: model.Memory(x.old), Loose: true}}}}
	}
	edits := append(x.lengths(peek), x.pad())
	fix := model.Fix{Once: true}
	for _, e := range edits {
		e.Range.Space = in
		fix.Edits = append(fix.Edits, e)
	}
	does := "remove"
	if x.more > 0 {
		does = "insert"
	}
	fix.Label = fmt.Sprintf("set the length of the text to %d", x.is)
	if n := len(x.others); n > 0 {
		fix.Label, fix.Says = fmt.Sprintf("set the lengths of %d texts", n+1), x.several(peek(x.at+8, x.is))+"."
	}
	if x.more != 0 {
		fix.Label += model.Words(", and "+does+" %d bytes of padding after the header", max(x.more, -x.more))
	}
	return []model.Fix{fix}
})

// countAgain offers the offsets as readers count them.
func countAgain(_ context.Context, t *model.Tree, _ *model.Finding) []model.Fix {
	f := model.StateOf[*file](t)
	if f == nil || f.recount.Times == 0 {
		return nil
	}
	fix := model.Fix{Label: "count the offsets of all tensors from the start of the data, in bytes", Says: "The offsets of all tensors " + f.counted() + ".",
		Once: true, Safe: true, Witnessed: true}
	for _, x := range f.tensors {
		if b, err := f.offset.Codec.Encode(model.I(x.at)); err == nil {
			fix.Edits = append(fix.Edits, model.Splice{Range: x.offset.Range, With: model.Memory(b), Loose: true})
		}
	}
	return []model.Fix{fix}
}
