package tarfile

import (
	"bytes"
	"context"
	"fmt"
	"slices"
	"strings"

	"spandrel/model"
)

// A damaged header is solved for: its checksum says by how much its bytes are off, and its surroundings which of them are wrong.

// part is a field of a header, and its place.
type part struct {
	field  *model.Field
	at, n  int
	number bool
}

var parts, sumPart = func() (out []part, sum part) {
	at := 0
	for _, f := range Fields(func(*model.Field) {}) {
		_, number := f.Codec.(Octal)
		p := part{f, at, f.Codec.Size(), number}
		if at += p.n; f.Name == "checksum" {
			sum = p
		} else {
			out = append(out, p)
		}
	}
	return out, sum
}()

func (p part) of(header []byte) []byte { return header[p.at : p.at+p.n] }

// doubt is how implausible the content of a field is.
type doubt uint8

const (
	fits    doubt = iota // others say so too
	free                 // no evidence
	differs              // from that of all other members
	wrong                // it cannot be
)

// solver is a header being solved for.
type solver struct {
	Known
	b    []byte
	need int64 // by how much the sum of its bytes is too small
}

// Solve solves for a header whose checksum does not match: for the one damaged field, or the checksum. If there is no answer, fields that can be nothing
// else are corrected first. There are few answers, the likeliest first.
func Solve(header []byte, k Known) []Correction {
	x := &solver{Known: k, b: bytes.Clone(header[:Block])}
	if Parse(x.b).SumOK {
		return nil
	}
	if out := x.solve(); len(out) > 0 {
		return out
	}
	also := x.forced()
	if len(also) == 0 {
		return nil
	}
	if Parse(x.b).SumOK {
		also[0].Proven, also[0].Impossible, also[0].Also = true, true, also[1:]
		return also[:1]
	}
	out := slices.DeleteFunc(x.solve(), func(m Correction) bool { return m.Field.Name == sumPart.field.Name })
	for i := range out {
		out[i].Also = also
	}
	return out
}

// solve solves for one field, or the checksum.
func (x *solver) solve() []Correction {
	x.need = octal(sumPart.of(x.b)) - Parse(x.b).Sum
	doubts := map[doubt][]part{}
	for _, p := range parts {
		d := x.doubt(p, p.of(x.b))
		doubts[d] = append(doubts[d], p)
	}
	if len(doubts[wrong]) > 1 {
		return nil // with one of them corrected, the checksum would agree by chance
	}
	odd := x.oddSum()
	for _, d := range []doubt{wrong, differs} {
		if odd {
			break
		}
		if answers := x.answers(doubts[d], d); len(answers) > 0 {
			return answers
		}
	}
	if len(doubts[wrong]) > 0 {
		return nil // another field was damaged too
	}
	alone := odd && !x.around() || !odd && !slices.ContainsFunc(append(doubts[free], doubts[differs]...), x.explains)
	// A sum that is more than a byte away is that of other bytes: what is there now may have come from elsewhere. So may a field that is not as in any
	// other member, as one that has exchanged its bytes with the sum is.
	resum := Correction{Field: sumPart.field, At: sumPart.at, Is: x.sum(), Proven: alone && (odd && len(doubts[differs]) == 0 || model.Differences(sumPart.of(x.b), x.sum()) == 1)}
	if alone {
		return []Correction{resum}
	}
	return append(x.solved(doubts[free], wrong), resum)
}

// named is what is known of a name.
func (x *solver) named(v []byte) Witness {
	if x.Named == nil {
		return Partly
	}
	name, _, _ := bytes.Cut(v, []byte{0})
	return x.Named(string(name))
}

// answers are the values of fields in this much doubt that make the checksum match: the one that other evidence supports, or all that are possible.
func (x *solver) answers(of []part, d doubt) []Correction {
	certain := d == wrong || x.named(x.b[:parts[0].n]) == Wholly
	said := x.witnessed(of, d)
	nearer := len(said) == 1 && said[0].number() && model.Differences(said[0].Is, x.b[said[0].At:][:len(said[0].Is)]) > 1 && len(x.solved(of, d)) > 0
	if len(said) == 1 && !nearer {
		said[0].Proven = certain || said[0].Field.Name != "mtime" // members of one time may have one of another among them
		return said
	}
	all := append(said, x.solved(of, d)...)
	if len(all) == 1 {
		all[0].Proven = certain
	}
	return all
}

// otherName tells whether a name is none of those that the member may have.
func (x *solver) otherName(v []byte) bool {
	return x.Named == nil && len(x.Names) > 0 && !slices.ContainsFunc(x.Names, func(n string) bool { return strings.HasPrefix(string(v), n+"\x00") })
}

// doubt rates the content, or a possible content, of a field.
func (x *solver) doubt(p part, v []byte) doubt {
	same := slices.ContainsFunc(x.Siblings, func(s []byte) bool { return bytes.Equal(p.of(s), v) })
	switch p.field.Name {
	case "name":
		switch {
		case p.odd(v) || x.named(v) == Denied:
			return wrong
		case x.otherName(v):
			return differs
		case x.named(v) == Partly:
			return free
		}
		return fits
	case "size":
		switch n := Number(v); {
		case p.odd(v) && !same || x.Size >= 0 && n != x.Size || x.Size < 0 && !x.long(n):
			return wrong
		case x.Size < 0:
			return free
		}
		return fits
	}
	switch {
	case same:
		return fits
	case p.odd(v):
		return wrong
	case len(x.Siblings) == 0 && p.device() && !bytes.Equal(v, x.other(p)):
		return differs
	case len(x.Siblings) == 0 || p.field.Name == "mtime" && x.near(p, v):
		return free
	}
	return differs
}

// long tells whether a member of n bytes reaches exactly to the next one, with nothing but zeros in between; true if that cannot be decided.
func (x *solver) long(n int64) bool {
	h := Head{Size: n, Typ: x.b[156]}
	p := max(0, h.Payload())
	return x.length <= 0 || isSparse(x.b) || Block+Padded(p) == x.length && p >= x.least
}

// device tells whether a field is one of the two device numbers: a member that is no device has the same empty content in both.
func (p part) device() bool { return strings.HasPrefix(p.field.Name, "dev") }

// other is the other device number.
func (x *solver) other(p part) []byte {
	for _, o := range parts {
		if o.device() && o.at != p.at {
			return o.of(x.b)
		}
	}
	return nil
}

// near tells whether a time is in the range of the other members' times, or at most the width of that range away; false if these are all equal.
func (x *solver) near(p part, v []byte) bool {
	first, last, differ := Number(p.of(x.Siblings[0])), int64(0), false
	for _, s := range x.Siblings {
		first, last = min(first, Number(p.of(s))), max(last, Number(p.of(s)))
		differ = differ || !bytes.Equal(p.of(s), p.of(x.Siblings[0]))
	}
	n := Number(v)
	return differ && n >= first-(last-first) && n <= last+(last-first)
}

// odd tells whether no writer writes such a field: a number with anything but digits, a text with something after its end.
func (p part) odd(v []byte) bool {
	text, behind, _ := bytes.Cut(v, []byte{0})
	switch {
	case p.number && len(text) == 0:
		return !p.device() || !model.AllZero(behind)
	case p.number:
		return octal(v) < 0 || !model.AllZero(bytes.TrimLeft(behind, " ")) || text[0] == ' ' && text[len(text)-1] == ' '
	case p.field.Name == "magic":
		return string(v) != "ustar\x0000" && string(v) != "ustar  \x00" && !model.AllZero(v)
	case p.field.Name == "typeflag":
		return bytes.IndexByte([]byte("\x0001234567xgLKSVDMNA"), v[0]) < 0
	case p.field.Name == "fill":
		return !model.AllZero(v)
	}
	return !model.AllZero(behind) || bytes.ContainsFunc(text, func(r rune) bool { return r < ' ' || r == 0x7f || r == 0xfffd })
}

// witnessed are values of fields from elsewhere with which the checksum matches.
func (x *solver) witnessed(of []part, d doubt) (out []Correction) {
	for _, p := range of {
		for _, v := range x.told(p) {
			if len(v) <= p.n {
				out = x.add(out, p, append(bytes.Clone(v), make([]byte, p.n-len(v))...), d)
			}
		}
	}
	return out
}

// told are the values that a field has in other members, or that other evidence suggests.
func (x *solver) told(p part) (values [][]byte) {
	for _, s := range x.Siblings {
		values = append(values, p.of(s))
	}
	switch text, _, _ := bytes.Cut(p.of(x.b), []byte{0}); {
	case p.field.Name == "size" && x.Size >= 0:
		for _, style := range []string{"%011o\x00", "%011o ", "%11o "} {
			if v := fmt.Appendf(nil, style, x.Size); len(x.Siblings) > 0 && !slices.ContainsFunc(x.Siblings, func(s []byte) bool { return form(p.of(s)) == form(v) }) {
				continue // other members are not written like this
			}
			values = append(values, fmt.Appendf(nil, style, x.Size))
		}
	case p.field.Name == "name":
		values = append(values, text)
		for _, name := range x.Names {
			values = append(values, []byte(name))
		}
	case p.device():
		values = append(values, x.other(p))
	case !p.number:
		values = append(values, text, nil)
	}
	return values
}

// solved are the changes of one byte of a field with which the checksum matches.
func (x *solver) solved(of []part, d doubt) (out []Correction) {
	const most = 8
	for _, p := range of {
		for i, was := range p.of(x.b) {
			is := int64(was) + x.need
			if is < 0 || is > 255 || len(out) > most {
				continue
			}
			v := bytes.Clone(p.of(x.b))
			v[i] = byte(is)
			out = x.add(out, p, v, d)
		}
	}
	if len(out) > most {
		return nil // any of them would do
	}
	return out
}

// add adds a value of a field if it is less doubtful than d and the checksum matches it.
func (x *solver) add(out []Correction, p part, v []byte, d doubt) []Correction {
	if bytes.Equal(v, p.of(x.b)) || slices.ContainsFunc(out, func(o Correction) bool { return o.At == p.at && bytes.Equal(o.Is, v) }) {
		return out
	}
	b := bytes.Clone(x.b)
	copy(p.of(b), v)
	if !Parse(b).SumOK || x.doubt(p, v) >= d {
		return out
	}
	text, behind, _ := bytes.Cut(p.of(x.b), []byte{0})
	impossible := !p.number && model.Differences(v, p.of(x.b)) <= mostForced && bytes.HasPrefix(v, text) && model.AllZero(v[len(text):]) && !model.AllZero(behind)
	return append(out, Correction{Field: p.field, At: p.at, Is: v, Impossible: impossible})
}

// explains tells whether a field could have any value with which the checksum matches.
func (x *solver) explains(p part) bool {
	least, most := int64(0), int64(0)
	for _, c := range p.of(x.b) {
		switch {
		case !p.number:
			least, most = least-int64(c), most+0x7e-int64(c)
		case c >= '0' && c <= '7':
			least, most = least+'0'-int64(c), most+'7'-int64(c)
		}
	}
	return x.need >= least && x.need <= most
}

// form is how a checksum is written: which of its bytes are digits.
func form(sum []byte) string {
	return string(bytes.Map(func(r rune) rune {
		if r >= '0' && r <= '7' {
			return '0'
		}
		return r
	}, sum))
}

// oddSum tells whether the checksum is written differently from those of other members.
func (x *solver) oddSum() bool {
	own := sumPart.of(x.b)
	if len(x.Siblings) == 0 {
		return octal(own) <= 0
	}
	return !slices.ContainsFunc(x.Siblings, func(s []byte) bool { return form(sumPart.of(s)) == form(own) })
}

// around tells whether the neighbours of the checksum may have been overwritten together with it: the time before it has fewer digits
// than the size, which is written in the same way, or the type after it differs from that of all others.
func (x *solver) around() bool {
	digits := func(name string) int {
		for _, p := range parts {
			if p.field.Name == name {
				return len(bytes.TrimRight(p.of(x.b), "\x00 "))
			}
		}
		return 0
	}
	if x.b[124]&0x80 == 0 && digits("mtime") < digits("size") {
		return true
	}
	return slices.ContainsFunc(parts, func(p part) bool { return p.field.Name == "typeflag" && x.doubt(p, p.of(x.b)) >= differs })
}

// sum is the checksum of the header, written as in other headers.
func (x *solver) sum() []byte { return sumLike(Parse(x.b).Sum, x.Siblings) }

// sumLike writes a checksum as one of the headers has it.
func sumLike(n int64, headers [][]byte) []byte {
	for _, how := range []string{"%06o\x00 ", "%07o\x00", "%6o\x00 ", "%06o \x00"} {
		v := fmt.Appendf(nil, how, n)
		if slices.ContainsFunc(headers, func(s []byte) bool { return form(sumPart.of(s)) == form(v) }) {
			return v
		}
	}
	return fmt.Appendf(nil, "%06o\x00 ", n)
}

// mostCompared is how many valid headers of an archive a damaged one is compared with.
const mostCompared = 64

// Headers reads the first valid headers of an archive, with which a damaged one is compared.
func Headers(ctx context.Context, read Reader, end int64) (out [][]byte) {
	for at := int64(0); at < end && len(out) < mostCompared && ctx.Err() == nil; {
		piece, n := PieceAt(ctx, read, at, end)
		if piece == End {
			break
		}
		if piece == Member {
			out = append(out, bytes.Clone(read(at, Block)))
		}
		at += n
	}
	return out
}
