package cause

import (
	"bytes"
	"fmt"
	"path"

	"spandrel/model"
)

// A name of a file is misspelt where another file stores it.

// mostMisspelt is in how many letters two names of equal length may differ for one to be the other, damaged.
const mostMisspelt = 2

func misspelt(a, b string) bool { return len(a) == len(b) && model.Differences(a, b) <= mostMisspelt }

// misspeltNames are the trials that give a missing file, where the main file names it, the name of a file of the document that is almost the same. It is
// certain only if the main file has that name elsewhere: otherwise the file may have been renamed.
func misspeltNames(r *search, missing string) (out []*trial) {
	c, err := r.base.snap.Content(r.base.snap.Primary)
	if err != nil || c.Len() > maxRegular {
		return nil
	}
	is, wrong := bytesAt(c, 0, c.Len()), []byte(path.Base(missing))
	for _, file := range filesOf(r.base.tree) {
		name := path.Base(file)
		if path.Dir(file) != path.Dir(missing) || name == string(wrong) || !misspelt(name, string(wrong)) || !bytes.Contains(is, wrong) {
			continue
		}
		to := r.base.snap.With(r.base.snap.Primary, model.BytesContent(bytes.ReplaceAll(is, wrong, []byte(name))))
		out = append(out, &trial{kind: derived, op: rewriteFile, unsure: !bytes.Contains(is, []byte(name)), snap: to,
			at:   Place{File: r.base.snap.Primary, Off: int64(bytes.Index(is, wrong)), Len: int64(len(wrong))},
			text: fmt.Sprintf("A name is misspelt: %s, should be %s.", missing, file), label: fmt.Sprintf("write %s for %s", name, wrong), means: "Readers look for a file that does not exist."})
	}
	return out
}
