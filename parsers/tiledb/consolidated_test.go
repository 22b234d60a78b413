package tiledb

import (
	"maps"
	"slices"
	"strings"
	"testing"
	"time"

	"spandrel/model"
	"spandrel/model/cause"
)

// Fragments of sampleMerged.
const (
	firstWritten  = "__1700000000001_1700000000001_0123456789abcdef0123456789abcde1_23"
	secondWritten = "__1700000000002_1700000000002_0123456789abcdef0123456789abcde2_23"
	mergedName    = "__1700000000001_1700000000002_0123456789abcdef0123456789abcde3_23"
)

// sampleMerged is the files of a sparse array of two fragments that were consolidated, and not yet vacuumed.
func sampleMerged(sparse bool) map[string][]byte {
	files := map[string][]byte{"__commits/" + mergedName + ".vac": []byte("/__fragments/" + firstWritten + "\n/__fragments/" + secondWritten + "\n")}
	for name, b := range sampleArray(23, sparse) {
		i := strings.Index(name, "__1700000000001_1")
		if i < 0 {
			files[name] = b
			continue
		}
		for _, f := range []string{firstWritten, secondWritten, mergedName} {
			files[name[:i]+f+name[i+len(f):]] = b
		}
	}
	return files
}

// zeroed are as many zeros.
func zeroed(b []byte) []byte { return make([]byte, len(b)) }

func mergedDocument(t *testing.T, sparse bool, do func(files map[string][]byte)) *model.Document {
	t.Helper()
	files := sampleMerged(sparse)
	do(files)
	return open(t, writeFiles(t, t.TempDir(), files))
}

// What a consolidated fragment was made of is still there until it is vacuumed: if a crash leaves the new fragment damaged, the array is whole without it.
func TestConsolidatedDamaged(t *testing.T) {
	const dir = "__fragments/" + mergedName + "/"
	for what, do := range map[string]func(files map[string][]byte){
		"a0.tdb is all zeros": func(f map[string][]byte) { f[dir+"a0.tdb"] = zeroed(f[dir+"a0.tdb"]) },
		"a0.tdb and a1.tdb are all zeros": func(f map[string][]byte) {
			f[dir+"a0.tdb"], f[dir+"a1.tdb"] = zeroed(f[dir+"a0.tdb"]), zeroed(f[dir+"a1.tdb"])
		},
		"a1.tdb is missing":   func(f map[string][]byte) { delete(f, dir+"a1.tdb") },
		"a0.tdb is truncated": func(f map[string][]byte) { f[dir+"a0.tdb"] = f[dir+"a0.tdb"][:40] },
	} {
		for _, sparse := range []bool{true, false} {
			d := mergedDocument(t, sparse, do)
			g, err := cause.Find(t.Context(), d, cause.Options{Time: time.Minute})
			try(t, err)
			if len(g.Causes) != 1 || !strings.Contains(g.Causes[0].Text, what) || !strings.Contains(g.Causes[0].Text, "2 fragments that it replaced are still there") || g.Safe() == nil {
				t.Errorf("%s, sparse %v: %d causes, %+v", what, sparse, len(g.Causes), g.Causes)
				continue
			}
			s, err := model.Salvage(t.Context(), d.Tree)
			try(t, err)
			if got := s.Contents(); !strings.Contains(got, "2 of 2 fragments") || !strings.Contains(got, "10 of 10 cells") {
				t.Errorf("%s, sparse %v: salvaged %s", what, sparse, got)
			}
			try(t, g.Safe().Make(t.Context(), d))
			if rules := rulesOf(t, d); len(rules) > 0 || readTable(t, d, "cells").Rows != 10 {
				t.Errorf("%s, sparse %v: afterwards %v, %d cells", what, sparse, rules, readTable(t, d, "cells").Rows)
			}
		}
	}
}

// A vacuum that stopped has removed some files of a fragment, and the file that lists it: the rest may go, because its cells are in the consolidated fragment. A
// damaged fragment of another time, or one that lacks nothing, is something else.
func TestVacuumStopped(t *testing.T) {
	const dir, vac = "__fragments/" + firstWritten + "/", "__commits/" + mergedName + ".vac"
	for what, do := range map[string]func(files map[string][]byte){
		"__fragment_metadata.tdb is missing": func(f map[string][]byte) { delete(f, dir+"__fragment_metadata.tdb"); delete(f, dir+"a0.tdb") },
		"a1.tdb is missing":                  func(f map[string][]byte) { delete(f, dir+"a1.tdb") },
		"":                                   func(f map[string][]byte) { f[dir+"a0.tdb"] = zeroed(f[dir+"a0.tdb"]) },
	} {
		d := mergedDocument(t, true, func(f map[string][]byte) { delete(f, vac); do(f) })
		g, err := cause.Find(t.Context(), d, cause.Options{Time: time.Minute})
		try(t, err)
		if said := strings.Contains(g.Causes[0].Text, "The vacuum of fragment "+firstWritten+" stopped half-way ("+what+")"); said != (what != "") {
			t.Errorf("%s: %d causes, %+v", what, len(g.Causes), g.Causes)
		} else if said {
			if g.Causes[0].Grade != cause.Likely || g.Safe() != nil {
				t.Errorf("%s: %v", what, g.Causes[0].Grade)
			}
			try(t, g.Causes[0].Repairs[0].Make(t.Context(), d))
			if rules := rulesOf(t, d); len(rules) > 0 || readTable(t, d, "cells").Rows != 10 {
				t.Errorf("%s: afterwards %v", what, rules)
			}
		}
	}
}

// The consolidated fragment is not removed by itself unless the others are known to hold all of its cells.
func TestConsolidatedInDoubt(t *testing.T) {
	const dir = "__fragments/" + mergedName + "/"
	for what, x := range map[string]struct {
		do    func(files map[string][]byte)
		offer bool
	}{
		"nothing is wrong with it": {func(f map[string][]byte) { f[dir+"a0.tdb"] = f["__fragments/"+firstWritten+"/a0.tdb"] }, false},
		"an original is damaged": {func(f map[string][]byte) {
			name := "__fragments/" + firstWritten + "/a1.tdb"
			f[name] = zeroed(f[name])
		}, false},
		"an original is gone":       {func(f map[string][]byte) { deleteIn(f, "__fragments/"+firstWritten) }, false},
		"an original has no commit": {func(f map[string][]byte) { delete(f, "__commits/"+firstWritten+".wrt") }, false},
		"no vacuum file":            {func(f map[string][]byte) { delete(f, "__commits/"+mergedName+".vac") }, false},
		"its metadata are lost":     {func(f map[string][]byte) { f[dir+metaFileF.Name] = zeroed(f[dir+metaFileF.Name]) }, true},
		"one of another time": {func(f map[string][]byte) {
			f["__commits/"+mergedName+".vac"] = []byte("/__fragments/" + firstWritten + "\n")
		}, true},
	} {
		d := mergedDocument(t, true, func(f map[string][]byte) { f[dir+"a0.tdb"] = zeroed(f[dir+"a0.tdb"]); x.do(f) })
		g, err := cause.Find(t.Context(), d, cause.Options{Time: time.Minute})
		try(t, err)
		at := slices.IndexFunc(g.Findings, func(f model.Finding) bool { return f.Rule.ID == "TDB-189" })
		if at >= 0 != x.offer || g.Safe() != nil {
			t.Errorf("%s: offered %v, safe %v", what, at >= 0, g.Safe())
		}
		if at >= 0 {
			if fixes := d.Tree.Fixes(t.Context(), &g.Findings[at]); len(fixes) != 1 || fixes[0].Safe {
				t.Errorf("%s: %+v", what, fixes)
			}
		}
	}
}

// deleteIn deletes the files of a folder.
func deleteIn(files map[string][]byte, dir string) {
	maps.DeleteFunc(files, func(name string, _ []byte) bool { return strings.HasPrefix(name, dir+"/") })
}
