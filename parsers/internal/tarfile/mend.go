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

// Known is what is known about a member besides its header.
type Known struct {
	Siblings [][]byte          // sound headers of other members
	Length   int64             // bytes up to the next header, this one among them; 0: not known
	Size     int64             // bytes of the payload; −1: not known
	Named    func(string) bool // whether the member may have a name; nil: no one knows
	Names    []string          // what it may be called
}

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
	free                 // no one says anything
	differs              // from that of all other members
	wrong                // it cannot be
)

// mending is a header being solved for.
type mending struct {
	Known
	b    []byte
	need int64 // by how much the sum of its bytes is too small
}

// Mend solves for a header whose checksum does not match: for the one damaged field, or the checksum. There are
// few answers, the likeliest first.
func Mend(header []byte, k Known) []Mended {
	m := &mending{k, bytes.Clone(header[:Block]), octal(sumPart.of(header)) - Parse(header).Sum}
	if Parse(m.b).SumOK {
		return nil
	}
	doubts := map[doubt][]part{}
	for _, p := range parts {
		d := m.doubt(p, p.of(m.b))
		doubts[d] = append(doubts[d], p)
	}
	odd := m.oddSum()
	for _, d := range []doubt{wrong, differs} {
		if odd {
			break
		}
		if answers := m.answers(doubts[d], d); len(answers) > 0 {
			return answers
		}
	}
	if len(doubts[wrong]) > 0 {
		return nil // more than one field was damaged
	}
	alone := odd && !m.around() || !odd && !slices.ContainsFunc(append(doubts[free], doubts[differs]...), m.explains)
	// A sum that is more than a byte away is that of other bytes: what is there now may have come from elsewhere. So may a field that is not as in any
	// other member, as one that has exchanged its bytes with the sum is.
	resum := Mended{sumPart.field, sumPart.at, m.sum(), alone && (odd && len(doubts[differs]) == 0 || apart(sumPart.of(m.b), m.sum()) == 1)}
	if alone {
		return []Mended{resum}
	}
	return append(m.solved(doubts[free], wrong), resum)
}

// answers are the values of fields in this much doubt that make the checksum match: the one that other evidence supports, or all that are possible.
func (m *mending) answers(of []part, d doubt) []Mended {
	certain := d == wrong || m.Named != nil
	said := m.witnessed(of, d)
	if len(said) == 1 {
		said[0].Proven = certain || said[0].Field.Name != "mtime" // members of one time may have one of another among them
		return said
	}
	all := append(said, m.solved(of, d)...)
	if len(all) == 1 {
		all[0].Proven = certain
	}
	return all
}

// apart is in how many bytes two values of equal length differ.
func apart(a, b []byte) (n int) {
	for i := range a {
		if i >= len(b) || a[i] != b[i] {
			n++
		}
	}
	return n
}

// doubt rates the content, or a possible content, of a field.
func (m *mending) doubt(p part, v []byte) doubt {
	same := slices.ContainsFunc(m.Siblings, func(s []byte) bool { return bytes.Equal(p.of(s), v) })
	switch p.field.Name {
	case "name":
		switch name, _, _ := bytes.Cut(v, []byte{0}); {
		case p.odd(v) || m.Named != nil && !m.Named(string(name)):
			return wrong
		case m.Named == nil:
			return free
		}
		return fits
	case "size":
		switch n := Number(v); {
		case p.odd(v) && !same || m.Size >= 0 && n != m.Size || m.Size < 0 && !m.long(n):
			return wrong
		case m.Size < 0:
			return free
		}
		return fits
	}
	switch {
	case same:
		return fits
	case p.odd(v):
		return wrong
	case len(m.Siblings) == 0 && p.device() && !bytes.Equal(v, m.other(p)):
		return differs
	case len(m.Siblings) == 0 || p.field.Name == "mtime" && m.near(p, v):
		return free
	}
	return differs
}

// long tells whether a member of n bytes reaches exactly to the next one; true if that cannot be decided.
func (m *mending) long(n int64) bool {
	h := Head{Size: n, Typ: m.b[156]}
	return m.Length <= 0 || isSparse(m.b) || Block+Padded(max(0, h.Payload())) == m.Length
}

// device tells whether a field is one of the two device numbers: a member that is no device has the same empty content in both.
func (p part) device() bool { return strings.HasPrefix(p.field.Name, "dev") }

// other is the other device number.
func (m *mending) other(p part) []byte {
	for _, o := range parts {
		if o.device() && o.at != p.at {
			return o.of(m.b)
		}
	}
	return nil
}

// near tells whether a time is in the range of the other members' times, or at most the width of that range away; false if these are all equal.
func (m *mending) near(p part, v []byte) bool {
	first, last, differ := Number(p.of(m.Siblings[0])), int64(0), false
	for _, s := range m.Siblings {
		first, last = min(first, Number(p.of(s))), max(last, Number(p.of(s)))
		differ = differ || !bytes.Equal(p.of(s), p.of(m.Siblings[0]))
	}
	n := Number(v)
	return differ && n >= first-(last-first) && n <= last+(last-first)
}

// odd tells whether no writer writes such a field: a number with anything but digits, a text with something after its end.
func (p part) odd(v []byte) bool {
	text, behind, _ := bytes.Cut(v, []byte{0})
	switch {
	case p.number && len(text) == 0:
		return !p.device() || !Zero(behind)
	case p.number:
		return octal(v) < 0 || !Zero(bytes.TrimLeft(behind, " ")) || text[0] == ' ' && text[len(text)-1] == ' '
	case p.field.Name == "magic":
		return string(v) != "ustar\x0000" && string(v) != "ustar  \x00" && !Zero(v)
	case p.field.Name == "typeflag":
		return bytes.IndexByte([]byte("\x0001234567xgLKSVDMNA"), v[0]) < 0
	case p.field.Name == "fill":
		return !Zero(v)
	}
	return !Zero(behind) || bytes.ContainsFunc(text, func(r rune) bool { return r < ' ' || r == 0x7f || r == 0xfffd })
}

// witnessed are values of fields from elsewhere with which the checksum matches.
func (m *mending) witnessed(of []part, d doubt) (out []Mended) {
	for _, p := range of {
		for _, v := range m.told(p) {
			if len(v) <= p.n {
				out = m.add(out, p, append(bytes.Clone(v), make([]byte, p.n-len(v))...), d)
			}
		}
	}
	return out
}

// told are the values that a field has in other members, or that other evidence suggests.
func (m *mending) told(p part) (values [][]byte) {
	for _, s := range m.Siblings {
		values = append(values, p.of(s))
	}
	switch text, _, _ := bytes.Cut(p.of(m.b), []byte{0}); {
	case p.field.Name == "size" && m.Size >= 0:
		for _, form := range []string{"%011o\x00", "%011o ", "%11o "} {
			values = append(values, fmt.Appendf(nil, form, m.Size))
		}
	case p.field.Name == "name":
		values = append(values, text)
		for _, name := range m.Names {
			values = append(values, []byte(name))
		}
	case p.device():
		values = append(values, m.other(p))
	case !p.number:
		values = append(values, text, nil)
	}
	return values
}

// solved are the changes of one byte of a field with which the checksum matches.
func (m *mending) solved(of []part, d doubt) (out []Mended) {
	const most = 8
	for _, p := range of {
		for i, was := range p.of(m.b) {
			is := int64(was) + m.need
			if is < 0 || is > 255 || len(out) > most {
				continue
			}
			v := bytes.Clone(p.of(m.b))
			v[i] = byte(is)
			out = m.add(out, p, v, d)
		}
	}
	if len(out) > most {
		return nil // any of them would do
	}
	return out
}

// add adds a value of a field if it is less doubtful than d and the checksum matches it.
func (m *mending) add(out []Mended, p part, v []byte, d doubt) []Mended {
	if bytes.Equal(v, p.of(m.b)) || slices.ContainsFunc(out, func(o Mended) bool { return o.At == p.at && bytes.Equal(o.Is, v) }) {
		return out
	}
	b := bytes.Clone(m.b)
	copy(p.of(b), v)
	if !Parse(b).SumOK || m.doubt(p, v) >= d {
		return out
	}
	return append(out, Mended{Field: p.field, At: p.at, Is: v})
}

// explains tells whether a field could have any value with which the checksum matches.
func (m *mending) explains(p part) bool {
	least, most := int64(0), int64(0)
	for _, c := range p.of(m.b) {
		switch {
		case !p.number:
			least, most = least-int64(c), most+0x7e-int64(c)
		case c >= '0' && c <= '7':
			least, most = least+'0'-int64(c), most+'7'-int64(c)
		}
	}
	return m.need >= least && m.need <= most
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
func (m *mending) oddSum() bool {
	own := sumPart.of(m.b)
	if len(m.Siblings) == 0 {
		return octal(own) <= 0
	}
	return !slices.ContainsFunc(m.Siblings, func(s []byte) bool { return form(sumPart.of(s)) == form(own) })
}

// around tells whether the neighbours of the checksum may have been overwritten together with it: the time before it has fewer digits
// than the size, which is written in the same way, or the type after it differs from that of all others.
func (m *mending) around() bool {
	digits := func(name string) int {
		for _, p := range parts {
			if p.field.Name == name {
				return len(bytes.TrimRight(p.of(m.b), "\x00 "))
			}
		}
		return 0
	}
	if m.b[124]&0x80 == 0 && digits("mtime") < digits("size") {
		return true
	}
	return slices.ContainsFunc(parts, func(p part) bool { return p.field.Name == "typeflag" && m.doubt(p, p.of(m.b)) >= differs })
}

// sum is the checksum of the header, written as in other headers.
func (m *mending) sum() []byte {
	n := Parse(m.b).Sum
	for _, how := range []string{"%06o\x00 ", "%07o\x00", "%6o\x00 ", "%06o \x00"} {
		v := fmt.Appendf(nil, how, n)
		if slices.ContainsFunc(m.Siblings, func(s []byte) bool { return form(sumPart.of(s)) == form(v) }) {
			return v
		}
	}
	return fmt.Appendf(nil, "%06o\x00 ", n)
}

// Headers reads the first valid headers of an archive, at most most of them.
func Headers(ctx context.Context, read Reader, end int64, most int) (out [][]byte) {
	for at := int64(0); at < end && len(out) < most && ctx.Err() == nil; {
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
