package gguf

import (
	"context"
	"unicode/utf8"

	"spandrel/model"
)

const measured = "measured with 0.19"

// python is the package that comes with llama.cpp. It reads the whole header and maps the data of each tensor at its stated
// place: it does not check whether tensors overlap, leave gaps or are padded.
var python = &model.Software{Name: "gguf", Title: "gguf (Python)", Versions: []string{"0.19"}, Reactions: []model.Reaction{
	{Does: model.Refuses, Rules: []string{"GGUF-001", "model.unknown"}, Source: measured, Text: "GGUF magic invalid",
		Means: "The file does not begin with GGUF."},
	{Does: model.Refuses, Rules: []string{"GGUF-002"}, Source: measured, Text: "Sorry, file appears to be version",
		Means: "The version in the header is not 2 or 3."},
	{Does: model.Refuses, When: asksType, Rules: []string{"GGUF-004"}, Source: measured, Text: "is not a valid GGUFValueType",
		Means: "The type of a metadata value is unknown: the byte, or a length before it, is damaged."},
	{Does: model.Refuses, Rules: []string{"GGUF-005"}, Source: measured, Text: "already in list at offset",
		Means: "Two pairs of the metadata have the same key."},
	{Does: model.Refuses, When: undecodable, Rules: []string{"GGUF-023"}, Source: measured, Text: "UnicodeDecodeError: 'utf-8' codec can't decode",
		Means: "A key, or the name of a tensor, is not UTF-8: it is damaged, or a length before it is."},
	{Does: model.Refuses, When: readsOn, Rules: []string{"GGUF-006", "model.truncated"}, Source: measured},
	{Does: model.Misreads, When: cutText, Rules: []string{"model.truncated"}, Source: measured},
	{Text: "index 0 is out of bounds for axis 0 with size 0", Rules: []string{"model.truncated", "GGUF-006"},
		Means: "The file ends inside its header, or a length or a count in the header is damaged and leads past the end."},
	{Text: "When changing to a larger dtype, its size must be a divisor", Rules: []string{"model.truncated", "GGUF-006", "GGUF-017"},
		Means: "The file ends inside a number, or a length or a count in the header is damaged and leads past the end."},
	{Does: model.Refuses, When: otherType, Rules: []string{"GGUF-008"}, Source: measured, Text: "Bad type for general.alignment field",
		Means: "general.alignment is not of type UINT32."},
	{Does: model.Refuses, Rules: []string{"GGUF-008"}, Source: measured, Text: "Invalid alignment: must be a non-zero power of two",
		Means: "The value of general.alignment is damaged."},
	{Does: model.Refuses, Rules: []string{"GGUF-011"}, Source: measured, Text: "Found duplicated tensor with name",
		Means: "Two tensors have the same name."},
	{Does: model.Refuses, Rules: []string{"GGUF-013"}, Source: measured, Text: "is not a valid GGMLQuantizationType",
		Means: "The type of a tensor is unknown to the package."},
	{Does: model.Refuses, When: inBlocks, Rules: []string{"GGUF-014"}, Source: measured, Text: "Quantized tensor row size",
		Means: "The first dimension of a tensor is not a multiple of the block of its type."},
	{Does: model.Refuses, Rules: []string{"GGUF-014"}, Source: measured},
	{Does: model.Refuses, When: hasEffect(model.Refuses), Rules: placing, Source: measured, Text: "cannot reshape array of size … into shape",
		Means: "The file ends before the data of a tensor does."},
	// If the data has not moved, something else is wrong with the header, and its effect is not known.
	{Does: model.Misreads, When: hasEffect(model.Misreads), Rules: placing, Source: measured},
	{Does: model.Misreads, When: moved, Rules: []string{"GGUF-024"}, Source: measured},
	model.Misreads.Of(measured, "GGUF-007"),
	{Does: model.Fails, Rules: []string{"GGUF-027"}, Source: measured, Text: "UnicodeDecodeError: 'utf-8' codec can't decode"},
	model.Ignores.Of(measured, "GGUF-003", "GGUF-009", "GGUF-010", "GGUF-012", "GGUF-018", "GGUF-019", "GGUF-020", "GGUF-021", "GGUF-022", "GGUF-023", "GGUF-026",
		"GGUF-030"),
}}

// placing are the rules about the places of the data of tensors.
var placing = []string{"GGUF-015", "GGUF-016", "GGUF-017", "GGUF-024", "GGUF-025", "GGUF-029", "GGUF-031"}

// hasEffect is the condition that a finding has this effect on the data.
func hasEffect(does model.Does) model.Condition {
	return func(ctx context.Context, t *model.Tree, _ *model.Finding) bool {
		return model.StateOf[*file](t).effect() == does
	}
}

// moved tells whether the file does not end where its tensors do, so that bytes were lost or inserted before them.
func moved(ctx context.Context, t *model.Tree, _ *model.Finding) bool {
	f := model.StateOf[*file](t)
	return len(f.tensors) > 0 && t.Root.Range.Len != f.mostEnd
}

// undecodable tells whether a finding is about a text that is not UTF-8.
func undecodable(ctx context.Context, t *model.Tree, f *model.Finding) bool {
	v, err := t.Value(ctx, f.Span)
	return err == nil && !utf8.ValidString(v.Text())
}

// asksType tells whether a finding is about a type that the package needs, which it does not for an empty list.
func asksType(ctx context.Context, t *model.Tree, f *model.Finding) bool {
	if f.Span == nil || f.Span.Name() != "item_type" {
		return true
	}
	count := f.Span.Parent().Get("count")
	if count == nil {
		return true
	}
	n, err := t.Value(ctx, count)
	return err != nil || n.Uint() > 0
}

// readsOn tells whether the package continues after something that does not fit the file: it reads the existing part of a text, and fails at what follows.
func readsOn(ctx context.Context, t *model.Tree, _ *model.Finding) bool {
	return !model.StateOf[*file](t).final
}

// cutText tells whether what does not fit is the last text of a header without tensors.
func cutText(ctx context.Context, t *model.Tree, _ *model.Finding) bool {
	return model.StateOf[*file](t).clipped
}

// inBlocks tells whether the tensor of a finding is quantised.
func inBlocks(ctx context.Context, t *model.Tree, f *model.Finding) bool {
	for _, x := range model.StateOf[*file](t).tensors {
		if f.Span != nil && x.entry == f.Span.Parent() {
			return types[x.kind].block > 1
		}
	}
	return false
}

// otherType tells whether a finding is about the type of a value, not about the value.
func otherType(ctx context.Context, _ *model.Tree, f *model.Finding) bool {
	return f.Span != nil && f.Span.Name() == "type"
}
