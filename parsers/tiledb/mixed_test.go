package tiledb

import (
	"bytes"
	"strings"
	"testing"
	"time"

	"spandrel/model/cause"
)

// Two arrays that were copied into one folder are told apart, and either can be moved out of it: all cells of both can be read then.
func TestTwoArrays(t *testing.T) {
	renamed := strings.NewReplacer("1700000000000", "1800000000000", "1700000000001", "1800000000001")
	files := sampleArray(22, false)
	for name, b := range sampleArray(22, true) {
		files[renamed.Replace(name)] = bytes.ReplaceAll(b, []byte(sampleName), []byte(renamed.Replace(sampleName)))
	}
	files["__meta/__1800000000002_1800000000002_"+strings.Repeat("0", 32)] = sampleTile(22, nil)
	d := open(t, writeFiles(t, t.TempDir(), files))
	g, err := cause.Find(t.Context(), d, cause.Options{Time: time.Minute})
	try(t, err)
	if len(g.Causes) != 1 || !strings.HasPrefix(g.Causes[0].Text, "Files of two arrays are in this folder") || len(g.Causes[0].Repairs) != 2 || g.Safe() != nil {
		t.Fatalf("%+v", *g.Causes[0])
	}
	for i, x := range g.Causes[0].Repairs {
		d := open(t, writeFiles(t, t.TempDir(), files))
		try(t, x.Make(t.Context(), d))
		if rules := rulesOf(t, d); len(rules) > 0 || readTable(t, d, "cells").Rows != 10 {
			t.Errorf("%s: %v", x.Label, rules)
		}
		moved := filesBelow(d.Tree.Snapshot, apartDir, nil)
		if want := []int{7, 6}[i]; len(moved) != want || len(filesBelow(d.Tree.Snapshot, ".", nil)) != len(files)+1 { // the metadata are in both
			t.Errorf("%s: moved %v", x.Label, moved)
		}
	}
}
