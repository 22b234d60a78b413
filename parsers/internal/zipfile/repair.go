package zipfile

import (
	"bytes"
	"cmp"
	"compress/bzip2"
	"context"
	"fmt"
	"hash/crc32"
	"io"
	"slices"

	"github.com/klauspost/compress/zstd"

	"spandrel/model"
	"spandrel/parsers/internal/inflate"
)

// Repairs returns the repairs for findings of Read and Sums; none for other findings.
func Repairs(ctx context.Context, t *model.Tree, f *model.Finding) []model.Fix {
	i, ok := f.About.(Issue)
	if !ok {
		return nil
	}
	m := i.Member
	switch i.Kind {
	case NoDirectory:
		return i.Archive.rebuild()
	case NoMember:
		if m != nil && m.headLost {
			return []model.Fix{{Label: "rewrite the header of " + m.Name + " from the directory", Safe: true, Copies: true, Witnessed: true,
				Edits: []model.Edit{model.Splice{Range: i.head, With: model.Memory(m.header()), Loose: true}}}}
		}
	case Differs:
		return i.settled()
	case Junk:
		cut := model.Replace(i.at.Range, nil)
		cut.Loose = i.Archive.Bias > 0 && i.at.Range.Len == i.Archive.Bias // leading bytes that offsets do not include
		fix := model.Fix{Label: "remove these bytes", Edits: []model.Edit{cut}}
		if n := min(i.at.Range.Len, EndBytes); findEnd(t.Peek(ctx, i.at.Range.Space)(i.at.Range.End()-n, n), i.at.Range.End()-n) >= 0 {
			fix.Label, fix.Loses = "remove these bytes, which are an archive", "the archive that they form"
		}
		return []model.Fix{fix}
	case WrongData:
		return m.correct(i.field, i.value)
	}
	return nil
}

// settled are the ways to correct a field: to the value with evidence or, if there is none, to the value in either of the two headers.
func (i Issue) settled() []model.Fix {
	fixes := []model.Fix{model.SetTo(i.node.Span, i.value)}
	m := i.Member
	if m == nil || m.sure[i.field] || !slices.Contains([]string{"name", "method", "flags", "time", "date", "crc", "csize", "usize"}, i.field) {
		return fixes
	}
	other := m.Entry[i.field]
	if i.Archive.Retraced || other.Span == nil || other.Span == i.node.Span || other.Value.Equal(i.node.Value) {
		return fixes
	}
	if fixes[0].Safe = false; i.field != "flags" && other.Span != nil {
		back := model.SetTo(other.Span, i.node.Value)
		back.Safe = false
		fixes = append(fixes, back)
	}
	return fixes
}

// header is the local header of a member with its name, according to its entry; sums and sizes that follow the data are left out.
func (m *Member) header() []byte {
	s := m.there
	if s.extra = m.headExtra; m.descriptor > 0 {
		s.crc, s.packed, s.size = 0, 0, 0
	}
	return append(record(localRecord, localSignature, s.fields(m.Name)), m.Name...)
}

// rebuild rewrites the directory for members that were found by their local headers, as far as it is missing.
func (z *Archive) rebuild() []model.Fix {
	if len(z.Members) == 0 {
		return nil
	}
	label := model.Words("rebuild the directory for the %d existing members", len(z.Members))
	if z.Retraced {
		label = "rewrite the end record"
	}
	last, root := z.Members[len(z.Members)-1], z.Entries.Parent()
	at := model.Range{Space: root.Range.Space, Off: root.Range.Off + max(last.End(), z.kept)}
	at.Len = root.Range.End() - at.Off
	// If the length of the comment is lost too, it is not known whether one followed.
	return []model.Fix{{Label: label, Copies: z.Retraced && at.Len >= int64(len(z.tail()))-1, Build: func(context.Context, *model.Tree) ([]model.Edit, error) {
		for _, m := range z.Members {
			if m.beyond() || m.local >= max32 {
				return nil, fmt.Errorf("the archive is larger than a directory without ZIP64 can describe")
			}
		}
		return []model.Edit{model.Splice{Range: at, With: model.Memory(z.tail()), Into: root.Path(), Loose: true}}, nil
	}}}
}

// correct is the repair of a number that does not match the content: in the directory and, unless it follows the data, in the
// local header. It confirms the present data, so it is never safe.
func (m *Member) correct(field string, v model.Value) []model.Fix {
	at := m.stating(field)
	if at.Span == nil || m.size64 || v.Uint() >= max32 {
		return nil
	}
	label := map[string]string{"crc": "accept the values as they are, damaged or not: update the checksum", "usize": fmt.Sprintf("set the size to %s", v)}[field]
	f := model.Fix{Label: label, Edits: []model.Edit{model.SetValue(at.Span, v)}}
	if n := m.Head[field]; m.Entry != nil && n.Span != nil && m.Flags&hasDescriptor == 0 {
		f.Edits = append(f.Edits, model.SetValue(n.Span, v))
	}
	return []model.Fix{f}
}

// Rename renames a member in both headers.
func (m *Member) Rename(name string) []model.Edit {
	edits := []model.Edit{model.SetValue(m.Entry["name"].Span, model.S(name))}
	if n := m.Head["name"]; n.Span != nil {
		edits = append(edits, model.SetValue(n.Span, model.S(name)))
	}
	return edits
}

// Remove removes members from the archive; ok is false if one of them was not read, or none would remain.
func (z *Archive) Remove(gone ...*Member) (edits []model.Edit, ok bool) {
	if len(gone) == 0 || len(gone) == len(z.Members) {
		return nil, false
	}
	var at []model.Range
	for _, m := range gone {
		if m.Span == nil || m.Entry["name"].Span == nil {
			return nil, false
		}
		at = append(at, m.Span.Range, m.Entry["name"].Span.Parent().Range)
	}
	slices.SortStableFunc(at, func(a, b model.Range) int { return cmp.Compare(a.Off, b.Off) })
	for _, r := range at {
		edits = append(edits, model.Replace(r, nil))
	}
	return edits, true
}

// unpackers decode compressions that programs for archives offer and the readers of most formats do not know.
var unpackers = map[uint16]struct {
	name string
	open func(io.Reader) (io.Reader, error)
}{
	12: {"bzip2", func(r io.Reader) (io.Reader, error) { return bzip2.NewReader(r), nil }},
	93: {"Zstandard", func(r io.Reader) (io.Reader, error) { return zstd.NewReader(r, zstd.WithDecoderConcurrency(1)) }},
}

// Compression names the compression of a member if it is one of these; otherwise "".
func (m *Member) Compression() string { return unpackers[m.Method].name }

// unpacked is the content of a member; its CRC-32 is checked if another compression than DEFLATE was used, which nothing else has read.
func (m *Member) unpacked(ctx context.Context, b []byte, most int64) ([]byte, error) {
	if m.Method == 8 {
		return inflate.All(ctx, inflate.Raw, b, min(most, model.DecodeLimit(int64(len(b)))))
	}
	r, err := unpackers[m.Method].open(bytes.NewReader(b))
	if err != nil {
		return nil, err
	}
	plain, err := io.ReadAll(io.LimitReader(r, min(most, m.Size)+1))
	if err == nil && (int64(len(plain)) != m.Size || crc32.ChecksumIEEE(plain) != m.CRC) {
		err = fmt.Errorf("the size or the checksum of %s does not match its data", m.Name)
	}
	return plain, err
}

// Storable tells whether a member can be stored uncompressed.
func (m *Member) Storable() bool {
	return (m.Method == 8 || m.Compression() != "") && m.Data.Span != nil && m.Entry != nil && !m.Wide && !m.Encrypted() && (m.Flags&hasDescriptor == 0 || m.descriptor > 0)
}

// Store makes the edits that store a compressed member uncompressed; it may inflate to at most most bytes.
func (m *Member) Store(ctx context.Context, t *model.Tree, most int64) ([]model.Edit, error) {
	if !m.Storable() {
		return nil, fmt.Errorf("%s cannot be stored any other way", m.Name)
	}
	z, err := t.Bytes(ctx, m.Data.Range)
	if err != nil {
		return nil, err
	}
	plain, err := m.unpacked(ctx, z, most)
	if err != nil {
		return nil, err
	}
	size, sum := model.U(uint64(len(plain))), model.U(uint64(m.CRC))
	edits := []model.Edit{model.Replace(m.Data.Range, plain)}
	for _, h := range []map[string]model.Node{m.Head, m.Entry} {
		edits = append(edits, model.SetValue(h["method"].Span, model.U(0)), model.SetValue(h["csize"].Span, size), model.SetValue(h["usize"].Span, size))
	}
	if m.descriptor > 0 { // its values are copied to the local header
		behind := m.Data.Range
		behind.Off, behind.Len = behind.End(), m.descriptor
		flags := model.U(uint64(m.Flags &^ hasDescriptor))
		edits = append(edits, model.Replace(behind, nil), model.SetValue(m.Head["flags"].Span, flags), model.SetValue(m.Entry["flags"].Span, flags),
			model.SetValue(m.Head["crc"].Span, sum))
	}
	return edits, nil
}

// beyond tells whether a directory without ZIP64 cannot describe a member. NumPy writes sizes into ZIP64 fields of the local headers only.
func (m *Member) beyond() bool { return m.Packed >= max32 || m.Size >= max32 }
