package cause

import (
	"bytes"
	"cmp"
	"fmt"
	"slices"

	"spandrel/model"
)

// If the content of a file is stored elsewhere too, the difference shows what happened: bytes are missing, surplus, or different.

const (
	leastTold = 8  // differing bytes that are more than a number, whose own finding says more
	leastOfIt = 16 // bytes that are a piece of the file by more than chance
	maxTorn   = 64 // differing bytes, at most, next to missing or surplus ones
)

// rebuilt is a file before and after a repair that restores it from content stored elsewhere.
type rebuilt struct {
	name    string
	the     string // the file, for the start of a sentence
	was, is *model.Content
	list    []Change
}

// rewritten says how a file differs from its repaired state, if that says more than the rule that offers the repair; otherwise "".
func (r *ranking) rewritten(t *trial) (text string, at Place) {
	if t.op != makeRepair || !t.copies() && !t.solved || t.lossy || t.begins || !t.res.clean() {
		return "", at
	}
	to, err := r.reach(t)
	if err != nil {
		return "", at
	}
	list := changes(r.all, r.base.snap, to)
	if t.shifts || len(list) == 0 || len(list) >= maxChanges || slices.ContainsFunc(list, func(c Change) bool { return c.File != list[0].File }) {
		return "", at
	}
	was, is, ok := both(r.base.snap, to, list[0].File)
	if !ok {
		return "", at
	}
	x := rebuilt{list[0].File, theFile(r.base.snap, list[0].File), was, is, list}
	first, last := list[0], list[len(list)-1]
	return x.says(), Place{File: x.name, Off: first.Off, Len: max(1, last.Off+last.Del-first.Off)}
}

// says is the sentence: "" if the rule has a better one.
func (x *rebuilt) says() string {
	c, the, it := x.list[0], x.the, lower(x.the)
	switch missing := c.Grown - c.Del; {
	case x.transferred() != "":
		return fmt.Sprintf("%s was transferred as text: %s.", the, x.transferred())
	case missing == 0:
		return x.overwritten()
	case x.piece() > 0:
		return fmt.Sprintf("Only a piece of %s is left: %s of %s bytes, those from byte %s on.", it, model.Thousands(x.was.Len()), model.Thousands(x.is.Len()), model.Thousands(x.piece()))
	case c.Del == x.was.Len():
		return ""
	case c.Off == 0 && c.Grown > 0 && 4*c.Del >= 3*x.was.Len(): // not even its beginning is right
		return fmt.Sprintf("%s does not contain what it should: %s of its %s bytes differ.", the, model.Thousands(c.Del), model.Thousands(x.was.Len()))
	case min(c.Del, c.Grown) > maxTorn:
		return ""
	case missing > 0 && c.Off == 0 && c.Del == 0:
		return behead(missing, it)
	case missing > 0 && c.Off == x.was.Len():
		return fmt.Sprintf("%s is truncated: its last %s missing.", the, counted(missing, "is", "are"))
	case missing < 0 && c.Off == 0 && c.Grown == 0:
		return fmt.Sprintf("%s %s: %s. The file itself follows %s.", counted(-missing, "precedes", "precede"), it, x.before(), pronoun(-missing))
	case missing < 0 && c.Off+c.Del == x.was.Len() && c.Grown == 0:
		return fmt.Sprintf("%s the end of %s.", counted(-missing, "follows", "follow"), it)
	default:
		return moved(-missing, it, x.about(), c.Off, foreign(bytesAt(x.was, c.Off, c.Del), nil))
	}
}

// about says that a place is known only up to the bytes that differ there.
func (x *rebuilt) about() string {
	if c := x.list[0]; min(c.Del, c.Grown) > 0 {
		return "about "
	}
	return ""
}

// piece is where in the repaired file the remaining bytes begin; 0 if they are no piece of it, or its beginning or end.
func (x *rebuilt) piece() int64 {
	if x.was.Len() < leastOfIt || x.was.Len() >= x.is.Len() || x.is.Len() > maxTransform {
		return 0
	}
	at := int64(bytes.Index(bytesAt(x.is, 0, x.is.Len()), bytesAt(x.was, 0, x.was.Len())))
	if at+x.was.Len() == x.is.Len() {
		return 0
	}
	return max(0, at)
}

// overwritten says which bytes were overwritten, if they are more than a number.
func (x *rebuilt) overwritten() string {
	last := x.list[len(x.list)-1]
	from, end, n := x.list[0].Off, last.Off+last.Del, int64(0)
	for _, c := range x.list {
		n += c.Del
	}
	if n <= leastTold || 2*n > x.was.Len() || 2*n < end-from {
		return ""
	}
	if b := bytesAt(x.was, from, end-from); uniform(b) {
		return fmt.Sprintf("%s bytes of %s at 0x%x are 0x%02x, but should be other data.", model.Thousands(end-from), lower(x.the), from, b[0])
	}
	return fmt.Sprintf("%s bytes of %s at 0x%x were overwritten with other data.", model.Thousands(end-from), lower(x.the), from)
}

// before says what precedes the file.
func (x *rebuilt) before() string {
	return cmp.Or(foreign(bytesAt(x.was, 0, x.list[0].Del), nil), unexplained)
}

// transferred says which transfer as text turns the repaired file into the present one; "" if none does.
func (x *rebuilt) transferred() string {
	if x.is.Len() > maxTransform || x.was.Len() == 0 {
		return ""
	}
	was, is := bytesAt(x.was, 0, x.was.Len()), bytesAt(x.is, 0, x.is.Len())
	for _, t := range []struct {
		says string
		made []byte
	}{
		{"its zero bytes were removed", bytes.ReplaceAll(is, []byte{0}, nil)},
		{"its carriage returns were removed", bytes.ReplaceAll(is, []byte{'\r'}, nil)},
		{"its line feeds were removed", bytes.ReplaceAll(is, []byte{'\n'}, nil)},
		{"its line feeds became CR LF", bytes.ReplaceAll(is, []byte{'\n'}, []byte("\r\n"))},
		{"its zero bytes became spaces", bytes.ReplaceAll(is, []byte{0}, []byte{' '})},
		{"its bytes that are not valid text were left out", bytes.ToValidUTF8(is, nil)},
		{"its bytes that are not valid text became U+FFFD", bytes.ToValidUTF8(is, []byte("\uFFFD"))},
	} {
		if bytes.Equal(t.made, was) {
			return t.says
		}
	}
	return ""
}
