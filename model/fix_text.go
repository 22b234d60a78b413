package model

import (
	"bytes"
	"context"
	"fmt"
	"math/bits"
	"strings"

	"spandrel/model/correct"
)

// TextRepair searches for what a damaged text was: the texts of its grammar that differ from it in the fewest bytes, and fit what else is known.
type TextRepair struct {
	Grammar *correct.Grammar
	Of      string            // what the text is, in a sentence: "the header"
	At      Range             // the bytes that a text of the grammar should be
	Near    Range             // bytes that may be wrong though the grammar allows them
	Fits    func([]byte) bool // whether such a text is valid in its file
	Valid   func([]byte) bool // whether it is valid by itself: if none fits, something else is wrong with the file as well
	Budget  func(int64) bool  // whether so many more bytes may be parsed
}

const (
	mostWrong   = 8  // bytes of a text
	mostAnswers = 4  // that say something
	mostQuoted  = 3  // bytes that a sentence lists
	nearCost    = 64 // how much longer it takes to compare a text with a grammar than to parse it, about
)

// Fixes are the texts that fit, unless there are too many to say something. A single one is safe, unless a letter of it could be any. If none fits, it is
// the only one that is valid by itself.
func (r TextRepair) Fixes(ctx context.Context, b []byte) []Fix {
	out := r.nearest(ctx, b)
	if len(out) > 0 || r.Valid == nil {
		return out
	}
	r.Fits = r.Valid
	if out = r.nearest(ctx, b); len(out) != 1 {
		return nil
	}
	out[0].Safe = false
	return out
}

// nearest are the texts that fit.
func (r TextRepair) nearest(ctx context.Context, b []byte) (out []Fix) {
	if !r.Budget(nearCost * int64(len(b))) {
		return nil
	}
	near := r.Grammar.Near(ctx, b, mostWrong)
	wrong := max(1, near.Least)
	if wrong > mostWrong {
		return nil
	}
	found, ok := r.fitting(ctx, near, b, wrong)
	if !ok || len(found) > mostAnswers || len(found) > 1 && wrong > 1 {
		return nil // any of them would do
	}
	for _, x := range found {
		fix := r.fix(b, x)
		fix.Safe, fix.Impossible = len(found) == 1 && near.Sure(x) && !quotes(b, x) && !r.rivalled(ctx, near, x, wrong), wrong == near.Least
		out = append(out, fix)
	}
	return out
}

// quotes tells whether a text differs in a quotation mark where a character is that no single bit makes of it: the mark may be lost and what follows it moved up,
// so that the character is one of the quoted text.
func quotes(is, should []byte) bool {
	for i, c := range should {
		if (c == '"' || c == '\'') && is[i] >= ' ' && is[i] <= '~' && bits.OnesCount8(is[i]^c) > 1 {
			return true
		}
	}
	return false
}

// fitting are the texts that fit and differ in so many bytes, at least if they are few; ok is false if not all could be tried.
func (r TextRepair) fitting(ctx context.Context, near *correct.Nearest, b []byte, wrong int) (found [][]byte, ok bool) {
	vary := func(i int) bool { return r.Near.Contains(Range{r.At.Space, r.At.Off + int64(i), 1}) }
	for text := range near.Texts(wrong, vary) {
		if !r.Budget(int64(len(b))) || ctx.Err() != nil {
			return nil, false
		}
		if r.Fits(text) {
			found = append(found, bytes.Clone(text))
		}
		if len(found) > mostAnswers {
			break
		}
	}
	return found, true
}

// rivalled tells whether a text that differs in one byte more fits as well: a byte beside destroyed ones may be legal by chance.
func (r TextRepair) rivalled(ctx context.Context, near *correct.Nearest, text []byte, wrong int) bool {
	if wrong < 2 {
		return false
	}
	for rival := range near.Texts(wrong+1, near.Beside(text)) {
		if !r.Budget(int64(len(rival))) || ctx.Err() != nil || r.Fits(rival) {
			return true
		}
	}
	return false
}

// fix is the repair that writes the bytes in which a text differs.
func (r TextRepair) fix(is, should []byte) (fix Fix) {
	var write, wrong []string
	for i := range should {
		if is[i] == should[i] {
			continue
		}
		at := Range{Space: r.At.Space, Off: r.At.Off + int64(i), Len: 1}
		fix.Edits = append(fix.Edits, Replace(at, []byte{should[i]}))
		if len(write) < mostQuoted {
			write = append(write, fmt.Sprintf("%s at 0x%x", character(should[i]), at.Off))
			wrong = append(wrong, fmt.Sprintf("%s at 0x%x should be %s", character(is[i]), at.Off, character(should[i])))
		}
	}
	n := len(fix.Edits)
	if more := n - len(write); more > 0 {
		write, wrong = append(write, Words("%d more characters", more)), append(wrong, Words("%d more", more))
	}
	fix.Label = "write " + strings.Join(write, ", ")
	fix.Says = Words("%d characters are wrong in %s: %s.", n, r.Of, strings.Join(wrong, ", "))
	return fix
}

// character is a byte of a text in a sentence.
func character(c byte) string {
	if c < ' ' || c > '~' {
		return fmt.Sprintf("0x%02x", c)
	}
	return fmt.Sprintf("'%c'", c)
}
