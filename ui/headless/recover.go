package headless

import (
	"flag"
	"fmt"

	"spandrel/model"
)

// recoverSave finishes an interrupted save, or undoes it: if only one of these is possible, that one, unless the other is asked for.
func recoverSave(f *flag.FlagSet, c *call) func() (int, error) {
	finish := f.Bool("finish", false, "finish the save: all files get their new content")
	undo := f.Bool("undo", false, "undo the save: all files get their old content")
	return func() (int, error) {
		path := c.args[0]
		switch x := model.InterruptedSave(path); {
		case x != nil && (*undo || !*finish && !x.Finishable()):
			return sayRecovered(c, x, "undone", x.TakeBack(c.ctx, c.Formats...))
		case x != nil:
			return sayRecovered(c, x, "finished", x.Finish(c.ctx, c.Formats...))
		}
		return rolledBack(c, path, *finish)
	}
}

// rolledBack undoes saves in place: of a file, or of the files of a folder.
func rolledBack(c *call, path string, finish bool) (int, error) {
	list := model.InterruptedInPlace(path)
	switch {
	case len(list) == 0:
		return cleared(c, path)
	case finish:
		return Failed, fmt.Errorf("%s: a save in place can only be undone", list[0])
	}
	for _, file := range list {
		if err := model.RollBack(file, c.Formats...); err != nil {
			return Failed, err
		}
		data := map[string]any{"kind": "recovered", "document": path, "how": "undone", "files": []string{file}}
		if err := c.either(data, "%s: the interrupted save was undone", file); err != nil {
			return Failed, err
		}
	}
	return Done, nil
}

// cleared removes what a save left that has nothing to finish or undo.
func cleared(c *call, path string) (int, error) {
	dir, err := model.ClearSave(path, c.Formats...)
	switch {
	case err != nil:
		return Failed, err
	case dir == "":
		return Failed, fmt.Errorf("%s: no save was interrupted here", path)
	}
	data := map[string]any{"kind": "recovered", "document": path, "how": "cleared", "files": []string{}}
	return Done, c.either(data, "%s: leftovers of a save removed: it was stopped before it changed a file, or when it was complete", dir)
}

// sayRecovered says what became of an interrupted save.
func sayRecovered(c *call, x *model.Interruption, how string, err error) (int, error) {
	if err != nil {
		return Failed, fmt.Errorf("%s: the save of %s is not %s: %w", x.Dir, x.When.Format("2006-01-02 15:04:05"), how, err)
	}
	data := map[string]any{"kind": "recovered", "document": c.args[0], "how": how, "files": x.Files}
	if err := c.either(data, "%s: the save of %s is %s:", x.Dir, x.When.Format("2006-01-02 15:04:05"), how); err != nil || c.json {
		return Done, err
	}
	for _, name := range x.Files {
		linef(c.Out, "  %s", name)
	}
	return Done, nil
}
