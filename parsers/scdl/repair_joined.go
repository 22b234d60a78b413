package scdl

import (
	"context"
	"strings"

	"spandrel/model"
)

// repairJoined lets the row pointers of the later parts count on, and counts their cells everywhere. Nothing shows which genes and names they had: they
// get those of the first part, and empty rows in its table of cells.
var repairJoined = model.Knowing(func(_ context.Context, _ *model.Tree, _ *model.Finding, x joined) []model.Fix {
	if x.wrap > 0 {
		return []model.Fix{x.unwrapped()}
	}
	more := len(x.ptrs) - int(x.first)
	fix := model.Fix{Label: "continue the row pointers of the first archive", Once: true,
		Says: model.Words("The arrays of %d archives were joined, without what describes the later cells: their genes can only be taken to be the same.", x.parts)}
	if f := x.features(false); f != nil && f.last() == x.first-1 {
		fix.Label += model.Words(", with %s empty rows in the table of cells", model.Thousands(int64(more)))
	}
	fix.Build = func(ctx context.Context, _ *model.Tree) ([]model.Edit, error) {
		r := &reshaping{archive: x.archive, matrix: x.main(""), ctx: ctx, cells: x.first - 1}
		if err := r.point(x.first, x.ptrs[x.first:]); err != nil {
			return nil, err
		}
		err := r.more(more, r.data.count, func(s *sheet) (err error) {
			for range more {
				if err = s.add(s.named("")); err != nil {
					break
				}
			}
			return err
		})
		return r.edits, err
	}
	return []model.Fix{fix}
})

// unwrapped lets row pointers count on that started over at the limit of their type, in the narrowest one that holds them.
func (x joined) unwrapped() model.Fix {
	d, dtype := x.raws["row_ptr.npy"].desc, x.raws["row_ptr.npy"].dtype
	for last := x.ptrs[len(x.ptrs)-1]; widthOf(dtype) < 8 && last>>(8*widthOf(dtype)) > 0; {
		dtype++
	}
	values := []byte(nil)
	for _, v := range x.ptrs {
		values = appendNumber(values, v, widthOf(dtype))
	}
	says := x.says()
	return model.Fix{Label: model.Words("let the row pointers count on, as %s", dtypes[dtype]), Safe: true, Once: true, Says: strings.ToUpper(says[:1]) + says[1:] + ".", Edits: []model.Edit{
		model.FileEdit{File: x.name("row_ptr.npy"), Create: model.Memory(values)}, model.SetValue(d.dtype.Span, model.U(dtype))}}
}
