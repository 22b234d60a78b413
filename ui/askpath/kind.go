package askpath

import "strings"

// Kind is a kind of files that a dialog can show alone.
type Kind struct {
	Name string
	Exts []string // without dots; none: every file
}

// fewExts is how many endings a name has room for.
const fewExts = 6

// Label is what the dialog calls the kind: its name with its endings, where they are few.
func (k Kind) Label() string {
	if len(k.Exts) == 0 || len(k.Exts) > fewExts {
		return k.Name
	}
	return k.Name + " (*." + strings.Join(k.Exts, ", *.") + ")"
}
