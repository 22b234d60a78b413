package schema

import (
	"context"

	"spandrel/model"
	"spandrel/parsers/tiledb/storage"
)

const (
	misplaced  = "cells end up in the wrong places"
	missized   = "tiles have another size: reading fails"
	unfiltered = "cells cannot be unfiltered"
	otherCells = "cells show the wrong numbers"
	otherFile  = "cells show the values of another file"
	misread    = "the rest of the schema is misread"
)

// inPlace is the effect of changing a field, or anything inside it without an entry, on the fragments of the array (7.3);
// "" means that no one would notice.
var inPlace = map[fieldID]string{}

// fieldID is what a field and its copies for each datatype have in common.
type fieldID struct{ ref, name string }

func init() {
	for f, why := range map[*model.Field]string{
		SchemaF: misread, dimF: misread, attrF: misread,
		sDups:     "cells with equal coordinates are dropped when they are no longer allowed",
		sArray:    "fragments are misread",
		sCapacity: "every sparse tile but the last is assumed to have this many cells: reading fails",
		dims:      "fragments identify dimensions by position: later ones are misread",
		domType:   missized, cellNum: missized,
		sTileOrder: misplaced, sCellOrder: misplaced, dimLow: misplaced,
		dimHigh:   "cells beyond it are unreachable, and those in Hilbert order end up in the wrong places",
		dimExtent: misplaced + ", or " + missized,
		attrs:     "fragments identify attributes by position: later ones are misread",
		NameF:     "queries, conditions and applications use names, and before version 9 files are named after fields",
		typeF:     "tiles have another size, or cells another meaning",
		attrNull:  "the file of nulls is missing or ignored: reading fails",
		attrOrder: "existing cells may be in another order",
		AttrEnum:  "cells show other values, unless the enumeration gets the same name",
		attrFill:  "", attrFillOK: "",
		sCoords: unfiltered, sOffsets: unfiltered, sValidity: unfiltered, filtersF: unfiltered,
		storage.FilterScale: otherCells, storage.FilterOffset: otherCells,
		storage.FilterLevel: "", storage.FilterWindow: "", storage.FilterSize: "", storage.PipeMaxChunk: "", storage.WebPQuality: "", storage.WebPLossless: "", storage.WebPPad: "",
		labels: "the label's own array was written with it",
		enums:  otherFile, enumFile: otherFile,
		currentF:     "reading and later writes fail for cells outside the current domain",
		curVersion:   "",
		EnumerationF: "stored indexes change meaning",
		eVersion:     "", eOrdered: "",
	} {
		inPlace[fieldID{f.Ref, f.Name}] = why
	}
}

// Consequence is the effect of an edit at a span of a schema or an enumeration on fragments, from the innermost field that has one.
func Consequence(ctx context.Context, t *model.Tree, s *model.Span, e model.Edit) string {
	edit, _ := e.(model.Splice)
	if into, err := t.Find(ctx, edit.Into); err == nil && edit.Into != "" {
		s = into
	}
	if s.State == model.Gap { // bytes that no reader uses
		return ""
	}
	for ; s != nil && t.Space(s.Range.Space) != nil && t.Space(s.Range.Space).Derived(); s = s.Parent() {
		if edit.Range.Len > 0 && (!s.Range.Contains(edit.Range) || s.Range == edit.Range && s.Index() >= 0) { // an element has the effect of its list
			continue
		}
		if why, ok := inPlace[fieldID{s.Field.Ref, s.Field.Name}]; ok {
			return why
		}
	}
	return ""
}
