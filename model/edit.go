package model

// Edit is one change asked for: a Set, a Splice or a FileEdit.
type Edit interface{ edit() }

// Set gives a field a value. The field may be resized by it; what depends on it follows.
type Set struct {
	Path  string
	Value Value
}

// Splice puts bytes in place of bytes: nil deletes, an empty Range inserts.
type Splice struct {
	Range Range
	With  Source
	// Into is the path of the span that inserted bytes belong to, where they lie between two: what ends or starts there
	// grows, and what follows moves. Elements is how many elements the edit adds to that list.
	Into     string
	Elements int64
	// Loose leaves everything that depends on the bytes alone: lengths, counts, offsets, checksums.
	Loose bool
	// Note is what is good to know of the edit once it is saved, and needs no answer; "" for nothing.
	Note string
}

// FileEdit writes a whole file of the folder, or with Delete removes it.
type FileEdit struct {
	File   string
	Create Source
	Delete bool
	// Warnings are what wants to be confirmed, as what the file has no place for.
	Warnings []string
}

func (Set) edit()      {}
func (Splice) edit()   {}
func (FileEdit) edit() {}

// SetValue is the edit that writes a value into a field.
func SetValue(s *Span, v Value) Set { return Set{Path: s.Path(), Value: v} }

// Replace is the edit that puts bytes in place of a range; with nothing it deletes, at an empty range it inserts.
func Replace(r Range, with []byte) Splice { return Splice{Range: r, With: Memory(with)} }

// isLoose tells whether an edit leaves what depends on it alone.
func isLoose(e Edit) bool {
	s, ok := e.(Splice)
	return ok && s.Loose
}
