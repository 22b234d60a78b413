package model

// Edit is one change asked for. Exactly one of its forms is used:
//
//   - a value for a field: Path and Value (a field may be resized by it; what depends on it follows);
//   - bytes in place of bytes: Range and With (nil deletes; an empty Range inserts);
//   - a file of the folder: File, and Create with its content, or Delete.
type Edit struct {
	Path  string
	Value Value

	Range Range
	With  Source
	// Into is the path of the span that inserted bytes belong to, where they lie between two: what ends or starts there
	// grows, and what follows moves. Elements is how many elements the edit adds to that list.
	Into     string
	Elements int64
	// Loose leaves everything that depends on the bytes alone: lengths, counts, offsets, checksums.
	Loose bool

	File   string
	Create Source
	Delete bool
}

// SetValue is the edit that writes a value into a field.
func SetValue(s *Span, v Value) Edit { return Edit{Path: s.Path(), Value: v} }

// Replace is the edit that puts bytes in place of a range; with nothing it deletes, at an empty range it inserts.
func Replace(r Range, with []byte) Edit { return Edit{Range: r, With: Memory(with)} }
