package tree

import (
	"fmt"
	"slices"

	"spandrel/model"
)

// wound is a damaged range of bytes.
type wound struct {
	at    model.Range
	grade model.Severity
}

// wounds are the problems of the document, by place; a problem of a whole list belongs to none of its elements. For decoded bytes they include
// the bytes that these come from.
func (o *outline) wounds() (out []wound) {
	for i := range o.d.Found.All {
		f := &o.d.Found.All[i]
		at := f.Where()
		if s := f.Span; at.Len == 0 || s != nil && s.Parent() == nil && at == s.Range || s != nil && s.Shape == model.Array && at == s.Range {
			continue
		}
		for sp := o.d.Tree().Space(at.Space); ; sp = o.d.Tree().Space(at.Space) {
			out = append(out, wound{at, f.Grade()})
			if sp == nil || !sp.Derived() {
				break
			}
			at = sp.Origin
		}
	}
	slices.SortFunc(out, func(a, b wound) int {
		return slices.Compare([]int64{int64(a.at.Space), a.at.Off}, []int64{int64(b.at.Space), b.at.Off})
	})
	return out
}

// wounded is the problems of a document, to be looked up by place.
type wounded struct {
	all     []wound
	longest int64 // how far before a node an overlapping one may begin
}

// worst is the worst severity in some bytes; 0 for none.
func (w *wounded) worst(r model.Range) (worst model.Severity) {
	if r.Len == 0 {
		return 0
	}
	from, _ := slices.BinarySearchFunc(w.all, r, func(x wound, r model.Range) int {
		return slices.Compare([]int64{int64(x.at.Space), x.at.Off}, []int64{int64(r.Space), r.Off - w.longest})
	})
	for _, x := range w.all[from:] {
		if x.at.Space != r.Space || x.at.Off >= r.End() {
			break
		}
		if x.at.End() > r.Off {
			worst = worse(worst, x.grade)
		}
	}
	return worst
}

// judge notes which nodes have problems, and how many in each group.
func (o *outline) judge(list []*OutlineNode) {
	w := wounded{all: o.wounds()}
	for _, x := range w.all {
		w.longest = max(w.longest, x.at.Len)
	}
	for _, n := range list {
		o.judgeNode(n, &w)
		for up := n.Up; up != nil; up = up.Up { // those above one that was opened
			up.worst = worse(up.worst, n.worst)
		}
	}
}

func (o *outline) judgeNode(n *OutlineNode, w *wounded) {
	if n.worst, n.damaged = w.worst(n.where()), 0; n.Span != nil {
		n.worst = worse(n.worst, o.d.Found.Worst[n.Span.Path()])
	}
	for _, k := range n.kids {
		o.judgeNode(k, w)
		if k.worst != 0 && k.worst <= model.Warning {
			n.damaged++
		}
		n.worst = worse(n.worst, k.worst)
	}
}

// worse is the more severe of two severities; 0 is none.
func worse(a, b model.Severity) model.Severity {
	if a == 0 || b != 0 && b < a {
		return b
	}
	return a
}

// says is what a node is and, for a group, how many of its members are damaged.
func (n *OutlineNode) says() string {
	if n.damaged == 0 || n.where().Len > 0 {
		return n.Value
	}
	text := fmt.Sprintf("%d damaged", n.damaged)
	if n.Value != "" {
		text = n.Value + " · " + text
	}
	return text
}
