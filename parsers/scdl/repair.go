package scdl

import (
	"bytes"
	"context"

	"spandrel/model"
)

// repairs are the repairers by rule, in addition to setting a field to its expected value.
var repairs = map[*model.Rule]model.Repairer{
	arrayLength: repairArray, badType: repairArray, textArray: repairArray, signedPointer: repairArray, partialElement: repairArray,
	unlistedArray: repairUnlisted, swappedArray: repairOrder, firstPointer: repairBase, lastPointer: repairOrder, pointerOrder: repairPointer, noSuchGene: repairColumns,
	badMetadata: repairJSON, badVersion: repairJSON, rowCount: repairJSON, badLabels: repairLabels, badIndex: orHeader(repairIndex), indexOrder: repairIndexFront, oldLabels: orHeader(repairLabels),
	folderVersion: orHeader(repairFolderVersion), staleTables: repairOld, leftover: repairOld, fileList: repairList, npyHeader: repairHeaded,

	chunkInfo: repairChunkInfo, inlineArrays: repairInline,

	noHeader: repairHeader, tooShort: repairHeader, badMagic: repairHeader, otherEndian: repairHeader, arrayTotal: repairHeader,
	tooManyArrays: repairHeader, textLength: repairHeader, indexBlock: repairHeader, shapeCount: repairHeader, foreignHeader: repairForeign, stoppedAppend: repairAppend, startsOver: repairJoined, noFolder: repairRenamed, missingChunk: repairRenamed,
}

// repairArray offers the possible descriptors of an array, or repairs of its file.
var repairArray = model.Knowing(func(_ context.Context, _ *model.Tree, _ *model.Finding, about judged) []model.Fix {
	return judge{about.a}.of(about.d).fixes
})

// repairUnlisted offers to add the descriptor of a main array that the header does not list.
var repairUnlisted = model.Knowing(func(_ context.Context, _ *model.Tree, _ *model.Finding, about unlisted) []model.Fix {
	return judge{about.a}.addFix(about.key)
})

// repairOrder swaps the byte order of the arrays that only then make sense.
var repairOrder = model.Knowing(func(ctx context.Context, t *model.Tree, _ *model.Finding, a *archive) []model.Fix {
	o := turner{a}
	return []model.Fix{o.fix(o.files(ctx))}
})

// repairHeader rebuilds the header from the files of the archive, unless a smaller repair suffices.
func repairHeader(_ context.Context, t *model.Tree, f *model.Finding) []model.Fix {
	if f.Want.Kind != model.None { // only one field is wrong
		return nil
	}
	if m, ok := f.About.(misspelt); ok {
		return []model.Fix{{Label: "write it like the file name: " + m.name, Safe: true, Copies: true,
			Edits: []model.Edit{model.Splice{Range: m.where, With: model.Memory(m.put), Loose: true}}}}
	}
	return headerBuilt(archiveOf(t, f.Span))
}

// headerBuilt replaces an incomplete header by one built from the files of the archive.
func headerBuilt(a *archive) []model.Fix {
	if a == nil || a.header != nil && a.header.whole {
		return nil
	}
	b, sure := judge{a}.buildHeader()
	if b == nil {
		return nil
	}
	fix := headerFix(a, b)
	fix.Copies = sure
	old := a.read("header.sch", maxTried)
	fix.Safe = len(old) >= 16 && bytes.HasPrefix(b, old) // all that remains of the old header confirms it
	return []model.Fix{fix}
}

// headerFix replaces the header, or adds it.
func headerFix(a *archive, b []byte) model.Fix {
	fix := model.Fix{Label: "rebuild the header from the files", Edits: []model.Edit{model.FileEdit{File: a.name("header.sch"), Create: model.Memory(b)}}}
	if s := a.spans["header.sch"]; s != nil {
		fix.Edits = []model.Edit{model.Splice{Range: s.Range, With: model.Memory(b), Loose: true}}
	} else if a.header != nil {
		fix.Edits = []model.Edit{model.Splice{Range: a.t.Root.Range, With: model.Memory(b), Loose: true}}
	}
	return fix
}

// repairForeign rebuilds a header that describes other files. If the values fit several types, each is offered.
var repairForeign = model.Knowing(func(_ context.Context, _ *model.Tree, _ *model.Finding, a *archive) (fixes []model.Fix) {
	fit, _, _, ok := judge{a}.foreign()
	if !ok {
		return nil
	}
	types, known := judge{a}.valueTypes(&fit)
	for _, t := range types {
		b := judge{a}.headerOf(&fit, t)
		fix := headerFix(a, b)
		fix.Once, fix.Says = true, "The header does not describe these arrays: it is from another archive, or from another save of this one."
		if old := a.read("header.sch", maxTried); len(old) == len(b) && model.Differences(old, b) <= mostDamaged {
			fix.Once, fix.Says = false, model.Words("%d bytes of the header are wrong, so that it does not describe these arrays.", model.Differences(old, b))
		}
		if int64(len(b)) < a.entries["header.sch"].Size {
			fix.Loses = "what the present header says of other files"
		}
		if !known {
			fix.Label += ", with values of type " + dtypes[t]
		}
		fix.Copies = known && len(judge{a}.fits()) == 1 && confirms(a, fit.rows) > 0 && against(a, fit.rows) == 0
		fixes = append(fixes, fix)
	}
	return fixes
})

// mostDamaged is how many bytes of a header may differ from the right one before it is more likely to be that of other arrays.
const mostDamaged = 4
