package idv

import (
	"cmp"
	"context"
	"encoding/binary"
	"fmt"

	"spandrel/model"
	"spandrel/parsers/idv/block"
	"spandrel/parsers/internal/zipfile"
)

// repairs are what is offered for findings of a rule. What restores comes first, what loses something comes last and says so.
var repairs = map[*model.Rule]model.Repairer{
	model.RuleTruncated: zipfile.Repairs, model.RuleLink: zipfile.Repairs, model.RuleOverrun: zipfile.Repairs, model.RuleChecksum: zipfile.Repairs,

	noSignature:       by(signatureRepairs),
	rowsNegative:      by(rowRepairs),
	columnsNegative:   by(columnRepairs),
	hiddenEntries:     by(columnRepairs),
	directoryInHeader: by(directoryRepairs), directoryOutside: by(directoryRepairs),
	tailInHeader: by(tailRepairs), cutShort: by(tailRepairs), noTail: by(tailRepairs),
	behindTail:       by(trailingRepairs),
	entryCut:         by(entryRepairs),
	numberPadded:     by(patchRepairs),
	nameMissing:      by(nameRepairs),
	parametersLength: by(surplusRepairs),
	keyCountRange:    by(keyCountRepairs),
	oldKey:           by(newKeyRepairs), legacyName: by(legacyRepairs),
	compressionUnknown: by(compressionRepairs),
	blockRowsZero:      by(blockRowsRepairs),
	blockRowsDiffer:    by(sameRowsRepairs),
	lookupOutside:      by(lookupRepairs),
	metadataOutside:    by(dropMetadataRepairs), metadataCount: by(dropMetadataRepairs),
	kindMissing: by(dropEntryRepairs), kindTwice: by(dropEntryRepairs), metadataDecode: by(dropEntryRepairs), rangesWrong: by(dropEntryRepairs),
	slotNamesMisfit: by(resizeRepairs), keyValuesMisfit: by(resizeRepairs),
	inflateShort: by(inflateRepairs), inflateSurplus: by(inflateRepairs),
	textOrder: by(insteadRepairs), indexOrder: by(sortRepairs), vectorItems: by(denseRepairs),
	valuesShort: by(rowCountRepairs), valuesSurplus: by(rowCountRepairs), textCount: by(rowCountRepairs), vectorCount: by(rowCountRepairs),
	blockOutside: by(rowCountRepairs), blockLengthNegative: by(rowCountRepairs), decodedLengthWrong: by(rowCountRepairs),
}

// repairing is a finding that is being repaired.
type repairing struct {
	about
	*stream
	ctx     context.Context
	t       *model.Tree
	finding *model.Finding
}

// by makes a Repairer of a function that knows what the finding is about.
func by(f func(r repairing) []model.Fix) model.Repairer {
	return func(ctx context.Context, t *model.Tree, x *model.Finding) []model.Fix {
		a, ok := x.About.(about)
		if !ok || a.stream == nil {
			return nil
		}
		return f(repairing{a, a.stream, ctx, t, x})
	}
}

// later is one repair whose edits are made when somebody asks.
func later(label string, build func(ctx context.Context, t *model.Tree) ([]model.Edit, error)) []model.Fix {
	return []model.Fix{{Label: label, Build: build}}
}

func signatureRepairs(r repairing) []model.Fix {
	if !r.salvage {
		return nil
	}
	return r.salvageFixes(peeker(r.ctx, r.t, r.space))
}

// rowRepairs derive the number of rows from the lookup tables and the last block.
func rowRepairs(r repairing) []model.Fix {
	return later("count the rows of the blocks", func(ctx context.Context, t *model.Tree) ([]model.Edit, error) {
		n, err := r.countRows(ctx, t)
		if err != nil {
			return nil, err
		}
		return r.setField(rowsAt, model.I64LE, n), nil
	})
}

// rowCountRepairs give the header the number of rows that the blocks hold, where they agree on another.
func rowCountRepairs(r repairing) []model.Fix {
	if r.meta != nil {
		return nil
	}
	n, err := r.agreedRows(r.ctx, r.t)
	if err != nil || n == r.rows || n <= 0 {
		return nil
	}
	return []model.Fix{{Label: fmt.Sprintf("set rowCount to %s, as the blocks say", model.Thousands(n)), Edits: r.setField(rowsAt, model.I64LE, n)}}
}

// columnRepairs derive the number of columns from the entries that can be read.
func columnRepairs(r repairing) []model.Fix {
	n := r.countColumns(peeker(r.ctx, r.t, r.space), r.toc)
	if n <= 0 || n == r.columnCount {
		return nil
	}
	return []model.Fix{{Label: fmt.Sprintf("set columnCount to %d, the entries up to the end", n), Edits: r.setField(columnsAt, model.I32LE, n)}}
}

// directoryRepairs look for a column directory that ends at the tail.
func directoryRepairs(r repairing) []model.Fix {
	return later("search the column directory", func(ctx context.Context, t *model.Tree) ([]model.Edit, error) {
		off, ok := r.searchTOC(peeker(ctx, t, r.space), r.tailNear(ctx, t))
		if !ok {
			return nil, fmt.Errorf("no directory of %s ends at an end mark", plural(r.columnCount, "column"))
		}
		return r.setField(directoryAt, model.I64LE, off), nil
	})
}

// tailRepairs repoint the header to an end mark, or write one where the directory ends.
func tailRepairs(r repairing) (out []model.Fix) {
	tail := r.tailNear(r.ctx, r.t)
	if tail >= 0 && tail != r.stream.tail && (r.toc < tail || r.columnCount <= 0) && (r.columnCount > 0 || len(r.cols) > 0 || r.toc == tail) {
		out = append(out, model.Fix{Label: "point to the end mark that is there", Edits: r.setField(tailAt, model.I64LE, tail)})
	}
	if end := r.tocEnd; tail < 0 && len(r.cols) == int(r.columnCount) && r.columnCount > 0 && end >= r.stream.tail && end <= r.size && r.size-end < 8 { // only the mark was cut off
		mark := binary.LittleEndian.AppendUint64(nil, tailSignature)
		at := model.Range{Space: r.space, Off: r.base + end, Len: r.size - end}
		edits := []model.Edit{model.Splice{Range: at, With: model.Memory(mark), Into: r.root.Path()}}
		if end != r.stream.tail {
			edits = append(edits, r.setField(tailAt, model.I64LE, end)...)
		}
		out = append(out, model.Fix{Label: "write the end mark that was cut off", Safe: end == r.stream.tail, Edits: edits})
	}
	if at := r.stream.tail; at >= headerSize && at <= r.size-8 && r.tocEnd == at {
		mark := binary.LittleEndian.AppendUint64(nil, tailSignature)
		out = append(out, model.Fix{Label: "write the end mark", Edits: []model.Edit{model.Replace(model.Range{Space: r.space, Off: r.base + at, Len: 8}, mark)}})
	}
	return out
}

func trailingRepairs(r repairing) []model.Fix {
	return []model.Fix{{Label: "cut the bytes behind the end", Edits: []model.Edit{model.Replace(r.finding.Range, nil)}}}
}

// entryRepairs lower the number of columns to those that can be read, where these end at the tail: otherwise the number tells what is
// lost, and stays.
func entryRepairs(r repairing) []model.Fix {
	out := columnRepairs(r)
	if len(out) > 0 || r.count <= 0 {
		return out
	}
	lost := r.columnCount - r.count
	return []model.Fix{{Label: fmt.Sprintf("set columnCount to %d, the columns that can be read", r.count), Loses: plural(lost, "column") + " that the header speaks of",
		Edits: r.setField(columnsAt, model.I32LE, r.count)}}
}

func patchRepairs(r repairing) []model.Fix {
	p := r.patch
	if p == nil {
		return nil
	}
	at := p.at
	if at.Len == 0 {
		at = r.finding.Where()
	}
	return []model.Fix{{Label: p.label, Safe: p.safe, Edits: []model.Edit{model.Replace(at, p.with)}}}
}

func nameRepairs(r repairing) []model.Fix {
	taken := map[string]bool{}
	for _, c := range r.cols {
		taken[c.name.s] = true
	}
	name := fmt.Sprintf("column %d", r.column.index)
	for taken[name] {
		name += "_"
	}
	return later(fmt.Sprintf("call it %q", name), func(ctx context.Context, t *model.Tree) ([]model.Edit, error) {
		ch := r.change(ctx, t)
		ch.over[leaf{r.column.name.at, chars}] = []byte(name)
		return ch.edits()
	})
}

func surplusRepairs(r repairing) []model.Fix {
	if r.column == nil || r.finding.Want.Kind != model.None {
		return nil
	}
	return r.surplusFixes(r.codec)
}

func keyCountRepairs(r repairing) []model.Fix {
	if r.column == nil || r.codec == nil {
		return nil
	}
	return r.keyCountFixes(r.column, r.codec, r.finding.Where().Off)
}

func newKeyRepairs(r repairing) []model.Fix {
	if k := r.codec; k == nil || k.Count == 0 || k.Name != "Key" {
		return nil
	}
	return r.newKeyFixes(r.column, r.codec, r.field, r.finding.Rule == oldKey)
}

// legacyRepairs give a type of an old version today's form.
func legacyRepairs(r repairing) []model.Fix {
	if r.column != nil && r.column.codec.Scalar() != nil && r.column.codec.Scalar().Kind == block.Bool2 {
		return later("make it a Boolean", func(ctx context.Context, t *model.Tree) ([]model.Edit, error) {
			ch := r.change(ctx, t)
			if err := ch.retype(r.column, "Boolean"); err != nil {
				return nil, err
			}
			return ch.edits()
		})
	}
	return newKeyRepairs(r)
}

func compressionRepairs(r repairing) []model.Fix {
	out := r.kindFixes(r.column)
	return append(out, r.zlibFixes(r.column)...)
}

func blockRowsRepairs(r repairing) []model.Fix { return r.blockRowsFixes(r.column) }
func sameRowsRepairs(r repairing) []model.Fix  { return r.sameRowsFixes() }
func lookupRepairs(r repairing) []model.Fix {
	return append(r.lookupFixes(r.column), rowCountRepairs(r)...)
}

func dropMetadataRepairs(r repairing) []model.Fix {
	return []model.Fix{{Label: "drop the metadata of the column", Loses: "the metadata of column " + r.column.name.s,
		Edits: r.setField(r.column.metaAt-r.base, model.I64LE, 0)}}
}

func dropEntryRepairs(r repairing) []model.Fix {
	fixes := later("drop the entry", func(ctx context.Context, t *model.Tree) ([]model.Edit, error) {
		ch := r.change(ctx, t)
		ch.drop[r.base+r.meta.entry[0]] = true
		return ch.edits()
	})
	fixes[0].Loses = cmp.Or(r.meta.kind.s, "the entry") + " of column " + r.column.name.s
	return fixes
}

func resizeRepairs(r repairing) []model.Fix {
	k, n := r.column.codec, uint64(0)
	switch scalar := k.Scalar(); {
	case r.finding.Rule == slotNamesMisfit && k.Kind == block.Vector:
		n = uint64(k.Size)
	case r.finding.Rule == keyValuesMisfit && scalar != nil && scalar.Kind == block.Key:
		n = scalar.Count
	}
	return r.resizeFixes(r.column, r.meta, int64(min(n, maxTyped+1)))
}
