package scdl

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"slices"
	"unicode/utf8"

	"spandrel/model"
)

// A header has no offsets and no checksums: after one wrong length or count everything after it is read from the wrong bytes. But
// only the right number leads to the last byte through valid texts and types, so it can be found by trying.

// correction is the right value of the one wrong field of a header: its place, and its value. at is −1 if no field
// is wrong, or no single value makes the header valid.
type correction struct {
	at    int64
	value uint64
}

// The least sizes of a text, of a descriptor and of a feature index: the lengths and the mark, and one character.
const (
	leastText = 4 + 1
	leastItem = leastText + 12 + 1
)

// maxTried is the longest header whose lengths are tried.
const maxTried = 1 << 16

// trialBudget is how many bytes are read for it, some milliseconds; less if very many headers are tried.
var trialBudget = 1 << 23

// correct finds the field of a header for which exactly one other value makes the whole header readable.
func correct(b []byte) correction {
	none := correction{at: -1}
	w := &walk{b: b, corrected: none}
	if len(b) > maxTried || w.header() {
		return none
	}
	found := none
	budget := trialBudget
	for _, f := range w.fields {
		before := &walk{b: b[:f.at], corrected: none, strict: true}
		if before.header(); before.broken {
			break // the bytes before the field are not a header either
		}
		rest, gone := f.item.onwards(b)
		for v := uint64(0); v <= f.most && budget > 0; v++ {
			t := &walk{b: rest, corrected: correction{f.at - gone, v}, strict: true}
			ok := t.header()
			if budget -= 64 + t.at; !ok {
				continue
			}
			if found.at >= 0 {
				return none // two answers are as good as none
			}
			found = correction{f.at, v}
		}
	}
	return found
}

// cutTo returns the minimum length of a header that is truncated in the middle of what it lists, and 0 for any other.
func cutTo(b []byte) int64 {
	w := &walk{b: b, corrected: correction{at: -1}, strict: true}
	if !bytes.HasPrefix(b, []byte("SCDL")) || w.header() || w.broken || w.needs > int64(len(b)+maxTried) {
		return 0
	}
	return w.needs
}

// number is a field of a header, its largest possible value, and the list item that it is in.
type number struct {
	at   int64
	most uint64
	item listed
}

// listed is a descriptor or a feature index: its place, and how many there are from it on. It is zero for a field that is in none.
type listed struct {
	at    int
	left  uint64
	index bool
}

// onwards is the same header without the items before this one, and how many bytes shorter it is: a field is tried with many values, and what
// precedes it is read alike with each.
func (m listed) onwards(b []byte) (rest []byte, gone int64) {
	if m.left == 0 {
		return b, 0
	}
	rest = slices.Clone(b[:12])
	if m.index {
		rest = binary.BigEndian.AppendUint32(rest, 0) // no descriptors
	}
	rest = binary.BigEndian.AppendUint32(rest, uint32(m.left))
	gone = int64(m.at - len(rest))
	return append(rest, b[m.at:]...), gone
}

// walk reads a header without creating anything.
type walk struct {
	b         []byte
	at        int
	corrected correction
	strict    bool
	item      listed   // that is read
	fields    []number // lengths, counts and marks of shapes, up to where the header could be read
	broken    bool     // something that was read in full is not legal
	inline    int64    // bytes of the arrays, if they followed their descriptors
	needs     int64    // minimum length of a truncated header
	seen      []symptom
}

// symptom is an error that a reader of the unrepaired header runs into.
type symptom struct {
	rule        *model.Rule
	at, n       int64
	found, want string
}

// stumble notes a symptom. Strict walks skip that: there are a hundred thousand of them.
func (w *walk) stumble(rule *model.Rule, at int64, n int64, found, want any) {
	w.seen = append(w.seen, symptom{rule, at, n, fmt.Sprint(found), fmt.Sprint(want)})
}

// symptoms are those of reading the unrepaired header.
func symptoms(b []byte) []symptom {
	w := &walk{b: b, corrected: correction{at: -1}}
	w.header()
	return w.seen
}

// legal notes an illegal value; only a strict walk stops there.
func (w *walk) legal(ok bool) bool {
	w.broken = w.broken || !ok
	return ok || !w.strict
}

func (w *walk) take(n uint64) bool {
	if n > uint64(len(w.b)-w.at) {
		w.needs = int64(uint64(w.at) + min(n, 1<<32))
		return false
	}
	w.at += int(n)
	return true
}

// num reads a length or a count; most is the largest value that the bytes after it leave room for.
func (w *walk) num(most func(after []byte) int) (uint64, bool) {
	at := int64(w.at)
	if !w.take(4) {
		return 0, false
	}
	if !w.strict {
		w.fields = append(w.fields, number{at, uint64(most(w.b[w.at:])), w.item})
	}
	if w.corrected.at == at {
		return w.corrected.value, true
	}
	return uint64(binary.BigEndian.Uint32(w.b[at:])), true
}

// textRoom is the greatest length of a legal text at the beginning of bytes.
func textRoom(b []byte) int {
	b = b[:min(len(b), maxName)]
	if i := slices.IndexFunc(b, control); i >= 0 {
		return i
	}
	return len(b)
}

// roomFor counts things of a least size.
func roomFor(size int) func([]byte) int { return func(b []byte) int { return len(b) / size } }

// text reads a length and a text, which may have to be a name.
func (w *walk) text(name bool) bool {
	n, ok := w.num(textRoom)
	from := w.at
	if !ok {
		return false
	}
	if !w.take(n) {
		if !w.strict {
			w.stumble(textLength, int64(from)-4, 4, n, fmt.Sprintf("at most %d", len(w.b)-from))
		}
		return false
	}
	s := w.b[from:w.at]
	if !w.strict && name && len(bytes.TrimSpace(s)) == 0 {
		w.stumble(noName, int64(from)-4, 4+int64(n), "an empty name", "")
	}
	return w.legal(len(s) > 0 && len(s) <= maxName && !slices.ContainsFunc(s, control) && utf8.Valid(s))
}

// control tells whether a byte is a control character.
func control(b byte) bool { return b < ' ' }

// shape reads the mark of a shape, and its dimensions.
func (w *walk) shape() bool {
	at := int64(w.at)
	if !w.take(1) {
		return false
	}
	if !w.strict {
		w.fields = append(w.fields, number{at, 1, w.item})
	}
	has := uint64(w.b[at])
	if w.corrected.at == at {
		has = w.corrected.value
	}
	if has == 0 {
		return true
	}
	n, ok := w.num(roomFor(4))
	if !w.strict && ok && 4*n > uint64(len(w.b)-w.at) {
		w.stumble(shapeCount, int64(w.at)-4, 4, n, fmt.Sprintf("at most %d", (len(w.b)-w.at)/4))
	}
	return ok && w.legal(has == 1 && n > 0 && n <= 32) && n <= 1<<20 && w.take(4*n)
}

// desc reads what arrays and feature indices have in common.
func (w *walk) desc() bool {
	if !w.text(true) || !w.take(12) {
		return false
	}
	t := binary.BigEndian.Uint32(w.b[w.at-4:])
	if n := binary.BigEndian.Uint64(w.b[w.at-12:]); n <= maxTried {
		w.inline += int64(n) * widthOf(uint64(t))
	}
	return w.legal(t >= 1 && t <= 9)
}

// index reads a feature index.
func (w *walk) index() bool {
	if !w.desc() {
		return false
	}
	n, ok := w.num(roomFor(leastText))
	for ; ok && n > 0; n-- {
		if !w.text(false) {
			return false
		}
	}
	return ok && w.shape()
}

// list reads a count and as many things.
func (w *walk) list(rule *model.Rule, what string, one func() bool) bool {
	w.item = listed{}
	n, ok := w.num(roomFor(leastItem))
	for i, at := uint64(0), int64(w.at)-4; ok && i < n; i++ {
		w.item = listed{w.at, n - i, rule == indexBlock}
		if !one() {
			if !w.strict {
				w.stumble(rule, at, 4, fmt.Sprintf("%d %s", i, what), n)
			}
			return false
		}
	}
	return ok
}

// block reads the feature-index block.
func (w *walk) block() bool { return w.list(indexBlock, "entries", w.index) }

// blockEnd is where a feature-index block at the front of bytes ends; false if it is not one.
func blockEnd(b []byte) (end int64, ok bool) {
	w := &walk{b: b, corrected: correction{at: -1}}
	ok = w.block()
	return int64(w.at), ok
}

// header reads all of a header, and tells whether it ends where it should.
func (w *walk) header() bool {
	if !w.take(12) {
		return false
	}
	if !w.list(arrayTotal, "descriptors", func() bool { return w.desc() && w.shape() }) {
		return false
	}
	inline := int(w.inline)
	if left := len(w.b) - w.at; !w.strict && (left == 0 || left == inline) {
		return true // a header without feature folders, or with the arrays in their place
	}
	if !w.block() {
		return false
	}
	left := len(w.b) - w.at
	if left > 0 && left < chunkBytes && w.b[w.at] == 1 {
		w.take(chunkBytes)
	}
	return left == 0 || !w.strict && left == inline || left == chunkBytes && w.b[w.at] == 1 || left == 1 && w.b[w.at] == 0 && w.corrected.at < 0 // after lowering a count, it would be part of the removed entries
}
