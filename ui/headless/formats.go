package headless

import (
	"cmp"
	"flag"
	"fmt"
	"path/filepath"
	"sort"
	"strings"

	"spandrel/model"
)

func formats(_ *flag.FlagSet, c *call) func() (int, error) {
	return func() (int, error) {
		for _, f := range c.Formats {
			can := model.Map(f.Actions, func(a model.Action) string { return a.Name })
			sort.Strings(can)
			if !c.json {
				fmt.Fprintf(c.Out, "%-11s %-36s %s\n", f.Name, f.Title, strings.Join(f.Exts, " "))
				continue
			}
			if err := c.line(map[string]any{"kind": "format", "name": f.Name, "title": f.Title, "doc": f.Doc, "extensions": list(f.Exts), "mime": list(f.MIME()),
				"folders": f.Dataset != nil && f.Dataset.Detect != nil, "companions": f.Dataset != nil && f.Dataset.Beside, "tables": f.Tables != nil, "deep": f.Deep != nil, "rules": len(f.Rules.All()), "actions": list(can)}); err != nil {
				return Failed, err
			}
		}
		return Done, nil
	}
}

// list makes an empty list print as [] and not as null.
func list(s []string) []string {
	if s == nil {
		return []string{}
	}
	return s
}

// where names a file and an offset for an error of one line.
func where(d *model.Document, r model.Range) string {
	return fmt.Sprintf("%s at 0x%x", cmp.Or(d.Tree.FileName(r), filepath.Base(d.Path)), r.Off)
}
