package model

import "strings"

// Part is a child that a format describes without reading it: what it is, how long it is, and its own children, which are
// consecutive and fill it.
type Part struct {
	Field *Field
	Len   int64
	State State
	Kids  []Part // none: a leaf
	Elem  *Field // of an array of numbers: what each is
}

// Parts is the content of a frame that a format knows completely before anyone looks, such as a graph of objects that it has
// walked. Parts are numbered in file order and tile the frame; spans are created on demand, so a
// million of them cost only what the format keeps. All methods are safe for concurrent use and read no bytes.
type Parts interface {
	Count() int64
	Part(i int64) (p Part, off int64) // off is counted from the start of the frame
	Find(off int64) int64             // the part that holds a byte, or -1
	Named(path string) int64          // the part whose name begins a path, or -1
}

// Parts makes a child of n bytes from parts that the format knows already.
func (c *Cursor) Parts(f *Field, n int64, p Parts) Node {
	n, cut := c.fit(f, n)
	s := c.add(f, c.pos, n, Struct)
	c.pos += n
	if s != nil {
		s.kids = &parts{s, p}
		s.clip(cut)
	}
	return Node{Span: s}
}

// parts is the children of a span made by Cursor.Parts.
type parts struct {
	parent *Span
	p      Parts
}

func (l *parts) count() int64 { return l.p.Count() }
func (l *parts) at(i int64) *Span {
	p, off := l.p.Part(i)
	return p.span(l.parent, l.parent.Range.Off+off)
}
func (l *parts) find(off int64) int64 { return l.p.Find(off - l.parent.Range.Off) }

// span makes the span of a part with everything inside it.
func (p *Part) span(parent *Span, off int64) *Span {
	s := &Span{Field: p.Field, Range: Range{parent.Range.Space, off, p.Len}, State: p.State, parent: parent}
	switch {
	case p.Elem != nil:
		stride := int64(p.Elem.Codec.Size())
		s.Shape, s.kids = Array, &elements{parent: s, field: p.Elem, stride: stride, n: p.Len / stride}
	case len(p.Kids) > 0:
		kids := make(list, len(p.Kids))
		for i := range p.Kids {
			kids[i] = p.Kids[i].span(s, off)
			off += p.Kids[i].Len
		}
		s.Shape, s.kids = Struct, kids
	}
	return s
}

// named returns the part that a path leads through, and the rest of the path.
func (l *parts) named(path string) (*Span, string) {
	i := l.p.Named(path)
	if i < 0 {
		return nil, ""
	}
	s := l.at(i)
	rest, ok := strings.CutPrefix(path, s.Name())
	if !ok {
		return nil, ""
	}
	return s, rest
}
