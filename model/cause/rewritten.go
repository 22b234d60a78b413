package cause

import (
	"bytes"
	"fmt"

	"spandrel/model"
)

// What happened to a file whose content stands elsewhere too shows where the two differ: bytes that are missing, that are too many, that are other ones.

// leastTold is how many bytes of a number that is wrong are said by the number itself.
const leastTold = 8

// rewritten says how a file differs from what it is rebuilt to, where that says more than the rule that offers it: "" where it does not.
func (r *ranking) rewritten(t *trial) (text string, at Place) {
	to, err := r.reach(t)
	if err != nil || !t.repair || !t.copies && !t.solved || t.begins || !t.res.clean() {
		return "", Place{}
	}
	list := changes(r.all, r.base.snap, to)
	if len(list) == 0 || len(list) >= maxChanges {
		return "", Place{}
	}
	file := list[0].File
	was, err := r.base.snap.Content(file)
	is, gone := to.Content(file)
	for _, c := range list {
		if c.File != file || err != nil || gone != nil {
			return "", Place{}
		}
	}
	the := file
	if file == r.base.snap.Primary {
		the = "The file"
	}
	it := lower(the)
	first, last := list[0], list[len(list)-1]
	end := last.Off + last.Del
	at = Place{File: file, Off: first.Off, Len: max(1, end-first.Off)}
	switch {
	case was.Len() == is.Len():
		text = r.differing(was, list, it)
	case left(was, is) > 0:
		text = fmt.Sprintf("Only a piece of %s is left: %s of %s bytes, those from byte %s on.", it, model.Thousands(was.Len()), model.Thousands(is.Len()), model.Thousands(left(was, is)))
	case min(first.Del, first.Grown) > 0: // something is there in place of something else
		if 4*first.Del >= 3*was.Len() {
			text = fmt.Sprintf("%s contains something else than it should: %s of its %s bytes differ.", the, model.Thousands(first.Del), model.Thousands(was.Len()))
		} else if more := first.Grown - first.Del; min(first.Del, first.Grown) <= maxTorn {
			text = torn(more, it, first.Off)
		}
	case first.Grown > 0 && first.Off == 0:
		text = behead(first.Grown, it)
	case first.Grown > 0 && first.Off == was.Len():
		text = fmt.Sprintf("%s is truncated: its last %s missing.", the, counted(first.Grown, "is", "are"))
	case first.Grown > 0:
		text = fmt.Sprintf("%s inside %s, at 0x%x; everything after is shifted forward.", counted(first.Grown, "is missing", "are missing"), it, first.Off)
	case first.Off == 0:
		text = fmt.Sprintf("%s %s, and %s not belong to it. The file itself follows %s.", counted(first.Del, "precedes", "precede"), it, does(first.Del), pronoun(first.Del))
	case end == was.Len():
		text = fmt.Sprintf("%s the end of %s.", counted(first.Del, "follows", "follow"), it)
	default:
		text = fmt.Sprintf("%s to %s at 0x%x; everything after is shifted back.", counted(first.Del, "does not belong", "do not belong"), it, first.Off)
	}
	return text, at
}

// maxTorn is how many bytes differ, at most, beside those that are missing or too many.
const maxTorn = 64

// torn says that bytes are missing inside a file, or too many where the number is less than none, at about a place.
func torn(missing int64, it string, off int64) string {
	if missing > 0 {
		return fmt.Sprintf("%s inside %s, at about 0x%x; everything after is shifted forward.", counted(missing, "is missing", "are missing"), it, off)
	}
	return fmt.Sprintf("%s to %s at about 0x%x; everything after is shifted back.", counted(-missing, "does not belong", "do not belong"), it, off)
}

// leastOfIt is how many bytes are a piece of something by more than chance.
const leastOfIt = 16

// left is where in what a file should be the bytes begin that are left of it; 0 where they are no piece of it, or its beginning or end.
func left(was, is *model.Content) int64 {
	if was.Len() < leastOfIt || was.Len() >= is.Len() || is.Len() > maxTransform {
		return 0
	}
	at := int64(bytes.Index(front(is, 0, is.Len()), front(was, 0, was.Len())))
	if at+was.Len() == is.Len() {
		return 0
	}
	return max(0, at)
}

// differing says which bytes of a file are others than those that belong there, where they are more than those of a number.
func (r *ranking) differing(was *model.Content, list []Change, it string) string {
	from, end, n := list[0].Off, list[len(list)-1].Off+list[len(list)-1].Del, int64(0)
	for _, c := range list {
		n += c.Del
	}
	if n <= leastTold || 2*n > was.Len() || 2*n < end-from {
		return ""
	}
	b := front(was, from, end-from)
	if uniform(b) {
		return fmt.Sprintf("%s bytes of %s at 0x%x are 0x%02x, where other ones belong.", model.Thousands(end-from), it, from, b[0])
	}
	return fmt.Sprintf("%s bytes of %s at 0x%x were overwritten: other ones belong there.", model.Thousands(end-from), it, from)
}

func does(n int64) string {
	if n == 1 {
		return "does"
	}
	return "do"
}
