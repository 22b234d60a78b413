package scdl

import (
	"maps"
	"slices"
	"strings"
	"testing"
)

// A feature folder under another name gets its own back, and the archive is the original. That is safe if its tables have the rows that
// the archive needs.
func TestRenamedFolder(t *testing.T) {
	for name, c := range map[string]struct {
		base       fileset
		change     func(f fileset)
		want, safe int // repairs offered
	}{
		"obs":   {good(), func(f fileset) { move(f, "obs_features/", "obs/") }, 1, 1},
		"var":   {good(), func(f fileset) { move(f, "var_features/", "backup of var/") }, 1, 1},
		"both":  {good(), func(f fileset) { move(f, "var_features/", "var/"); move(f, "obs_features/", "obs/") }, 2, 2},
		"parts": {ragged(3), func(f fileset) { move(f, "var_features/", "genes/") }, 1, 1},
		"inner": {chunks(), func(f fileset) { move(f, "obs_features/", "old/obs_features/") }, 1, 1},
		"none":  {good(), func(f fileset) { drop(f, "obs_features/") }, 0, 0},
		"other rows": {good(), func(f fileset) {
			move(f, "obs_features/", "obs/")
			f["obs/dataframe_0.parquet"] = table("cell_type", "B", "B")
		}, 1, 0},
		"more files": {good(), func(f fileset) { move(f, "obs_features/", "obs/"); f["obs/notes.txt"] = []byte("x") }, 1, 0},
		"two copies": {good(), func(f fileset) {
			for n, b := range f.clone() {
				if rest, ok := strings.CutPrefix(n, "obs_features/"); ok {
					f["a/"+rest], f["b/"+rest] = b, b
				}
			}
			drop(f, "obs_features/")
		}, 0, 0},
		"a file lost": {good(), func(f fileset) { move(f, "obs_features/", "obs/"); delete(f, "obs/labels.json") }, 0, 0},
		"no header":   {legacy(), func(f fileset) { move(f, "features/", "feat/") }, 1, 1},
	} {
		original := c.base.clone()
		c.change(c.base)
		d := c.base.open(t)
		offered, safe := 0, 0
		for hits := findings(t, d, "060"); len(hits) > 0; hits = findings(t, d, "060") {
			fixes := d.Tree.Fixes(t.Context(), &hits[0])
			if len(fixes) == 0 {
				break
			}
			if offered++; fixes[0].Safe {
				safe++
			}
			apply(t, d, fixes[0])
		}
		if offered != c.want || safe != c.safe {
			t.Errorf("%s: %d repairs, %d of them safe, want %d, %d: %v", name, offered, safe, c.want, c.safe, allOf(d))
		}
		if safe == 0 || name == "no header" { // it gets the name of current releases
			continue
		}
		for n, b := range original {
			if got := bytesOf(t, d, n); string(got) != string(b) {
				t.Errorf("%s: %s is not restored", name, n)
			}
		}
		if names := d.Tree.Snapshot.Edited(); len(names) == 0 {
			t.Errorf("%s: nothing was renamed", name)
		}
	}
}

// A chunk under another name gets its own back.
func TestRenamedChunk(t *testing.T) {
	for to, c := range map[string]struct {
		more func(f fileset)
		safe bool
	}{
		"chunk_1/":      {func(fileset) {}, true},
		"chunk_00002/":  {func(fileset) {}, true},
		"second chunk/": {func(f fileset) { f["second chunk/row_ptr.npy"] = le(1, 0, 3, 3, 5) }, false},
	} {
		f := chunks()
		move(f, "chunk_00001/", to)
		c.more(f)
		d := f.open(t)
		hits := findings(t, d, "100")
		if len(hits) != 1 {
			t.Errorf("%s: %v", to, allOf(d))
			continue
		}
		fixes := d.Tree.Fixes(t.Context(), &hits[0])
		if len(fixes) != 1 || fixes[0].Safe != c.safe || !strings.Contains(hits[0].Text(), "rename") {
			t.Errorf("%s: %s, %+v", to, hits[0].Text(), fixes)
			continue
		}
		apply(t, d, fixes[0])
		if left := findings(t, d, "100"); len(left) > 0 {
			t.Errorf("%s: left %s", to, left[0].Text())
		}
	}
}

// What is salvaged of an archive without one of its feature folders, or without a table, says so.
func TestSalvageMissing(t *testing.T) {
	for name, c := range map[string]struct {
		change func(f fileset)
		want   string
	}{
		"cells":   {func(f fileset) { move(f, "obs_features/", "obs/") }, "0 of 1 tables of obs_features; lost: the folder obs_features is missing, and obs contains the files that belong there: rename it first"},
		"genes":   {func(f fileset) { drop(f, "var_features/") }, "0 of 1 tables of var_features; lost: the folder var_features is missing"},
		"a table": {func(f fileset) { delete(f, "obs_features/dataframe_0.parquet") }, "0 of 1 tables of obs_features; lost: those that are missing, and those after them"},
		"nothing": {func(fileset) {}, ""},
	} {
		f := good()
		c.change(f)
		s, err := salvage(t.Context(), f.open(t).Tree)
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		var said []string
		for _, p := range s.Parts[1:] {
			said = append(said, p.String())
		}
		if got := strings.Join(said, "\n"); got != c.want {
			t.Errorf("%s: %q, want %q; %v", name, got, c.want, slices.Sorted(maps.Keys(s.Files)))
		}
	}
}
