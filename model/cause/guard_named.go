package cause

import (
	"fmt"
	"path"
	"slices"
	"strconv"

	"spandrel/model"
)

// inSeries is a name with a number at its end, before the extension.
var inSeries = model.Pattern(`^(.*?)(\d+)(\.[^.]*)$`)

// named: two files that are read in the order of their names may have each other's place because one of them was renamed. Then the numbers in the
// names of the folder's files have a gap.
func (g guarded) named() string {
	names := changed(g.base.snap, g.to)
	if !g.t.whole() || len(names) != 2 {
		return ""
	}
	a, b := inSeries().FindStringSubmatch(names[0]), inSeries().FindStringSubmatch(names[1])
	if a == nil || b == nil || a[1] != b[1] || a[3] != b[3] {
		return ""
	}
	list, more, err := g.base.snap.List(path.Dir(names[0]))
	if err != nil || more {
		return "the folder has too many files to compare their names"
	}
	numbers := numbersOf(list, a)
	slices.Sort(numbers)
	for i := 1; i < len(numbers); i++ {
		if numbers[i] != numbers[i-1]+1 {
			return fmt.Sprintf("%s or %s may have been renamed: the numbers of the files are not consecutive", path.Base(names[0]), path.Base(names[1]))
		}
	}
	return ""
}

// numbersOf are the numbers in the names of a series that one name belongs to.
func numbersOf(list []model.Entry, of []string) (out []uint64) {
	for _, e := range list {
		if m := inSeries().FindStringSubmatch(e.Name); m != nil && m[1] == of[1] && m[3] == of[3] {
			if n, err := strconv.ParseUint(m[2], 10, 64); err == nil {
				out = append(out, n)
			}
		}
	}
	return out
}
