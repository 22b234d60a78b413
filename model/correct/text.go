package correct

import (
	"context"
	"iter"
	"math/bits"
	"regexp/syntax"
	"slices"
)

// UTF8 is the grammar of a character outside ASCII.
const UTF8 = `([\xc2-\xdf][\x80-\xbf]|[\xe0-\xef][\x80-\xbf]{2}|[\xf0-\xf4][\x80-\xbf]{3})`

// Grammar is what a text may be: a regular expression in which every byte is a character of its own.
type Grammar struct {
	places []place
	first  []int // the places that a text may begin with
}

// place is a place of the expression that one byte of a text matches; the end of the text matches a place without bytes.
type place struct {
	set  [256]bool
	size int   // how many bytes are in the set
	next []int // the places that may follow
}

const (
	mostCells   = 1 << 26 // bytes of a text × places of its grammar
	mostChoices = 16      // legal values of a byte that are tried in place of each other: digits, not the letters of a name
	never       = 255     // no text of the grammar is reached from here
)

// NewGrammar makes a grammar of a valid regular expression of characters up to U+00FF, without anchors.
func NewGrammar(expression string) *Grammar {
	re, err := syntax.Parse(expression, syntax.Perl)
	if err != nil {
		panic(err)
	}
	prog, err := syntax.Compile(re.Simplify())
	if err != nil {
		panic(err)
	}
	g, at := &Grammar{}, map[uint32]int{}
	for i := range prog.Inst {
		in, p := &prog.Inst[i], place{}
		switch in.Op {
		case syntax.InstRune, syntax.InstRune1, syntax.InstRuneAny, syntax.InstRuneAnyNotNL:
			for b := range p.set {
				if p.set[b] = in.MatchRune(rune(b)); p.set[b] {
					p.size++
				}
			}
		case syntax.InstMatch:
		default:
			continue
		}
		at[uint32(i)], g.places = len(g.places), append(g.places, p)
	}
	for i, n := range at {
		if prog.Inst[i].Op != syntax.InstMatch {
			g.places[n].next = reached(prog, prog.Inst[i].Out, at)
		}
	}
	g.first = reached(prog, uint32(prog.Start), at)
	return g
}

// reached returns the places that are reached from an instruction without a byte between.
func reached(prog *syntax.Prog, from uint32, at map[uint32]int) (out []int) {
	seen, todo := map[uint32]bool{}, []uint32{from}
	for len(todo) > 0 {
		i := todo[len(todo)-1]
		todo = todo[:len(todo)-1]
		if seen[i] {
			continue
		}
		seen[i] = true
		if n, ok := at[i]; ok {
			out = append(out, n)
			continue
		}
		switch in := prog.Inst[i]; in.Op {
		case syntax.InstAlt, syntax.InstAltMatch:
			todo = append(todo, in.Out, in.Arg)
		case syntax.InstCapture, syntax.InstNop:
			todo = append(todo, in.Out)
		}
	}
	slices.Sort(out)
	return out
}

// Nearest knows how close a text is to those of a grammar.
type Nearest struct {
	Least int // how many bytes of the text are wrong at least; more than were allowed if there is no such text
	g     *Grammar
	b     []byte
	left  [][]uint8 // by byte and place: how many bytes from here on are wrong at least
}

// Near compares a text with a grammar, counting up to most wrong bytes. None may be lost or inserted.
func (g *Grammar) Near(ctx context.Context, b []byte, most int) *Nearest {
	n := &Nearest{Least: never, g: g, b: b}
	if (len(b)+1)*len(g.places) > mostCells {
		return n
	}
	n.left = make([][]uint8, len(b)+1)
	for at := len(b); at >= 0; at-- {
		if at%step == 0 && ctx.Err() != nil {
			return n
		}
		row := make([]uint8, len(g.places))
		for i := range g.places {
			row[i] = n.wrong(at, &g.places[i], most)
		}
		n.left[at] = row
	}
	n.Least = n.least(0, g.first)
	return n
}

// wrong is how many bytes are wrong from one on that is at a place.
func (n *Nearest) wrong(at int, p *place, most int) uint8 {
	switch atEnd := at == len(n.b); {
	case atEnd && p.size == 0:
		return 0
	case atEnd || p.size == 0:
		return never
	}
	least := n.least(at+1, p.next)
	if !p.set[n.b[at]] {
		least++
	}
	if least > most {
		return never
	}
	return uint8(least)
}

// least is how many bytes from one on are wrong at least, if it is at one of these places.
func (n *Nearest) least(at int, these []int) int {
	least := never
	for _, i := range these {
		least = min(least, int(n.left[at][i]))
	}
	return least
}

// Texts yields the texts of the grammar that differ from the given one in exactly so many bytes. Bytes that the grammar allows are changed
// only if vary says so, and there are few to choose from. Where there are many, as in a name, a byte is only replaced by one that occurs
// elsewhere in the text and differs in one bit. The slice is reused.
func (n *Nearest) Texts(wrong int, vary func(at int) bool) iter.Seq[[]byte] {
	return func(yield func(text []byte) bool) {
		if n.Least <= wrong {
			w := &texts{Nearest: n, text: slices.Clone(n.b), vary: vary, yield: yield}
			for _, c := range n.b {
				w.used[c] = true
			}
			w.from(0, n.g.first, wrong)
		}
	}
}

// near is how far apart wrong bytes are at most that one event may have changed, with those between and beside them.
const near = 4

// Sure tells whether no other text would do as well as one of Texts: no byte of it that was changed, or may have been changed together with those
// around it, could be any of many.
func (n *Nearest) Sure(text []byte) bool {
	changed := n.changed(text)
	these, left := n.g.first, changed
	for at, is := range text {
		if len(left) > 0 && left[0] == at {
			left = left[1:]
		}
		var free bool
		if these, free = n.onward(at, these, is, len(left)); free && together(at, changed) {
			return false
		}
	}
	return true
}

// changed lists the bytes in which a text differs.
func (n *Nearest) changed(text []byte) (out []int) {
	for at := range text {
		if text[at] != n.b[at] {
			out = append(out, at)
		}
	}
	return out
}

// Beside tells which bytes a text changes, or may have kept though they were changed together with those around them.
func (n *Nearest) Beside(text []byte) func(at int) bool {
	changed := n.changed(text)
	return func(at int) bool { return together(at, changed) }
}

// onward returns the places that may follow a byte that is at one of these, if no more than so many bytes after it are changed; free tells that it could be
// any of many.
func (n *Nearest) onward(at int, these []int, is byte, wrong int) (out []int, free bool) {
	for _, i := range these {
		p := &n.g.places[i]
		if n.least(at+1, p.next) > wrong {
			continue
		}
		if free = free || p.size > mostChoices; p.set[is] {
			out = append(out, p.next...)
		}
	}
	slices.Sort(out)
	return slices.Compact(out), free
}

// together tells whether a byte was changed, or may have been: it is among several that were, or beside them.
func together(at int, changed []int) bool {
	for k, c := range changed {
		if at == c || k > 0 && c-changed[k-1] <= near && changed[k-1]-1 <= at && at <= c+1 {
			return true
		}
	}
	return false
}

// texts is a walk through the texts of a grammar.
type texts struct {
	*Nearest
	text  []byte
	used  [256]bool // bytes that occur in the text
	vary  func(at int) bool
	yield func(text []byte) bool
}

// from continues at a byte that is at one of these places, with so many to be changed; false stops the walk.
func (w *texts) from(at int, these []int, wrong int) bool {
	for ; wrong > 0 && at < len(w.b) && len(these) > 0; at++ {
		open := w.open(at, these)
		for v := 0; v < 256 && len(open) > 0; v++ {
			w.text[at] = byte(v)
			if into := w.after(at, open, wrong-1); byte(v) != w.b[at] && len(into) > 0 && !w.from(at+1, into, wrong-1) {
				return false
			}
		}
		w.text[at] = w.b[at]
		these = w.after(at, these, wrong)
	}
	return wrong > 0 || w.least(at, these) > 0 || w.yield(w.text)
}

// open returns those of the places at which the byte may be changed.
func (w *texts) open(at int, these []int) (out []int) {
	for _, i := range these {
		if p := &w.g.places[i]; !p.set[w.b[at]] || p.size <= mostChoices && w.vary(at) {
			out = append(out, i)
		}
	}
	return out
}

// after returns the places that may follow a byte that is at one of these, if no more than so many bytes after it are changed.
func (w *texts) after(at int, these []int, wrong int) (out []int) {
	for _, i := range these {
		p, is, was := &w.g.places[i], w.text[at], w.b[at]
		likely := is == was || p.size <= mostChoices || w.used[is] && bits.OnesCount8(is^was) == 1
		if likely && p.set[is] && w.least(at+1, p.next) <= wrong {
			out = append(out, p.next...)
		}
	}
	slices.Sort(out)
	return slices.Compact(out)
}
