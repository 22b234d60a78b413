package doc

import (
	"fmt"

	"spandrel/model"
)

// MeaningsOf is the logical view of a graph: its nodes by role, with their properties.
func MeaningsOf(g *model.Graph) (out []model.Meaning) {
	if g == nil {
		return nil
	}
	for _, group := range []struct {
		kind model.GraphKind
		name string
	}{{model.Input, "inputs"}, {model.Operation, "operations"}, {model.Stored, "values"}, {model.Output, "outputs"}} {
		top := model.Meaning{Label: group.name}
		for i := range g.Nodes {
			if x := &g.Nodes[i]; x.Kind == group.kind {
				icon := model.IconArray
				if x.Kind == model.Operation {
					icon = model.NoIcon
				}
				top.Kids = append(top.Kids, model.Meaning{Label: x.Label, Text: x.Detail, Icon: icon, Span: x.Span, Kids: factsOf(x)})
			}
		}
		if n := len(top.Kids); n > 0 {
			top.Text, top.Open = fmt.Sprint(n), n <= 200
			out = append(out, top)
		}
	}
	return out
}

// factsOf are the properties of a node, grouped.
func factsOf(x *model.GraphNode) (parts []model.Meaning) {
	for _, f := range x.Facts {
		if f.Part == "operation" || f.Part == "variable" {
			continue // its row and the details say it
		}
		if len(parts) == 0 || parts[len(parts)-1].Label != f.Part {
			parts = append(parts, model.Meaning{Label: f.Part})
		}
		p := &parts[len(parts)-1]
		p.Kids = append(p.Kids, model.Meaning{Label: f.Label, Text: f.Text, At: f.At})
		p.Text = fmt.Sprint(len(p.Kids))
	}
	return parts
}
