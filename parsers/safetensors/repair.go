package safetensors

import (
	"bytes"
	"cmp"
	"context"
	"encoding/binary"
	"encoding/json"
	"errors"
	"maps"
	"slices"
	"strconv"
	"strings"

	"spandrel/model"
	"spandrel/parsers/internal/jsontext"
)

var repairs = map[*model.Rule]model.Repairer{
	wrongSize: func(ctx context.Context, t *model.Tree, f *model.Finding) []model.Fix {
		return slices.Concat(retype(ctx, t, f), wrongBytes(ctx, t, f), resize(ctx, t, f))
	},
	hole: cutTail, otherCount: countAgain, model.RuleSwapped: model.TurnNumbers,
	headerLong: compact, otherHalf: toBrain,
	notJSON: func(ctx context.Context, t *model.Tree, f *model.Finding) []model.Fix {
		fixes := slices.Concat(compact(ctx, t, f), spell(ctx, t), wrongBytes(ctx, t, f), mendIndex(ctx, t, f))
		if len(fixes) > 0 && fixes[0].Safe && fixes[0].Once {
			return fixes
		}
		return append(fixes, rebuildIndex(ctx, t, f)...)
	},
	badEntry: wrongBytes, overlap: abut, badMetadata: quoteMetadata,
	badType: func(ctx context.Context, t *model.Tree, f *model.Finding) []model.Fix {
		if fixes := retype(ctx, t, f); len(fixes) > 0 {
			return fixes
		}
		return append(wrongBytes(ctx, t, f), resize(ctx, t, f)...)
	},
	misnamed: model.Knowing(func(_ context.Context, _ *model.Tree, _ *model.Finding, known []model.Fix) []model.Fix { return known }),
	noIndex:  rebuildIndex, noShard: rebuildIndex, stray: rebuildIndex, foreignShard: rebuildIndex, unlistedTensor: rebuildIndex, otherNames: renameIndex,
}

var actions = []model.Action{{
	Name: "drop-tensor", Removes: true, Label: "Remove the tensor", Doc: "Removes a tensor from the header and the data; the others move up.",
	On: func(t *model.Tree, s *model.Span) bool { return tensorOf(t, s) != nil },
	Plan: func(ctx context.Context, t *model.Tree, s *model.Span, _ map[string]string) ([]model.Edit, error) {
		return drop(ctx, t, tensorOf(t, s))
	},
}}

// tensorOf returns the tensor whose entry or bytes contain a span.
func tensorOf(t *model.Tree, s *model.Span) *tensor {
	f := model.StateOf[*file](t)
	if f == nil {
		return nil
	}
	f.indexed.Do(f.index)
	for ; s != nil; s = s.Parent() {
		if x := f.byPath[s.Path()]; x != nil {
			return x
		}
	}
	return nil
}

// index notes what is asked for the finding of each of very many tensors: which one an entry or bytes belong to, and how many have a type.
func (f *file) index() {
	f.byPath, f.typed = map[string]*tensor{}, map[string]int{}
	for _, x := range slices.Backward(f.tensors) {
		f.byPath[x.entry.Path()] = x
		if x.values != nil {
			f.byPath[x.values.Path()] = x
		}
		if x.typ.Span != nil {
			f.typed[x.typ.Text()]++
		}
	}
}

// drop deletes an entry, and the bytes of the tensor.
func drop(ctx context.Context, t *model.Tree, x *tensor) ([]model.Edit, error) {
	f := model.StateOf[*file](t)
	if f == nil || x == nil {
		return nil, errors.New("there is no tensor here")
	}
	edits, err := jsontext.Without(ctx, t, f.entries, x.entry)
	if err == nil && x.values != nil && x.values.Range.Len > 0 {
		edits = append(edits, model.Replace(x.values.Range, nil))
	}
	return edits, err
}

// leastAlike is how many other tensors of its type show that a tensor's type is right.
const leastAlike = 4

// resize offers the one dimension with which the shape fits the bytes, or the type: first that of most other tensors.
func resize(_ context.Context, t *model.Tree, f *model.Finding) (out []model.Fix) {
	x := tensorOf(t, f.Span)
	if x == nil {
		return nil
	}
	s := model.StateOf[*file](t)
	size := x.to - x.from
	beside := s.typed[x.typ.Text()] - 1
	usual := dtypes[x.typ.Text()].bits == 0 || beside >= leastAlike && 2*beside >= len(s.tensors) // another type is no answer, or unlikely
	var others []model.Fix
	for _, name := range slices.Sorted(maps.Keys(dtypes)) {
		if n, ok := x.bytesOf(dtypes[name]); !ok || n != size || x.typ.Span == nil {
			continue
		}
		fix := model.SetTo(x.typ.Span, model.S(name))
		fix.Safe = false // the shape may be wrong instead
		if 2*s.typed[name] >= len(s.tensors) {
			out = append(out, fix)
		} else if !usual {
			others = append(others, fix)
		}
	}
	if len(out) > 0 {
		others = nil
	}
	return slices.Concat(out, model.FitShape(x.dims, dtypes[x.typ.Text()].bits, 8*size, false), others)
}

// abut offers to let a tensor that overlaps the one before it begin where that one ends, if its bytes are then as many as its shape and type need. An unknown
// type may be any.
func abut(_ context.Context, t *model.Tree, f *model.Finding) []model.Fix {
	s, x := model.StateOf[*file](t), tensorOf(t, f.Span)
	if x == nil || x.begin.Span == nil {
		return nil
	}
	at := int64(0)
	for _, o := range s.ordered() {
		if o != x && o.from <= x.from {
			at = max(at, o.to)
		}
	}
	size, known := x.bytes()
	fits := known && size == x.to-at
	for _, typ := range dtypes {
		n, ok := x.bytesOf(typ)
		fits = fits || !known && ok && n == x.to-at
	}
	if !fits || len(x.shape) == 0 {
		return nil
	}
	fix := model.SetTo(x.begin.Span, model.I(at))
	fix.Safe = known
	return []model.Fix{fix}
}

// cutTail offers to remove what follows the last tensor.
func cutTail(_ context.Context, t *model.Tree, f *model.Finding) []model.Fix {
	x := model.StateOf[*file](t)
	if x == nil || x.data == nil || f.Range.End() != x.data.Range.End() {
		return nil
	}
	return []model.Fix{{Label: model.Words("remove the last %d bytes", f.Range.Len), Loses: model.Words("%d bytes that belong to no tensor", f.Range.Len), Edits: []model.Edit{model.Replace(f.Range, nil)}}}
}

// toBrain offers bfloat16 as the type of all tensors of float16. It is never certain: the numbers tell what is likely.
func toBrain(_ context.Context, t *model.Tree, _ *model.Finding) []model.Fix {
	fix := model.Fix{Label: "set the dtype of all F16 tensors to BF16", Once: true, Says: "A converter wrote F16 for the dtype BF16."}
	for _, x := range model.StateOf[*file](t).tensors {
		if x.typ.Span != nil && x.typ.Text() == "F16" {
			fix.Edits = append(fix.Edits, model.SetTo(x.typ.Span, model.S("BF16")).Edits...)
		}
	}
	return []model.Fix{fix}
}

// compact offers the header without the line ends and spaces between its values, if it has the length that it states then.
func compact(ctx context.Context, t *model.Tree, _ *model.Finding) []model.Fix {
	s := model.StateOf[*file](t)
	if s == nil || s.head == nil {
		return nil
	}
	b, err := t.Bytes(ctx, model.Range{Space: s.head.Range.Space, Len: s.head.Range.End()})
	var text bytes.Buffer
	if err != nil || json.Compact(&text, b[8:]) != nil {
		return nil
	}
	blanks := int64(binary.LittleEndian.Uint64(b)) - int64(text.Len()) // writers fill up to a multiple of 8
	if blanks < 0 || blanks >= 8 || int64(text.Len())+blanks >= s.head.Range.Len {
		return nil
	}
	return []model.Fix{{Label: "remove the line ends and spaces between the values of the header", Safe: true, Once: true,
		Says:  "The header was formatted for reading, and its length was not changed.",
		Edits: []model.Edit{model.Splice{Range: s.head.Range, With: model.Memory(append(text.Bytes(), strings.Repeat(" ", int(blanks))...)), Loose: true}}}}
}

// spell offers to write a header as JSON that is a dictionary as Python prints it, or was edited by hand or by a program. Its length stays the same if
// it can, unless the text becomes far shorter.
func spell(ctx context.Context, t *model.Tree) []model.Fix {
	s := model.StateOf[*file](t)
	if s == nil || s.head == nil {
		return nil
	}
	at := model.Range{Space: s.head.Range.Space, Len: s.head.Range.End()}
	b, err := t.Bytes(ctx, at)
	if err != nil {
		return nil
	}
	text := b[at.Len-s.head.Range.Len:]
	slips := jsontext.Slips(text)
	if len(slips) == 0 {
		return nil
	}
	is := jsontext.Corrected(text, slips)
	shorter := len(text) - len(is)
	is = bytes.TrimRight(is, " ")
	head := headOf(is)
	if blanks := len(text) - len(is); blanks >= 0 && shorter < maxBlanks {
		head = sized(append(is, strings.Repeat(" ", blanks)...))
	}
	plain := !slices.ContainsFunc(slips, func(x jsontext.Slip) bool { return !x.Plain })
	_, valid := extent(is) // otherwise what a comma stood before may be lost
	fix := model.Fix{Label: "write the header as JSON", Once: true, Says: "The header is not valid JSON: " + jsontext.Saying(text, slips) + ".", Safe: plain && valid}
	if fix.Edits = []model.Edit{model.Splice{Range: at, With: model.Memory(head), Loose: true}}; !plain {
		fix.Says = "The header is not JSON, but nearly, as when Python prints a dictionary: " + jsontext.Saying(text, slips) + "."
	}
	return []model.Fix{fix}
}

// countAgain offers the offsets as readers count them.
func countAgain(ctx context.Context, t *model.Tree, f *model.Finding) []model.Fix {
	s := model.StateOf[*file](t)
	if s == nil || s.recount.Times == 0 {
		return nil
	}
	to := map[*model.Span]string{}
	for _, x := range s.tensors {
		to[x.begin.Span], to[x.end.Span] = strconv.FormatInt(x.from, 10), strconv.FormatInt(x.to, 10)
	}
	fix, err := s.restate(ctx, t, to)
	if err != nil {
		return nil
	}
	fix.Label, _ = f.About.(string)
	fix.Safe, fix.Witnessed = true, true
	fix.Says = "T" + strings.TrimPrefix(f.Message, "t") + "."
	return []model.Fix{fix}
}

// quoteMetadata offers to write the numbers and truth values of the metadata as texts, unless some are inside other values.
func quoteMetadata(ctx context.Context, t *model.Tree, _ *model.Finding) []model.Fix {
	s, to := model.StateOf[*file](t), map[*model.Span]string{}
	if s == nil || s.head == nil || s.nested(ctx, t) {
		return nil
	}
	found, _ := t.Findings()
	for _, f := range found {
		if f.Rule != badMetadata || f.Span == nil || f.Span.Shape != model.Leaf {
			continue
		}
		if b, err := t.Bytes(ctx, f.Span.Range); err == nil {
			to[f.Span] = quoted(string(b))
		}
	}
	if len(to) == 0 {
		return nil
	}
	fix, err := s.restate(ctx, t, to)
	if err != nil {
		return nil
	}
	fix.Label, fix.Safe = model.Words("write %d values of the metadata as texts", len(to)), true
	return []model.Fix{fix}
}

// nested tells whether a value of the metadata is an object or a list.
func (f *file) nested(ctx context.Context, t *model.Tree) bool {
	b, err := t.Bytes(ctx, f.head.Range)
	if err != nil {
		return true
	}
	tokens, _, _ := jsontext.Tokens(b)
	in := false
	for _, tok := range tokens {
		if tok.Kind == jsontext.Key && tok.Depth == 1 {
			in = tok.Text == metadata
		}
		if in && tok.Depth > 2 {
			return true
		}
	}
	return false
}

// restate is the repair that gives numbers and texts of the header other words. The header has the length that it states if it then can: a script may have
// changed the words and not the length. Otherwise it keeps its length if the spaces at its end allow that.
func (f *file) restate(ctx context.Context, t *model.Tree, to map[*model.Span]string) (fix model.Fix, err error) {
	all := model.Range{Space: f.head.Range.Space, Len: f.head.Range.End() + f.filling}
	was, err := t.Bytes(ctx, all)
	if err != nil {
		return fix, err
	}
	var text []byte
	at := f.head.Range.Off
	for _, s := range slices.SortedFunc(maps.Keys(to), func(a, b *model.Span) int { return cmp.Compare(a.Range.Off, b.Range.Off) }) {
		text = append(append(text, was[at:s.Range.Off]...), to[s]...)
		at = s.Range.End()
	}
	text = append(text, was[at:]...)
	size, replaced := all.Len-f.head.Range.Off, int64(len(text))
	text = bytes.TrimRight(text, " ")
	if n := int64(binary.LittleEndian.Uint64(was)); n >= int64(len(text)) && n <= max(size, replaced) {
		size = n
	}
	head := headOf(text)
	if blanks := size - int64(len(text)); blanks >= 0 {
		head = sized(append(text, bytes.Repeat([]byte(" "), int(blanks))...))
	}
	return model.Fix{Once: true, Edits: []model.Edit{model.Splice{Range: all, With: model.Memory(head), Loose: true}}}, nil
}
