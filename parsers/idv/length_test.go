package idv

import (
	"testing"

	"spandrel/model"
)

// TestLengthOfEntry sets every length of the column entries wrongly: the directory is read as if it were right, wherever one byte makes it end at
// the end mark, and nothing else is found. Lengths inside parameters, whose own length bounds them, are another matter.
func TestLengthOfEntry(t *testing.T) {
	for _, f := range []fileSpec{sample(true), legacySample()} {
		sound := f.encode()
		d := open(t, "a.idv", sound)
		s := stateOf(d.Tree).all()[0]
		r := s.reader(s.in(t.Context(), d.Tree).peek, s.toc, func(finding) {})
		(&directory{base: s.base, size: s.size, tail: s.tail, columnCount: s.columnCount, layout: 6, version: s.version}).readTOC(r)
		tried := 0
		eachLeaf(r.nodes, func(n treeNode) {
			if n.field != length && n.field != paramLength {
				return
			}
			for _, by := range []byte{1, 0xff, 2, 4, 0x80} {
				b := append([]byte(nil), sound...)
				b[n.off] += by
				bad := open(t, "b.idv", b)
				x := stateOf(bad.Tree).all()[0]
				if x.correction == nil {
					if x.tocEnd != x.tail {
						t.Errorf("0x%x %02x -> %02x: the directory ends at 0x%x", n.off, sound[n.off], b[n.off], x.tocEnd)
					}
					continue
				}
				tried++
				found, _ := bad.Tree.Findings()
				for _, f := range found {
					if f.Grade() != model.Error {
						continue
					}
					if is := f.Span; is == nil || is.Range.Off != n.off || f.Rule != model.RuleValue && f.Want.Uint() != uint64(sound[n.off]) {
						t.Errorf("0x%x %02x -> %02x: %s at %s, expected %s", n.off, sound[n.off], b[n.off], f.Rule.ID, f.Path(), f.Expected)
					}
				}
				bad.Close()
			}
		})
		if tried < 40 {
			t.Errorf("only %d lengths were corrected", tried)
		}
	}
}

// TestFrontOfHeader takes bytes off the front: what the directory says of them is the only answer unless the version is among them and no type tells.
func TestFrontOfHeader(t *testing.T) {
	plain := fileSpec{rpb: 2, rows: 3, deflate: true, cols: []columnSpec{{name: "n", typ: typeSpec{load: "Int32"}, values: []any{1, 2, 3}}}}
	for _, f := range []struct {
		fileSpec
		tells bool
	}{{plain, false}, {sample(true), true}} {
		sound := f.encode()
		for _, n := range []int{9, 16, 17, 30, 40} {
			d := open(t, "a.idv", sound[n:])
			s := stateOf(d.Tree).all()[0]
			edits, sure := lostColumns{s.in(t.Context(), d.Tree)}.headerFront()
			if len(edits) != 1 || sure != (f.tells || n <= 16) {
				t.Errorf("%d bytes missing: %d edits, sure %v", n, len(edits), sure)
				continue
			}
			front := make([]byte, n)
			edits[0].(model.Splice).With.ReadAt(front, 0)
			if string(front) != string(sound[:n]) {
				t.Errorf("%d bytes missing: % x", n, front)
			}
			d.Close()
		}
	}
}
