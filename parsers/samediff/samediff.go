package samediff

import (
	"bytes"
	"context"
	"encoding/binary"
	"fmt"
	"path"
	"strings"
	"sync"

	"spandrel/model"
	"spandrel/parsers/samediff/flat"
)

// SameDiff model files (Eclipse Deeplearning4j): the section container of ADR 0035 under profile P1, SDNB, SDZ, bare FlatBuffers
// graphs of all generations, and ModelContainer. Specification: formats/samediff.md; section numbers in this file are its own.
// Format is the value that the program knows the format by.
var Format = &model.Format{
	Name:    "samediff",
	Title:   "SameDiff model",
	Doc:     "Models of the SameDiff engine of Eclipse Deeplearning4j: section containers, SDNB, SDZ archives and FlatBuffers graphs, with their shards and external arrays.",
	Exts:    []string{".sdc", ".sdnb", ".sdz", ".fb"},
	MIME:    []string{"application/x-samediff", "application/x-samediff-zip"},
	Detect:  detect,
	Dataset: &model.Dataset{Beside: true},
	Parse:   parse,
	Tables:  tables,
	Graph:   graphPicture,
	Deep:    deep,
	Rules:   rules,
	Actions: actions,
	Fixup:   fixup,
	Review:  review,
}

// state is what a tree remembers: its files, and the frames that hold more.
type state struct {
	mu   sync.Mutex
	docs []*doc
	lazy []*model.Span // frames that are opened on demand
	// placed are the buffers, by the spans that hold their objects.
	placed map[*model.Span]*placed
	// outside are the files of external arrays that have been opened, by name.
	outside map[string]*outside
}

// doc is one file of the document.
type doc struct {
	st     *state
	file   string
	at     model.Range // all of it
	family string
	con    *container
	zip    *archive
	nbs    []*native
	graphs []*placed // the models: FlatGraph buffers, without sub-instances
	flats  []*placed
}

// add adds to a list of the state: frames are opened by several workers.
func add[T any](s *state, list *[]T, v T) {
	s.mu.Lock()
	defer s.mu.Unlock()
	*list = append(*list, v)
}

// later notes a frame that is opened on demand, so that deep checks find it.
func (s *state) later(n model.Node) {
	if n.Span != nil {
		add(s, &s.lazy, n.Span)
	}
}

// frame returns the frame that was noted as number i; nil behind the last.
func (s *state) frame(i int) *model.Span {
	s.mu.Lock()
	defer s.mu.Unlock()
	if i >= len(s.lazy) {
		return nil
	}
	return s.lazy[i]
}

// The families of section 1.1.
const (
	familyNone      = "none"
	familyForeign   = "foreign"
	familyContained = "F-CON"
	familyNative    = "F-SDNB"
	familyZipped    = "F-SDZ"
	familyBare      = "F-FB"
	familyModel     = "F-MC"
)

// extensions is the usual extension of a family.
var extensions = map[string]string{familyContained: ".sdc", familyNative: ".sdnb", familyZipped: ".sdz", familyBare: ".fb", familyModel: ".fb"}

const containerMagic = "SAMEDIFF_MODEL"

// familyOf follows the detection order of section 1.8, by the two ends of a file; foreign says what else than a model it is.
func familyOf(head, tail []byte, size int64) (family, foreign string) {
	has := func(p string) bool { return bytes.HasPrefix(head, []byte(p)) }
	switch {
	case has(containerMagic[:12]) || has("\x00\x0e"+containerMagic):
		return familyContained, ""
	case has("SDNB"):
		return familyNative, ""
	case has("PK\x03\x04"):
		return zipFamily(head, tail, size)
	}
	whole := int64(len(head)) == size
	if len(head) >= 12 {
		r := int64(binary.LittleEndian.Uint32(head))
		if r >= 8 && r <= size-4 && r%4 == 0 && isName(head[4:8]) {
			return familyForeign, "a FlatBuffers file of another program (" + string(head[4:8]) + ")"
		}
		if f := flatFamily(head, size, whole); f != "" {
			return f, ""
		}
	}
	switch {
	case has("\xac\xed\x00\x05"):
		return familyForeign, "a Java object stream"
	case has("version https://git-lfs.github.com/spec/"):
		return familyForeign, "a Git-LFS pointer: " + pointer(head)
	}
	return familyNone, ""
}

// flatFamily tells what a bare FlatBuffers buffer is. Of a file longer than head it sees the front only, and pads it in its mind:
// what lies behind is taken to be sound.
func flatFamily(head []byte, size int64, whole bool) string {
	b := flat.Buffer(head)
	r := b.Root()
	if r == 0 {
		return ""
	}
	if whole {
		switch {
		case b.IsContainer(r):
			return familyModel
		case b.IsGraph(r):
			return familyBare
		}
		return ""
	}
	v, n := b.Vtable(r)
	if n == 0 || n > 64 || r+b.U16(v+2) > b.Len() {
		return ""
	}
	for i := range n {
		p := b.Slot(r, i)
		if p == 0 {
			continue
		}
		if i > 0 && (p+4 > b.Len() || p+b.U32(p) > size-4 || b.U32(p) == 0) {
			return ""
		}
	}
	if t := b.Ref(r, 0); t != 0 && b.Sound(t) && b.IsContainer(r) {
		return familyModel
	}
	return familyBare
}

func isName(b []byte) bool {
	for _, c := range b {
		if !(c >= '0' && c <= '9' || c >= 'A' && c <= 'Z' || c >= 'a' && c <= 'z') {
			return false
		}
	}
	return true
}

// pointer returns the size and object id of a Git-LFS pointer.
func pointer(b []byte) string {
	var out []string
	for _, l := range strings.Split(string(b[:min(len(b), 400)]), "\n") {
		if strings.HasPrefix(l, "oid ") || strings.HasPrefix(l, "size ") {
			out = append(out, l)
		}
	}
	return strings.Join(out, ", ")
}

// detect says how sure it is that a file is of the format, or why it is not.
func detect(name string, head, tail []byte, size int64) (model.Confidence, string) {
	if c := confidence(name, head, tail, size); c > 0 {
		return c, ""
	}
	return 0, decline(name, head, tail, size)
}

// confidence is the registry's view of familyOf. Extensions only help where nothing else does: a damaged file is still shown.
func confidence(name string, head, tail []byte, size int64) model.Confidence {
	ext := strings.ToLower(path.Ext(strings.TrimSuffix(name, ".gz")))
	known := familyOfExt(ext)
	family, foreign := familyOf(head, tail, size)
	switch family {
	case familyContained, familyNative:
		return 100
	case familyZipped, familyModel:
		return 90
	case familyBare:
		if known {
			return 85
		}
		return 50
	case familyForeign:
		if known {
			return 30
		}
		if strings.HasPrefix(foreign, "a ZIP") {
			return 1
		}
		return 0
	}
	if known {
		return 10
	}
	return 0
}

// decline says why confidence is 0.
func decline(_ string, head, tail []byte, size int64) string {
	if _, foreign := familyOf(head, tail, size); foreign != "" {
		return "is " + foreign
	}
	why := "begins with " + model.Opening(head) + ", not SAMEDIFF_MODEL, SDNB or PK"
	if len(head) < 8 {
		return why
	}
	if root := binary.LittleEndian.Uint32(head); int64(root) > size-4 {
		return why + fmt.Sprintf("; no FlatBuffers root: the offset at 0 (0x%x) leads behind the end", root)
	}
	return why + "; what the FlatBuffers root offset at 0 leads to is no graph"
}

var (
	fieldFile    = &model.Field{Name: "bytes", Doc: "not a SameDiff model", Codec: model.RawBytes}
	fieldPointer = &model.Field{Name: "pointer", Doc: "a Git-LFS pointer: the model itself is elsewhere", Ref: "1.8", Codec: model.UTF8}
)

// parse lays spans over the main file, and offers the files beside it.
func parse(c *model.Cursor) {
	st := &state{placed: map[*model.Span]*placed{}, outside: map[string]*outside{}}
	c.Tree().State = st
	name := c.Tree().Snapshot.Primary
	d := parseFile(c, st, name)
	beside(c, d)
}

// parseFile reads one file of any family.
func parseFile(c *model.Cursor, st *state, name string) *doc {
	size := c.Left()
	head, tail := c.Peek(64<<10), c.PeekAt(c.Base()+max(0, size-(64<<10)), 64<<10)
	d := &doc{st: st, file: name, at: c.Range(c.Pos(), size)}
	add(st, &st.docs, d)
	var foreign string
	d.family, foreign = familyOf(head, tail, size)
	if ext := strings.ToLower(path.Ext(name)); extensions[d.family] != "" && ext != "" && ext != extensions[d.family] {
		c.Report(model.Finding{Rule: wrongExtension, Span: c.Span(), Found: ext, Expected: extensions[d.family],
			Message: "the name ends in " + ext + ", the content is " + d.family, Fixes: []model.Fix{copyAs(d, strings.TrimSuffix(path.Base(name), path.Ext(name))+extensions[d.family])}})
	}
	switch d.family {
	case familyContained:
		if size < 18 {
			reject(c, tooShort, "the file ends inside the prologue")
			return d
		}
		parseContainer(c, d)
	case familyNative:
		if size < 32 {
			reject(c, tooShort, "the file ends inside the header")
			return d
		}
		parseNB(c, d, size)
	case familyZipped:
		parseZip(c, d)
	case familyBare:
		d.graph(c, fieldGraph, size, "FlatGraph", scopeOf{})
	case familyModel:
		c.Report(model.Finding{Rule: modelContainer, Span: c.Span(), Range: c.Range(c.Pos(), 4)})
		d.graph(c, fieldModel, size, "ModelContainer", scopeOf{})
	case familyForeign:
		c.Report(model.Finding{Rule: otherKind, Span: c.Span(), Found: foreign, Message: "not a SameDiff model but " + foreign})
		switch {
		case strings.HasPrefix(foreign, "a ZIP"):
			parseZip(c, d)
		case strings.HasPrefix(foreign, "a Git-LFS"):
			c.Rest(fieldPointer)
		default:
			c.Rest(fieldFile)
		}
	default:
		switch {
		case size < 12:
			reject(c, tooShort, "the file is shorter than any header")
		case bytes.HasPrefix(head, []byte{0x1f, 0x8b}):
			parseWrapped(c, d)
		default:
			reject(c, notAModel, "the first bytes are those of no SameDiff model")
		}
	}
	return d
}

// reject reports that a file is no model and shows its bytes.
func reject(c *model.Cursor, r *model.Rule, why string) {
	c.Report(model.Finding{Rule: r, Span: c.Span(), Range: c.Range(c.Pos(), min(16, c.Left())), Message: why})
	if c.Left() > 0 {
		c.Rest(fieldFile)
	}
}

var (
	fieldWrapped = &model.Field{Name: "gzip", Doc: "a gzip wrapper", Ref: "4.1", Codec: model.RawBytes}
	fieldInside  = &model.Field{Name: "inside", Doc: "what the wrapper holds"}
)

// parseWrapped looks into a gzip file for a model (SDF-009).
func parseWrapped(c *model.Cursor, d *doc) {
	first := c.Range(c.Pos(), 2)
	frame := c.Span()
	raw := c.Rest(fieldWrapped)
	in := c.Derive(fieldInside, model.Derived{Transform: inflate("gzip", 6), From: []model.Node{raw}, Size: -1, Body: func(e *model.Cursor) {
		inner := parseFile(e, d.st, strings.TrimSuffix(d.file, ".gz"))
		if extensions[inner.family] != "" {
			e.Report(model.Finding{Rule: gzipWrapped, Span: frame, Range: first, Message: "a gzip wrapper around " + inner.family, Fixes: []model.Fix{
				fix("take the file out of the wrapper", false, func(ctx context.Context, t *model.Tree) ([]model.Edit, error) {
					z, err := t.Bytes(background, raw.Range)
					if err != nil {
						return nil, err
					}
					plain, err := inflateAll(background, "gzip", z, int64(len(z))*maxRatio)
					if d.file != inner.file {
						return []model.Edit{model.FileEdit{File: inner.file, Create: model.Memory(plain)}}, err
					}
					return []model.Edit{model.Replace(raw.Range, plain)}, err
				})}})
		}
	}})
	d.st.later(in)
}
