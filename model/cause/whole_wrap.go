package cause

import (
	"archive/zip"
	"bufio"
	"cmp"
	"compress/bzip2"
	"compress/flate"
	"compress/gzip"
	"compress/zlib"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"path"
	"slices"
	"strings"

	"github.com/klauspost/compress/zstd"
	"github.com/pierrec/lz4/v4"

	"spandrel/model"
	"spandrel/model/evidence"
)

// wrapper is a way to pack one file into another.
type wrapper struct {
	name   string
	magic  string
	ending string // that its programs add to the name of a file
	open   func(r *io.SectionReader) (io.Reader, error)
}

var wrappers = []wrapper{
	{"gzip", "\x1f\x8b", ".gz", openGzip},
	{"zstd", "\x28\xb5\x2f\xfd", ".zst", func(r *io.SectionReader) (io.Reader, error) {
		return zstd.NewReader(r, zstd.WithDecoderConcurrency(1), zstd.WithDecoderMaxMemory(maxUnpacked))
	}},
	{"bzip2", "BZh", ".bz2", func(r *io.SectionReader) (io.Reader, error) { return bzip2.NewReader(r), nil }},
	{"zlib", "\x78", "", func(r *io.SectionReader) (io.Reader, error) { return zlib.NewReader(r) }},
	{"LZ4", "\x04\x22\x4d\x18", ".lz4", func(r *io.SectionReader) (io.Reader, error) { return lz4.NewReader(r), nil }},
	{"zip", "PK\x03\x04", "", openZip},
	{"deflate", "", "", openDeflate},
}

// members is a gzip file: streams one after the other, until something else.
type members struct {
	*gzip.Reader
	in *bufio.Reader
}

func openGzip(r *io.SectionReader) (io.Reader, error) {
	in := bufio.NewReader(r)
	z, err := gzip.NewReader(in)
	if err != nil {
		return nil, err
	}
	z.Multistream(false)
	return &members{z, in}, nil
}

func (m *members) Read(b []byte) (int, error) {
	n, err := m.Reader.Read(b)
	if head, _ := m.in.Peek(2); err != io.EOF || string(head) != "\x1f\x8b" {
		return n, err // gunzip also ignores what follows
	}
	err = m.Reset(m.in)
	m.Multistream(false)
	return n, err
}

// openDeflate opens a stream without a header: only its end, which must be the end of the file, identifies it.
func openDeflate(r *io.SectionReader) (io.Reader, error) {
	in := bufio.NewReader(r)
	return io.MultiReader(flate.NewReader(in), &nothing{in}), nil
}

// nothing is a reader that fails if another one has anything left.
type nothing struct{ of io.ByteReader }

func (r *nothing) Read([]byte) (int, error) {
	if _, err := r.of.ReadByte(); err != io.EOF {
		return 0, errors.New("bytes follow the stream")
	}
	return 0, io.EOF
}

// appleDouble tells whether a member of an archive is one that macOS adds to the files in it.
func appleDouble(name string) bool { return strings.HasPrefix(path.Base(name), "._") }

// openZip opens the only file of an archive.
func openZip(r *io.SectionReader) (io.Reader, error) {
	a, err := zip.NewReader(r, r.Size())
	if err != nil {
		return nil, err
	}
	var one *zip.File
	for _, f := range a.File {
		if !f.FileInfo().IsDir() && f.UncompressedSize64 > 0 && !appleDouble(f.Name) {
			if one != nil {
				return nil, fmt.Errorf("several files")
			}
			one = f
		}
	}
	if one == nil {
		return nil, fmt.Errorf("no file")
	}
	return one.Open()
}

// unpack returns the unpacked file, as far as possible; nil if it is not packed in this way, or unpacks to too much.
func (w *wrapper) unpack(c *model.Content) ([]byte, error) {
	if string(bytesAt(c, 0, int64(len(w.magic)))) != w.magic {
		return nil, nil
	}
	r, err := w.open(io.NewSectionReader(c, 0, c.Len()))
	if err != nil {
		return nil, err
	}
	limit := min(maxUnpacked, c.Len()*model.DeflateRatio)
	b, err := io.ReadAll(io.LimitReader(r, limit+1))
	if int64(len(b)) > limit {
		return nil, err
	}
	return b, err
}

// stream tells whether a wrapper packs bytes, and not files with names, and is recognised by more than one byte.
func (w *wrapper) stream() bool { return len(w.magic) > 1 && w.name != "zip" }

// wrapped tries to unpack the file.
func wrapped(g *subject) {
	for _, w := range wrappers {
		b, err := w.unpack(g.c)
		if b != nil && len(b) == 0 && err != nil && w.stream() && g.blamed && !g.primary {
			g.tell(Likely, "Nothing of it can be unpacked: download or copy it again.", []string{"its first bytes"}, "%s is compressed with %s, and the compressed data is damaged.", g.the(), w.name)
			return
		}
		if len(b) == 0 || err != nil && w.name == "zlib" || w.magic == "" && (err != nil || g.primary && !g.fitter(model.BytesContent(b))) {
			continue
		}
		unpacked(g, &w, b, err)
	}
	if g.all {
		spelledAsText(g)
	}
}

// unpacked makes the trial of a file that a wrapper unpacks to b; with an error, that is not all.
func unpacked(g *subject, w *wrapper, b []byte, err error) {
	text, by := "%s is compressed with %s.", w.name
	switch {
	case err == nil:
		b, text, by = unpackedFurther(g, b, by)
	case errors.Is(err, io.ErrUnexpectedEOF):
		text = "%s is compressed with %s, and the compressed data is truncated."
	default:
		text = "%s is compressed with %s, and the compressed data is damaged."
	}
	in := model.BytesContent(b)
	if err == nil && w.stream() {
		g.inside = in
	}
	t := g.becomes(in, "unpack the file", "Readers of the format do not unpack it themselves.", model.Words("%s bytes unpack to %s", model.Thousands(g.c.Len()), model.Thousands(int64(len(b)))), model.Words(text, g.the(), by))
	if t == nil {
		return
	}
	switch {
	case err != nil:
		t.prefix, t.loses = errors.Is(err, io.ErrUnexpectedEOF), "what the damaged bytes held"
		t.means = "What it unpacks to is not what was packed: download or copy it again."
		if w.stream() {
			g.spelt = t
		}
	case w.magic != "":
		if t.kind = derived; g.fitter(in) { // its own checksum or last block says that it is complete
			t.op = unpackFile
		}
	}
	if w.name == "zip" && !extracts(g, t, in) {
		g.withdraw(t)
	}
}

// packedAndDamaged reports how the file is encoded or packed if its content is damaged as well: everything else that it seems to be follows from that.
func packedAndDamaged(g *subject) bool {
	t := g.spelt
	if t == nil || t.loses == "" && t.res.clean() {
		return false
	}
	g.told = nil // the wrong length follows from that, too
	g.r.hits = g.r.hits[:g.before]
	if left := judge(g.r.ctx, t.snap, cmp.Or(t.format, g.r.base.format), nil); !left.failed && left.count[model.Error] > 0 {
		t.evidence = append(t.evidence, shownThen+left.checks.list(true)[0].What)
	}
	c := g.tell(Proven, t.means, t.evidence, "%s", t.text)
	c.Repairs, c.other = []*Repair{g.r.offer(t, false)}, g.primary
	return true
}

// packedTogether tries to unpack the files of a folder that were compressed one by one, as gzip -r does: while one of them is packed, the document stays wrong. It
// tells whether that helps.
func packedTogether(r *search) bool {
	names, err := r.base.snap.Files()
	if err != nil || !r.base.snap.Folder() || r.base.snap.Remote || r.base.format == nil || r.base.count[model.Error] == 0 {
		return false
	}
	for _, w := range wrappers {
		if w.ending == "" {
			continue
		}
		first, n, to := w.unpackAll(r, names)
		if n < 2 {
			continue
		}
		t := &trial{kind: derived, op: rewriteFile, snap: r.base.snap.WithAll(to), at: Place{File: first, Len: 1}, label: "unpack " + model.Count(int64(n), "files"),
			text:  fmt.Sprintf("%s of the folder are compressed with %s, one by one, such as %s.", model.Count(int64(n), "files"), w.name, first),
			means: "Readers of the format do not unpack them themselves.", event: &evidence.Event{Kind: evidence.Wrapped, What: w.name, Explains: evidence.Sum(4, false)}}
		if n == len(names) {
			t.op, t.text = unpackFile, fmt.Sprintf("All files of the folder are compressed with %s, one by one.", w.name)
		}
		if before := len(r.hits); r.run([]*trial{t}) && len(r.hits) > before {
			return true
		}
	}
	return false
}

// unpackAll unpacks the files that a wrapper packed: the first of them, how many there are, and what changes. It is none if they are too large together.
func (w *wrapper) unpackAll(r *search, names []string) (first string, n int, to map[string]*model.Content) {
	sum := 0
	to = map[string]*model.Content{}
	for _, name := range names {
		is, b := w.withoutEnding(r, name)
		if is == "" {
			continue
		}
		if sum += len(b); sum > maxUnpacked || r.late() {
			return "", 0, nil
		}
		if first, n = cmp.Or(first, name), n+1; is != name {
			to[name] = nil
		}
		to[is] = model.BytesContent(b)
	}
	return first, n, to
}

// withoutEnding is the name and the content of a file of the folder if a wrapper packed it; "" if not. It may keep its name if the document needs it.
func (w *wrapper) withoutEnding(r *search, name string) (is string, b []byte) {
	is = strings.TrimSuffix(name, w.ending)
	c, err := r.base.snap.Content(name)
	if err != nil || c.Len() > maxTransform || is == name && !belongs(r, name) || r.base.snap.Primary != "" && !r.base.format.Whole() && !belongs(r, is) {
		return "", nil
	}
	if _, err := r.base.snap.Content(is); is != name && err == nil {
		return "", nil
	}
	if b, err = w.unpack(c); b == nil || err != nil {
		return "", nil
	}
	return is, b
}

// unpackedFurther unpacks what is packed once more, and the tar archive in it. It returns the sentence, and what packed the file.
func unpackedFurther(g *subject, b []byte, by string) (in []byte, text, all string) {
	in, text, all = b, "%s is compressed with %s.", by
	if again, inner := packedTwice(g, b, by); again != nil {
		if in = again; inner != by {
			all = inner + ", and that with " + by
		}
	}
	if member := readTar(in); member != nil && path.Ext(g.name) != ".tar" && (!g.primary || g.fitter(model.BytesContent(member))) {
		return member, "%s is packed into a tar archive, and compressed with %s.", all
	}
	return in, text, all
}

// packedTwice unpacks again what was unpacked, in the same way or one that leads to the right format; nil if it is not packed.
func packedTwice(g *subject, b []byte, by string) ([]byte, string) {
	for _, w := range wrappers {
		in, err := w.unpack(model.BytesContent(b))
		if err == nil && len(in) > 0 && (w.name == by || w.magic != "" && !g.fitter(model.BytesContent(b)) && g.fitter(model.BytesContent(in))) {
			return in, w.name
		}
	}
	return nil, ""
}

// fitter tells whether the file has its format, or its kind in a folder, with the new content and not with the present one.
func (g *subject) fitter(in *model.Content) bool {
	if g.primary {
		is, sure := g.r.recognised(path.Base(g.name), g.c)
		to, surer := g.r.recognised(path.Base(g.name), in)
		return to != nil && surer >= 60 && (is != to || sure < surer)
	}
	if path.Ext(g.name) == ".json" {
		return json.Valid(bytesAt(in, 0, maxUnpacked)) && !json.Valid(g.b)
	}
	if e := g.extent; e != nil && !e.Least && in.Len() == e.Size && g.c.Len() != e.Size {
		return true
	}
	head := bytesAt(in, 0, sector)
	return g.extent != nil && !slices.ContainsFunc(g.extent.Magics, g.begins) && slices.ContainsFunc(g.extent.Magics, func(m model.Magic) bool { return beginsWith(head, m) })
}

// extracts lets the content of an archive have a format of its own, and tells whether it is to be extracted: an archive that its format
// recognises was not packed around a file.
func extracts(g *subject, t *trial, in *model.Content) bool {
	base := g.r.base.format
	if base == nil {
		return true
	}
	if of, sure := g.r.recognised(path.Base(g.name), g.c); !g.primary || of == base && sure >= 60 {
		return !g.primary
	}
	name := path.Base(g.name)
	f, sure := g.r.recognised(strings.TrimSuffix(name, path.Ext(name)), in)
	if sure >= 50 { // the extension may identify a format without a magic
		f, sure = g.r.recognised(name, in)
	}
	if sure >= 60 {
		t.format = f
	}
	return sure >= 60
}
