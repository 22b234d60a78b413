package safetensors

import (
	"cmp"
	"context"
	"maps"
	"slices"
	"strings"

	"spandrel/model"
)

// A data type that was replaced throughout a header, by another or by what other libraries call it: the shapes and offsets of its tensors agree on the size of
// its values.

const (
	leastReplaced = 2       // tensors of one type for which another would be right
	mostSampled   = 1 << 12 // bytes of the values of a tensor that are read to tell types of one size apart
)

// replaced are the tensors whose size does not match the same type as that of one of them does not, or that have the same unknown type.
func (f *file) replaced(x *tensor) (out []*tensor) {
	for _, o := range f.tensors {
		if n, known := o.bytes(); (!known || n != o.to-o.from) && o.typ.Text() == x.typ.Text() {
			out = append(out, o)
		}
	}
	return out
}

// retype offers the types with which the sizes of all those tensors match, only what their name means elsewhere if it means one
// of them, and else first the one that most other tensors have. It is the only answer if the values make sense as no other.
func retype(ctx context.Context, t *model.Tree, f *model.Finding) (out []model.Fix) {
	s, x := model.StateOf[*file](t), tensorOf(t, f.Span)
	if x == nil || s.broken {
		return nil
	}
	if known, ok := s.retyped.Load(x.typ.Text()); ok {
		return known.([]model.Fix)
	}
	defer func() {
		if ctx.Err() == nil {
			s.retyped.Store(x.typ.Text(), out) // the same for all of them
		}
	}()
	return s.retypes(ctx, t, s.replaced(x), x.typ.Text())
}

// retypes offers other types for tensors of one type.
func (f *file) retypes(ctx context.Context, t *model.Tree, list []*tensor, called string) (out []model.Fix) {
	types, meant, only := f.typesFor(ctx, t, list, called)
	if meant {
		if out = f.renamed(ctx, t); out != nil {
			return out
		}
	} else if len(list) < leastReplaced {
		return nil
	}
	for _, name := range types {
		to := map[*model.Span]string{}
		for _, o := range list {
			to[o.typ.Span] = quoted(name)
		}
		fix, err := f.restate(ctx, t, to)
		if err != nil {
			return nil
		}
		fix.Label, fix.Safe = model.Words("set the dtype of these %d tensors to %s", len(list), name), only
		fix.Says = model.Words("The dtype of %d tensors is given as %s, but each has the bytes of values of %d bits: %s.", len(list), called, dtypes[name].bits, name)
		if meant {
			fix.Says = model.Words("The dtype of %d tensors is %s, which this format calls %s.", len(list), called, name)
		}
		out = append(out, fix)
	}
	return out
}

// renamed offers to give all unknown types the names of this format, if they are several and each means one type with which the sizes of its tensors match:
// chance does not do that.
func (f *file) renamed(ctx context.Context, t *model.Tree) []model.Fix {
	as, to, first := map[string]string{}, map[*model.Span]string{}, ""
	for _, x := range f.tensors {
		called := x.typ.Text()
		if dtypes[called].bits > 0 {
			continue
		}
		if first = cmp.Or(first, called); as[called] == "" {
			types, meant, _ := f.typesFor(ctx, t, f.replaced(x), called)
			if !meant || len(types) > 1 {
				return nil
			}
			as[called] = types[0]
		}
		to[x.typ.Span] = quoted(as[called])
	}
	fix, err := f.restate(ctx, t, to)
	if len(as) < 2 || err != nil {
		return nil
	}
	library := "another library"
	if strings.HasPrefix(first, "torch.") {
		library = "PyTorch"
	} else if model.Dtypes[first] != nil {
		library = "NumPy"
	}
	fix.Label, fix.Safe = model.Words("give the types of %d tensors the names of this format", len(to)), true
	fix.Says = model.Words("The types of %d tensors have the names of %s, such as %s, which this format calls %s.", len(to), library, first, as[first])
	return []model.Fix{fix}
}

// typesFor are the types with which the sizes of tensors match and their values make sense, whether they are only what an unknown name means, and whether
// no other would do.
func (f *file) typesFor(ctx context.Context, t *model.Tree, list []*tensor, called string) (types []string, meant, only bool) {
	types = slices.DeleteFunc(slices.SortedFunc(maps.Keys(dtypes), f.preferred), func(name string) bool {
		return slices.ContainsFunc(list, func(o *tensor) bool { n, ok := o.bytesOf(dtypes[name]); return !ok || n != o.to-o.from }) || !f.sensible(ctx, t, list, name)
	})
	only = len(types) == 1
	as := slices.DeleteFunc(slices.Clone(types), func(name string) bool { return dtypes[called].bits > 0 || !means(called, name) })
	if meant = len(as) > 0; meant {
		types = as
	}
	return types, meant, only
}

// longNames are what PyTorch and NumPy call types that are no plain numbers.
var longNames = map[string]string{"float8_e4m3fn": "F8_E4M3", "float8_e5m2": "F8_E5M2", "float8_e8m0fnu": "F8_E8M0", "float8_e4m3fnuz": "F8_E4M3FNUZ",
	"float8_e5m2fnuz": "F8_E5M2FNUZ", "complex64": "C64"}

// means tells whether a name means a type in the notation of any library.
func means(called, name string) bool {
	return model.MeansType(called, name) || longNames[called[strings.LastIndexByte(called, '.')+1:]] == name
}

// preferred orders types: those of most other tensors first, then those of floating-point numbers, which are first in the alphabet.
func (f *file) preferred(a, b string) int {
	return cmp.Or(f.typed[b]-f.typed[a], strings.Compare(a, b))
}

// sensible tells whether the values of tensors may be of a type: few are odd, if they have four or eight bytes.
func (f *file) sensible(ctx context.Context, t *model.Tree, list []*tensor, name string) bool {
	typ := dtypes[name]
	if typ.codec == nil || typ.bits < 32 {
		return typ.codec != nil || typ.bits != 64
	}
	var odd model.Oddness
	for _, x := range list[:min(len(list), mostNamed)] {
		if x.values == nil {
			continue
		}
		b, err := t.Bytes(ctx, model.Range{Space: x.values.Range.Space, Off: x.values.Range.Off, Len: min(x.values.Range.Len, mostSampled)})
		if err != nil {
			return true
		}
		odd.Count(b, typ.codec)
	}
	return odd.Few()
}
