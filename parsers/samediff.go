package parsers

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"path"
	"strings"
	"sync"

	"spandrel/model"
)

// SameDiff model files (Eclipse Deeplearning4j): the section container of ADR 0035 under profile P1, SDNB, SDZ, bare FlatBuffers
// graphs of all generations, and ModelContainer. Specification: formats/samediff.md; section numbers in this file are its own.
var sdFormat = add(&model.Format{
	Name:       "samediff",
	Title:      "SameDiff model",
	Doc:        "Models of the SameDiff engine of Eclipse Deeplearning4j: section containers, SDNB, SDZ archives and FlatBuffers graphs, with their shards and external arrays.",
	Exts:       []string{".sdc", ".sdnb", ".sdz", ".fb"},
	MIME:       []string{"application/x-samediff", "application/x-samediff-zip"},
	Detect:     sdDetect,
	Decline:    sdDecline,
	Companions: true,
	Parse:      sdParse,
	Tables:     sdTables,
	Graph:      sdGraphPicture,
	Deep:       sdDeep,
	Rules:      sdRules,
	Actions:    sdActions,
	Fixup:      sdFixup,
	Review:     sdReview,
})

// sdState is what a tree remembers: its files, and the frames that hold more.
type sdState struct {
	mu   sync.Mutex
	docs []*sdDoc
	lazy []*model.Span // frames that are opened on demand
	// placed are the buffers, by the spans that hold their objects.
	placed map[*model.Span]*sdPlaced
	// outside are the files of external arrays that have been opened, by name.
	outside map[string]*sdOutside
}

// sdDoc is one file of the document.
type sdDoc struct {
	st     *sdState
	file   string
	at     model.Range // all of it
	family string
	con    *sdContainer
	zip    *sdZip
	nbs    []*sdNB
	graphs []*sdPlaced // the models: FlatGraph buffers, without sub-instances
	flats  []*sdPlaced
}

// sdAdd adds to a list of the state: frames are opened by several workers.
func sdAdd[T any](s *sdState, list *[]T, v T) {
	s.mu.Lock()
	defer s.mu.Unlock()
	*list = append(*list, v)
}

// later notes a frame that is opened on demand, so that deep checks find it.
func (s *sdState) later(n model.Node) {
	if n.Span != nil {
		sdAdd(s, &s.lazy, n.Span)
	}
}

// frame returns the frame that was noted as number i; nil behind the last.
func (s *sdState) frame(i int) *model.Span {
	s.mu.Lock()
	defer s.mu.Unlock()
	if i >= len(s.lazy) {
		return nil
	}
	return s.lazy[i]
}

// The families of section 1.1.
const (
	sdNone      = "none"
	sdForeign   = "foreign"
	sdContained = "F-CON"
	sdNative    = "F-SDNB"
	sdZipped    = "F-SDZ"
	sdBare      = "F-FB"
	sdModel     = "F-MC"
)

// sdExt is the usual extension of a family.
var sdExt = map[string]string{sdContained: ".sdc", sdNative: ".sdnb", sdZipped: ".sdz", sdBare: ".fb", sdModel: ".fb"}

const sdMagic = "SAMEDIFF_MODEL"

// sdFamily follows the detection order of section 1.8, by the two ends of a file; foreign says what else than a model it is.
func sdFamily(head, tail []byte, size int64) (family, foreign string) {
	has := func(p string) bool { return bytes.HasPrefix(head, []byte(p)) }
	switch {
	case has(sdMagic[:12]) || has("\x00\x0e"+sdMagic):
		return sdContained, ""
	case has("SDNB"):
		return sdNative, ""
	case has("PK\x03\x04"):
		return sdZipFamily(head, tail, size)
	}
	whole := int64(len(head)) == size
	if len(head) >= 12 {
		r := int64(binary.LittleEndian.Uint32(head))
		if r >= 8 && r <= size-4 && r%4 == 0 && sdIsName(head[4:8]) {
			return sdForeign, "a FlatBuffers file of another program (" + string(head[4:8]) + ")"
		}
		if f := sdFlatFamily(head, size, whole); f != "" {
			return f, ""
		}
	}
	switch {
	case has("\xac\xed\x00\x05"):
		return sdForeign, "a Java object stream"
	case has("version https://git-lfs.github.com/spec/"):
		return sdForeign, "a Git-LFS pointer: " + sdPointer(head)
	}
	return sdNone, ""
}

// sdFlatFamily tells what a bare FlatBuffers buffer is. Of a file longer than head it sees the front only, and pads it in its mind:
// what lies behind is taken to be sound.
func sdFlatFamily(head []byte, size int64, whole bool) string {
	b := sdBuf(head)
	r := b.root()
	if r == 0 {
		return ""
	}
	if whole {
		switch {
		case b.isContainer(r):
			return sdModel
		case b.isGraph(r):
			return sdBare
		}
		return ""
	}
	v, n := b.vtable(r)
	if n == 0 || n > 64 || r+b.u16(v+2) > b.len() {
		return ""
	}
	for i := range n {
		p := b.slot(r, i)
		if p == 0 {
			continue
		}
		if i > 0 && (p+4 > b.len() || p+b.u32(p) > size-4 || b.u32(p) == 0) {
			return ""
		}
	}
	if t := b.ref(r, 0); t != 0 && b.sound(t) && b.isContainer(r) {
		return sdModel
	}
	return sdBare
}

func sdIsName(b []byte) bool {
	for _, c := range b {
		if !(c >= '0' && c <= '9' || c >= 'A' && c <= 'Z' || c >= 'a' && c <= 'z') {
			return false
		}
	}
	return true
}

// sdPointer returns the size and object id of a Git-LFS pointer.
func sdPointer(b []byte) string {
	var out []string
	for _, l := range strings.Split(string(b[:min(len(b), 400)]), "\n") {
		if strings.HasPrefix(l, "oid ") || strings.HasPrefix(l, "size ") {
			out = append(out, l)
		}
	}
	return strings.Join(out, ", ")
}

// sdDetect is the registry's view of sdFamily. Extensions only help where nothing else does: a damaged file is still shown.
func sdDetect(name string, head, tail []byte, size int64) model.Confidence {
	ext := strings.ToLower(path.Ext(strings.TrimSuffix(name, ".gz")))
	known := sdFamilyOfExt(ext)
	family, foreign := sdFamily(head, tail, size)
	switch family {
	case sdContained, sdNative:
		return 100
	case sdZipped, sdModel:
		return 90
	case sdBare:
		if known {
			return 85
		}
		return 50
	case sdForeign:
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

// sdDecline says why sdDetect found nothing.
func sdDecline(_ string, head, tail []byte, size int64) string {
	if _, foreign := sdFamily(head, tail, size); foreign != "" {
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
	sdFieldFile    = &model.Field{Name: "bytes", Doc: "not a SameDiff model", Codec: model.RawBytes}
	sdFieldPointer = &model.Field{Name: "pointer", Doc: "a Git-LFS pointer: the model itself is elsewhere", Ref: "1.8", Codec: model.UTF8}
)

// sdParse lays spans over the main file, and offers the files beside it.
func sdParse(c *model.Cursor) {
	st := &sdState{placed: map[*model.Span]*sdPlaced{}, outside: map[string]*sdOutside{}}
	c.Tree().State = st
	name := c.Tree().Snapshot.Primary
	d := sdParseFile(c, st, name)
	sdBeside(c, d)
}

// sdParseFile reads one file of any family.
func sdParseFile(c *model.Cursor, st *sdState, name string) *sdDoc {
	size := c.Left()
	head, tail := c.Peek(64<<10), c.PeekAt(c.Base()+max(0, size-(64<<10)), 64<<10)
	d := &sdDoc{st: st, file: name, at: c.Range(c.Pos(), size)}
	sdAdd(st, &st.docs, d)
	var foreign string
	d.family, foreign = sdFamily(head, tail, size)
	if ext := strings.ToLower(path.Ext(name)); sdExt[d.family] != "" && ext != "" && ext != sdExt[d.family] {
		c.Report(model.Finding{Rule: sdf(6), Span: c.Span(), Found: ext, Expected: sdExt[d.family],
			Message: "the name ends in " + ext + ", the content is " + d.family, Fixes: []model.Fix{sdCopyAs(d, strings.TrimSuffix(path.Base(name), path.Ext(name))+sdExt[d.family])}})
	}
	switch d.family {
	case sdContained:
		if size < 18 {
			sdReject(c, sdf(8), "the file ends inside the prologue")
			return d
		}
		sdParseContainer(c, d)
	case sdNative:
		if size < 32 {
			sdReject(c, sdf(8), "the file ends inside the header")
			return d
		}
		sdParseNB(c, d, size)
	case sdZipped:
		sdParseZip(c, d)
	case sdBare:
		d.graph(c, sdFieldGraph, size, "FlatGraph", sdContext{})
	case sdModel:
		c.Report(model.Finding{Rule: sdf(49), Span: c.Span(), Range: c.Range(c.Pos(), 4)})
		d.graph(c, sdFieldModel, size, "ModelContainer", sdContext{})
	case sdForeign:
		c.Report(model.Finding{Rule: sdf(7), Span: c.Span(), Found: foreign, Message: "not a SameDiff model but " + foreign})
		switch {
		case strings.HasPrefix(foreign, "a ZIP"):
			sdParseZip(c, d)
		case strings.HasPrefix(foreign, "a Git-LFS"):
			c.Rest(sdFieldPointer)
		default:
			c.Rest(sdFieldFile)
		}
	default:
		switch {
		case size < 12:
			sdReject(c, sdf(8), "the file is shorter than any header")
		case bytes.HasPrefix(head, []byte{0x1f, 0x8b}):
			sdParseWrapped(c, d)
		default:
			sdReject(c, sdf(1), "the first bytes are those of no SameDiff model")
		}
	}
	return d
}

// sdReject reports that a file is no model and shows its bytes.
func sdReject(c *model.Cursor, r *model.Rule, why string) {
	c.Report(model.Finding{Rule: r, Span: c.Span(), Range: c.Range(c.Pos(), min(16, c.Left())), Message: why})
	if c.Left() > 0 {
		c.Rest(sdFieldFile)
	}
}

var (
	sdFieldWrapped = &model.Field{Name: "gzip", Doc: "a gzip wrapper", Ref: "4.1", Codec: model.RawBytes}
	sdFieldInside  = &model.Field{Name: "inside", Doc: "what the wrapper holds"}
)

// sdParseWrapped looks into a gzip file for a model (SDF-009).
func sdParseWrapped(c *model.Cursor, d *sdDoc) {
	first := c.Range(c.Pos(), 2)
	frame := c.Span()
	raw := c.Rest(sdFieldWrapped)
	in := c.Derive(sdFieldInside, model.Derived{Transform: sdInflate("gzip", 6), From: []model.Node{raw}, Size: -1, Body: func(e *model.Cursor) {
		inner := sdParseFile(e, d.st, strings.TrimSuffix(d.file, ".gz"))
		if sdExt[inner.family] != "" {
			e.Report(model.Finding{Rule: sdf(9), Span: frame, Range: first, Message: "a gzip wrapper around " + inner.family, Fixes: []model.Fix{
				sdFix("take the file out of the wrapper", false, func(t *model.Tree) ([]model.Edit, error) {
					z, err := t.Bytes(sdBackground, raw.Range)
					if err != nil {
						return nil, err
					}
					plain, err := sdInflateAll(sdBackground, "gzip", z, int64(len(z))*sdMaxRatio)
					if d.file != inner.file {
						return []model.Edit{{File: inner.file, Create: model.Memory(plain)}}, err
					}
					return []model.Edit{model.Replace(raw.Range, plain)}, err
				})}})
		}
	}})
	d.st.later(in)
}
