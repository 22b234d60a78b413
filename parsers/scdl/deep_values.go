package scdl

import (
	"bytes"
	"encoding/base64"
	"encoding/binary"
	"fmt"
	"slices"

	"spandrel/model"
)

// oddities are how many elements of a part are not finite or zero, and the first of each.
type oddities struct{ odd, zeros firstError }

// exponents are the bits of a float's exponent, by dtype.
var exponents = map[uint64]uint64{5: 0x7c00, 6: 0x7f800000, 7: 0x7ff0000000000000}

// see counts those among numbers of a type, the first of which is element at.
func (o *oddities) see(list []uint64, dtype uint64, at int64) {
	exponent, float := exponents[dtype]
	sign := uint64(1) << (8*widthOf(dtype) - 1)
	for i, n := range list {
		if float && n&exponent == exponent {
			o.odd.add(at+int64(i), at+int64(i))
		}
		if n == 0 || float && n == sign {
			o.zeros.add(at+int64(i), at+int64(i))
		}
	}
}

// values looks for numbers that are not finite (085) and zeros (086).
func (d *passes) values(data *rawArray) error {
	parts, err := partsOf(d, data.count, leastPart, func(d *passes, from, to int64) (o oddities, err error) {
		err = d.stream(data, from, to, func(at int64, b []byte) error {
			o.see(d.numbers(b, widthOf(data.dtype)), data.dtype, at)
			return nil
		})
		return o, err
	})
	if err != nil {
		return err
	}
	var all oddities
	for _, o := range parts {
		all.odd.join(o.odd)
		all.zeros.join(o.zeros)
	}
	d.odd(data, all)
	return nil
}

// odd reports the numbers that are not finite and the zeros of an array.
func (d *passes) odd(data *rawArray, all oddities) {
	w := widthOf(data.dtype)
	if n := all.odd.rows; n > 0 {
		d.elem(notFinite, data, all.odd.at, model.Words("%d of %d values", n, data.count), "finite numbers")
	}
	switch n := all.zeros.rows; {
	case n == 0:
	case n*w >= model.SectorSize && n < data.count && all.zeros.last-all.zeros.at == n-1: // side by side, and no other
		d.elem(zeroedValues, data, all.zeros.at, model.Words("%d of %d values, consecutively", n, data.count), "no stored zeros")
	default:
		d.elem(storedZero, data, all.zeros.at, model.Words("%d of %d values", n, data.count), "no stored zeros")
	}
}

func (d *passes) neighbors() error {
	ptr, idx, _ := d.a.neighbors()
	if unsigned(ptr) && unsigned(idx) && ptr.whole() && idx.whole() {
		if err := d.neighborPointers(ptr, idx); err != nil {
			return err
		}
	}
	rows, known := d.a.rows()
	if !known || !unsigned(idx) || !idx.whole() {
		return nil
	}
	found := false
	return d.each(idx, func(first int64, v []uint64) error {
		for i, n := range v {
			if n >= uint64(rows) && !found {
				found = true
				d.elem(noSuchNeighbor, idx, first+int64(i), fmt.Sprint(n), fmt.Sprintf("below %d", rows))
			}
		}
		return nil
	})
}

// neighborPointers checks that the pointers go from 0 to the number of neighbours and never decrease.
func (d *passes) neighborPointers(ptr, idx *rawArray) error {
	all, err := d.slope(ptr, 0, ptr.count)
	if err != nil {
		return err
	}
	bad := all.bad
	switch {
	case all.first != 0:
		bad = 0
	case bad < 0 && all.last != uint64(idx.count):
		bad = ptr.count - 1
	}
	if bad >= 0 {
		d.elem(neighborPointers, ptr, bad, "", fmt.Sprintf("0 to %d", idx.count))
	}
	return nil
}

// parquet checks that every block can be read and has as many rows as its range (070, 073).
func (d *passes) parquet() error {
	for i := range d.a.folders {
		f := &d.a.folders[i]
		for _, name := range f.parquet {
			if err := d.block(f, name); err != nil {
				return err
			}
		}
	}
	return nil
}

func (d *passes) block(f *features, name string) error {
	if err := d.ctx.Err(); err != nil {
		return err
	}
	rows, err := d.a.parquet(d.ctx, name)
	if err != nil {
		d.unreadable(name, err)
		return nil
	}
	if err := d.arrow(name); err != nil {
		return err
	}
	if err := rows.readAll(d.ctx); err != nil {
		if d.ctx.Err() != nil {
			return d.ctx.Err()
		}
		why := "a page of it cannot be read"
		if err == errNoText {
			why = "readers reject it because of " + err.Error()
		}
		d.p.Wrong(badParquet, d.a.at(name), err, nil, model.Saying("%s: %s", name, why))
	}
	if i, ok := slices.BinarySearch(f.blocks, name); !f.genes && ok && i+1 < len(f.cum) {
		if from, to := f.rows(i); rows.Rows != to-from {
			d.wrong(blockRows, name, rows.Rows, to-from)
		}
	}
	return nil
}

// arrow checks that the Arrow schema of a table is valid base64 of the stated length: Arrow readers read it
// first, and reject the whole table if it is invalid.
func (d *passes) arrow(name string) error {
	r := d.a.whole(name)
	f, err := openParquet(d.a.t.Reader(d.ctx, r), r.Len)
	if err != nil {
		return d.ctx.Err()
	}
	text, said := f.Lookup(arrowKey)
	b, err := base64.StdEncoding.DecodeString(text)
	b = bytes.TrimPrefix(b, []byte("\xff\xff\xff\xff")) // releases before 0.15 begin with the length
	if said && (err != nil || len(b) < 4 || uint64(binary.LittleEndian.Uint32(b)) > uint64(len(b)-4)) {
		d.p.Wrong(badParquet, d.a.at(name), nil, nil, model.Saying("%s: readers reject it because of %s, a second copy of its column types: "+
			"it is damaged", name, arrowKey))
	}
	return d.ctx.Err()
}

// arrowKey is the metadata key of the Arrow schema in a Parquet file.
const arrowKey = "ARROW:schema"

// unreadable reports a Parquet file whose footer cannot be read. The footer is at the end, so a truncated file has none.
func (d *passes) unreadable(name string, err error) {
	size := d.a.entries[name].Size
	head, end := d.a.peek(name, 4), d.a.slice(name, size-4, 4)
	if string(head) == "PAR1" && string(end) != "PAR1" {
		d.p.Wrong(badParquet, d.a.at(name), nil, nil, model.Saying(
			"%s is truncated: it begins like a Parquet file but does not end like one, and its column index was at the end", name))
		return
	}
	d.wrong(badParquet, name, err, nil)
}
