package tree

import (
	"fmt"
	"slices"

	"spandrel/model"
)

// wound is bytes in which something is wrong.
type wound struct {
	at    model.Range
	grade model.Severity
}

// wounds are what is wrong with the document, by where it is; what is about a list as a whole is about none of its elements. Of decoded bytes also
// those that they are made of.
func (o *outline) wounds() (out []wound) {
	for i := range o.d.Found.All {
		f := &o.d.Found.All[i]
		at := f.Where()
		if s := f.Span; at.Len == 0 || s != nil && s.Parent() == nil && at == s.Range || s != nil && s.Shape == model.Array && at == s.Range {
			continue
		}
		for sp := o.d.Tree().Space(at.Space); ; sp = o.d.Tree().Space(at.Space) {
			out = append(out, wound{at, f.Grade()})
			if sp == nil || len(sp.Origins) == 0 {
				break
			}
			at = sp.Origins[0]
		}
	}
	slices.SortFunc(out, func(a, b wound) int {
		return slices.Compare([]int64{int64(a.at.Space), a.at.Off}, []int64{int64(b.at.Space), b.at.Off})
	})
	return out
}

// judge notes in which nodes something is wrong, and in how many of each group.
func (o *outline) judge(list []*OutlineNode) {
	all := o.wounds()
	longest := int64(0) // of a wound: how far in front of a node one may begin that reaches into it
	for _, w := range all {
		longest = max(longest, w.at.Len)
	}
	var walk func(n *OutlineNode)
	walk = func(n *OutlineNode) {
		n.worst, n.damaged = 0, 0
		if n.Span != nil {
			n.worst = o.d.Found.Worst[n.Span.Path()]
		}
		if r := n.where(); r.Len > 0 {
			from, _ := slices.BinarySearchFunc(all, r, func(w wound, r model.Range) int {
				return slices.Compare([]int64{int64(w.at.Space), w.at.Off}, []int64{int64(r.Space), r.Off - longest})
			})
			for _, w := range all[from:] {
				if w.at.Space != r.Space || w.at.Off >= r.End() {
					break
				}
				if w.at.End() > r.Off {
					n.worst = worse(n.worst, w.grade)
				}
			}
		}
		for _, k := range n.kids {
			walk(k)
			if k.worst != 0 && k.worst <= model.Warning {
				n.damaged++
			}
			n.worst = worse(n.worst, k.worst)
		}
	}
	for _, n := range list {
		walk(n)
	}
	for _, n := range list { // those above one that was opened
		for up := n.Up; up != nil; up = up.Up {
			up.worst = worse(up.worst, n.worst)
		}
	}
}

// worse is the more severe of two severities, of which 0 is none.
func worse(a, b model.Severity) model.Severity {
	if a == 0 || b != 0 && b < a {
		return b
	}
	return a
}

// says is what a node is and, of a group, how many of what is in it are damaged.
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
