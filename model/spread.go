package model

import (
	"context"
	"math"
)

// Spread is the distribution of the numbers of a table or a part of it; for an array, its values.
type Spread struct {
	Values     int64 // that are numbers, without those that are not finite
	NaN, Inf   int64
	Read, Of   int64 // cells that were read, of how many
	Min, Max   float64
	Whole      bool // all values are integers
	sum        float64
	sample     []float64 // every stride-th of them
	stride, at int64
}

// NotFinite counts the values that are not finite, in words.
func (s *Spread) NotFinite() (out []string) {
	if s.NaN > 0 {
		out = append(out, Thousands(s.NaN)+" NaN")
	}
	if s.Inf > 0 {
		out = append(out, Thousands(s.Inf)+" infinite")
	}
	return out
}

// SpreadMost is how many cells of a table are read unless the user asks for all of it; spreadStored, in a store.
const (
	SpreadMost   = 1 << 20
	spreadStored = 4 << 10
)

// Sampled is how many cells of a table are read for their distribution.
func (s *Snapshot) Sampled() int64 {
	if s.Remote {
		return spreadStored
	}
	return SpreadMost
}

// sampleMost is the largest sample for a histogram.
const sampleMost = 1 << 14

// Mean is the mean of the values; 0 if there are none.
func (s *Spread) Mean() float64 { return s.sum / float64(max(1, s.Values)) }

func (s *Spread) add(v Value) {
	f := v.Float()
	switch {
	case !v.IsNumber():
		return
	case math.IsNaN(f):
		s.NaN++
		return
	case math.IsInf(f, 0):
		s.Inf++
		return
	case s.Values == 0:
		s.Min, s.Max, s.Whole = f, f, true
	}
	s.Whole = s.Whole && v.Kind != Float
	s.Min, s.Max, s.sum = min(s.Min, f), max(s.Max, f), s.sum+f
	s.Values++
	if s.at++; s.at < s.stride {
		return
	}
	s.at = 0
	if len(s.sample) == sampleMost { // thinned by half: it spans all of them
		for i := range sampleMost / 2 {
			s.sample[i] = s.sample[2*i]
		}
		s.sample, s.stride = s.sample[:sampleMost/2], 2*s.stride
	}
	s.sample = append(s.sample, f)
}

// Histogram counts a sample of the values in at most n ranges of equal width, from the minimum to the maximum; those of integers begin at integers.
// Nil if all values are the same.
func (s *Spread) Histogram(n int) (counts []int64, wide float64) {
	wide = s.Max/float64(n) - s.Min/float64(n)
	if s.Values == 0 || !(wide > 0) {
		return nil, 0
	}
	if s.Whole && s.Max-s.Min < 1<<53 { // beyond, there are no fractions
		wide = math.Ceil((s.Max - s.Min + 1) / float64(n))
		n = int((s.Max-s.Min)/wide) + 1
	}
	counts = make([]int64, n)
	for _, f := range s.sample {
		counts[max(0, min(n-1, int((f/2-s.Min/2)/(wide/2))))]++
	}
	return counts, wide
}

// SpreadOf reads the numbers of some columns of a table from first on, in pages. In a table of more than most cells it samples pages
// evenly.
func SpreadOf(ctx context.Context, t *Table, first int, most int64, progress func(done, total int64)) (*Spread, error) {
	columns := int64(max(1, len(t.Columns)-first))
	s := &Spread{Of: t.Rows * columns, stride: 1}
	page := t.Page(4096)
	step := page
	if pages := most / (page * columns); s.Of > most {
		step = max(page, t.Rows/max(1, pages))
	}
	for at := int64(0); at < t.Rows && ctx.Err() == nil; at += step {
		rows, err := t.Read(ctx, at, min(page, t.Rows-at))
		if err != nil {
			return s, err
		}
		for _, r := range rows {
			s.addRow(r[min(first, len(r)):])
		}
		if progress != nil {
			progress(at, t.Rows)
		}
	}
	return s, ctx.Err()
}

func (s *Spread) addRow(r Row) {
	for _, c := range r {
		if s.Read++; c.Trouble == "" && !c.Vector {
			s.add(c.Value)
		}
	}
}
