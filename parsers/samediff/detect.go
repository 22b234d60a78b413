package samediff

import (
	"bytes"
	"context"
	"encoding/binary"
	"fmt"
	"maps"
	"path"
	"slices"
	"strings"
	"unicode/utf8"

	"spandrel/model"
	"spandrel/parsers/internal/zipfile"
	"spandrel/parsers/samediff/flat"
	"spandrel/parsers/samediff/manifest"
)

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
var extensions = map[string]string{familyContained: ".sdc", familyNative: ".sdnb", familyZipped: ".sdz", familyBare: ".fb",
	familyModel: ".fb"}

// familyNames are the families as people read them.
var familyNames = map[string]string{familyContained: "a section container", familyNative: "an SDNB file", familyZipped: "an SDZ archive",
	familyBare: "a FlatBuffers graph", familyModel: "a ModelContainer"}

const containerMagic = "SAMEDIFF_MODEL"

// familyOf follows the detection order of section 1.8, using the two ends of a file; foreign says what it is if it is no model.
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

// kind is what a file is.
type kind struct {
	family, foreign string
	damaged         bool // it passes no test, so only the name decides
}

// kindOf identifies a file by its name and its two ends.
func kindOf(name string, head, tail []byte, size int64) (k kind) {
	if k.family, k.foreign = familyOf(head, tail, size); k.family != familyNone {
		return k
	}
	zip := ""
	if endsZip(tail, size) {
		zip, _ = zipFamily(head, tail, size)
	}
	k.damaged = true
	switch {
	case lostMagic(head, size):
		k.family = familyContained
	case zip == familyZipped:
		k.family = familyZipped
	case size >= 32 && hasManifest(tail):
		k.family = familyNative
	case bytes.HasPrefix(head, []byte{0x1f, 0x8b}) || !damagedGraph(head, size, named(name)):
		k.damaged = false
	case flat.HoldsGraph(head):
		k.family = familyModel
	default:
		k.family = familyBare
	}
	return k
}

// named tells whether a file has the name of a model.
func named(name string) bool {
	return familyOfExt(strings.ToLower(path.Ext(strings.TrimSuffix(name, ".gz"))))
}

// lostMagic tells whether a file with damaged first bytes continues as a container does: with its version and sections of known types,
// the first of which ends where the next begins.
func lostMagic(head []byte, size int64) bool {
	const version, first = len(containerMagic), len(containerMagic) + 4
	at := int64(first)
	if len(head) < first || binary.BigEndian.Uint32(head[version:]) != 1 {
		return false
	}
	for range 2 {
		if at+layouts[0].head > int64(len(head)) {
			return at > int64(first) && at <= size
		}
		r, _ := layouts[0].record(head[at:], at, size, binary.BigEndian)
		if !r.known() || r.size <= 0 || r.size > size-at {
			return false
		}
		if at = r.end(); at == size {
			return true
		}
	}
	return true
}

// endsZip tells whether a file ends like an archive whose offsets count from its first byte.
func endsZip(tail []byte, size int64) bool {
	const end = 22
	i := bytes.LastIndex(tail, []byte("PK\x05\x06"))
	if i < 0 || i+end > len(tail) || i+end+int(binary.LittleEndian.Uint16(tail[i+20:])) != len(tail) {
		return false
	}
	dirSize, dirAt := int64(binary.LittleEndian.Uint32(tail[i+12:])), int64(binary.LittleEndian.Uint32(tail[i+16:]))
	return dirAt+dirSize == size-int64(len(tail)-i)
}

// hasManifest tells whether a file with a damaged front ends with the manifest of an SDNB file.
func hasManifest(tail []byte) bool {
	at := bytes.LastIndex(tail, []byte(mapStart))
	return at >= 0 && (bytes.Contains(tail[at:], []byte("org.nd4j.common.primitives.Pair")) || manifest.Read(tail[at:]).Err == nil)
}

// mapStart is how a manifest begins: a Java stream of a LinkedHashMap.
const mapStart = "\xac\xed\x00\x05sr\x00\x17java.util.LinkedHashMap"

// flatFamily identifies a bare FlatBuffers buffer. In a file longer than head it sees only the front, and
// assumes that the rest is sound.
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
	return !bytes.ContainsFunc(b, func(r rune) bool { return !(r >= '0' && r <= '9' || r >= 'A' && r <= 'Z' || r >= 'a' && r <= 'z') })
}

// damagedGraph tells whether a file that passes no test may be a damaged FlatBuffers graph: its root has a vtable with
// as many fields as graphs have, or a graph begins near the front. named means that the file's name is that of a model.
func damagedGraph(head []byte, size int64, named bool) bool {
	b := flat.Buffer(head)
	if b.Len() < 16 {
		return false
	}
	r := int64(binary.LittleEndian.Uint32(head))
	leads := r >= 4 && r <= size-4 && r%4 == 0
	if leads && r < b.Len()-4 {
		if _, n := b.Vtable(r); n >= 4 && n <= 12 && (named || b.Vectors(r) > 1) {
			return true
		}
	}
	for t := int64(8); t < min(b.Len()-8, 1<<12); t += 4 {
		if v, n := b.Vtable(t); n >= 4 && n <= 12 && v == t-4-2*int64(n) && b.Vectors(t) > 1 {
			return true
		}
	}
	if named && !leads && model.AllZero(b[:min(b.Len(), 16)]) { // its beginning is lost
		return len(b.Carve()[flat.GraphVariables]) > 0
	}
	return named && leads && !utf8.Valid(head[:min(len(head), 512)])
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

// detect returns the confidence that a file is of the format, or why it is not. The name only helps if nothing else does: a damaged file is still
// shown.
func detect(name string, head, tail []byte, size int64) (model.Confidence, string) {
	k, known := kindOf(name, head, tail, size), named(name)
	switch {
	case k.damaged && (k.family == familyNative || k.family == familyZipped || k.family == familyContained):
		return 60, ""
	case k.damaged && known && k.family == familyModel:
		return 85, "" // the offset to its graph looks like the root of a file
	case k.damaged && known:
		return 40, ""
	case k.damaged:
		return 20, ""
	case k.family == familyContained || k.family == familyNative:
		return 100, ""
	case k.family == familyZipped && !strings.HasSuffix(strings.ToLower(strings.TrimSuffix(name, ".gz")), ".sdz") && packed(head, tail, size):
		return 55, ""
	case k.family == familyZipped || k.family == familyModel:
		return 90, ""
	case k.family == familyBare && known:
		return 85, ""
	case k.family == familyBare:
		return 50, ""
	case k.family == familyForeign && known:
		return 30, ""
	case strings.HasPrefix(k.foreign, "a ZIP of "): // of the same tools
		return 1, ""
	case k.family == familyForeign:
		return 0, "is " + k.foreign
	case known:
		return 10, ""
	}
	why := "begins with " + model.Opening(head) + ", not SAMEDIFF_MODEL, SDNB or PK"
	if len(head) < 8 {
		return 0, why
	}
	if root := binary.LittleEndian.Uint32(head); int64(root) > size-4 {
		return 0, why + fmt.Sprintf("; no FlatBuffers root: the offset at 0 (0x%x) leads past the end", root)
	}
	return 0, why + "; the FlatBuffers root offset at 0 does not lead to a graph"
}

func familyOfExt(ext string) bool {
	return slices.Contains(slices.Collect(maps.Values(extensions)), ext)
}

// zipFamily tells what a ZIP contains, from its two ends (section 1.8, step 3). A directory outside them is handled when the file
// is parsed.
func zipFamily(head, tail []byte, size int64) (family, foreign string) {
	z := membersOf(head, tail, size)
	if len(z.Members) == 0 {
		if !modelFront(head) {
			return familyForeign, "a ZIP whose directory is lost, without a model at its beginning"
		}
		return familyZipped, ""
	}
	names, model := map[string]bool{}, false
	for _, m := range z.Members {
		names[m.Name] = true
		model = model || modelMember(m.Name)
	}
	switch sdnb := slices.ContainsFunc(z.Members, isModel); {
	case sdnb:
		return familyZipped, ""
	case names["tags.txt"]:
		return familyForeign, "a ZIP with the layout of 2020 (tags.txt)"
	case names["configuration.json"] && names["coefficients.bin"]:
		return familyForeign, "a ZIP of DL4J's ModelSerializer"
	case model:
		return familyZipped, ""
	}
	return familyForeign, "a ZIP without a model"
}

// membersOf lists what the two ends of an archive show of its members.
func membersOf(head, tail []byte, size int64) *zipfile.Archive {
	behind := size - int64(len(tail))
	at := func(off, n int64) []byte {
		b := head
		if off >= behind {
			b, off = tail, off-behind
		}
		if off < 0 || off >= int64(len(b)) {
			return nil
		}
		return b[off:min(off+n, int64(len(b)))]
	}
	ctx := context.Background() // only the two ends are read, so there is nothing to cancel
	z, err := zipfile.Scan(ctx, tail, at, size, nil)
	if err != nil || len(z.Members) == 0 { // without a directory, members are found by their own headers
		z.Members = zipfile.Carve(ctx, at, size)
	}
	return z
}

// packed tells whether an archive may have been packed around an SDNB file: its only member has another name than in models.
func packed(head, tail []byte, size int64) bool {
	z := membersOf(head, tail, size)
	return len(z.Members) == 1 && !modelMember(z.Members[0].Name) && shardName(z.Members[0].Name) == nil
}

func modelMember(name string) bool {
	return name == "model" || name == "model.sdnb" || strings.HasPrefix(name, "model.shard")
}

// modelFront tells from the first member whether an archive without a directory contained a model.
func modelFront(head []byte) bool {
	if len(head) < 30 {
		return true
	}
	n, x := int(binary.LittleEndian.Uint16(head[26:])), int(binary.LittleEndian.Uint16(head[28:]))
	if len(head) < 30+n+x {
		return false
	}
	return modelMember(string(head[30:30+n])) || bytes.HasPrefix(head[30+n+x:], []byte("SDNB"))
}

// isModel tells whether a member is an SDNB file.
func isModel(m *zipfile.Member) bool { return bytes.HasPrefix(m.Front, []byte("SDNB")) }
