package idv

import (
	"fmt"

	"spandrel/model"
	"spandrel/parsers/idv/block"
	"spandrel/parsers/internal/inflate"
)

// problemRules are what the problems of blocks are reported as.
var problemRules = map[block.Problem]*model.Rule{
	block.Short: valuesShort, block.Surplus: valuesSurplus, block.TextSize: textLengthWrong, block.TextCount: textCount, block.BoundOrder: textOrder,
	block.TextEnd: textEnd, block.Encoding: textEncoding, block.SplitPair: textEncoding, block.ThreeState: threeState, block.UnusedBits: unusedBits,
	block.DateRange: dateRange, block.ZoneRange: zoneRange, block.VectorCount: vectorCount, block.VectorSize: vectorSize, block.LengthRange: vectorLength,
	block.LengthUnit: vectorLength, block.CountRange: vectorItems, block.IndexOrder: indexOrder, block.IndexSum: indexCount, block.KeyRange: keyRange,
	block.LegacyMissing: legacyMissing,
}

// problemGrades are the severities of problems that are not those of their rules.
var problemGrades = map[block.Problem]model.Severity{block.SplitPair: model.Note, block.LengthUnit: model.Warning}

// inspect checks a decoded block (§5, 056 to 075; 088 to 093 for metadata) and reports at offsets of its bytes.
func inspect(version uint64, sh *shape, k *block.Block, how inflate.Outcome, report func(finding)) {
	if how.More && sh.declared < 0 {
		return // it is incomplete
	}
	bad, meta := false, sh.meta != nil
	tell := func(f finding) {
		bad = bad || f.grade() == model.Error && f.rule != blockFramed
		f.about.sh, f.about.column, f.about.meta = sh, sh.col, sh.meta
		report(f)
	}
	short := sh.problems(k.B, how, tell) || int64(len(k.B)) < sh.size()
	if sh.codec.Readable() {
		if sh.declared >= 0 && int64(len(k.B)) > sh.declared {
			k = block.Read(sh.codec, k.B[:sh.declared], sh.rows)
		}
		k.Check(block.Options{Legacy: version <= versionBase+5, Cut: short}, func(i block.Issue) { tell(issue(sh, k, i)) })
	}
	if meta && bad {
		report(finding{rule: metadataDecode, at: -1, found: sh.codec.String(), about: about{column: sh.col, meta: sh.meta}})
	}
	if meta && !bad && sh.codec.Readable() && sh.meta.kind.s == "CategoricalSlotRanges" && sh.codec.Kind == block.Vector &&
		sh.codec.Item.Kind == block.I4 {
		checkRanges(sh, k, report)
	}
}

// issue makes a finding of a problem in a block.
func issue(sh *shape, k *block.Block, i block.Issue) finding {
	f := finding{rule: problemRules[i.Problem], sev: problemGrades[i.Problem], at: i.At, n: i.N, found: printed(i.Found),
		expected: printed(i.Want), about: about{problem: i}}
	if i.More {
		f.message = "and perhaps more in this block"
	}
	if i.Set.Kind != model.None {
		set := i.Set
		f.set, f.ask = &set, !i.Sure && !i.Fits
	}
	switch {
	case i.Problem == block.Surplus && sh.meta != nil:
		f.rule = metadataSurplus
	case i.Problem == block.IndexSum && !i.Fits && k.Tiled() && counted(i.Found) > counted(i.Want):
		f.sev = model.Warning // the positions exist, and readers skip them
	case i.Problem == block.TextCount, i.Problem == block.VectorCount:
		f.found, f.expected = model.Count(counted(i.Found), "values"), model.Count(counted(i.Want), "rows")
	case i.Problem == block.Short:
		f.found, f.expected = model.Count(counted(i.Found), "bytes"), model.Count(counted(i.Want), "bytes")
	}
	return f
}

func printed(x any) string {
	if x == nil {
		return ""
	}
	return fmt.Sprint(x)
}

// checkRanges checks the value of CategoricalSlotRanges: pairs of first and last slot, ascending and disjoint (093).
func checkRanges(sh *shape, k *block.Block, report func(finding)) {
	cell := k.Cell(0)
	if cell.Trouble != "" {
		return
	}
	slots := int64(1) << 31
	if c := sh.col.codec; c.Kind == block.Vector && c.Size > 0 {
		slots = c.Size
	}
	prev := int64(-1)
	for i := 0; i+1 < len(cell.Items); i += 2 {
		from, to := cell.Items[i].Int(), cell.Items[i+1].Int()
		if from <= prev || to < from || to >= slots {
			report(finding{rule: rangesWrong, at: cell.Range.Off + int64(4*i), n: 8, found: fmt.Sprintf("%d to %d", from, to),
				expected: fmt.Sprintf("inside %d to %d", prev+1, slots-1), about: about{column: sh.col, meta: sh.meta}})
			return
		}
		prev = to
	}
}

// counted is a count found or expected in a block, of any width.
func counted(x any) int64 {
	switch n := x.(type) {
	case int64:
		return n
	case int:
		return int64(n)
	case int32:
		return int64(n)
	}
	return 0
}
