package taridx

import (
	"cmp"
	"slices"

	"spandrel/model"
)

// keysPass sorts the keys and runs the rules about samples: 027, 028, 036, 037.
func (d *pass) keysPass() error {
	if d.keys == nil {
		return nil
	}
	err := sortFunc(d.ctx, d.p, d.keys, func(a, b key) int {
		return cmp.Or(cmp.Compare(a.hash, b.hash), cmp.Compare(a.crash, b.crash), cmp.Compare(a.row, b.row))
	})
	if err != nil {
		return err
	}
	var samples int64
	ragged := false
	var set, first []uint16
	for i := 0; i < len(d.keys); {
		if samples&(1<<16-1) == 0 && d.ctx.Err() != nil {
			return d.ctx.Err()
		}
		k := i
		for ; k < len(d.keys) && d.keys[k].hash == d.keys[i].hash && d.keys[k].crash == d.keys[i].crash; k++ {
		}
		set = d.extsOf(d.keys[i:min(k, i+mostOfSample)], set[:0])
		if samples == 0 {
			first = slices.Clone(set)
		} else if !ragged && !slices.Equal(first, set) {
			ragged = true
		}
		samples++
		i = k
	}
	if ragged {
		d.p.Wrong(raggedSamples, d.rows, nil, nil)
	}
	d.samples(samples, ragged)
	d.keys = nil
	return nil
}

// mostOfSample is how many rows of a sample are examined.
const mostOfSample = 64

// extsOf collects the extensions of a sample's rows in set, in order, and reports one that occurs twice.
func (d *pass) extsOf(rows []key, set []uint16) []uint16 {
	for _, k := range rows {
		set = append(set, k.ext)
	}
	slices.Sort(set)
	for j := 1; j < len(set); j++ {
		if set[j] == set[j-1] {
			d.hit(extTwice, cell{rows[0].row, -1}, d.extName(set[j])+" twice", nil, model.About(sampleRows(slices.Clone(rows))))
			return slices.Compact(set)
		}
	}
	return set
}

// sampleRows are rows of one sample.
type sampleRows []key

// samples checks what the header says about samples.
func (d *pass) samples(samples int64, ragged bool) {
	stems, flags := d.head["n_stems"], d.head["flags"]
	if stems.Span == nil || d.dead {
		return
	}
	var doubt []model.Detail
	if !d.keysRight(ragged) {
		doubt = append(doubt, model.Doubtful)
	}
	if stems.Uint() != uint64(samples) {
		d.p.Wrong(sampleCount, stems, nil, model.I(samples), doubt...)
	}
	grouped := uint64(d.seen.runs) == stems.Uint() || d.n < 2
	if set := flags.Uint()&1 == 1; set != grouped {
		var want any = model.U(flags.Uint() ^ 1)
		if stems.Uint() != uint64(samples) && (d.seen.runs == samples) == set {
			want = nil // the sample count may be wrong instead of the flag
		}
		if !set {
			doubt = append(doubt, model.Graded(model.Warning))
		}
		d.p.Wrong(groupedFlag, flags, nil, want, doubt...)
	}
}
