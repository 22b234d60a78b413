package askpath

import "strings"

// Kind is a kind of files that a dialog can list.
type Kind struct {
	Name string
	Exts []string // without dots; none: every file
}

// fewExts is how many extensions fit into a label.
const fewExts = 6

// Label is the kind in a dialog: its name, with its extensions if they are few.
func (k Kind) Label() string {
	if len(k.Exts) == 0 || len(k.Exts) > fewExts {
		return k.Name
	}
	return k.Name + " (*." + strings.Join(k.Exts, ", *.") + ")"
}
