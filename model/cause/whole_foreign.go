package cause

import (
	"cmp"
	"math"
	"slices"

	"spandrel/model"
)

// Sectors that hold something else's bytes: they look like no other sector of the file, or all that is broken lies in them, side by side.

const (
	fewSectors = 6  // fewer do not tell what a sector of the file looks like
	leastSpots = 3  // broken structures that must lie in foreign sectors of the main file
	longRun    = 64 // sectors that are foreign together, at most
	strangest  = 1  // by how many bits each byte of a foreign sector is more surprising than that of the middle one
)

// foreign tells of sectors that hold something else's bytes.
func (g disk) foreign() {
	if !g.all || len(g.b) < fewSectors*sector {
		return
	}
	spots := g.spots()
	from, to := g.unlikely()
	what := "are unlike the rest of the file: something else was written over them"
	if n := inside(spots, from, to); n == 0 || g.primary && (n < leastSpots || 5*n < 3*len(spots)) {
		if from, to = besides(spots, int64(len(g.b))); from < 0 {
			return
		}
		what = "seem to belong to something else: all damage lies side by side in them"
	}
	n := g.hits(from, to)
	g.tell(Possible, "The original bytes are not in this file. The data around them can still be read.",
		[]string{model.Count(int64(max(n, 1)), "problems lie in this range"), "it begins and ends on disk sector boundaries"},
		"%s bytes at 0x%x %s%s.", model.Thousands(to-from), from, what, g.inside(from, to))
	c := g.told[len(g.told)-1]
	c.At.Off, c.At.Len, c.guess = from, to-from, true
}

// throughout tells of a file beside the main one in which all is wrong from one end to the other, in several places: what each of them says is
// less than that.
func (g disk) throughout() {
	spots, sound, at := g.places(model.Error), int64(0), int64(0)
	for _, x := range spots {
		sound, at = sound+max(0, x[0]-at), max(at, x[1])
	}
	if all := int64(len(g.b)); len(spots) < leastSpots || 10*(sound+all-at) > all {
		return
	}
	g.tell(Possible, "It is another file, or it is damaged throughout, or the file that describes it is: download or copy it again.", []string{model.Count(int64(len(spots)), "problems lie in this range")},
		"%s does not contain what the other files say it contains.", g.name)
	g.told[len(g.told)-1].guess = true
}

// spots are the bytes of the file that errors and warnings are about, each once, in their order: of what was decoded those that it came from.
// What is about most of the file is not among them.
func (g disk) spots() [][2]int64 {
	return slices.DeleteFunc(g.places(model.Warning), func(x [2]int64) bool { return x[1]-x[0] >= int64(len(g.b))/2 })
}

// places are the spots that findings of a severity and worse are about, whatever their length.
func (g disk) places(least model.Severity) (out [][2]int64) {
	t := g.r.base.tree
	for i := range g.r.found {
		f := &g.r.found[i]
		if f.Grade() > least {
			continue
		}
		at := source(t, f.Where())
		sp := t.Space(at.Space)
		if sp != nil && !sp.Derived() && t.FileName(at) == g.name && at.Len > 0 {
			out = append(out, [2]int64{at.Off, at.End()})
		}
	}
	slices.SortFunc(out, func(a, b [2]int64) int { return cmp.Or(cmp.Compare(a[0], b[0]), cmp.Compare(a[1], b[1])) })
	return slices.Compact(out)
}

// source is where bytes come from in a file: of what was decoded, all that it was decoded from.
func source(t *model.Tree, at model.Range) model.Range {
	for range 8 {
		sp := t.Space(at.Space)
		if sp == nil || !sp.Derived() || len(sp.Origins) == 0 {
			return at
		}
		at = sp.Origins[0]
	}
	return at
}

// inside counts the spots that touch a range.
func inside(spots [][2]int64, from, to int64) (n int) {
	for _, s := range spots {
		n += b2i(s[0] < to && s[1] > from)
	}
	return n
}

// unlikely finds the one run of sectors, behind the first, whose bytes look far less like the file's than those of its other sectors.
func (g disk) unlikely() (from, to int64) {
	score := surprises(g.b)
	sorted := slices.Clone(score)
	slices.Sort(sorted)
	middle := sorted[len(sorted)/2]
	spread := make([]float64, len(score))
	for i, s := range score {
		spread[i] = math.Abs(s - middle)
	}
	slices.Sort(spread)
	most := middle + max(strangest, 6*spread[len(spread)/2])
	for i := 1; i < len(score); i++ {
		if score[i] <= most {
			continue
		}
		if to > 0 && to < int64(i)*sector {
			return 0, 0 // several places: the file is like that
		}
		if to == 0 {
			from = int64(i) * sector
		}
		to = int64(i+1) * sector
	}
	if to-from > longRun*sector || 2*(to-from) > int64(len(g.b)) {
		return 0, 0
	}
	return from, to
}

// surprises are how many bits each byte of each whole sector is worth, by the other sectors.
func surprises(b []byte) []float64 {
	n := len(b) / sector
	all, out := likenessOf(lane, b[:n*sector]), make([]float64, n)
	for k := range out {
		part := b[k*sector : (k+1)*sector]
		all.add(part, 0, -1)
		out[k] = float64(all.surprise(part, 0)) / sector
		all.add(part, 0, 1)
	}
	return out
}

// besides returns the fewest sectors that touch all spots, where these are many and lie side by side; from is -1 where they do not.
func besides(spots [][2]int64, size int64) (from, to int64) {
	if len(spots) < leastSpots {
		return -1, 0
	}
	end, last := spots[0][1], spots[0][0]
	first := end
	for _, s := range spots {
		if s[0] > end+sector/4 {
			return -1, 0
		}
		end, last, first = max(end, s[1]), s[0], min(first, s[1])
	}
	from, to = (first-1)/sector*sector, (last/sector+1)*sector
	if from == 0 || to > size-sector || to <= from || to-from > longRun*sector || end-spots[0][0] < sector {
		return -1, 0
	}
	return from, to
}
