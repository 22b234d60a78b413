package zipfile

import (
	"archive/zip"
	"bytes"
	"context"
	"encoding/binary"
	"hash/crc32"
	"io"
	"slices"
	"strings"
	"testing"

	"spandrel/model"
	"spandrel/parsers/internal/inflate"
	"spandrel/parsers/internal/suite"
)

func TestRead(t *testing.T) {
	for _, streamed := range []bool{true, false} {
		for _, method := range []uint16{zip.Store, zip.Deflate} {
			b := archived(t, streamed, method)
			d, z := open(t, b)
			if ids := found(d); ids != nil || len(z.Members) != 3 {
				t.Errorf("streamed %v, method %d: %v, %d members", streamed, method, ids, len(z.Members))
			}
			d, z = open(t, append([]byte("#!/bin/sh\n"), b...))
			if ids := found(d); len(ids) != 1 || ids[0] != "TOY-004" || z.Bias != 10 {
				t.Errorf("with bytes in front: %v, bias %d", ids, z.Bias)
			}
		}
	}
}

func TestEdits(t *testing.T) {
	for _, streamed := range []bool{true, false} {
		d, z := open(t, archived(t, streamed, zip.Deflate))
		b := apply(t, d, z.Members[1].Rename("another/name")...)
		holds(t, b, map[string]string{"a.txt": contents["a.txt"], "another/name": contents["dir/b.bin"], "c": ""})

		d, z = open(t, b)
		edits, err := z.Members[1].Store(bg, d.Tree, 1<<20)
		if err != nil {
			t.Fatal(err)
		}
		b = apply(t, d, edits...)
		holds(t, b, map[string]string{"a.txt": contents["a.txt"], "another/name": contents["dir/b.bin"], "c": ""})

		d, z = open(t, b)
		edits, ok := z.Remove(z.Members[0])
		if !ok {
			t.Fatal("a member cannot be removed")
		}
		holds(t, apply(t, d, edits...), map[string]string{"another/name": contents["dir/b.bin"], "c": ""})
	}
}

// An edit of what a member holds lays the archive out again: sizes, checksums, offsets.
func TestContentIsLinked(t *testing.T) {
	for _, streamed := range []bool{true, false} {
		d, z := open(t, archived(t, streamed, zip.Deflate))
		if err := d.Tree.Open(bg, z.Members[0].Plain.Span); err != nil {
			t.Fatal(err)
		}
		b := apply(t, d, model.Replace(model.Range{Space: z.Members[0].Plain.Range.Space, Off: 4, Len: 5}, []byte("only longer")))
		holds(t, b, map[string]string{"a.txt": "the only longer member", "dir/b.bin": contents["dir/b.bin"], "c": ""})
	}
}

func TestLostDirectory(t *testing.T) {
	for _, streamed := range []bool{true, false} {
		for _, method := range []uint16{zip.Store, zip.Deflate} {
			b := archived(t, streamed, method)
			for _, cut := range []int{30, 100, 200} {
				d, z := open(t, b[:len(b)-cut])
				if !z.Carved && !z.Retraced || !slices.Contains(found(d), "TOY-001") {
					t.Fatalf("cut by %d: %v", cut, found(d))
				}
				f, _ := d.Tree.Findings()
				fixes := d.Tree.Fixes(bg, &f[0])
				if len(fixes) == 0 {
					t.Fatalf("cut by %d: no repair", cut)
				}
				edits, err := fixes[0].Make(bg, d.Tree)
				if err != nil {
					t.Fatal(err)
				}
				if cut < 120 {
					holds(t, apply(t, d, edits...), contents)
				}
			}
			at := func(off, n int64) []byte {
				if off < 0 || off > int64(len(b)) {
					return nil
				}
				return b[off:min(off+n, int64(len(b)))]
			}
			s, part, _ := Salvage(bg, at, int64(len(b)))
			if s == nil || part.Saved != 3 || part.Of != 3 {
				t.Fatalf("salvage: %v", part)
			}
			out := make([]byte, s.Len())
			s.ReadAt(out, 0)
			holds(t, out, contents)
			b[40] ^= 0x10
			if _, part, _ = Salvage(bg, at, int64(len(b))); part.Saved > 2 {
				t.Errorf("a damaged member is salvaged: %v", part)
			}
		}
	}
}

func TestDamage(t *testing.T) {
	plain := archived(t, false, zip.Store)
	end := bytes.LastIndex(plain, []byte("PK\x05\x06\x00\x00\x00\x00"))
	dir := int(binary.LittleEndian.Uint32(plain[end+16:]))
	for _, x := range []struct {
		at   int
		want string
	}{{14, "TOY-003"}, {22, "TOY-003"}, {8, "TOY-003"}, {dir + 42, "TOY-002"}, {36, "TOY-005"}, {dir + 16, "TOY-005"}, {dir + 12, "TOY-003"},
		{dir + 28, "TOY-001"}, {dir + 32, "TOY-001"}, {dir, "TOY-001"}, {dir + 20, "TOY-005"}, {0, "TOY-002"}, {26, "TOY-003"}, {28, "TOY-003"}, {18, "TOY-003"}, {end, "TOY-001"}, {end + 4, "TOY-003"}, {end + 12, "TOY-001"}, {end + 16, "TOY-001"}, {end + 10, "TOY-001"}} {
		b := bytes.Clone(plain)
		b[x.at] ^= 4
		d, _ := open(t, b)
		if ids := found(d); !slices.Contains(ids, x.want) {
			t.Errorf("byte %d changed: %v, want %s", x.at, ids, x.want)
		}
		restored := false
		all, _ := d.Tree.Findings()
		for i := range all {
			for _, f := range d.Tree.Fixes(bg, &all[i]) {
				edits, err := f.Make(bg, d.Tree)
				if err != nil {
					t.Errorf("byte %d, %s: %v", x.at, f.Label, err)
					continue
				}
				p, err := d.Plan(bg, "fix", edits...)
				if err != nil {
					t.Errorf("byte %d, %s: %v", x.at, f.Label, err)
					continue
				}
				again, _ := open(t, b)
				again.Apply(bg, p, nil)
				restored = restored || bytes.Equal(content(t, again), plain)
			}
		}
		if x.at != 36 && !restored { // the data have no witness but their sum
			t.Errorf("byte %d: no repair restores it", x.at)
		}
	}
}

func FuzzRead(f *testing.F) {
	f.Add(archived(f, true, zip.Deflate))
	f.Add(archived(f, false, zip.Store))
	f.Add(zip64("sixty-four"))
	f.Fuzz(func(t *testing.T, b []byte) {
		at := func(off, n int64) []byte {
			if off < 0 || off > int64(len(b)) || n < 0 {
				return nil
			}
			return b[off:min(off+n, int64(len(b)))]
		}
		Salvage(bg, at, int64(len(b)))
		open(t, b)
	})
}

// Of a member whose data break off neither the length nor the sum is called wrong: what is read of them is not all.
func TestBrokenDataHaveNoSum(t *testing.T) {
	b := archived(t, false, zip.Deflate)
	at := bytes.Index(b, []byte("dir/b.bin")) + len("dir/b.bin")
	b[at] |= 6 // no kind of block
	d, _ := open(t, b)
	if got := found(d); !slices.Equal(got, []string{model.RuleUndecoded.ID}) {
		t.Errorf("findings %v", got)
	}
}

// Headers that disagree about thousands of members which are one and the same bomb cost no more than a few of them.
func TestSettledOnce(t *testing.T) {
	b := suite.ZipBomb("a", 1<<15)
	dir := bytes.Index(b, []byte("PK\x01\x02"))
	end := bytes.LastIndex(b, []byte("PK\x05\x06"))
	for at := dir; at < end; at += 46 + 1 {
		b[at+16] ^= 1 // the sum
	}
	z, err := Scan(bg, b[end:], func(off, n int64) []byte {
		off = max(0, min(off, int64(len(b))))
		return b[off:min(off+n, int64(len(b)))]
	}, int64(len(b)), nil)
	if err != nil || len(z.Members) < 100 || z.settled == 0 || z.settled > mostSettled+maxSettled {
		t.Errorf("%d members, %d bytes read, %v", len(z.Members), z.settled, err)
	}
}

// A member that is longer than anybody holds in memory is checked as well.
func TestLongMember(t *testing.T) {
	plain := bytes.Repeat([]byte("over and over again"), maxHeld/19+1)
	data, err := inflate.Deflate(inflate.Raw, 1, plain)
	if err != nil {
		t.Fatal(err)
	}
	for want, change := range map[string]func(b []byte, sum *uint32){
		"":                     func([]byte, *uint32) {},
		"TOY-005":              func(_ []byte, sum *uint32) { *sum++ },
		model.RuleUndecoded.ID: func(b []byte, _ *uint32) { b[0] |= 6 },
	} {
		h := &zip.FileHeader{Name: "a", Method: zip.Deflate, CRC32: crc32.ChecksumIEEE(plain), CompressedSize64: uint64(len(data)),
			UncompressedSize64: uint64(len(plain))}
		b := bytes.Clone(data)
		change(b, &h.CRC32)
		var out bytes.Buffer
		z := zip.NewWriter(&out)
		if w, err := z.CreateRaw(h); err != nil {
			t.Fatal(err)
		} else if w.Write(b); z.Close() != nil {
			t.Fatal("it was not written")
		}
		d, _ := open(t, out.Bytes())
		if got := strings.Join(found(d), " "); got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
}

// repaired makes the safe repairs of an archive that has one problem, of the kind that headers differ.
func repaired(t *testing.T, b []byte) (out []byte, safe int) {
	t.Helper()
	d, _ := open(t, b)
	all, _ := d.Tree.Findings()
	for i := range all {
		if x := d.Tree.Safe(&all[i], d.Tree.Fixes(bg, &all[i])); x != nil {
			edits, err := x.Make(bg, d.Tree)
			if err != nil {
				t.Fatal(err)
			}
			safe++
			p, err := d.Plan(bg, "fix", edits...)
			if err != nil {
				t.Fatal(err)
			}
			again, _ := open(t, b)
			again.Apply(bg, p, nil)
			out = content(t, again)
		}
	}
	return out, safe
}

// What no archive can say in one header is put right by the other, or by what all archives have.
func TestImpossible(t *testing.T) {
	plain := archived(t, false, zip.Deflate)
	dir := bytes.Index(plain, []byte("PK\x01\x02"))
	for name, change := range map[string]func(b []byte){
		"a version in front of the data":              func(b []byte) { b[4] = 200 },
		"a version in the directory":                  func(b []byte) { b[dir+7] = 64 },
		"a disk without an extra field":               func(b []byte) { b[dir+34], b[dir+35] = 0xff, 0xff },
		"encrypted in front of data that are as said": func(b []byte) { b[6] |= 1 },
		"encrypted in the directory, and are not":     func(b []byte) { b[dir+8] |= 1 },
	} {
		b := bytes.Clone(plain)
		change(b)
		d, _ := open(t, b)
		if ids := found(d); !slices.Equal(ids, []string{"TOY-003"}) {
			t.Errorf("%s: %v", name, ids)
		}
		if out, n := repaired(t, b); n != 1 || !bytes.Equal(out, plain) {
			t.Errorf("%s: %d safe repairs, or another archive", name, n)
		}
	}
	both := bytes.Clone(plain) // versions that both have are a matter of readers
	both[4], both[dir+6] = 200, 200
	if d, _ := open(t, both); found(d) != nil {
		t.Errorf("%v", found(d))
	}
}

// Of content that is not what the sums say, nothing proves that it is not encrypted, whatever the other members are.
func TestEncryptedStays(t *testing.T) {
	for _, method := range []uint16{zip.Store, zip.Deflate} {
		plain := archived(t, false, method)
		dir := bytes.Index(plain, []byte("PK\x01\x02"))
		data := 30 + len("a.txt")
		for i := range 10 {
			plain[data+i] ^= 0x5a
		}
		both := bytes.Clone(plain)
		both[6], both[dir+8] = both[6]|1, both[dir+8]|1
		if d, z := open(t, both); slices.Contains(found(d), "TOY-003") || !z.Members[0].Encrypted() {
			t.Errorf("method %d: %v", method, found(d))
		}
		for _, at := range []int{6, dir + 8} {
			one := bytes.Clone(plain)
			one[at] |= 1
			d, _ := open(t, one)
			if !slices.Contains(found(d), "TOY-003") {
				t.Errorf("method %d: %v", method, found(d))
			}
			if _, n := repaired(t, one); n > 0 {
				t.Errorf("method %d, bit at %d: a repair is called safe", method, at)
			}
		}
	}
}

// TestStored makes an archive that the library reads, and one beyond 4 GiB that this package does.
func TestStored(t *testing.T) {
	out, err := Stored(context.Background(), "model", model.Memory([]byte("content")))
	if err != nil {
		t.Fatal(err)
	}
	b, err := io.ReadAll(io.NewSectionReader(out, 0, out.Len()))
	if err != nil {
		t.Fatal(err)
	}
	holds(t, b, map[string]string{"model": "content"})
	if testing.Short() {
		return
	}
	if out, err = Stored(context.Background(), "model", model.Fill('x', 1<<32+5)); err != nil {
		t.Fatal(err)
	}
	z, err := zip.NewReader(out, out.Len())
	if err != nil || len(z.File) != 1 || z.File[0].UncompressedSize64 != 1<<32+5 {
		t.Fatal(err)
	}
	if at, err := z.File[0].DataOffset(); err != nil || at+(1<<32)+5 >= out.Len() {
		t.Errorf("the data are at %d of %d: %v", at, out.Len(), err)
	}
}
