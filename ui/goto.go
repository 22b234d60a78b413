package ui

import (
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"spandrel/model"
	"spandrel/ui/doc"
	"spandrel/ui/kit"
	"spandrel/ui/show"
)

// parsePlace parses the input of Go to: decimal and 0x numbers, end, a leading sign for offsets from the caret, a field's
// path, and sums of these. With a path, off is added to the start of the field.
func parsePlace(s string, caret, end int64) (off int64, path string, err error) {
	s = strings.TrimSpace(s)
	if s == "" {
		return 0, "", fmt.Errorf("type an offset or a path")
	}
	if s[0] == '+' || s[0] == '-' {
		off = caret
	}
	for first := true; s != ""; first = false {
		sign := int64(1)
		if s[0] == '+' || s[0] == '-' {
			if s[0] == '-' {
				sign = -1
			}
			s = strings.TrimSpace(s[1:])
		} else if !first {
			return 0, "", fmt.Errorf("expected + or - before %q", s)
		}
		term, rest := cutTerm(s)
		n, err := model.ParseInt(term)
		switch {
		case term == "end":
			off += sign * end
		case err == nil:
			off += sign * n
		case path != "" || sign < 0 || term == "":
			return 0, "", fmt.Errorf("%q is not a number", term)
		default:
			path = term
		}
		s = strings.TrimSpace(rest)
	}
	return off, path, nil
}

// cutTerm splits a sum after its first term. A sign inside a path's name stays part of it unless a number or end follows.
func cutTerm(s string) (term, rest string) {
	for i := 1; i < len(s); i++ {
		if s[i] != '+' && s[i] != '-' {
			continue
		}
		next := strings.TrimSpace(s[i+1:])
		if next == "" || next[0] >= '0' && next[0] <= '9' || strings.HasPrefix(next, "end") || s[i-1] == ' ' {
			return strings.TrimSpace(s[:i]), s[i:]
		}
	}
	return strings.TrimSpace(s), ""
}

// cutRange splits an expression for a range: "from..to", inclusive, or "from, length". A single place is all of a
// field, or one byte.
func cutRange(s string) (from, to string, length bool) {
	if a, b, ok := strings.Cut(s, ".."); ok {
		return a, b, false
	}
	if i := strings.LastIndex(s, ","); i >= 0 {
		return s[:i], s[i+1:], true
	}
	return s, "", false
}

// addressed is the byte view that offsets refer to: the one shown or, if no bytes are visible, the file.
func (d *tab) addressed() doc.ByteView {
	if root := d.Tree().Root.Range; d.frame.show&paneBytes == 0 && root.Space != model.NoSpace && root.Space != d.Shown().Space {
		return doc.ByteView{Space: root.Space, Size: root.Len}
	}
	return d.Shown()
}

// locate finds what an expression refers to in the addressed bytes: one byte, or the bytes of a field s, moved by an offset that
// follows its path. Signed offsets count from caret.
func (d *tab) locate(expr string, caret int64, then func(s *model.Span, r model.Range, err error)) {
	in := d.addressed()
	off, path, err := parsePlace(expr, caret, in.Size)
	if err != nil || path == "" {
		then(nil, model.Range{Space: in.Space, Off: off, Len: 1}, err)
		return
	}
	d.Sel.Find(path, func(s *model.Span, err error) {
		if err != nil {
			then(nil, model.Range{}, err)
			return
		}
		r := s.Range
		if off != 0 {
			r.Off, r.Len = r.Off+off, 1
		}
		then(s, r, nil)
	})
}

// selectIn selects bytes at a typed place, or says why there are none.
func (d *tab) selectIn(r model.Range) error {
	size := d.Shown().Size
	if sp := d.Tree().Space(r.Space); r.Space != d.Shown().Space && sp != nil && sp.Root != nil {
		size = sp.Root.Range.Len
	}
	if r.Off < 0 || r.Len <= 0 || r.Len > size-r.Off {
		return fmt.Errorf("0x%x + %d is outside the %s of %s", r.Off, r.Len, show.Counted(size, "byte"), d.SpaceTitle(r.Space))
	}
	d.Sel.Bytes(r, nil)
	return nil
}

// GoTo selects what an expression names: an offset in the space of the hex pane, or a field's path. done gets the error.
func (d *tab) GoTo(expr string, done func(error)) {
	d.locate(expr, d.addressed().Caret, func(s *model.Span, r model.Range, err error) {
		switch {
		case err != nil:
		case s != nil && r == s.Range:
			d.Sel.Set(doc.Selection{Span: s})
		default:
			err = d.selectIn(r)
		}
		done(err)
	})
}

// toBytes gives the focus to the bytes that were gone to, because what is typed or pasted next is meant for them.
func toBytes(d *tab, answer func(string, func(error))) func(string, func(error)) {
	return func(text string, done func(error)) {
		answer(text, func(err error) {
			if done(err); err == nil {
				d.frame.focusBytes()
			}
		})
	}
}

func (wb *Workbench) askGoTo(d *tab) {
	wb.Ask("Go to", "Go", "For example 1234, 0x4d2, +16, -0x10, end-8, header/n_rows+4", "", toBytes(d, d.GoTo))
}

// SelectRange selects what an expression names: "0x10..0x1f", "header..rows", "0x10, 16", "rows[3]". done gets the error.
func (d *tab) SelectRange(expr string, done func(error)) {
	from, to, length := cutRange(expr)
	choose := func(r model.Range, err error) {
		if err == nil {
			err = d.selectIn(r)
		}
		done(err)
	}
	d.locate(from, d.addressed().Caret, func(_ *model.Span, a model.Range, err error) {
		if err != nil || to == "" {
			choose(a, err)
			return
		}
		base := a.Off
		if length {
			base = 0
		}
		d.locate(to, base, func(s *model.Span, b model.Range, err error) {
			switch {
			case err != nil:
			case length && s != nil:
				err = fmt.Errorf("%q is not a length", to)
			case length:
				a.Len = b.Off
			case b.Space != a.Space:
				err = fmt.Errorf("%s and %s are not in the same file or block", from, to)
			case s == nil && b.Off == d.addressed().Size: // from..end
				a.Len = b.Off - a.Off
			default:
				a.Len = b.End() - a.Off
			}
			choose(a, err)
		})
	})
}

func (wb *Workbench) askRange(d *tab) {
	r := d.Sel.Now.Range
	wb.Ask("Select a range", "Select", "For example 0x10..0x1f (both ends), 0x10, 16 (from, length), header..rows, end-16..end-1",
		fmt.Sprintf("0x%x, %d", r.Off, max(1, r.Len)), toBytes(d, d.SelectRange))
}

// askRow asks for a row of the table and goes to it.
func (wb *Workbench) askRow(d *tab) {
	wb.Ask("Go to row", "Go", fmt.Sprintf("A number from 0 to %d:", d.table.Table.Rows-1), "", func(s string, done func(error)) {
		n, err := model.ParseInt(strings.TrimSpace(s))
		if err == nil {
			err = d.table.GoToRow(n)
		}
		if done(err); err == nil {
			d.Lower.Open(kit.TabTable)
		}
	})
}

// askMark asks for the name of the bookmark at the selection.
func (wb *Workbench) askMark(d *tab) {
	m, _ := d.Marks.Here()
	wb.Ask("Bookmark", "Name it", "A name for the bookmark at the selection:", m.Name, func(s string, done func(error)) {
		d.Marks.Name(s)
		done(nil)
	})
}

// others are the other open documents: those of the same known format, and the rest.
func (wb *Workbench) others(d *tab) (alike, rest []*tab) {
	for _, o := range wb.documents() {
		switch {
		case o.Model == d.Model:
		case d.Model.Format != nil && o.Model.Format == d.Model.Format:
			alike = append(alike, o)
		default:
			rest = append(rest, o)
		}
	}
	return alike, rest
}

// pickOther asks for one of some open documents.
func (wb *Workbench) pickOther(title, verb string, list []*tab, then func(*tab)) {
	names := model.Map(list, func(o *tab) string { return o.Model.Path })
	wb.Pick(title, verb, names, func(i int) { then(list[i]) })
}

// askCompare asks for another open document and lists the differences: by name if both have names, or byte by byte.
func (wb *Workbench) askCompare(d *tab, byNames bool) {
	alike, rest := wb.others(d)
	list := append(alike, rest...)
	if len(list) == 0 {
		wb.Say("open the other file first: two documents are compared")
		return
	}
	compare := func(o *tab) {
		if !byNames {
			d.frame.reveal(paneBytes)
		}
		d.find.Compare(o.Document, byNames)
	}
	if len(list) == 1 {
		compare(list[0])
		return
	}
	wb.pickOther("Compare "+filepath.Base(d.Model.Path)+" with", "Compare", list, compare)
}

// askMerge asks for the document whose changes are added, and for the one from which both were made.
func (wb *Workbench) askMerge(d *tab) {
	alike, _ := wb.others(d)
	wb.pickOther("Merge into "+filepath.Base(d.Model.Path)+" the changes of", "Continue", alike, func(theirs *tab) {
		rest := slices.DeleteFunc(alike, func(o *tab) bool { return o.Model == theirs.Model })
		wb.pickOther("The version that both were made from", "Merge", rest, func(base *tab) { d.find.Merge(base.Document, theirs.Document) })
	})
}
