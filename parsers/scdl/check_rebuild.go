package scdl

import (
	"math"
	"slices"
	"strings"
)

// buildHeader makes a header from the files: dtypes and lengths that fit them, feature indices from the folders (section 8.2,
// SCDL-040). It is nil if no reading of the arrays is consistent; sure means that only one is.
func (a judge) buildHeader() (b []byte, sure bool) {
	fits := a.fits()
	if len(fits) == 0 {
		return nil, false
	}
	fit := fits[0]
	for _, f := range fits {
		if f.ptr == 8 && f.col == 4 && f.data == 4 { // what releases without a header wrote
			fit = f
		}
	}
	types, known := a.valueTypes(&fit)
	d := a.desc("DATA")
	known = known && (d != nil && d.dtype.Uint() == types[0] || a.decided(types[0], fit.values))
	return a.headerOf(&fit, types[0]), len(fits) == 1 && known
}

// headerOf is the header for a reading of the files, and a type of the values.
func (a judge) headerOf(fit *fitting, values uint64) []byte {
	var arrays, folders []descriptor
	for _, k := range keys[:3] {
		width, n := fit.width(k.key)
		t := values
		if k.key != "DATA" {
			t = ofWidth(width, true)[0]
		}
		arrays = append(arrays, descriptor{k.key, uint64(n), uint32(t), nil})
	}
	for _, f := range a.folders {
		n := fit.rows
		if len(f.cum) > 0 {
			n = max(0, f.cum[len(f.cum)-1])
		}
		folders = append(folders, descriptor{f.dir, uint64(n), texts, a.listed(f.dir)})
	}
	return headerOf(arrays, folders)
}

// valueTypes are the types that the values may have in a reading of the files, the likeliest first: that of the header if it describes
// these files, otherwise the plausible ones; known means that there is only one.
func (a judge) valueTypes(fit *fitting) (types []uint64, known bool) {
	types = ofWidth(fit.data, false)
	slices.Reverse(types) // floats are the usual values
	stated := uint64(0)
	if d := a.desc("DATA"); d != nil && slices.Contains(types, d.dtype.Uint()) {
		stated = d.dtype.Uint()
	}
	if _, _, _, foreign := a.foreign(); stated != 0 && !foreign {
		return []uint64{stated}, true
	}
	plausible := slices.DeleteFunc(slices.Clone(types), func(t uint64) bool { return len(types) > 1 && !a.plausible(t, fit.values) })
	if len(plausible) > 0 {
		types = plausible
	}
	if i := slices.Index(types, stated); i > 0 {
		types[0], types[i] = types[i], types[0]
	}
	return types, len(types) == 1
}

// plausible tells whether the values can be of a type.
func (a judge) plausible(dtype uint64, n int64) bool {
	return a.sensible("DATA", dtype, n) && !(dtype == 5 && a.tiny(n))
}

// likely puts the plausible types of values first.
func (a judge) likely(types []uint64, n int64) []uint64 {
	rank := func(t uint64) int {
		if a.plausible(t, n) {
			return 0
		}
		return 1
	}
	slices.SortStableFunc(types, func(x, y uint64) int { return rank(x) - rank(y) })
	return types
}

// leastTelling is how many values must speak for a type before it is more than usual.
const leastTelling = 8

// decided tells whether the bits of the values rule out the other type of their width: integers whose floats would all be below the normal
// ones, or 32-bit floats that are all whole numbers. What is only usual, such as a factor like 0.7 where an integer near 10⁹ would be, is no proof.
func (a judge) decided(dtype uint64, n int64) bool {
	w := widthOf(dtype)
	if len(ofWidth(w, false)) == 1 {
		return true
	}
	telling := 0
	for _, v := range numbers(nil, a.slice("data.npy", 0, min(n, glance)*w), w) {
		float := math.Abs(float64(math.Float32frombits(uint32(v))))
		switch {
		case v == 0:
			continue
		case dtype <= 4 && v < 1<<map[int64]int{2: 10, 4: 23, 8: 52}[w], dtype == 6 && w == 4 && float < 1<<20 && float == math.Trunc(float):
			telling++
		default:
			return false
		}
	}
	return telling >= leastTelling
}

// tiny tells whether most values are smaller than normal 16-bit floats: then they are integers.
func (a judge) tiny(n int64) bool {
	small, all := 0, 0
	for b := a.slice("data.npy", 0, min(n, glance)*2); len(b) >= 2; b = b[2:] {
		if all++; b[1]&0x7c == 0 {
			small++
		}
	}
	return 2*small > all
}

// listed are the files of a feature folder: in the order of the remaining header, followed by the others in the writers' order.
func (a judge) listed(dir string) (out []string) {
	disk := a.below(dir)
	add := func(name string) {
		if slices.Contains(disk, name) && !slices.Contains(out, name) {
			out = append(out, name)
		}
	}
	if h := a.header; h != nil {
		for _, fi := range append(slices.Clone(h.fis), h.broken) {
			if fi.name.Text() != dir {
				continue
			}
			for _, p := range fi.paths {
				add(p.Text())
			}
		}
	}
	others := slices.DeleteFunc(slices.Clone(disk), func(name string) bool { return strings.HasSuffix(name, ".parquet") })
	for _, name := range append(others, disk...) { // writers list the tables after their descriptions
		add(name)
	}
	return out
}

// relisted are the files of the folder of a feature index in the order of its paths: if a single path leads nowhere and a single file is
// not listed, that file is meant.
func (a judge) relisted(fi *featureIndex) []string {
	out := a.listed(fi.name.Text())
	at, wrong := -1, 0
	for i, p := range fi.paths {
		if !slices.Contains(out, p.Text()) {
			at, wrong = i, wrong+1
		}
	}
	if n := len(out) - 1; wrong == 1 && len(fi.paths) == len(out) {
		return slices.Insert(out[:n:n], at, out[n])
	}
	return out
}
