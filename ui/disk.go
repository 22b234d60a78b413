package ui

import (
	"context"
	"fmt"
	"os"
	"strings"

	"spandrel/model"
)

// lookAtDisk asks about open files that other programs changed, when the window comes to the front. Each change is asked about
// once.
func (o *opener) lookAtDisk() {
	for _, d := range o.wb.docs {
		d.editor.inTurn(func() {
			doc := d.Model
			d.wb.submit(model.Job{Priority: model.Checks,
				Run: func(context.Context, func(done, total int64)) (any, error) {
					names := doc.ChangedOnDisk()
					state := ""
					for _, n := range names {
						state += n + " is gone\n"
						if st, err := os.Stat(doc.DiskPath(n)); err == nil {
							state += fmt.Sprintln(st.Size(), st.ModTime())
						}
					}
					return diskState{names, state}, nil
				},
				Done: func(v any, _ error) {
					d.editor.next()
					s, _ := v.(diskState)
					if told := d.wb.told; len(s.names) > 0 && s.state != told {
						o.askReload(d, s.names)
					}
					d.wb.told = s.state
				}})
		})
	}
}

// diskState is the files that changed, and how.
type diskState struct {
	names []string
	state string
}

func (o *opener) askReload(d *Document, names []string) {
	text := "Changed or removed by another program since it was opened here: " + strings.Join(names, ", ") + "."
	if d.editor.dirty {
		text += "\nReloading discards your unsaved edits."
	}
	o.wb.shell.box("The file changed on disk", textOf(text), question, "Keep what is shown", nil, "Reload", func() { o.anew(d) })
}
