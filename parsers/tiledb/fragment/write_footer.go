package fragment

import (
	"spandrel/parsers/tiledb/storage"
)

// footer is the footer without its length (5.1.2).
func (w *Writer) footer(tree uint64, offsets [Lists][]uint64, totals, done uint64) []byte {
	b := le.AppendUint32(nil, w.Meta.Version)
	b = append(le.AppendUint64(b, uint64(len(w.Meta.SchemaName))), w.Meta.SchemaName...)
	var all Box
	for k := range w.Tiles {
		all = all.With(w.Tiles[k].Box)
	}
	b = w.box(append(b, storage.Flag(w.Meta.Dense), 0), all)
	tiles := uint64(len(w.Tiles))
	if w.Meta.Dense {
		tiles = 0
	}
	b = le.AppendUint64(le.AppendUint64(b, tiles), uint64(w.cells(&w.Tiles[len(w.Tiles)-1])))
	if w.Meta.Version >= 14 {
		b = append(b, storage.Flag(w.Meta.Times))
	}
	if w.Meta.Version >= 15 {
		b = append(b, storage.Flag(w.Meta.Deletes))
	}
	numbers := func(list []uint64) {
		for _, v := range list {
			b = le.AppendUint64(b, v)
		}
	}
	for part := range w.Size {
		numbers(w.Size[part])
	}
	b = le.AppendUint64(b, tree)
	for _, list := range offsets {
		numbers(list)
	}
	b = le.AppendUint64(b, totals)
	if w.Meta.Version >= 16 {
		b = le.AppendUint64(b, done)
	}
	return b
}

// sections appends the sections that follow a footer since version 23: for sparse fragments the place of the bounds.
func sections(foot []byte, bounds []uint64) []byte {
	if bounds == nil {
		return le.AppendUint32(foot, 0)
	}
	foot = le.AppendUint32(foot, 1)
	foot = le.AppendUint32(le.AppendUint64(foot, 0), uint32(8*len(bounds)))
	for _, at := range bounds {
		foot = le.AppendUint64(foot, at)
	}
	return foot
}

// box appends a box: the range of every dimension. Its values are of the dimensions' types.
func (w *Writer) box(b []byte, box Box) []byte {
	for i := range box {
		b, _ = w.Meta.Schema.Dims[i].AppendRange(b, box[i][0], box[i][1])
	}
	return b
}
