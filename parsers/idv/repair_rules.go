package idv

import (
	"cmp"
	"context"
	"encoding/binary"
	"errors"
	"fmt"

	"spandrel/model"
	"spandrel/parsers/internal/zipfile"
)

// repairs are what is offered for findings of a rule. Repairs that restore come first, those that lose something last, and say so.
var repairs = map[*model.Rule]model.Repairer{
	model.RuleTruncated: zipfile.Repairs, model.RuleLink: zipfile.Repairs, model.RuleOverrun: zipfile.Repairs, model.RuleChecksum: zipfile.Repairs,

	modelInFolder: fromFolder,
	prefixWrong:   withoutPrefix,
	noSignature:   by(signatureRepairs),
	foreignHeader: by(foreignRepairs),
	numberPadded:  by(paddedRepairs),
	nameMissing:   by(nameRepairs),
	keyCountRange: by(keyCountRepairs),
	oldKey:        by(newKeyRepairs), legacyName: by(newKeyRepairs),
	compressionUnknown: by(kindRepairs),
	blockRowsZero:      by(blockRowsRepairs),
	lookupOutside:      by(lookupRepairs),
	directoryInHeader:  by(directoryRepairs), directoryOutside: by(directoryRepairs),
	tailInHeader: by(tailRepairs), cutShort: by(tailRepairs), noTail: by(tailRepairs),
	metadataOutside: by(dropMetadataRepairs), metadataCount: by(dropMetadataRepairs),
	kindMissing: by(dropEntryRepairs), kindTwice: by(dropEntryRepairs), metadataDecode: by(metaValueRepairs), rangesWrong: by(dropEntryRepairs),
	inflateShort: by(placeRepairs), inflateSurplus: by(placeRepairs), inflateBeyond: by(placeRepairs),
	textOrder: by(insteadRepairs), textEnd: by(unitRepairs), mirroredBits: by(mirrorRepairs), blockFramed: by(frameRepairs),
	valuesShort: by(placeRepairs), valuesSurplus: by(placeRepairs), textCount: by(placeRepairs), vectorCount: by(placeRepairs),
	blockOutside: by(placeRepairs), blockLengthNegative: by(placeRepairs), decodedLengthWrong: by(placeRepairs), storedLengthDiffers: by(placeRepairs),
	metadataSurplus:      by(placeRepairs),
	metadataBlockOutside: by(placeRepairs), metadataBlockLength: by(placeRepairs), metadataCompression: by(metaKindRepairs),
}

// withoutPrefix removes the number before a stream that is a whole file: most files have none (§9.1).
func withoutPrefix(_ context.Context, _ *model.Tree, f *model.Finding) []model.Fix {
	at := f.Where()
	if at.Space != 0 {
		return nil // part of a model
	}
	return []model.Fix{{Label: "remove it: in a file of its own, no length precedes the data", Edits: []model.Edit{model.Splice{Range: at, With: model.Memory(nil), Loose: true}}}}
}

// repairing is a finding being repaired.
type repairing struct {
	about
	contents
	finding *model.Finding
}

// by makes a Repairer of a function that gets what the finding is about.
func by(f func(r repairing) []model.Fix) model.Repairer {
	return model.Knowing(func(ctx context.Context, t *model.Tree, x *model.Finding, a findingContext) []model.Fix {
		return f(repairing{a.about, a.of.in(ctx, t), x})
	})
}

// build makes the edits of a repair on demand.
func (r repairing) build(edits func(s contents) ([]model.Edit, error)) func(context.Context, *model.Tree) ([]model.Edit, error) {
	return func(ctx context.Context, t *model.Tree) ([]model.Edit, error) { return edits(r.stream.in(ctx, t)) }
}

// later is a repair whose edits are made on demand.
func (r repairing) later(label string, edits func(s contents) ([]model.Edit, error)) []model.Fix {
	return []model.Fix{{Label: label, Build: r.build(edits)}}
}

func signatureRepairs(r repairing) (fixes []model.Fix) {
	if edits, sure := (lostColumns{r.contents}).headerFront(); edits != nil {
		return []model.Fix{{Label: "restore the beginning of the header from the directory", Safe: sure, Witnessed: sure, Edits: edits}}
	}
	edits, sure, err := lostColumns{r.contents}.wipedHeader()
	switch {
	case err == nil && r.stream.salvage:
		return []model.Fix{{Label: "rebuild the header from the directory", Safe: sure, Once: true, Edits: edits,
			Says: "The save was not finished: the header, which is written last, is still zero. The directory that describes the columns is there."}}
	case err == nil:
		fixes = []model.Fix{{Label: "restore the start of the header from the directory", Safe: sure, Edits: edits}}
	case r.stream.salvage && r.stream.size <= headerSize:
		return nil
	case r.stream.salvage:
		fixes = r.later("rebuild the directory from the blocks, with guessed types", contents.rebuilt)
		fixes[0].Loses = "blocks without the others of their rows"
		return fixes
	}
	return append(fixes, model.Fix{Label: "write the signature", Safe: true, Edits: r.setField(0, headSignature)})
}

// foreignRepairs write the numbers of the directory into the header of another file.
func foreignRepairs(r repairing) []model.Fix {
	s := r.stream
	is := headerBytes(s.version, s.toc, s.tail, s.rows, len(s.cols))[directoryAt : columnsAt+4]
	at := model.Range{Space: s.space, Off: s.base + directoryAt, Len: int64(len(is))}
	return []model.Fix{{Label: "rebuild the header from the directory", Once: true, Copies: s.sure, Edits: []model.Edit{model.Replace(at, is)},
		Says: "The header is that of another table, or of another save of this one: the directory at the end gives other numbers."}}
}

// directoryRepairs look for a column directory that ends at the tail.
func directoryRepairs(r repairing) []model.Fix {
	fixes := r.later("search for the column directory", func(s contents) ([]model.Edit, error) {
		off, ok := r.stream.searchTOC(s.peek, s.tailLeft())
		if !ok {
			return nil, fmt.Errorf("no directory of %s ends at an end mark", model.Count(r.stream.columnCount, "columns"))
		}
		return r.setField(directoryAt, off), nil
	})
	fixes[0].Safe = r.stream.columnCount > 0 && r.tailNear() == r.stream.tail // exactly that many valid entries end at the end mark, so no byte was lost
	long := r.later("search for a column directory of any length", func(s contents) ([]model.Edit, error) {
		any := &directory{base: r.stream.base, size: r.stream.size, tail: s.tailLeft()}
		if _, ok := r.stream.searchTOC(s.peek, any.tail); ok && r.stream.columnCount > 0 {
			return nil, errors.New("the directory has the length that the header gives")
		}
		off, ok := any.searchTOC(s.peek, any.tail)
		n := any.countColumns(s.peek, off)
		if !ok || n <= 0 {
			return nil, errors.New("no directory ends at an end mark")
		}
		return append(r.setField(directoryAt, off), model.Replace(model.Range{Space: r.stream.space, Off: r.stream.base + columnsAt, Len: 4},
			binary.LittleEndian.AppendUint32(nil, uint32(n)))), nil
	})
	long[0].Says = "The header gives a wrong place for the column directory, and a wrong number of columns."
	return append(fixes, long...)
}

// tailRepairs point the header at an existing tail, or write one where the directory ends. The end of a complete directory is no guess.
func tailRepairs(r repairing) (out []model.Fix) {
	tail, end, at := r.tailNear(), r.stream.tocEnd, r.stream.tail
	whole := r.stream.columnCount > 0 && len(r.stream.cols) == int(r.stream.columnCount)
	if tail >= 0 && tail != at && (r.stream.toc < tail || r.stream.columnCount <= 0) && (r.stream.columnCount > 0 || len(r.stream.cols) > 0 || r.stream.toc == tail) {
		out = append(out, model.Fix{Label: "point to the existing end mark", Safe: whole && tail == end, Edits: r.setField(tailAt, tail)})
	}
	mark := binary.LittleEndian.AppendUint64(nil, tailSignature)
	if tail < 0 && whole && end >= at && end <= r.stream.size && r.stream.size-end < 8 { // only the end mark is truncated
		edits := []model.Edit{model.Splice{Range: model.Range{Space: r.stream.space, Off: r.stream.base + end, Len: r.stream.size - end}, With: model.Memory(mark),
			Into: r.stream.root.Path()}}
		if end != at {
			edits = append(edits, r.setField(tailAt, end)...)
		}
		out = append(out, model.Fix{Label: "restore the truncated end mark", Safe: end == at, Edits: edits})
	}
	if at >= headerSize && at <= r.stream.size-8 && end == at {
		out = append(out, model.Fix{Label: "write the end mark", Safe: whole && at == r.stream.size-8, Edits: r.setField(at, tailSignature)})
	}
	return out
}

// paddedRepairs write a number in as few bytes as it needs.
func paddedRepairs(r repairing) []model.Fix {
	return []model.Fix{{Label: "use the shortest encoding", Safe: true, Edits: []model.Edit{model.Replace(r.finding.Where(), r.shortest)}}}
}

func nameRepairs(r repairing) []model.Fix {
	taken := map[string]bool{}
	for _, c := range r.stream.cols {
		taken[c.name.s] = true
	}
	name := fmt.Sprintf("column %d", r.column.index)
	for taken[name] {
		name += "_"
	}
	return r.later(fmt.Sprintf("rename it to %q", name), func(s contents) ([]model.Edit, error) {
		ch := s.change()
		ch.over[leaf{r.column.name.at, chars}] = []byte(name)
		return ch.edits()
	})
}

func dropMetadataRepairs(r repairing) []model.Fix {
	if r.column == nil {
		return nil // found in a transposed file, whose directory does not list the metadata
	}
	if r.finding.Rule == metadataOutside {
		if off, ok := r.metadataPlace(); ok {
			label := "mark the column as having no metadata: the file has no bytes left for it"
			if off > 0 {
				label = fmt.Sprintf("set metadataOffset to 0x%x, where there is unclaimed metadata", off)
			}
			return []model.Fix{{Label: label, Safe: true, Edits: r.setField(r.column.metaAt-r.stream.base, off)}}
		}
	}
	return []model.Fix{{Label: "remove the metadata of the column", Loses: "the metadata of column " + r.column.name.s,
		Edits: r.setField(r.column.metaAt-r.stream.base, 0)}}
}

// metadataPlace is the place of a column's metadata whose offset is wrong: the unreferenced ones; 0 if no byte of the file is
// unreferenced.
func (r repairing) metadataPlace() (off int64, ok bool) {
	if r.stream.tocEnd != r.stream.tail || int64(len(r.stream.cols)) != r.stream.columnCount {
		return 0, false // the directory is misread: this may not be an offset
	}
	if len(r.stream.holes) == 0 {
		return 0, true
	}
	if list, ok := strayedIn(r.stream, r.peek); ok && len(list) == 1 {
		return list[0].off, true
	}
	return 0, false
}

func dropEntryRepairs(r repairing) []model.Fix {
	fixes := r.later("remove the entry", func(s contents) ([]model.Edit, error) {
		ch := s.change()
		ch.drop[r.stream.base+r.meta.entry[0]] = true
		return ch.edits()
	})
	fixes[0].Loses = cmp.Or(r.meta.kind.s, "the entry") + " of column " + r.column.name.s
	return fixes
}
