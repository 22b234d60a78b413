package parsers

import (
	"archive/tar"
	"archive/zip"
	"bytes"
	"encoding/binary"
	"fmt"
	"hash/crc32"
	"hash/maphash"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"spandrel/model"
	"spandrel/model/cause"
)

// TestAnotherManyRows: rows in which nothing is wrong are not replaced by those of another save, however many rows precede them.
func TestAnotherManyRows(t *testing.T) {
	for _, before := range []int{10, 1<<20 + 10} {
		if before > 10 && testing.Short() {
			continue
		}
		first, now, old := make([]byte, 4*before), make([]byte, 64), make([]byte, 64)
		for i := range before {
			binary.LittleEndian.PutUint32(first[4*i:], uint32(i))
		}
		for i := range now {
			now[i], old[i] = byte(3*i), byte(5*i+1)
		}
		sum := func(b []byte) []byte {
			return binary.LittleEndian.AppendUint32(nil, crc32.ChecksumIEEE(append(npyHead(len(b)), b...)))
		}
		archive := func(b []byte) []byte {
			var out bytes.Buffer
			w := zip.NewWriter(&out)
			addMember(t, w, "a.npy", zip.Store, append(npyHead(len(first)), first...))
			addMember(t, w, "b.npy", zip.Store, append(npyHead(len(b)), b...))
			w.Close()
			return out.Bytes()
		}
		d, err := model.OpenBytes(t.Context(), "a.npz", bytes.ReplaceAll(archive(now), sum(now), []byte("oops")), All(), nil)
		if err != nil {
			t.Fatal(err)
		}
		from := (&model.Snapshot{Primary: "b.npz"}).With("b.npz", model.BytesContent(archive(old)))
		took, err := cause.Take(t.Context(), d, cause.Options{Formats: All(), Time: waits}, from)
		if err == nil || !strings.Contains(err.Error(), `of table "b"`) {
			t.Errorf("%d rows before: %v, %+v", before, err, took)
		}
	}
}

// TestValuesCompared: values that are read again from the same bytes are equal and have equal sums, whatever their kind: rows are compared so.
func TestValuesCompared(t *testing.T) {
	seed := maphash.MakeSeed()
	kinds, odd := map[model.Kind]int{}, 0
	for _, f := range All() {
		for _, path := range soundSamples(t, f.Name) {
			var lists [2][]model.Value
			for i := range lists {
				d, err := model.Open(t.Context(), path, All(), nil)
				if err != nil {
					continue // a folder of files that are opened one by one
				}
				for _, x := range d.Tree.Tables(t.Context()) {
					rows, _ := x.Read(t.Context(), 0, min(x.Rows, 256))
					for _, row := range rows {
						for _, c := range row {
							lists[i] = append(append(lists[i], c.Value, c.Default), c.Items...)
						}
					}
				}
				d.Close()
			}
			for i, v := range lists[0] {
				if w := lists[1][i]; v != w || maphash.Comparable(seed, v) != maphash.Comparable(seed, w) {
					t.Errorf("%s: %v is not %v", path, v, w)
				}
				if kinds[v.Kind]++; v.Kind == model.Float && v.Float() != v.Float() {
					odd++
				}
			}
		}
	}
	for k := model.None; k <= model.Text; k++ {
		if t.Logf("%v: %d", k, kinds[k]); kinds[k] == 0 {
			t.Errorf("no sample has a value of kind %v", k)
		}
	}
	if odd == 0 {
		t.Error("no sample has a NaN")
	}
}

// TestAnotherRowsStay: rows in which nothing is wrong are not replaced by those of another save, although a reader stops at the damage, the difference is
// inserted behind them, or no one knows which bytes they are decoded from.
func TestAnotherRowsStay(t *testing.T) {
	for _, x := range []struct {
		sample, file string
		edit         func(*model.Document) ([]model.Edit, error)
		damage       func(b []byte) []byte
	}{
		{"samediff/good/keys.fb", "keys.fb", func(d *model.Document) ([]model.Edit, error) {
			for _, l := range editable(t, d.Tree) {
				if s, err := d.Tree.Find(t.Context(), l.path); err == nil {
					if v, err := d.Tree.Value(t.Context(), s); err == nil && v.Text() == "Ada" {
						return []model.Edit{model.Set{Path: l.path, Value: model.S("Ada and Grace")}}, nil
					}
				}
			}
			return nil, fmt.Errorf("no author")
		}, func(b []byte) []byte { b[545] ^= 0xff; return b }},
		{"scdl/good/ragged", "header.sch", func(d *model.Document) ([]model.Edit, error) {
			tables := d.Tree.Tables(t.Context())
			cells := tables[slices.IndexFunc(tables, func(x model.Table) bool { return x.Name == "cells" })]
			return cells.Fill(t.Context(), model.GivenRows{From: cells.Rows - 1})
		}, func(b []byte) []byte { return append([]byte("Warning: Warning: Warning: "), b[:len(b)-len(b)/8]...) }},
	} {
		d, err := model.Open(t.Context(), filepath.Join("..", "testdata", x.sample), All(), nil)
		if err != nil {
			t.Fatal(err)
		}
		defer d.Close()
		edits, err := x.edit(d)
		if err != nil {
			t.Fatal(err)
		}
		p, err := d.Plan(t.Context(), "", edits...)
		if err != nil {
			t.Fatal(err)
		}
		c, err := d.Tree.Snapshot.Content(x.file)
		if err != nil {
			t.Fatal(err)
		}
		b := make([]byte, c.Len())
		c.ReadAt(b, 0)
		m := mixing{d, p.To, d.Tree.Snapshot.With(x.file, model.BytesContent(x.damage(b)))}
		t.Log(x.sample, m.judge(t, x.sample, p.To), m.judge(t, x.sample, d.Tree.Snapshot))
	}
}

// TestAnotherNothingWrong: bytes in which nothing is wrong are not replaced by those of another save, although no row tells the two apart; with the
// original each document is restored.
func TestAnotherNothingWrong(t *testing.T) {
	values := func(n, by int) []byte {
		b := make([]byte, n)
		for i := range b {
			b[i] = byte(1 + (i*by+i/7)%251)
		}
		return b
	}
	tensors := func(last int) []byte {
		head := `{"a":{"dtype":"U8","shape":[4000],"data_offsets":[0,4000]},"b":{"dtype":"U8","shape":[4000],"data_offsets":[4000,8000]}}`
		for len(head)%8 != 0 {
			head += " "
		}
		return slices.Concat(binary.LittleEndian.AppendUint64(nil, uint64(len(head))), []byte(head), values(4000, 3), values(4000, last))
	}
	members := func(last int) []byte {
		var b bytes.Buffer
		w := tar.NewWriter(&b)
		for i := range 5 {
			payload := values(700, 3)
			if i == 3 {
				payload = values(700, last)
			}
			w.WriteHeader(&tar.Header{Name: fmt.Sprintf("%d.bin", i), Mode: 0o644, Size: 700})
			w.Write(payload)
		}
		w.Close()
		return b.Bytes()
	}
	arrays := func(n int) []byte {
		var b bytes.Buffer
		w := zip.NewWriter(&b)
		for i, n := range []int{400, n} {
			addMember(t, w, fmt.Sprintf("%d.npy", i), zip.Store, append(npyHead(n), values(n, 3)...))
		}
		w.Close()
		return b.Bytes()
	}
	read := func(c *model.Content) []byte { b := make([]byte, c.Len()); c.ReadAt(b, 0); return b }
	for _, x := range []struct {
		name       string
		sound, old []byte
		damage     func(b []byte) []byte
	}{
		{"a.safetensors", tensors(3), tensors(5), func(b []byte) []byte { clear(b[4096:4608]); return b }},                                                                          // zeros where the other save begins
		{"a.safetensors", tensors(3), tensors(5), func(b []byte) []byte { clear(b[1024:1536]); return b }},                                                                          // zeros elsewhere may be right
		{"a.safetensors", tensors(3), tensors(5), func(b []byte) []byte { b[40] ^= 0x80; clear(b[4096:4608]); return b }},                                                           // … though the header is damaged
		{"a.tar", members(3), members(5), func(b []byte) []byte { b[3*1536] ^= 1; return b }},                                                                                       // a header, and another payload
		{"a.tar", members(3), members(5), func(b []byte) []byte { clear(b[3*1536 : 3*1536+512]); return b }},                                                                        // … that is lost
		{"a.npz", arrays(400), arrays(480), func(b []byte) []byte { return b[:len(b)-200] }},                                                                                        // cut: its own header says 100 values
		{"a.npy", append(npyHead(4096), values(4096, 3)...), slices.Concat(npyHead(4096), values(1000, 5), values(4096, 3)[1000:]), func(b []byte) []byte { b[127] = 0; return b }}, // the copy differs from there on
	} {
		is := x.damage(bytes.Clone(x.sound))
		take := func(copied []byte) (*cause.Taken, error) {
			d, err := model.OpenBytes(t.Context(), x.name, is, All(), nil)
			if err != nil {
				t.Fatal(err)
			}
			from := (&model.Snapshot{Primary: "b" + x.name}).With("b"+x.name, model.BytesContent(copied))
			return cause.Take(t.Context(), d, cause.Options{Formats: All(), Time: waits}, from)
		}
		if took, err := take(x.old); err == nil && took.Plan != nil {
			c, _ := took.Plan.To.Content(x.name)
			b := read(c)
			for i := range min(len(is), len(b)) {
				if is[i] == x.sound[i] && b[i] != is[i] {
					t.Errorf("%s: 0x%x was right and is of the other save: %+v", x.name, i, took)
					break
				}
			}
		} else {
			t.Log(x.name, err)
		}
		took, err := take(x.sound)
		if err != nil || took.Plan == nil {
			t.Errorf("%s: not restored from its original: %v", x.name, err)
		} else if c, _ := took.Plan.To.Content(x.name); !bytes.Equal(read(c), x.sound) {
			t.Errorf("%s: restored otherwise from its original", x.name)
		}
	}
}
