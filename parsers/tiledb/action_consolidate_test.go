package tiledb

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"spandrel/model"
)

// cellTexts are the cells as texts, in the order of their coordinates, without the fragments that they are in.
func cellTexts(t *testing.T, d *model.Document) (out []string) {
	t.Helper()
	for _, row := range rowsOf(t, readTable(t, d, "cells"), "") {
		out = append(out, fmt.Sprint(row[:len(row)-1]))
	}
	slices.Sort(out)
	return out
}

// Consolidation is refused if cells would be lost: those of a fragment without a commit, or without metadata.
func TestConsolidateLosesNothing(t *testing.T) {
	for _, ending := range []string{".wrt", "__fragment_metadata.tdb"} {
		d, _ := written(t, "sparse-v22")
		edits, err := addCell(t.Context(), d.Tree, d.Tree.Root, map[string]string{"cell": "x=99, n=5, word=new"})
		if err != nil {
			t.Fatal(err)
		}
		edited(t, d, edits...)
		frags := d.Tree.State.(*doc).array("").fragList
		lost := ""
		names, _ := d.Tree.Snapshot.Files()
		for _, name := range names {
			if strings.Contains(name, frags[len(frags)-1].name) && strings.HasSuffix(name, ending) {
				lost = name
			}
		}
		tree := model.Parse(t.Context(), d.Tree.Snapshot.With(lost, nil), Format)
		if edits, err := consolidate(t.Context(), tree, tree.Root, nil); err == nil || !strings.Contains(err.Error(), "fragment") {
			t.Errorf("without %s: %d edits, %v", ending, len(edits), err)
		}
	}
}

// What no reader of a dense array sees is not lost without a word.
func TestConsolidateDenseWithSparse(t *testing.T) {
	d, _ := written(t, "dense-v22")
	frag := d.Tree.State.(*doc).array("").fragList[0].name
	edits, err := addCell(t.Context(), d.Tree, d.Tree.Root, map[string]string{"cell": "x=99, n=5, word=new"})
	if err != nil {
		t.Fatal(err)
	}
	edited(t, d, edits...)
	plan, err := d.Plan(t.Context(), "edit", model.Set{Path: "fragments/" + frag + "/__fragment_metadata.tdb/footer/dense", Value: model.U(0)})
	if err != nil {
		t.Fatal(err)
	}
	tree := model.Parse(t.Context(), plan.To, Format)
	if _, err := consolidate(t.Context(), tree, tree.Root, nil); err == nil || !strings.Contains(err.Error(), "sparse") {
		t.Errorf("with a sparse fragment: %v", err)
	}
}
