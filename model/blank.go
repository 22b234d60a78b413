package model

import (
	"context"
	"fmt"
)

// A disk or network drive that loses a part of a file leaves whole sectors of zeros.

// SectorSize is the smallest unit in which disks, and programs that write blocks, lose data.
const SectorSize = 512

const (
	maxSectored = 16 << 20 // bytes of a file that are examined
	maxSectors  = 64 << 20 // … and of all files of a document
	ownZeros    = 16       // zeros of the file's own next to lost bytes
	maxBlanks   = 8        // places in a file
)

// blankSectors reports aligned runs of zero sectors in the files of a document, except in files that
// have long runs of zeros elsewhere too.
func (t *Tree) blankSectors(ctx context.Context) error {
	left := int64(maxSectors)
	for _, sp := range t.Spaces() {
		if sp.Derived() || sp.Root == nil || sp.Root.Range.Len <= 2*SectorSize || sp.Root.Range.Len > min(maxSectored, left) {
			continue // derived, or too small or too large to examine
		}
		size, err := t.Size(ctx, sp.ID)
		if err != nil || size > min(maxSectored, left) {
			continue
		}
		left -= size
		var found []Range
		// Other checks report unreadable bytes.
		_ = t.see(ctx, Range{Space: sp.ID, Len: size}, func(b []byte) error { found = blanks(b); return nil })
		for _, r := range found {
			r.Space = sp.ID
			t.Report(Finding{Rule: RuleBlank, Span: t.At(sp.ID, r.Off), Range: r, Found: fmt.Sprintf("%s zeros", Thousands(r.Len)),
				Message: fmt.Sprintf("%s bytes at 0x%x are zero and fill whole disk sectors: the data there may be lost", Thousands(r.Len), r.Off)})
		}
	}
	return ctx.Err()
}

// blanks are the runs of whole zero sectors between other bytes; none if zeros begin or end elsewhere too.
func blanks(b []byte) (out []Range) {
	for at := SectorSize / 2; at < len(b); at += SectorSize / 2 { // every run of a sector has such a byte
		if b[at] != 0 {
			continue
		}
		from, to := at, at
		for from > 0 && b[from-1] == 0 {
			from--
		}
		for to < len(b) && b[to] == 0 {
			to++
		}
		first, last := (from+SectorSize-1)/SectorSize*SectorSize, to/SectorSize*SectorSize
		switch {
		case to-from < SectorSize:
		case first > 0 && last < len(b) && first < last && first-from <= ownZeros && to-last <= ownZeros && len(out) < maxBlanks:
			out = append(out, Range{Off: int64(first), Len: int64(last - first)})
		default:
			return nil
		}
		at = max(at, to/(SectorSize/2)*(SectorSize/2))
	}
	return out
}
