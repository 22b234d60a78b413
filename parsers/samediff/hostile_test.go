package samediff

import (
	"archive/zip"
	"bytes"
	"context"
	"encoding/binary"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	flatbuffers "github.com/google/flatbuffers/go"

	"spandrel/model"
	"spandrel/parsers/internal/inflate"
	"spandrel/parsers/samediff/flat"
	"spandrel/parsers/samediff/manifest"
)

// sharedBy is a table whose one field, a vector in a slot, refers n times to one table with a name.
func sharedBy(slot, n int) []byte {
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

// crowded is an archive of a model and n empty members of one name.
func crowded(t testing.TB, n int) []byte {
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
			f.Write(nbSmall())
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return out.Bytes()
}

// shared is a graph of n nodes that are one table, with n outputs that are one text.
func shared(n int) []byte {
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
	vars := build(b, []tableSpec{}).(flatbuffers.UOffsetT)
	b.StartObject(7)
	b.PrependUOffsetT(nodes)
	b.Slot(2)
	b.PrependUOffsetT(vars)
	b.Slot(1)
	b.Finish(b.EndObject())
	return b.FinishedBytes()
}

// inputsOfAll is a graph of n nodes that share one list of k inputs, each of which is the same variable.
func inputsOfAll(n, k int) []byte {
	b := flatbuffers.NewBuilder(1 << 20)
	list := func(n int, item func() flatbuffers.UOffsetT) flatbuffers.UOffsetT {
		items := make([]flatbuffers.UOffsetT, n)
		for i := range items {
			items[i] = item()
		}
		b.StartVector(4, n, 4)
		for _, x := range items {
			b.PrependUOffsetT(x)
		}
		return b.EndVector(n)
	}
	pair := build(b, tableSpec{0: int32(1), 1: int32(0)}).(flatbuffers.UOffsetT)
	inputs := list(k, func() flatbuffers.UOffsetT { return pair })
	id := int32(0)
	nodes := list(n, func() flatbuffers.UOffsetT {
		name := b.CreateString(fmt.Sprint("n", id))
		id++
		b.StartObject(16)
		b.PrependInt32(id)
		b.Slot(0)
		b.PrependUOffsetT(name)
		b.Slot(1)
		b.PrependUOffsetT(inputs)
		b.Slot(6)
		return b.EndObject()
	})
	vars := build(b, []tableSpec{varOf(1, "x", placeholder, tableSpec{3: []int64{-1, 16}})}).(flatbuffers.UOffsetT)
	b.StartObject(7)
	b.PrependUOffsetT(nodes)
	b.Slot(2)
	b.PrependUOffsetT(vars)
	b.Slot(1)
	b.Finish(b.EndObject())
	return b.FinishedBytes()
}

// overlapping is a graph whose n placeholders are texts that each reach to the end of the file.
func overlapping(n int) []byte {
	g := inline()
	names := make([]string, n)
	for i := range names {
		names[i] = "1234567"
	}
	g[5] = names
	b := fb(g)
	at, _, _ := flat.Buffer(b).Vec(flat.Buffer(b).Root(), flat.GraphPlaceholders, 4)
	for i := range int64(n) {
		p := flat.Buffer(b).Follow(at + 4*i)
		binary.LittleEndian.PutUint32(b[p:], uint32(int64(len(b))-p-5))
	}
	return b
}

// TestSameDiffHostile opens files that are made to cost more than they are worth, and runs every check on them.
func TestSameDiffHostile(t *testing.T) {
	many := bytes.Repeat(recordOf(200, nil), 70_000)
	var entries []manifest.Entry
	for i := range 50_000 {
		entries = append(entries, manifest.Entry{Name: fmt.Sprint("v", i), Offset: 40, Length: 1 << 20})
	}
	crowd := nbOf(fb(inline()), nil, nil)
	crowd = crowd[:len(crowd)-len(manifest.Write(nil))]
	mapBytes := manifest.Write(entries)
	crowd = append(crowd, make([]byte, 2<<20)...)
	binary.BigEndian.PutUint64(crowd[8:], uint64(len(crowd)))
	binary.BigEndian.PutUint64(crowd[16:], uint64(len(mapBytes)))
	bomb, err := inflate.Deflate(inflate.Zlib, 9, make([]byte, 64<<20))
	if err != nil {
		t.Fatal(err)
	}
	packed := recordOf(2, bomb)
	packed[9] |= 1
	mega, err := inflate.Deflate(inflate.Zlib, 9, make([]byte, 1<<20))
	if err != nil {
		t.Fatal(err)
	}
	flagged := recordOf(2, mega)
	flagged[9] |= 1
	pairs := binary.BigEndian.AppendUint32(nil, 4<<20)
	pairs = append(pairs, make([]byte, 16<<20)...)
	twice := inline()
	twice[9] = strings.Fields(strings.Repeat("key ", 200_000))
	twice[10] = twice[9]
	for i := range entries {
		entries[i] = manifest.Entry{Name: fmt.Sprint("v", i), Offset: int64(len(crowd) + 4*i), Length: 4}
	}
	strange := append(bytes.Clone(crowd), make([]byte, 4*len(entries))...)
	names := manifest.Write(entries)
	binary.BigEndian.PutUint64(strange[8:], uint64(len(strange)))
	binary.BigEndian.PutUint64(strange[16:], uint64(len(names)))
	for name, c := range map[string]struct {
		file []byte
		rule string
	}{
		"shared.fb":      {shared(100_000), "model.cap"},
		"overlapping.fb": {overlapping(20_000), "SDF-133"},
		"records.sdc":    {box(headOf(3), many), "SDF-031"},
		"crowd.sdnb":     {append(crowd, mapBytes...), "SDF-060"},
		"bomb.sdc":       {box(headOf(2), packed), "SDF-023"},
		"nest.fb":        {nest(70), "SDF-133"},
		"vars.fb":        {sharedBy(flat.GraphVariables, 4<<20), "model.cap"},
		"keys.sdc":       {box(headOf(3), recordOf(1, sharedBy(0, 4<<20)), recordOf(2, fb(inline()))), "model.cap"},
		"pairs.sdc":      {box(headOf(3), recordOf(1, pairs), recordOf(2, fb(inline()))), "model.cap"},
		"bombs.sdc":      {box(headOf(3), bytes.Repeat(flagged, 5000)), "SDF-015"},
		"unflagged.sdc":  {box(headOf(3), bytes.Repeat(recordOf(2, mega), 10_000)), "SDF-015"},
		"twice.fb":       {fb(twice), "SDF-156"},
		"strange.sdnb":   {append(strange, names...), "SDF-062"},
		"same.sdz":       {crowded(t, 30_000), "model.cap"},
	} {
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		d := openModel(t, name, c.file)
		errorsOf(t, d)
		d.Tree.Tables(context.Background())
		runtime.ReadMemStats(&after)
		if made := (after.TotalAlloc - before.TotalAlloc) >> 20; made > 6<<10 {
			t.Errorf("%s costs too much: %d MB for %d MB", name, made, len(c.file)>>20)
		}
		if len(findings(d, c.rule)) == 0 {
			t.Errorf("%s: no %s", name, c.rule)
		}
	}
}

// What one variable, listed millions of times, might be corrected with is not searched for, because all of them would be read.
func TestSameDiffTangleIsNotRead(t *testing.T) {
	d := openModel(t, "a.fb", sharedBy(flat.GraphVariables, 6<<20))
	found, _ := d.Tree.Findings()
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	for i := range found {
		d.Tree.Fixes(context.Background(), &found[i])
	}
	runtime.ReadMemStats(&after)
	if n := after.TotalAlloc - before.TotalAlloc; len(found) == 0 || n > 24<<20 {
		t.Errorf("%d findings, %d bytes", len(found), n)
	}
}

// Of an archive of more models than any reader takes, those beyond a number are bytes, and a finding says so.
func TestSameDiffModelsOfAnArchive(t *testing.T) {
	var out bytes.Buffer
	w := zip.NewWriter(&out)
	for i := range mostModels + 1 {
		f, err := w.CreateHeader(&zip.FileHeader{Name: fmt.Sprintf("m%d", i)})
		if err != nil {
			t.Fatal(err)
		}
		f.Write(append([]byte("SDNB"), make([]byte, 28)...))
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	d := openModel(t, "models.sdz", out.Bytes())
	if n := len(d.Tree.State.(*state).docs[0].nbs); n != mostModels {
		t.Errorf("%d models are read", n)
	}
	if len(findings(d, "model.cap")) == 0 {
		t.Error("it is not said that one is not read")
	}
}

// Of a set of more shards than are read together each is read by itself: it says so, and what has to agree with the others is not changed.
func TestSameDiffShardsOfALargeSet(t *testing.T) {
	for _, others := range []int{mostBeside, mostBeside + 1} {
		dir, count := t.TempDir(), others+1
		for i := range count {
			if err := os.WriteFile(filepath.Join(dir, fmt.Sprintf("m.shard%d-of-%d.sdnb", i, count)), nbSmall(), 0o600); err != nil {
				t.Fatal(err)
			}
		}
		d, err := model.Open(t.Context(), filepath.Join(dir, fmt.Sprintf("m.shard0-of-%d.sdnb", count)), []*model.Format{Format}, nil)
		if err != nil {
			t.Fatal(err)
		}
		defer d.Close()
		if err := d.Deep(t.Context(), nil); err != nil {
			t.Fatal(err)
		}
		read, said := len(main(d.Tree).st.snapshot()), len(findings(d, "model.cap"))
		_, err = Format.Salvage(t.Context(), d.Tree)
		_, edited := d.Plan(t.Context(), "edit", model.FileEdit{File: "m", Create: model.Memory(nil)})
		_, bytes := d.Plan(t.Context(), "bytes", model.Splice{Range: model.Range{Space: d.Tree.Root.Range.Space, Len: 1}, With: model.Memory([]byte("x")), Loose: true})
		if many := others > mostBeside; many != (read == 1) || many != (said == 1) || many != (err != nil) || many != (edited != nil) || bytes != nil {
			t.Errorf("%d others: %d are read, said %d times, salvage %v, edit %v, bytes %v", others, read, said, err, edited, bytes)
		}
	}
}
