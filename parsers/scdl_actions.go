package parsers

import (
	"context"
	"encoding/binary"
	"fmt"
	"strconv"
	"strings"

	"spandrel/model"
)

// scdlActions are the structural edits of section 11.
var scdlActions = []model.Action{
	{Name: "add-array", Label: "Add an array descriptor", On: scdlOn("arrays"),
		Params: []model.Param{{Name: "name", Label: "Name", Default: "DATA"}, {Name: "length", Label: "Elements", Default: "0"}, {Name: "dtype", Label: "dtype, 1 to 9", Default: "6"}},
		Plan: func(_ context.Context, t *model.Tree, s *model.Span, args map[string]string) ([]model.Edit, error) {
			return scdlAdd(t, "arrays", args, []byte{0})
		}},
	{Name: "add-feature-index", Label: "Add a feature index", On: scdlOn("feature_indices"),
		Params: []model.Param{{Name: "name", Label: "Name", Default: "var_features"}, {Name: "length", Label: "Cells", Default: "0"}, {Name: "dtype", Label: "dtype, 1 to 9", Default: "8"}},
		Plan: func(_ context.Context, t *model.Tree, s *model.Span, args map[string]string) ([]model.Edit, error) {
			return scdlAdd(t, "feature_indices", args, []byte{0, 0, 0, 0, 0}) // no files, no shape
		}},
	{Name: "remove", Label: "Remove this descriptor", On: scdlIsElement,
		Plan: func(_ context.Context, t *model.Tree, s *model.Span, _ map[string]string) ([]model.Edit, error) {
			if scdlHasInline(t) {
				return nil, errScdlInline
			}
			return []model.Edit{model.Replace(s.Range, nil)}, nil
		}},
	{Name: "move", Label: "Move this descriptor", On: scdlIsElement, Params: []model.Param{{Name: "to", Label: "New position, from 0", Default: "0"}},
		Plan: scdlMove},
	{Name: "add-path", Label: "Add an index path", On: func(_ *model.Tree, s *model.Span) bool { return s.Field == scdlFiles },
		Params: []model.Param{{Name: "path", Label: "Path inside the archive"}},
		Plan: func(_ context.Context, t *model.Tree, s *model.Span, args map[string]string) ([]model.Edit, error) {
			if err := model.Clean(args["path"]); err != nil {
				return nil, err
			}
			return []model.Edit{{Range: model.Range{Space: s.Range.Space, Off: s.Range.End()}, With: model.Memory(scdlString(args["path"])), Into: s.Path(), Elements: 1}}, nil
		}},
}

var errScdlInline = fmt.Errorf("the header holds array data: adding, removing or moving a descriptor would give it to another array")

func scdlOn(list string) func(*model.Tree, *model.Span) bool {
	return func(t *model.Tree, s *model.Span) bool {
		return (s.Parent() == nil || s.Name() == list) && t.Root.Get(list) != nil
	}
}

func scdlIsElement(_ *model.Tree, s *model.Span) bool {
	return s.Field == scdlArray || s.Field == scdlFI || s.Field == scdlFile
}

func scdlHasInline(t *model.Tree) bool { return t.Root.Get("inline_data") != nil }

func scdlString(s string) []byte {
	return append(binary.BigEndian.AppendUint32(nil, uint32(len(s))), s...)
}

func scdlAdd(t *model.Tree, list string, args map[string]string, rest []byte) ([]model.Edit, error) {
	if scdlHasInline(t) {
		return nil, errScdlInline
	}
	if n := len(strings.TrimSpace(args["name"])); n == 0 || len(args["name"]) > 1024 {
		return nil, fmt.Errorf("a name has 1 to 1024 bytes")
	}
	length, err := strconv.ParseUint(args["length"], 0, 64)
	if err != nil {
		return nil, fmt.Errorf("length: %w", err)
	}
	dtype, err := strconv.ParseUint(args["dtype"], 0, 32)
	if err != nil || dtype < 1 || dtype > 9 {
		return nil, fmt.Errorf("dtype: 1 to 9")
	}
	b := binary.BigEndian.AppendUint64(scdlString(args["name"]), length)
	b = append(binary.BigEndian.AppendUint32(b, uint32(dtype)), rest...)
	s := t.Root.Get(list)
	return []model.Edit{{Range: model.Range{Space: s.Range.Space, Off: s.Range.End()}, With: model.Memory(b), Into: s.Path(), Elements: 1}}, nil
}

// scdlMove puts a descriptor at another position of its list, by rewriting the list.
func scdlMove(ctx context.Context, t *model.Tree, s *model.Span, args map[string]string) ([]model.Edit, error) {
	if scdlHasInline(t) {
		return nil, errScdlInline
	}
	list := s.Parent()
	to, err := strconv.ParseInt(args["to"], 10, 64)
	if err != nil || to < 0 || to >= list.Count() {
		return nil, fmt.Errorf("to: 0 to %d", list.Count()-1)
	}
	var order []*model.Span
	for i := range list.Count() {
		if k := list.Child(i); k.Index() != s.Index() {
			order = append(order, k)
		}
	}
	order = append(order[:to], append([]*model.Span{s}, order[to:]...)...)
	var out []byte
	for _, k := range order {
		b, err := t.Bytes(ctx, k.Range)
		if err != nil {
			return nil, err
		}
		out = append(out, b...)
	}
	return []model.Edit{model.Replace(list.Range, out)}, nil
}

// scdlReview refuses what no reader loads and asks about what silently changes meaning (section 11).
func scdlReview(t *model.Tree, e model.Edit) (string, error) {
	state, _ := t.State.(*scdlState)
	archive := state != nil && len(state.archives) > 0
	switch {
	case e.Path == "version_major" && e.Value.Kind != model.None && e.Value.Uint() > 0:
		return "", fmt.Errorf("the reference package cannot save headers of a major version above 0")
	case strings.HasPrefix(e.Path, "arrays[") && strings.HasSuffix(e.Path, "/name") && archive && len(e.Value.Text()) > 0:
		if scdlFileOf(e.Value.Text()) == "" {
			return fmt.Sprintf("no reader knows an array called %q: the archive will not load", e.Value.Text()), nil
		}
		return "the array files stay where they are: the descriptor now describes " + scdlFileOf(e.Value.Text()), nil
	case strings.HasPrefix(e.Path, "arrays[") && strings.HasSuffix(e.Path, "/dtype") && archive:
		return "the bytes of the array are not converted: they will be read as another type", nil
	case strings.HasSuffix(e.Path, "/name") && len(e.Value.Text()) > 1024:
		return "", fmt.Errorf("a name has at most 1024 bytes")
	}
	return "", nil
}

// scdlAppend adds one descriptor at the end of a list.
func scdlAppend(list *model.Span, b []byte) model.Edit {
	return model.Edit{Range: model.Range{Space: list.Range.Space, Off: list.Range.End()}, With: model.Memory(b), Into: list.Path(), Elements: 1}
}
