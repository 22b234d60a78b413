package facts

import (
	"slices"
	"strings"

	"spandrel/model"
)

// graphFacts describes the node of a graph that a span defines.
func graphFacts(g *model.Graph, s *model.Span) (out []Fact) {
	at := -1
	for ; g != nil && s != nil && at < 0; s = s.Parent() {
		at = slices.IndexFunc(g.Nodes, func(n model.GraphNode) bool { // spans are made again: the one of the graph may be another
			return n.Span == s || n.Span != nil && n.Span.Range == s.Range && n.Span.Path() == s.Path()
		})
	}
	if at < 0 {
		return nil
	}
	n := &g.Nodes[at]
	out = append(out, Fact{Label: map[model.GraphKind]string{model.Operation: "OPERATION", model.Input: "INPUT", model.Stored: "VALUE", model.Output: "OUTPUT"}[n.Kind], Heading: true},
		Fact{Label: "name", Text: n.Label})
	part := ""
	for _, f := range n.Facts {
		if f.Part != part && f.Part != "operation" && f.Part != "variable" {
			out = append(out, Fact{Label: strings.ToUpper(f.Part), Heading: true})
		}
		part = f.Part
		out = append(out, Fact{Label: f.Label, Text: f.Text, to: f.At})
	}
	return out
}
