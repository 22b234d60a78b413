package parsers

import (
	"context"
	"fmt"
	"path"
	"strings"

	"spandrel/model"
)

// tdbInPlace says what a change of a schema field does to fragments that were written with the schema (7.3). Fields that are
// not named here change nothing that is stored.
var tdbInPlace = map[*model.Field]string{
	tdbSCapacity:   "every sparse tile but the last is taken as so many cells: reading fails",
	tdbSArray:      "fragments are misread",
	tdbSTileOrder:  "cells land at wrong places",
	tdbSCellOrder:  "cells land at wrong places",
	tdbSDups:       "cells with equal coordinates are dropped when they are no longer allowed",
	tdbDomType:     "tiles have another size: reading fails",
	tdbTypeF:       "tiles have another size, or cells another meaning",
	tdbCellNum:     "tiles have another size: reading fails",
	tdbDimNull:     "the layout of the dimension changes",
	tdbAttrNull:    "the file of nulls is missing or ignored: reading fails",
	tdbAttrOrder:   "cells that are there may be in another order",
	tdbNameF:       "queries, conditions and applications use names, and before version 9 files are named after fields",
	tdbAttrEnum:    "cells mean other values",
	tdbFilterType:  "cells cannot be unfiltered",
	tdbFilterComp:  "cells cannot be unfiltered",
	tdbFilterAs:    "cells cannot be unfiltered",
	tdbFilterScale: "cells say other numbers", tdbFilterOffset: "cells say other numbers", tdbFilterWidth: "cells cannot be unfiltered",
	tdbWebPFormat: "cells cannot be unfiltered", tdbWebPX: "cells cannot be unfiltered", tdbWebPY: "cells cannot be unfiltered",
	tdbEnumFile: "cells mean the values of another file",
	tdbEType:    "values mean something else", tdbENum: "values mean something else",
	tdbAttrCount: "the list of attributes is read wrongly", tdbDomCount: "the list of dimensions is read wrongly", tdbPipeCount: "the list of filters is read wrongly",
}

// tdbReview refuses edits whose consequences cannot follow, and warns of those that stored cells do not survive.
func tdbReview(t *model.Tree, e model.Edit) (warn string, err error) {
	d, ok := t.State.(*tdbDoc)
	if !ok || e.File != "" {
		return "", nil
	}
	s := t.At(e.Range.Space, e.Range.Off)
	if e.Value.Kind != model.None || e.With == nil && e.Path != "" {
		if s, err = t.Find(context.Background(), e.Path); err != nil {
			return "", err
		}
	}
	if s == nil {
		return "", nil
	}
	name := t.FileName(s.Range)
	kind, dir := d.kindOf(name)
	a := d.array(dir)
	derived := t.Space(s.Range.Space) != nil && t.Space(s.Range.Space).Derived()
	switch kind {
	case tdbKindFragment:
		if derived {
			return "", fmt.Errorf("%s: the footer and other files count on these bytes, and nothing would follow the change", name)
		}
		return "TileDB trusts the footer: a wrong size or offset makes the fragment unreadable", nil
	case tdbKindData:
		return "", fmt.Errorf("%s: the offsets of the fragment count on the bytes of its tiles", name)
	case tdbKindConMeta:
		return "", fmt.Errorf("%s: it repeats the footers of other files", name)
	}
	if kind != tdbKindSchema && kind != tdbKindEnumeration {
		return "", nil
	}
	if sc := a.kept(path.Base(name)); sc != nil && (sc.version == tdbTrial || sc.layout == 0) {
		return "", fmt.Errorf("%s: TileDB 1.3 and experimental builds wrote this layout, which is only read here", name)
	}
	if !a.hasFragments(path.Base(name), kind) {
		return "", nil
	}
	field := s.Field
	for f, why := range tdbInPlace {
		if f == field {
			return tdbWarning(name, field, why), nil
		}
	}
	switch field.Name { // fields that take the codec of their datatype
	case tdbDimExtent.Name, tdbDimLow.Name:
		if strings.Contains(s.Path(), tdbDims.Name) {
			return tdbWarning(name, field, "cells land at wrong places, or tiles have another size"), nil
		}
	case tdbEData.Name, tdbEOffset.Name:
		if kind == tdbKindEnumeration {
			return tdbWarning(name, field, "stored indexes change meaning; extend the enumeration instead"), nil
		}
	}
	return "", nil
}

func tdbWarning(file string, f *model.Field, why string) string {
	return fmt.Sprintf("%s of %s: fragments were written with it, and %s. A new schema leaves them alone (evolve-schema)", f.Name, path.Base(file), why)
}

// hasFragments tells whether fragments may depend on a schema. Those of version 10 and later name theirs; a schema that
// fragments do not name is free to change.
func (a *tdbArray) hasFragments(schema string, kind tdbKind) bool {
	if len(a.fragList) > 0 && a.d.whole() {
		if kind != tdbKindSchema || len(a.fragList) > 100 {
			return true
		}
		for _, f := range a.fragList {
			if m := f.load(context.Background()); m == nil || m.schemaName == schema {
				return true
			}
		}
		return false
	}
	for _, dir := range []string{a.path("__fragments"), tdbDot(a.dir)} {
		list, _, _ := a.d.t.Snapshot.List(dir)
		for _, e := range list {
			if e.Dir && tdbFragmentName.MatchString(path.Base(e.Name)) {
				return true
			}
		}
	}
	return false
}
