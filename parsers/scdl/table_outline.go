package scdl

import (
	"context"
	"fmt"
	"strings"

	"spandrel/model"
)

// outline is the logical view of an archive: its cells with the genes that they express, and its genes with their properties.
func outline(ctx context.Context, t *model.Tree) (out []model.Meaning, err error) {
	for _, tab := range tables(ctx, t) {
		dir, name := "", tab.Name
		if i := strings.LastIndex(name, "/"); i >= 0 {
			dir, name = name[:i+1], name[i+1:]
		}
		switch name {
		case "matrix":
			out = append(out, model.Meaning{Label: dir + "cells", Text: model.Thousands(tab.Rows), Open: true, More: tab.Meanings("cells", cellMeaning)})
		case "genes":
			out = append(out, model.Meaning{Label: dir + "genes", Text: model.Thousands(tab.Rows), More: tab.Meanings("genes", featureMeaning(tab.Columns))})
		case "cells":
			out = append(out, model.Meaning{Label: dir + "cell features", Text: model.Thousands(tab.Rows),
				More: tab.Meanings("cells", featureMeaning(tab.Columns))})
		}
	}
	return out, nil
}

// cellMeaning is a row of the matrix: a cell, with the value of each of its genes.
func cellMeaning(i int64, r model.Row) model.Meaning {
	genes, values := r[2], r[3]
	m := model.Meaning{Label: fmt.Sprintf("cell %d", i), Text: model.Words("%d genes", len(genes.Items)), At: values.Range}
	if len(genes.Items) == 1 {
		m.Text = "1 gene"
	}
	for k, g := range genes.Items[:min(len(genes.Items), len(values.Items))] {
		kid := model.Meaning{Label: g.Text(), Text: values.Items[k].String(), Icon: model.IconNumber}
		if kid.Label == "" {
			kid.Label = g.String()
		}
		if n := int64(len(values.Items)); n > 0 {
			w := values.Range.Len / n
			kid.At = model.Range{Space: values.Range.Space, Off: values.Range.Off + int64(k)*w, Len: w}
		}
		m.Kids = append(m.Kids, kid)
	}
	return m
}

// featureMeaning is a row of a feature table: its first text is the name, the other cells are properties.
func featureMeaning(cols []model.Column) func(i int64, r model.Row) model.Meaning {
	return func(i int64, r model.Row) model.Meaning {
		m := model.Meaning{Label: fmt.Sprint(i)}
		named := false
		for k, c := range r {
			switch {
			case k == 0:
			case !named && c.Value.Kind == model.Text && c.Value.Text() != "":
				m.Label, m.At, named = c.Value.Text(), c.Range, true
			default:
				m.Kids = append(m.Kids, model.Meaning{Label: cols[k].Name, Text: c.String(), Icon: model.IconOf(cols[k].Type, cols[k].Kind), At: c.Range})
			}
		}
		return m
	}
}
