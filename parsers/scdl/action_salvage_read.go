package scdl

import (
	"context"
	"errors"
	"fmt"
	"io"
	"math"
	"slices"
)

// reading is the type and the number of elements with which an array is read.
type reading struct {
	dtype uint64
	count int64
}

// readings determines how the three arrays are read: according to the header, or as they fit each other.
func (s *saving) readings() error {
	fits := judge{s.a}.fits()
	fit, _, _, foreign := judge{s.a}.foreign()
	if !foreign && len(fits) == 1 {
		fit = fits[0]
	}
	if x, stopped := (judge{s.a}).appended(); stopped {
		s.says = append(s.says, "an append stopped after the last cell, and what it wrote is left out: "+x.says())
	}
	for i, k := range keys[:3] {
		e, ok := s.a.entries[k.file]
		if !ok || e.Size == 0 {
			return fmt.Errorf("%s is missing or empty, and no cell can be read without it", k.file)
		}
		var err error
		dtype, d := k.dtype, s.a.desc(k.key)
		switch r := s.a.raws[k.file]; {
		case foreign || len(fits) == 1 && d == nil:
			dtype = s.fitted(k.key, &fit)
		case d != nil && r != nil:
			dtype, err = s.shown(d, k.file, r.dtype)
		case r != nil:
			dtype = r.dtype
		}
		if err != nil {
			return err
		}
		s.types[i] = reading{dtype, e.Size / widthOf(dtype)}
	}
	return nil
}

// fitted is the type of an array according to a reading of the files.
func (s *saving) fitted(key string, fit *fitting) uint64 {
	if key == "DATA" {
		types, _ := judge{s.a}.valueTypes(fit)
		return types[0]
	}
	width, _ := fit.width(key)
	return ofWidth(width, true)[0]
}

// shown is the type that the length of an array's file shows, if it contradicts the type in the header. If several readings are plausible,
// none is saved: wrong values would look like right ones.
func (s *saving) shown(d *desc, file string, stated uint64) (uint64, error) {
	types, sure := judge{s.a}.readAs(d)
	switch {
	case len(types) == 0:
		return stated, nil
	case !sure:
		return 0, fmt.Errorf("the length of %s does not match its type in the header, %s: it may be %s, or the file may have lost or gained values; "+
			"set the type first", file, dtype.Said(d.dtype.Value), dtypes[types[0]])
	}
	s.says = append(s.says, fmt.Sprintf("%s was read as %s, not as %s, because of its length", file, dtypes[types[0]], dtype.Said(d.dtype.Value)))
	return types[0], nil
}

// maxPointers is how many row pointers are salvaged at most.
const maxPointers = 1 << 28

// pointers reads the row pointers.
func (s *saving) pointers(ctx context.Context) (ptr []uint64, err error) {
	n, w := s.types[1].count, widthOf(s.types[1].dtype)
	if n > maxPointers {
		return nil, fmt.Errorf("more than %d cells cannot be salvaged", maxPointers)
	}
	c, err := s.a.t.Snapshot.Content(s.a.name("row_ptr.npy"))
	if err != nil {
		return nil, err
	}
	buf := make([]byte, step)
	for at := int64(0); at < n*w && ctx.Err() == nil; at += step {
		k, err := c.ReadAt(buf[:min(step, n*w-at)], at)
		if err != nil && err != io.EOF {
			return nil, err
		}
		ptr = numbers(ptr, buf[:k], w)
	}
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	return s.fromFirst(ptr)
}

// fromFirst puts what is missing in front of pointers that begin too late, so that each cell keeps its own values.
func (s *saving) fromFirst(ptr []uint64) ([]uint64, error) {
	n := int64(len(ptr))
	if n < 2 || ptr[0] == 0 || ptr[0] > ptr[1] { // else the first one is wrong, or none is missing
		return ptr, nil
	}
	stated := s.stated()
	more := slices.DeleteFunc(slices.Clone(stated), func(all int64) bool { return all <= n })
	switch {
	case 2*len(more) <= len(stated):
		return ptr, nil
	case slices.Min(more) != slices.Max(more) || more[0] > maxPointers || ptr[n-1] != uint64(s.types[0].count):
		return nil, errors.New("row_ptr.npy does not begin with 0: its front is missing, and of how many cells is unknown")
	}
	front := slices.Repeat([]uint64{math.MaxUint64}, int(more[0]-n)) // no legal pointers
	front[0] = 0
	return append(front, ptr...), nil
}

// stated is how many row pointers there should be according to the header, the metadata and the tables.
func (s *saving) stated() (all []int64) {
	if d := s.a.desc("ROWPTR"); d != nil {
		all = append(all, d.len_.Int())
	}
	if n := s.a.statedRows(); n >= 0 {
		all = append(all, n+1)
	}
	for _, f := range s.a.folders {
		if n := f.last(); n >= 0 {
			all = append(all, n+1)
		}
	}
	return all
}
