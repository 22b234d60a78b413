package samediff

import (
	"context"
	"maps"

	"spandrel/model"
	"spandrel/parsers/internal/zipfile"
)

// repairs are what is offered for the findings of a rule, beside the value that a field should have.
var repairs = together(
	each(told, noHeader, sectionOrder, headerVersion, sectionCount, headerUnreadable, recordTooLong, inflatesTooFar, oddFraming,
		headerCompressed, arraysCompressed,
		noChecksum, sectionTwice, badKey, keyOrder, reservedKey, metadataDiffers, arrayTwice, arrayInBoth, arrayInTwo,
		arrayUnknown, blobGap, gzipWrapped, wrongExtension),
	each(told, notAModel, saveInterrupted, manifestOutside, noManifest, manifestForeign, manifestBroken, manifestCount, entryUnknown, inlineAndEntry,
		stubDiffers, formatType),
	each(told, unsafeName, memberTwice, archiveLimits, memberDeflated, memberName, modelAndShards, shardNumber, shardType, shardBase,
		onlyShard, leftoverName),
	each(mending, rootLost, tableNoShape, tableBadShape, slotOutside, fieldOverlap, offsetOutside, vectorTooLong, textTooLong, textNoZero,
		textNotUTF8, unaligned,
		unreached, claimedTwice),
	each(told, placeholderList, lossUnknown, keysUnpaired, graphKeyOrder, trainingBroken),
	each(told, badEnum, shapeImpossible, arrayLength, stridesDiffer, orderLetter, typeBit, badByteOrder, oddByteOrder, chunksBroken),
	each(zipfile.Repairs, noDirectory, localHeader, aroundArchive, memberChecksum),
	each(normalising, oddMagic, littleContainer, oddRecords),
	each(cutting, recordCut, afterLast, afterStream, afterManifest),
)

func each(r model.Repairer, rules ...*model.Rule) map[*model.Rule]model.Repairer {
	out := map[*model.Rule]model.Repairer{}
	for _, rule := range rules {
		out[rule] = r
	}
	return out
}

func together(parts ...map[*model.Rule]model.Repairer) map[*model.Rule]model.Repairer {
	out := map[*model.Rule]model.Repairer{}
	for _, p := range parts {
		maps.Copy(out, p)
	}
	return out
}

// told are the repairs that a finding has with it, or those of what it says about its place.
func told(_ context.Context, _ *model.Tree, f *model.Finding) []model.Fix {
	switch x := f.About.(type) {
	case []model.Fix:
		return x
	case interface {
		fixes(*model.Finding) []model.Fix
	}:
		return x.fixes(f)
	}
	return nil
}

// cutting offers to take the bytes at fault out of the file.
func cutting(_ context.Context, _ *model.Tree, f *model.Finding) []model.Fix {
	r := f.Where()
	loses := ""
	if f.Rule == recordCut {
		loses = model.Words("%d bytes that may begin a section", r.Len)
	}
	return []model.Fix{{Label: "cut these bytes", Loses: loses, Edits: []model.Edit{model.Replace(r, nil)}}}
}

// normalising offers to write a container in the layout of profile P1.
func normalising(context.Context, *model.Tree, *model.Finding) []model.Fix {
	return []model.Fix{{Label: "rewrite in the usual layout", Build: func(ctx context.Context, t *model.Tree) ([]model.Edit, error) {
		return normalise(ctx, t, nil, nil)
	}}}
}

// later is a fix that is made when someone asks for it.
func later(label string, safe bool, build func(ctx context.Context, t *model.Tree) ([]model.Edit, error)) model.Fix {
	return model.Fix{Label: label, Safe: safe, Build: build}
}
