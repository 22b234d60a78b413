package parsers

import (
	"context"
	"io"
	"io/fs"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"spandrel/model"
	"spandrel/parsers/internal/suite"
)

// TestCorpus opens every file of the collection, prints all of it and runs every check: no defect, and an end.
func TestCorpus(t *testing.T) {
	corpus := suite.Corpus(t, "")
	var files []string
	err := filepath.WalkDir(corpus, func(path string, d fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case d.IsDir() && d.Name() == "expected":
			return fs.SkipDir
		case d.Type().IsRegular() && !slices.Contains([]string{".md", ".json"}, filepath.Ext(path)):
			files = append(files, path)
		}
		return nil
	})
	if err != nil || len(files) == 0 {
		t.Fatalf("%d files, %v", len(files), err)
	}
	if testing.Short() {
		files = files[:min(len(files), 200)]
	}
	for _, path := range files {
		name, _ := filepath.Rel(corpus, path)
		t.Run(strings.ReplaceAll(name, "/", "|"), func(t *testing.T) {
			t.Parallel()
			ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
			defer cancel()
			d, err := model.Open(ctx, path, All(), nil)
			if err != nil {
				t.Fatal(err)
			}
			defer d.Close()
			if err := d.Tree.Dump(ctx, io.Discard, d.Tree.Root, model.DumpOptions{JSON: true, Depth: -1, Elements: 64, All: true}); err != nil {
				t.Fatal(err)
			}
			if err := d.Deep(ctx, nil); err != nil {
				t.Fatal(err)
			}
			suite.NoDefect(t, d.Tree)
		})
	}
}
