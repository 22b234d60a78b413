package scdl

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"path"
	"slices"
	"strconv"
	"strings"

	"spandrel/model"
)

// actions are the structural edits of section 11.
var actions = slices.Concat(headerActions, matrixActions)

var headerActions = []model.Action{
	{Name: "add-array", Label: "Add an array descriptor", On: on("arrays"),
		Params: []model.Param{{Name: "name", Label: "Name", Default: "DATA"}, {Name: "length", Label: "Elements", Default: "0"},
			{Name: "dtype", Label: "dtype, 1 to 9", Default: "6"}},
		Plan: func(_ context.Context, t *model.Tree, s *model.Span, args map[string]string) ([]model.Edit, error) {
			return add(t, s, "arrays", args, (*writer).array)
		}},
	{Name: "add-feature-index", Label: "Add a feature index", On: on("feature_indices"),
		Params: []model.Param{{Name: "name", Label: "Name", Default: "var_features"}, {Name: "length", Label: "Cells", Default: "0"},
			{Name: "dtype", Label: "dtype, 1 to 9", Default: "8"}},
		Plan: func(_ context.Context, t *model.Tree, s *model.Span, args map[string]string) ([]model.Edit, error) {
			return add(t, s, "feature_indices", args, func(w *writer, e descriptor) { // includes the files of the folder, if it exists
				if a := archiveOf(t, s); a != nil && model.Clean(e.name) == nil {
					e.files = a.below(e.name)
				}
				w.folder(e)
			})
		}},
	{Name: "remove", Removes: true, Label: "Remove this descriptor", On: isElement,
		Plan: func(_ context.Context, t *model.Tree, s *model.Span, _ map[string]string) ([]model.Edit, error) {
			if hasInline(t) {
				return nil, errInline
			}
			return []model.Edit{model.Replace(s.Range, nil)}, nil
		}},
	{Name: "rename", Label: "Rename, with the file or folder of that name", On: isDescriptor,
		Params: []model.Param{{Name: "name", Label: "New name"}, {Name: "files", Label: "Rename on disk too", Default: "yes",
			Choices: []string{"yes", "no"}}},
		Plan: rename},
	{Name: "set-shape", Label: "Set or drop the shape", On: isDescriptor, Params: []model.Param{{Name: "shape",
		Label: "Dimensions, such as 4,5; none to drop the shape"}},
		Plan: setShape},
	{Name: "add-path", Label: "Add an index path", On: func(_ *model.Tree, s *model.Span) bool { return s.Field == files },
		Params: []model.Param{{Name: "path", Label: "Path inside the archive"}},
		Plan: func(_ context.Context, t *model.Tree, s *model.Span, args map[string]string) ([]model.Edit, error) {
			w := &writer{}
			w.text(args["path"])
			return []model.Edit{appendTo(s, w.b)}, model.Clean(args["path"])
		}},
	{Name: "set-json", Label: "Replace the JSON text", On: func(_ *model.Tree, s *model.Span) bool {
		return strings.HasSuffix(s.Field.Name,
			".json")
	},
		Params: []model.Param{{Name: "text", Label: "JSON"}},
		Plan: func(_ context.Context, _ *model.Tree, s *model.Span, args map[string]string) ([]model.Edit, error) {
			if !json.Valid([]byte(args["text"])) {
				return nil, errors.New("the text is not JSON")
			}
			return []model.Edit{model.Replace(s.Range, []byte(args["text"]))}, nil
		}},
	{Name: "byte-order", Label: "Read all arrays in the other byte order",
		Doc: "Swaps the bytes of every element of the raw arrays. Nothing is written before the archive is saved.",
		On:  onArchive,
		Plan: func(ctx context.Context, t *model.Tree, s *model.Span, _ map[string]string) ([]model.Edit, error) {
			o := turner{archiveOf(t, s)}
			fix := o.fix(o.wide())
			return fix.Make(ctx, t)
		}},
}

var errInline = errors.New("the header contains array data: changing the descriptors would assign it to another array")

func on(list string) func(*model.Tree, *model.Span) bool {
	return func(_ *model.Tree, s *model.Span) bool { return s.Name() == list || s.Get(list) != nil }
}

func isDescriptor(_ *model.Tree, s *model.Span) bool {
	return s.Field == arrayField || s.Field == fi
}

func isElement(t *model.Tree, s *model.Span) bool {
	return isDescriptor(t, s) || s.Field == fileField
}

func onArchive(t *model.Tree, s *model.Span) bool {
	a := archiveOf(t, s)
	return a != nil && a.root == s
}

func hasInline(t *model.Tree) bool { return t.Root.Get(inline.Name) != nil }

// archiveOf returns the archive that contains a span, or nil for a single header.
func archiveOf(t *model.Tree, s *model.Span) *archive {
	state, _ := t.State.(*archiveState)
	for ; s != nil && state != nil; s = s.Parent() {
		for _, a := range state.archives {
			if a.root == s {
				return a
			}
		}
	}
	return nil
}

func checkName(name string) error {
	if strings.TrimSpace(name) == "" || len(name) > maxName {
		return fmt.Errorf("a name must have 1 to %d bytes", maxName)
	}
	return nil
}

func add(t *model.Tree, s *model.Span, list string, args map[string]string, write func(*writer, descriptor)) ([]model.Edit, error) {
	if hasInline(t) {
		return nil, errInline
	}
	if err := checkName(args["name"]); err != nil {
		return nil, err
	}
	length, err := strconv.ParseUint(args["length"], 0, 64)
	if err != nil {
		return nil, fmt.Errorf("length: %w", err)
	}
	dtype, err := strconv.ParseUint(args["dtype"], 0, 32)
	if err != nil || dtype < 1 || dtype > 9 {
		return nil, errors.New("dtype: 1 to 9")
	}
	w := &writer{}
	write(w, descriptor{args["name"], length, uint32(dtype), nil})
	if s.Name() != list {
		s = s.Get(list)
	}
	return []model.Edit{appendTo(s, w.b)}, nil
}

// appendTo adds one element at the end of a list.
func appendTo(list *model.Span, b []byte) model.Edit {
	return model.Splice{Range: model.Range{Space: list.Range.Space, Off: list.Range.End()}, With: model.Memory(b), Into: list.Path(),
		Elements: 1}
}

// rename renames an array whose name is that of its file, or a feature index, together with its folder and paths.
func rename(ctx context.Context, t *model.Tree, s *model.Span, args map[string]string) ([]model.Edit, error) {
	name, field := args["name"], s.Get(nameField.Name)
	if err := checkName(name); err != nil || field == nil {
		return nil, err
	}
	v, err := t.Value(ctx, field)
	if err != nil {
		return nil, err
	}
	old, edits := v.Text(), []model.Edit{model.SetValue(field, model.S(name))}
	if list := s.Get(files.Name); list != nil {
		for i := range list.Count() {
			p := list.Child(i).Get(pathField.Name)
			if v, err := t.Value(ctx, p); err != nil {
				return nil, err
			} else if rest, ok := strings.CutPrefix(v.Text(), old+"/"); ok {
				edits = append(edits, model.SetValue(p, model.S(name+"/"+rest)))
			}
		}
	}
	a := archiveOf(t, s)
	if args["files"] != "yes" || a == nil || old == name || model.Clean(old) != nil || fileOf(old) != "" {
		return edits, nil
	}
	moved, err := a.moved(old, name)
	return append(edits, moved...), err
}

// moved are the edits that rename a file, or move the files of a folder.
func (a *archive) moved(old, name string) (edits []model.Edit, err error) {
	if err := model.Clean(name); err != nil {
		return nil, err
	}
	files := a.below(old)
	if a.entries[old].Regular {
		files = []string{old}
	}
	for _, f := range files {
		to := name + strings.TrimPrefix(f, old)
		if _, taken := a.entries[to]; taken || a.dirs[to] != nil {
			return nil, fmt.Errorf("%s exists", to)
		}
		c, err := a.t.Snapshot.Content(a.name(f))
		if err != nil {
			return nil, err
		}
		edits = append(edits, model.FileEdit{File: a.name(path.Clean(to)), Create: c}, model.FileEdit{File: a.name(f), Delete: true})
	}
	return edits, nil
}

func setShape(_ context.Context, _ *model.Tree, s *model.Span, args map[string]string) ([]model.Edit, error) {
	has := s.Get(hasShape.Name)
	if has == nil {
		return nil, errors.New("the descriptor is damaged")
	}
	var dims []uint32
	for _, text := range strings.FieldsFunc(strings.TrimPrefix(args["shape"], "none"), func(r rune) bool { return strings.ContainsRune(", ×x", r) }) {
		n, err := strconv.ParseUint(text, 0, 32)
		if err != nil || n == 0 {
			return nil, fmt.Errorf("shape: %q is not a dimension of 1 to %d", text, uint32(1<<32-1))
		}
		dims = append(dims, uint32(n))
	}
	w := &writer{}
	w.shape(dims)
	return []model.Edit{model.Replace(model.Range{Space: has.Range.Space, Off: has.Range.Off, Len: s.Range.End() - has.Range.Off}, w.b)}, nil
}
