package npyfile

import (
	"bytes"
	"context"
	"fmt"
	"regexp"
	"slices"
	"strings"

	"spandrel/model"
	"spandrel/model/correct"
)

const (
	text      = 12      // where the header text begins, at most
	maxHeader = 512     // bytes of a header that are searched for wrong ones
	mostTried = 1 << 22 // bytes of headers that are compared
	alignment = 16      // that numpy gives the data, at least; since 1.14 it is 64
	// mostPadding is the largest number of spaces at the end of a head: up to the alignment, and since 1.23 room for the first dimension to grow.
	mostPadding = 64 + 21
)

// grammar is the beginning of a file as numpy writes it.
var grammar = func() *correct.Grammar {
	const (
		number = `(0|[1-9][0-9]*)`
		shape  = `\((` + number + `,( ` + number + `(, ` + number + `)*)?)?\)`
		simple = `'[<>|=][?biufcmMOSUVa]([0-9]+(\[[0-9]*[A-Za-z]+\])?)?'`
		name   = `'[^'\\\x00-\x1f\x7f-\xff]*'`
		part   = `\(` + name + `, ` + simple + `(, ` + shape + `)?\)`
		dict   = `\{'descr': (` + simple + `|\[` + part + `(, ` + part + `)*\]), 'fortran_order': (True|False), 'shape': ` + shape + `, \} *\n`
		head   = `(\x01\x00[\x00-\xff]{2}|[\x02\x03]\x00[\x00-\xff]{4})`
	)
	return correct.NewGrammar(`\x93NUMPY` + head + dict + `[\x00-\xff]*`)
}()

// CorrectHeader offers to correct the wrong bytes in the header of an NPY file that cannot be parsed: to what numpy writes for an array that fills
// the file. The file is a whole space.
func CorrectHeader(ctx context.Context, in model.SpaceID, c *model.Content) []model.Fix {
	b, size := make([]byte, min(c.Len(), text+MaxHeader)), c.Len()
	if n, _ := c.ReadAt(b, 0); n < len(b) {
		return nil
	}
	if fix := append(Refit(in, b, size, true), Reshape(in, b, c)...); fix != nil {
		return fix
	}
	if fix := append(respell(in, b, size), fromJSON(in, b, size)...); fix != nil {
		return fix
	}
	b = b[:min(len(b), maxHeader)]
	if fix := refill(in, b, size); fix != nil {
		return fix
	}
	h, err := Parse(b)
	if err == nil && CodecOf(h.Descr) != nil && b[h.Data-1] == '\n' {
		return nil // then the length of the file is wrong
	}
	all, tried := model.Range{Space: in, Len: int64(len(b))}, int64(0)
	parsed := func(is func(h *Head, text []byte) bool) func([]byte) bool {
		return func(text []byte) bool {
			h, err := Parse(text)
			return err == nil && is(&h, text)
		}
	}
	fixes := model.TextRepair{
		Grammar: grammar, Of: "the header", At: all, Near: all,
		Fits:   parsed(func(h *Head, text []byte) bool { return h.usual(text, size) }),
		Valid:  parsed((*Head).written),
		Budget: func(n int64) bool { tried += n; return tried <= mostTried },
	}.Fixes(ctx, b)
	for i := range fixes {
		sure := h.Data < size && !zerosEnd(c)
		fixes[i].Safe, fixes[i].Witnessed = fixes[i].Safe && sure, fixes[i].Witnessed && sure
	}
	return fixes
}

// leastZeros is how many zeros at the end of a file are no values by chance.
const leastZeros = 16

// zerosEnd tells whether zeros at the end of a file may be there to fill it up: then its length does not say how many values it has.
func zerosEnd(c *model.Content) bool {
	b := make([]byte, leastZeros)
	n, _ := c.ReadAt(b, max(0, c.Len()-leastZeros))
	return model.AllZero(b[:n])
}

// typed is where a head names its type.
var typed = regexp.MustCompile(`^[^']*'descr': *'([^']*)'`)

// respell offers numpy's name for a type that has the name of another library, if the array then fills the file: the head keeps its length, or has the one
// that it states.
func respell(in model.SpaceID, b []byte, size int64) []model.Fix {
	h, _ := Parse(b)
	if h.text == 0 || h.text > int64(len(b)) {
		return nil
	}
	at := typed.FindSubmatchIndex(b[h.text:])
	if at == nil {
		return nil
	}
	from, to := h.text+int64(at[2]), h.text+int64(at[3])
	was := string(b[from:to])
	is := meant(was)
	shorter := int(to-from) - len(is)
	end := to + int64(bytes.IndexByte(b[to:], '\n')) // blanks precede it
	if is == "" || is == was || end < to || shorter < 0 {
		return nil
	}
	for _, blanks := range []int{shorter, 0} {
		whole := slices.Concat(b[:from], []byte(is), b[to:end], bytes.Repeat([]byte(" "), blanks), b[end:])
		if x, err := Parse(whole); err == nil && x.Item > 0 && whole[x.Data-1] == '\n' && x.fills(size-int64(shorter-blanks)) {
			return []model.Fix{{Label: "set the type to " + is, Says: fmt.Sprintf("The type of the elements is %s, which numpy calls %s.", was, is), Once: true,
				Edits: []model.Edit{model.Splice{Range: model.Range{Space: in, Off: from, Len: end - from}, With: model.Memory(whole[from : end-int64(shorter-blanks)]), Loose: true}}}}
		}
	}
	return nil
}

// refill offers to restore the line feed at the end of a head, and the spaces that are missing before it, if the array fills the rest of the file.
func refill(in model.SpaceID, b []byte, size int64) []model.Fix {
	h, _ := Parse(b)
	if h.text == 0 || h.text > int64(len(b)) || h.size > MaxHeader {
		return nil
	}
	end := bytes.IndexByte(b[h.text:], '}') + 1
	if end == 0 {
		return nil
	}
	at := h.text + int64(end) // after the dict
	rest := bytes.TrimLeft(b[at:], " ")
	last, missing := int64(len(b)-len(rest)), ""
	if ended := len(rest) > 0 && rest[0] == '\n'; !ended && h.Data > last {
		at, missing = last, strings.Repeat(" ", int(h.Data-last-1))+"\n"
	}
	whole := slices.Concat(b[:at], []byte(missing), b[at:])
	is, err := Parse(whole)
	if missing == "" || err != nil || is.Data-(h.text+int64(end)) > mostPadding || !is.usual(whole, size+int64(len(missing))) {
		return nil
	}
	return []model.Fix{{Label: model.Words("restore the %d padding bytes of the header", len(missing)), Safe: true, Witnessed: true,
		Edits: []model.Edit{model.Splice{Range: model.Range{Space: in, Off: at}, With: model.Memory([]byte(missing)), Loose: true}}}}
}

// usual tells whether a head is what numpy writes for its array, and the array fills a file of size bytes.
func (h *Head) usual(b []byte, size int64) bool {
	return h.Item > 0 && h.Count >= 0 && h.Count <= size && h.Item <= size && h.Data+h.Count*h.Item == size && h.written(b)
}

// written tells whether a head is what numpy writes for its array.
func (h *Head) written(b []byte) bool {
	if h.Item <= 0 || h.Count < 0 || h.Data%alignment != 0 {
		return false
	}
	descr, shape, fortran := h.Type, "", "False"
	if h.Descr != "" {
		descr = "'" + h.Descr + "'"
	}
	for i, n := range h.Shape {
		if i > 0 {
			shape += " "
		}
		shape += fmt.Sprintf("%d,", n)
	}
	if len(h.Shape) > 1 {
		shape = strings.TrimSuffix(shape, ",")
	}
	if h.Fortran {
		fortran = "True"
	}
	text := fmt.Sprintf("{'descr': %s, 'fortran_order': %s, 'shape': (%s), }", descr, fortran, shape)
	is := string(b[h.text:h.Data])
	return strings.TrimRight(is, " \n") == text && is[len(is)-1] == '\n' && strings.Count(is, "\n") == 1
}
