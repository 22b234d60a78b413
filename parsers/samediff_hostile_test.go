package parsers

import (
	"archive/zip"
	"bytes"
	"encoding/binary"
	"fmt"
	"runtime"
	"strings"
	"testing"

	flatbuffers "github.com/google/flatbuffers/go"
)

// sdSharedBy is a table whose one field, a vector in a slot, refers n times to one table with a name.
func sdSharedBy(slot, n int) []byte {
	b := flatbuffers.NewBuilder(1 << 20)
	name := b.CreateString("x")
	b.StartObject(7)
	b.PrependInt32(-1)
	b.Slot(5)
	b.PrependUOffsetT(name)
	b.Slot(1)
	b.PrependUOffsetT(name)
	b.Slot(0)
	same := b.EndObject()
	b.StartVector(4, n, 4)
	for range n {
		b.PrependUOffsetT(same)
	}
	all := b.EndVector(n)
	b.StartObject(slot + 1)
	b.PrependUOffsetT(all)
	b.Slot(slot)
	b.Finish(b.EndObject())
	return b.FinishedBytes()
}

// sdCrowd is an archive of a model and n empty members of one name.
func sdCrowd(t testing.TB, n int) []byte {
	var out bytes.Buffer
	w := zip.NewWriter(&out)
	for i := range n + 1 {
		h := &zip.FileHeader{Name: "same"}
		if i == 0 {
			h.Name = "model"
		}
		f, err := w.CreateHeader(h)
		if err != nil {
			t.Fatal(err)
		}
		if i == 0 {
			f.Write(sdNBSmall())
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return out.Bytes()
}

// sdShared is a graph of n nodes that are one table, with n outputs that are one text.
func sdShared(n int) []byte {
	b := flatbuffers.NewBuilder(1 << 20)
	refs := func(to flatbuffers.UOffsetT) flatbuffers.UOffsetT {
		b.StartVector(4, n, 4)
		for range n {
			b.PrependUOffsetT(to)
		}
		return b.EndVector(n)
	}
	text := b.CreateString("y")
	outputs := refs(text)
	b.StartObject(16)
	b.PrependUOffsetT(outputs)
	b.Slot(15)
	b.PrependUOffsetT(text)
	b.Slot(1)
	nodes := refs(b.EndObject())
	vars := sdBuild(b, []sdT{}).(flatbuffers.UOffsetT)
	b.StartObject(7)
	b.PrependUOffsetT(nodes)
	b.Slot(2)
	b.PrependUOffsetT(vars)
	b.Slot(1)
	b.Finish(b.EndObject())
	return b.FinishedBytes()
}

// sdOverlapping is a graph whose n placeholders are texts that each reach to the end of the file.
func sdOverlapping(n int) []byte {
	g := sdInline()
	names := make([]string, n)
	for i := range names {
		names[i] = "1234567"
	}
	g[5] = names
	b := sdFB(g)
	at, _, _ := sdBuf(b).vec(sdBuf(b).root(), sdGraphPlaceholders, 4)
	for i := range int64(n) {
		p := sdBuf(b).follow(at + 4*i)
		binary.LittleEndian.PutUint32(b[p:], uint32(int64(len(b))-p-5))
	}
	return b
}

// TestSameDiffHostile opens files that are made to cost more than they are worth, and runs every check on them.
func TestSameDiffHostile(t *testing.T) {
	many := bytes.Repeat(sdRec(200, nil), 70_000)
	var entries []sdManifestEntry
	for i := range 50_000 {
		entries = append(entries, sdManifestEntry{name: fmt.Sprint("v", i), offset: 40, length: 1 << 20})
	}
	crowd := sdNBOf(sdFB(sdInline()), nil, nil)
	crowd = crowd[:len(crowd)-len(sdManifestBytes(nil))]
	manifest := sdManifestBytes(entries)
	crowd = append(crowd, make([]byte, 2<<20)...)
	binary.BigEndian.PutUint64(crowd[8:], uint64(len(crowd)))
	binary.BigEndian.PutUint64(crowd[16:], uint64(len(manifest)))
	bomb, err := sdDeflate("zlib", 9, make([]byte, 64<<20))
	if err != nil {
		t.Fatal(err)
	}
	packed := sdRec(2, bomb)
	packed[9] |= 1
	mega, err := sdDeflate("zlib", 9, make([]byte, 1<<20))
	if err != nil {
		t.Fatal(err)
	}
	flagged := sdRec(2, mega)
	flagged[9] |= 1
	pairs := binary.BigEndian.AppendUint32(nil, 4<<20)
	pairs = append(pairs, make([]byte, 16<<20)...)
	twice := sdInline()
	twice[9] = strings.Fields(strings.Repeat("key ", 200_000))
	twice[10] = twice[9]
	for i := range entries {
		entries[i] = sdManifestEntry{name: fmt.Sprint("v", i), offset: int64(len(crowd) + 4*i), length: 4}
	}
	strange := append(bytes.Clone(crowd), make([]byte, 4*len(entries))...)
	names := sdManifestBytes(entries)
	binary.BigEndian.PutUint64(strange[8:], uint64(len(strange)))
	binary.BigEndian.PutUint64(strange[16:], uint64(len(names)))
	for name, c := range map[string]struct {
		file []byte
		rule string
	}{
		"shared.fb":      {sdShared(100_000), "model.cap"},
		"overlapping.fb": {sdOverlapping(20_000), "SDF-133"},
		"records.sdc":    {sdBox(sdHead(3), many), "SDF-031"},
		"crowd.sdnb":     {append(crowd, manifest...), "SDF-060"},
		"bomb.sdc":       {sdBox(sdHead(2), packed), "SDF-023"},
		"nest.fb":        {sdNest(70), "SDF-133"},
		"vars.fb":        {sdSharedBy(sdGraphVariables, 4<<20), "model.cap"},
		"keys.sdc":       {sdBox(sdHead(3), sdRec(1, sdSharedBy(0, 4<<20)), sdRec(2, sdFB(sdInline()))), "model.cap"},
		"pairs.sdc":      {sdBox(sdHead(3), sdRec(1, pairs), sdRec(2, sdFB(sdInline()))), "model.cap"},
		"bombs.sdc":      {sdBox(sdHead(3), bytes.Repeat(flagged, 5000)), "SDF-015"},
		"unflagged.sdc":  {sdBox(sdHead(3), bytes.Repeat(sdRec(2, mega), 10_000)), "SDF-015"},
		"twice.fb":       {sdFB(twice), "SDF-156"},
		"strange.sdnb":   {append(strange, names...), "SDF-062"},
		"same.sdz":       {sdCrowd(t, 30_000), "model.cap"},
	} {
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		d := sdOpen(t, name, c.file)
		sdErrors(t, d)
		d.Tables()
		runtime.ReadMemStats(&after)
		if made := (after.TotalAlloc - before.TotalAlloc) >> 20; made > 6<<10 {
			t.Errorf("%s costs too much: %d MB for %d MB", name, made, len(c.file)>>20)
		}
		if len(sdFindings(d, c.rule)) == 0 {
			t.Errorf("%s: no %s", name, c.rule)
		}
	}
}
