package model

// Edit is one requested change: a Set, a Splice or a FileEdit.
type Edit interface{ edit() }

// Set gives a field a value, and may resize it; what depends on it is updated.
type Set struct {
	Path  string
	Value Value
}

// Splice replaces bytes: nil deletes, an empty Range inserts.
type Splice struct {
	Range Range
	With  Source
	// Into is the path of the span that bytes inserted between two spans belong to: what ends or starts there
	// grows, and what follows moves. Elements is how many elements the edit adds to that list.
	Into     string
	Elements int64
	// Loose leaves everything that depends on the bytes unchanged: lengths, counts, offsets, checksums.
	Loose bool
	// Note is a remark for after saving that needs no answer; "" for none.
	Note string
}

// FileEdit writes a whole file of the folder, or with Delete removes it.
type FileEdit struct {
	File   string
	Create Source
	Delete bool
	// Warnings need confirmation, for instance about content that the file cannot store.
	Warnings []string
}

func (Set) edit()      {}
func (Splice) edit()   {}
func (FileEdit) edit() {}

// SetValue is the edit that writes a value into a field.
func SetValue(s *Span, v Value) Set { return Set{Path: s.Path(), Value: v} }

// Replace is the edit that replaces a range: an empty replacement deletes, an empty range inserts.
func Replace(r Range, with []byte) Splice { return Splice{Range: r, With: Memory(with)} }

// isLoose tells whether an edit leaves what depends on it unchanged.
func isLoose(e Edit) bool {
	s, ok := e.(Splice)
	return ok && s.Loose
}
