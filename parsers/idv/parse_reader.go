package idv

import (
	"encoding/binary"
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"

	"spandrel/model"
)

// reader reads a directory: it keeps nodes of what it read and ends with a panic that its owner recovers.
type reader struct {
	peek     func(off, n int64) []byte
	pos, end int64
	win      []byte // bytes at winOff
	winOff   int64
	nodes    []treeNode
	report   func(finding)
	trial    bool    // a trial read of arbitrary bytes: the first error ends it
	of       *column // column of the type; nil: the type of metadata
	// declared is the place and size of the length of the parameters being read: it is wrong if they are too short.
	declared [2]int64
}

// stop ends the reading of a directory. It is recovered by reader.try.
type stop struct{}

// try runs body and tells whether it was completed. What it read before stays.
func (r *reader) try(body func()) (ok bool) {
	defer func() {
		if e := recover(); e != nil {
			if e != (stop{}) {
				panic(e)
			}
			ok = false
		}
	}()
	body()
	return true
}

// stop reports a finding and ends the reading.
func (r *reader) stop(f finding) {
	if f.rule == parametersLength {
		f.at, f.n = r.declared[0], r.declared[1]
	}
	r.report(f)
	panic(stop{})
}

// bytes returns up to n bytes from off, and fewer at the end.
func (r *reader) bytes(off, n int64) []byte {
	n = min(n, r.end-off)
	if n <= 0 {
		return nil
	}
	if off < r.winOff || off+n > r.winOff+int64(len(r.win)) {
		r.win, r.winOff = r.peek(off, min(max(n, 64<<10), r.end-off)), off
	}
	b := r.win[min(off-r.winOff, int64(len(r.win))):]
	return b[:min(n, int64(len(b)))]
}

// group reads nodes that belong together, also if they are incomplete.
func (r *reader) group(f *model.Field, list bool, body func()) {
	i := len(r.nodes)
	r.nodes = append(r.nodes, treeNode{field: f, off: r.pos, group: true, list: list})
	defer func() {
		n := &r.nodes[i]
		n.n, n.kids = r.pos-n.off, int32(len(r.nodes)-i-1)
	}()
	body()
}

func (r *reader) add(f *model.Field, n int64) {
	r.nodes = append(r.nodes, treeNode{field: f, off: r.pos, n: n})
	r.pos += n
}

// fixed reads a fixed-width leaf; rule reports a missing one.
func (r *reader) fixed(f *model.Field, rule *model.Rule) model.Value {
	n := int64(f.Codec.Size())
	b := r.bytes(r.pos, n)
	if int64(len(b)) < n {
		r.stop(finding{rule: rule, at: r.pos, n: r.end - r.pos, message: model.Words("%s needs %d bytes, but %d are left", f.Name, n, r.end-r.pos)})
	}
	v, _, _ := f.Codec.Decode(b)
	r.add(f, n)
	return v
}

// uleb reads a variable-length number of either kind (§0). short reports one that does not end, bad a malformed one.
func (r *reader) uleb(f *model.Field, short, bad *model.Rule) uint64 {
	size := int(f.Codec.(model.ULEB))
	b := r.bytes(r.pos, int64(size))
	v, n, err := f.Codec.Decode(b)
	at := r.pos
	if err != nil && len(b) > 0 {
		r.add(f, 1) // a field anyway: its first byte may be wrong
	}
	switch {
	case err != nil && len(b) < size && (len(b) == 0 || b[len(b)-1]&0x80 != 0):
		r.stop(finding{rule: short, at: at, n: int64(len(b)), message: f.Name + " does not end"})
	case err != nil:
		r.stop(finding{rule: bad, at: at, n: int64(len(b)), found: fmt.Sprintf("% x", b), message: err.Error()})
	case size == 5 && v.Uint() > 1<<31-1:
		r.stop(finding{rule: bad, at: r.pos, n: int64(n), found: v.String(), expected: "at most 2147483647"})
	}
	if min := binary.PutUvarint(make([]byte, 10), v.Uint()); n > min {
		r.report(finding{rule: numberPadded, at: r.pos, n: int64(n), found: model.Words("%d bytes", n), expected: model.Words("%d bytes", min),
			about: about{shortest: binary.AppendUvarint(nil, v.Uint())}})
	}
	r.add(f, int64(n))
	return v.Uint()
}

// maxName is how many bytes of a name are kept in memory; the tree shows all of them.
const maxName = 64 << 10

// text reads a length and the text after it into a group. short reports a missing length, empty (if not 0)
// a missing text.
func (r *reader) text(f *model.Field, short, empty *model.Rule) (t text) {
	r.group(f, false, func() {
		t.length = r.pos
		n := int64(r.uleb(length, short, textLengthWrong))
		t.at, t.n = r.pos, n
		if n > r.end-r.pos {
			r.stop(finding{rule: textLengthWrong, at: t.length, n: r.pos - t.length, found: fmt.Sprint(n),
				expected: fmt.Sprintf("at most %d", r.end-r.pos)})
		}
		r.nodes[len(r.nodes)-1].measures = true
		t.s = string(r.bytes(r.pos, min(n, maxName)))
		letters := chars
		if f == loadName {
			letters = codecName
		}
		r.add(letters, n)
		if n <= maxName && !utf8.ValidString(t.s) {
			if r.trial {
				panic(stop{})
			}
			r.report(finding{rule: nameEncoding, at: t.at, n: n, found: strings.ToValidUTF8(t.s, "\uFFFD")})
			t.s = withoutHalfCharacter(t.s)
		}
		if n == 0 && empty != nil {
			r.report(finding{rule: empty, at: t.length, n: 1})
		}
	})
	return t
}

// withoutHalfCharacter drops an incomplete character at the end of a text: .NET waits for the rest of it, and ignores it at the end.
func withoutHalfCharacter(s string) string {
	for n := 1; n < utf8.UTFMax && n <= len(s); n++ {
		if tail := s[len(s)-n:]; utf8.RuneStart(tail[0]) {
			if !utf8.FullRuneInString(tail) {
				return s[:len(s)-n]
			}
			break
		}
	}
	return s
}

// cutNodes returns the nodes before an offset: groups that extend past it end with their last part before it.
func cutNodes(nodes []treeNode, end int64) []treeNode {
	if i := slices.IndexFunc(nodes, func(n treeNode) bool { return n.off+n.n > end && (n.off >= end || !n.group) }); i >= 0 {
		nodes = nodes[:i]
	}
	for i, n := range slices.Backward(nodes) {
		if left := len(nodes) - i - 1; n.off+n.n > end {
			nodes[i].n, nodes[i].kids = 0, int32(left)
			if left > 0 {
				last := nodes[len(nodes)-1]
				nodes[i].n = last.off + last.n - n.off
			}
		}
	}
	return nodes
}
