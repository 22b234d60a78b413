package cause

import (
	"slices"

	"spandrel/model"
	"spandrel/model/another"
)

// run is a range in which a pair differs; for a missing file it is the whole file.
type run struct {
	*pair
	another.Range
}

// runList is the ranges in which a document differs from a copy, in order in each file.
type runList []run

// within is the set of ranges in places of the document.
func (list runList) within(at model.FileRanges) []bool {
	set := make([]bool, len(list))
	for i, r := range list {
		set[i] = r.was != nil && at.Meets(r.begin())
	}
	return set
}

// begin is where in the document the range is; if it is empty, the byte after it.
func (r run) begin() model.FileRange {
	return model.FileRange{File: r.name, Off: r.Off, Len: max(1, r.Len)}
}

// where is where in the document the range is; if it is empty, the bytes around it, because what they are in changes. A file that was cut goes on at
// its end, and nothing in it changes.
func (r run) where() model.FileRange {
	if r.Len == 0 && r.Off < r.was.Len() {
		return model.FileRange{File: r.name, Off: r.Off - 1, Len: 2}
	}
	return model.FileRange{File: r.name, Off: r.Off, Len: r.Len}
}

// where is where in the document a set of ranges is.
func (list runList) where(set []bool) model.FileRanges {
	var out []model.FileRange
	for i, r := range list {
		if set[i] && r.was != nil {
			out = append(out, r.where())
		}
	}
	return model.UnionOf(out...)
}

// taken is where the bytes of a set of ranges are after they were taken.
func (list runList) taken(set []bool) model.FileRanges {
	var out []model.FileRange
	moved := map[string]int64{}
	for i, r := range list {
		if set[i] {
			out = append(out, model.FileRange{File: r.name, Off: r.Off + moved[r.name], Len: r.N})
			moved[r.name] += r.N - r.Len
		}
	}
	return model.UnionOf(out...)
}

// before is where places were before a set was taken.
func (list runList) before(set []bool, at []model.FileRange) model.FileRanges {
	out := slices.Clone(at)
	for k, now := range at {
		from, to, moved := now.Off, now.End(), int64(0)
		for i, r := range list {
			if !set[i] || r.name != now.File {
				continue
			}
			if r.Off+moved < now.Off {
				from += r.Len - r.N
			}
			if r.Off+moved < now.End() {
				to += r.Len - r.N
			}
			moved += r.N - r.Len
		}
		out[k].Off, out[k].Len = from, to-from
	}
	return model.UnionOf(out...)
}
