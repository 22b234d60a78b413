package taridx

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strconv"

	"spandrel/model"
)

// actions are the structural edits of section 12.
var actions = []model.Action{
	{Name: "drop-rows", Removes: true, Label: "Remove rows", On: onRows, Params: []model.Param{{Name: "from", Label: "First row", Default: "0", First: "rows"},
		{Name: "to", Label: "Last row", Default: "0", Last: "rows"}},
		Plan: func(ctx context.Context, t *model.Tree, _ *model.Span, args map[string]string) ([]model.Edit, error) {
			x := editor{stateOf(t)}
			from, err1 := strconv.ParseInt(args["from"], 0, 64)
			to, err2 := strconv.ParseInt(args["to"], 0, 64)
			if err1 != nil || err2 != nil || from < 0 || to < from || to >= x.n {
				return nil, fmt.Errorf("rows 0 to %d", x.n-1)
			}
			rows, err := x.allRows(ctx)
			if err != nil {
				return nil, err
			}
			return x.settled(ctx, rows, slices.Concat(rows[:from], rows[to+1:]), x.exts, x.stems)
		}},
	{Name: "drop-helpers", Removes: true, Label: "Remove rows of helper headers, folders and links", On: onRows,
		Plan: func(ctx context.Context, t *model.Tree, _ *model.Span, _ map[string]string) ([]model.Edit, error) {
			return editor{stateOf(t)}.withoutHelpers(ctx)
		}},
	{Name: "add-row", Label: "Add the row of a member", On: onRows, Params: []model.Param{{Name: "shard",
		Label: "Shard, by its number in the fold", Default: "0"}, {Name: "offset", Label: "Offset of the tar header", Default: "0"}},
		Plan: addRow},
	{Name: "make-contiguous", Label: "Group the rows by sample", Doc: "stable, by first appearance: the shard order is kept", On: onRows,
		Plan: func(ctx context.Context, t *model.Tree, _ *model.Span, _ map[string]string) ([]model.Edit, error) {
			return editor{stateOf(t)}.rewrite(ctx, nil, group)
		}},
	{Name: "sort-rows", Label: "Put the rows in shard order", On: onRows,
		Plan: func(ctx context.Context, t *model.Tree, _ *model.Span, _ map[string]string) ([]model.Edit, error) {
			return editor{stateOf(t)}.rewrite(ctx, nil, func(rows []entryRow) {
				slices.SortStableFunc(rows, inShards)
			})
		}},
	{Name: "renumber-fid", Label: "Give a shard another number", On: onRows, Params: []model.Param{{Name: "from", Label: "fid now",
		Default: "0"}, {Name: "to", Label: "fid to be", Default: "0"}},
		Plan: func(_ context.Context, t *model.Tree, _ *model.Span, args map[string]string) ([]model.Edit, error) {
			x := editor{stateOf(t)}
			from, err1 := strconv.ParseUint(args["from"], 0, 16)
			to, err2 := strconv.ParseUint(args["to"], 0, 16)
			if err1 != nil || err2 != nil {
				return nil, errors.New("0 to 65535")
			}
			rows, err := x.mapped(func(r *entryRow) {
				if uint64(r.fid) == from {
					r.fid = uint16(to)
				}
			})
			return []model.Edit{rows}, err
		}},
	{Name: "rename-extension", Label: "Rename this extension, with all its members", Doc: "The headers in the shards and the table in the index change together.",
		On: onExt, Params: []model.Param{{Name: "name", Label: "New extension"}}, Plan: renameExtension},
	{Name: "drop-extension", Removes: true, Label: "Remove this unused extension", On: onExt, Plan: func(ctx context.Context, t *model.Tree, s *model.Span, _ map[string]string) ([]model.Edit, error) {
		return dropExt(ctx, editor{stateOf(t)}, s.Index())
	}},
	{Name: "rename-sample", Label: "Rename this sample, with its members",
		Doc: "The headers in the shards and the hash in the index change together.",
		On:  onRow, Params: []model.Param{{Name: "name", Label: "New name"}}, Plan: renameSample},
	{Name: "rename-member", Label: "Rename this member",
		Doc: "Its header in the shard and its row change together; it may move to another sample.",
		On:  onRow, Params: []model.Param{{Name: "name", Label: "New name, with its extension"}}, Plan: renameOne},
	{Name: "extract", Label: "Extract this member", Doc: "Saves its payload as a file beside the index.", On: onRow,
		Params: []model.Param{{Name: "file", Label: "File in the folder of the index; empty for the member's name"}}, Plan: extract},
	{Name: "replace-payload", Label: "Replace the content of this member", Doc: "Everything after it in the shard moves, and the rows are updated.",
		On: onRow, Params: []model.Param{{Name: "from", Label: "A file in the folder of the index"}, {Name: "text", Label: "Or a text"},
			{Name: "hex", Label: "Or bytes in hexadecimal"}}, Plan: replacePayload},
	{Name: "reindex", Removes: true, Label: "Rebuild index from the shards", On: onRows,
		Plan: func(ctx context.Context, t *model.Tree, _ *model.Span, _ map[string]string) ([]model.Edit, error) {
			return editor{stateOf(t)}.reindex(ctx)
		}},
}

// onExt tells whether an action applies to a name of the table of extensions.
func onExt(t *model.Tree, s *model.Span) bool {
	return stateOf(t) != nil && s.Field == entryField && s.Parent().Field == extsField
}

func onRows(t *model.Tree, s *model.Span) bool {
	x := stateOf(t)
	return x != nil && x.rows != nil && (s.Parent() == nil || s.Field == rowsField || s.Parent().Field == rowsField)
}

// addRow adds the row of the member at a place.
func addRow(ctx context.Context, t *model.Tree, _ *model.Span, args map[string]string) ([]model.Edit, error) {
	x := editor{stateOf(t)}
	if x.rowsTable().Fill == nil {
		return nil, errors.New("the index is damaged: repair it first")
	}
	return x.fill(ctx, model.GivenRows{From: x.n, N: 1, Cell: func(row int64, column int) model.Typed {
		text, ok := map[int]string{fid: args["shard"], offset: args["offset"]}[column]
		return model.Typed{Row: row, Column: column, Text: text, Missing: !ok}
	}})
}

// inShards is the order of the shards, in which the indexer reads members.
func inShards(a, b entryRow) int { return cmp.Or(cmp.Compare(a.fid, b.fid), cmp.Compare(a.off, b.off)) }

// group moves the rows of each sample after its first one.
func group(rows []entryRow) {
	at := map[[2]uint64]int{}
	for _, r := range rows {
		if k := r.key(); at[k] == 0 {
			at[k] = len(at) + 1
		}
	}
	slices.SortStableFunc(rows, func(a, b entryRow) int { return cmp.Compare(at[a.key()], at[b.key()]) })
}

// dropExt removes an extension that no row has.
func dropExt(ctx context.Context, x editor, id int64) ([]model.Edit, error) {
	used := false
	if err := x.each(ctx, func(_ int64, r entryRow) { used = used || int64(r.ext) == id }); err != nil {
		return nil, err
	}
	if used {
		return nil, fmt.Errorf("rows have the extension %q", x.extName(uint16(id)))
	}
	return x.retable(x.extSpan, slices.Delete(slices.Clone(x.exts), int(id), int(id)+1))
}

// retable rewrites one of the two text blocks, and gives each row the new id of its name.
func (x editor) retable(block *model.Span, list []string) ([]model.Edit, error) {
	old := x.namesOf(block)
	ids, to := map[string]int{}, make([]int, len(old))
	for i, name := range list {
		ids[name] = i
	}
	for i, name := range old {
		to[i] = ids[name]
	}
	rows, err := x.mapped(func(r *entryRow) {
		if block == x.stemSpan {
			if r.crash > 0 && int64(r.crash) <= int64(len(to)) {
				r.crash = uint32(to[r.crash-1] + 1)
			}
		} else if int(r.ext) < len(to) {
			r.ext = uint16(to[r.ext])
		}
	})
	return append(x.named(block, list), rows), err
}
