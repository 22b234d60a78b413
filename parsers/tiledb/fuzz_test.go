package tiledb

import (
	"context"
	"strings"
	"testing"
	"time"

	"spandrel/model"
	"spandrel/parsers/internal/suite"
	"spandrel/parsers/tiledb/filter"
)

// FuzzTDBArray puts bytes in place of a file of an array and reads all of it. Payloads of generic tiles are fuzzed as they are
// before they are filtered, as no mutation gets through zlib.
func FuzzTDBArray(f *testing.F) {
	files := sampleText(nil)
	files["__schema/__enumerations/__0123456789abcdef0123456789abcdef_0"] = sampleEnum("__0123456789abcdef0123456789abcdef_0", "red",
		[]uint64{0}, 0)
	files["__meta/"+sampleName] = sampleTile(23, new(byteWriter).text("answer").put(byte(0), byte(0), uint32(1), int32(42)).Bytes())
	files["__group/"+sampleName+"_2"] = sampleTile(23,
		new(byteWriter).put(uint32(2), uint64(1), uint32(2), byte(2), byte(1), uint64(1), "m", byte(1), uint64(4), "name", byte(0)).Bytes())
	con := "__commits/" + sampleName + "_23.con"
	condition := sampleTile(23, new(byteWriter).put(byte(1), byte(4)).text("a").put(uint64(1), byte(1)).Bytes())
	files["__commits/"+sampleName+"_23.del"] = condition
	files[con] = new(byteWriter).put("__commits/"+sampleName+"_23.del\n", uint64(len(condition)), condition).Bytes()
	d := open(f, writeFiles(f, f.TempDir(), files))
	names := filesOf(d.Tree.Snapshot, ".")
	for i, e := range names {
		f.Add(uint8(i), false, files[e.Name])
		if b := files[e.Name]; len(b) > 52 && !strings.HasPrefix(e.Name, "__fragments/") && e.Name != con {
			if payload, _, err := (filter.Coding{Filters: []filter.Filter{{Type: 1, Compressor: 1, Level: -1}}, Tile: filter.TileType{Datatype: filter.Char, CellSize: 1, FormatVersion: 23}}).Unfilter(context.Background(), b[52:], 1<<20); err == nil {
				f.Add(uint8(i), true, payload)
			}
		}
	}
	f.Fuzz(func(t *testing.T, which uint8, payload bool, b []byte) {
		if payload {
			b = sampleTile(23, b)
		}
		ctx, cancel := context.WithTimeout(context.Background(), 20*time.Second)
		defer cancel()
		tree := model.Parse(ctx, d.Tree.Snapshot.With(names[int(which)%len(names)].Name, model.BytesContent(b)), d.Format)
		if err := tree.Walk(ctx, tree.Root, 100); err != nil {
			t.Fatal(err)
		}
		if err := d.DeepOn(ctx, tree, nil); err != nil {
			t.Fatal(err)
		}
		for _, x := range d.Format.Tables(context.Background(), tree) {
			x.Read(ctx, 0, 100)
			x.Read(ctx, max(0, x.Rows-3), 3)
		}
		if ctx.Err() != nil {
			t.Fatal("it takes too long")
		}
		suite.NoDefect(t, tree)
	})
}
