package taridx

import (
	"archive/tar"
	"encoding/binary"
	"strings"
	"testing"

	"github.com/cespare/xxhash/v2"
	"github.com/zeebo/xxh3"
)

// badSamples are documents that break a rule each: the first part of the name is its number.
func badSamples(t testing.TB) map[string]indexDoc {
	hashedAs := func(names []string, hash func(string) uint64) indexDoc {
		var members []file
		for i, name := range names {
			members = append(members, file{name: name, size: 5 + i})
		}
		d, w := indexDoc{"train_0000.tar": tarBytes(t, members...)}, &writer{}
		w.shard(0, d["train_0000.tar"])
		for i, name := range names {
			w.rows[i][5] = hash(name)
		}
		d["train.taridx"] = w.bytes()
		return d
	}
	base := func() indexDoc { return indexed(t, tarBytes(t, pairs(0, 3)...)) }
	patch := func(at int, with ...byte) indexDoc {
		d := base()
		b := d["train.taridx"]
		if at < 0 {
			at += len(b)
		}
		copy(b[at:], with)
		return d
	}
	edit := func(f func(w *writer)) indexDoc {
		d, w := base(), &writer{}
		w.shard(0, d["train_0000.tar"])
		f(w)
		d["train.taridx"] = w.bytes()
		return d
	}
	index := func(f func(b []byte) []byte) indexDoc {
		d := base()
		d["train.taridx"] = f(d["train.taridx"])
		return d
	}
	with := func(files map[string][]byte) indexDoc {
		d := base()
		for n, b := range files {
			d[n] = b
		}
		return d
	}
	shard := func(f func(b []byte) []byte) indexDoc {
		d := base()
		d["train_0000.tar"] = f(d["train_0000.tar"])
		return d
	}
	rows := 64 + len("jpg\ncls")
	stem := func(w *writer) { w.crashes = []string{"other"} }
	return map[string]indexDoc{
		"001-short":     index(func(b []byte) []byte { return b[:40] }),
		"002-magic":     patch(0, 'X'),
		"003-major":     patch(8, 2),
		"004-minor":     patch(10, 1),
		"005-rec-size":  patch(12, 40),
		"006-hdr-size":  patch(14, 128),
		"007-flags":     patch(56, 0x81),
		"008-reserved":  patch(57, 1),
		"009-off-crash": patch(40, 3),
		"010-off-arr":   patch(48, 66),
		"011-utf8":      patch(64, 0xff),
		"012-newline":   index(func(b []byte) []byte { return shift(b, rows, "\n") }),
		"013-n-ext":     patch(32, 3),
		"014-n-crash":   patch(36, 3),
		"015-blank":     patch(65, ' '),
		"015-trailing":  index(func(b []byte) []byte { return shift(b, 67, " ") }),
		"016-empty":     edit(func(w *writer) { w.exts = []string{"", "jpg", "cls"}; w.rows[1][3], w.rows[2][3] = 2, 1 }),
		"017-blank":     patch(65, '\t'),
		"018-upper":     patch(64, 'J'),
		"019-repeated":  patch(68, 'j', 'p', 'g'),
		"019-stem":      edit(func(w *writer) { w.crashes = []string{"x", "x"} }),
		"020-dot":       edit(func(w *writer) { w.crashes = []string{"a.b"} }),
		"021-remainder": index(func(b []byte) []byte { return append(b, 1, 2, 3) }),
		"022-n-rows":    patch(24, 9),
		"023-extid":     patch(rows+18, 7),
		"024-crashid":   patch(rows+20, 7),
		"025-offset":    patch(rows+2, 8),
		"026-hash": func() indexDoc {
			d := edit(stem)
			b := d["train.taridx"]
			b[len(b)-6*rowSize+20] = 1
			return d
		}(),
		"027-n-stems":     patch(16, 9),
		"028-flag":        patch(56, 0),
		"029-unused-stem": edit(stem),
		"030-no-base": func() indexDoc {
			d := edit(stem)
			b := d["train.taridx"]
			binary.LittleEndian.PutUint32(b[len(b)-6*rowSize+20:], 1)
			binary.LittleEndian.PutUint64(b[len(b)-6*rowSize+24:], xxhash.Sum64String("other"))
			return d
		}(),
		"031-unused-ext": edit(func(w *writer) { w.exts = append(w.exts, "txt") }),
		"032-twice":      edit(func(w *writer) { w.rows = append(w.rows, w.rows[5]); w.rows[6][3] = 0 }),
		"033-order":      edit(func(w *writer) { w.rows[0], w.rows[1] = w.rows[1], w.rows[0] }),
		"034-overlap":    patch(rows+10, 0xff, 0xff),
		"034-huge":       edit(func(w *writer) { w.rows[0][2] = 1<<64 - 1 }),
		"035-gap":        edit(func(w *writer) { w.rows[5][0] = 3 }),
		"036-ext-twice":  edit(func(w *writer) { w.rows[1][3] = 0 }),
		"037-ragged":     edit(func(w *writer) { w.rows = w.rows[:5] }),
		"038-decoder":    indexed(t, tarBytes(t, file{name: "a.weird", size: 1})),
		"039-reserved":   indexed(t, tarBytes(t, file{name: ".hidden", size: 1})),
		"040-fid":        edit(func(w *writer) { w.rows[5][0] = 1 }),
		"041-outside":    patch(rows+2, 0, 0, 0, 1),
		"042-zero":       edit(func(w *writer) { w.rows[5][1] += 1024 }),
		"043-no-header":  patch(rows+2, 0, 2),
		"044-inside": func() indexDoc {
			d := edit(func(w *writer) { w.rows[1][1] = 512 })
			b := d["train_0000.tar"]
			copy(b[512:1024], b[512+1024:]) // a header in the payload of the first member
			return d
		}(),
		"045-size": patch(rows+10, 9, 0),
		"046-cut": func() indexDoc {
			d := base()
			b := d["train_0000.tar"]
			d["train_0000.tar"] = b[:len(b)-1536]
			return d
		}(),
		"047-hash":    patch(rows+24, 1),
		"047-folders": hashedAs([]string{"set/a.jpg", "set/a.cls", "set/b.jpg"}, func(name string) uint64 { return xxhash.Sum64String(name[:5]) }),
		"047-xxh3":    hashedAs([]string{"a.jpg", "a.cls", "b.jpg"}, func(name string) uint64 { return xxh3.HashString(name[:1]) }),
		"048-ext":     edit(func(w *writer) { w.rows[0][3], w.rows[1][3] = 1, 0 }),
		"049-crash": func() indexDoc {
			d, w := indexDoc{"train_0000.tar": tarBytes(t, colliding()...)}, &writer{}
			w.shard(0, d["train_0000.tar"])
			w.rows[2][4] = 0
			d["train.taridx"] = w.bytes()
			return d
		}(),
		"050-helper": indexed(t, tarBytes(t, file{name: "żółw.jpg", size: 1, format: tar.FormatPAX}, file{name: "b.jpg", size: 1})),
		"051-folder": indexed(t, tarBytes(t, file{name: "a.d/", typ: tar.TypeDir}, file{name: "b.jpg", size: 1})),
		"052-name":   indexed(t, tarBytes(t, file{name: strings.Repeat("n", 96) + ".jpg", size: 1})),
		"053-two-stems": func() indexDoc {
			d, w := indexDoc{"train_0000.tar": tarBytes(t, colliding()...)}, &writer{}
			w.shard(0, d["train_0000.tar"])
			w.crashes, w.rows[2][4], w.rows[3][4] = nil, 0, 0
			d["train.taridx"] = w.bytes()
			return d
		}(),
		"054-no-row": edit(func(w *writer) { w.rows = w.rows[:4] }),
		"055-end": func() indexDoc {
			d := base()
			b := d["train_0000.tar"]
			d["train_0000.tar"] = b[:len(b)-1024]
			return d
		}(),
		"055-byte":     shard(func(b []byte) []byte { b[len(b)-100] = 'x'; return b }),
		"055-cut":      shard(func(b []byte) []byte { return b[:len(b)-100] }),
		"055-twice":    shard(func(b []byte) []byte { return append(b, b...) }),
		"061-mode":     shard(func(b []byte) []byte { b[100] = 'x'; return b }),
		"061-name":     shard(func(b []byte) []byte { b[0]++; return b }),
		"061-two":      shard(func(b []byte) []byte { copy(b[100:], "xxxxxxxxyyyyyyyy"); return b }),
		"056-misfit":   with(map[string][]byte{"train_a_b.tar": tarBytes(t)}),
		"057-no-index": with(map[string][]byte{"val_0000.tar": tarBytes(t)}),
		"060-blank":    edit(func(w *writer) { w.rows[2], w.rows[3] = [6]uint64{}, [6]uint64{} }),
		"002-header":   index(func(b []byte) []byte { clear(b[:headerSize]); return b }),
		"054-cut":      index(func(b []byte) []byte { return b[:len(b)-2*rowSize-7] }),
		"040-lost": func() indexDoc {
			d := indexed(t, tarBytes(t, pairs(0, 2)...), tarBytes(t, pairs(2, 4)...), tarBytes(t, pairs(4, 5)...))
			delete(d, "train_0001.tar")
			return d
		}(),
		"047-other-shard": func() indexDoc {
			d := indexed(t, tarBytes(t, pairs(0, 3)...), tarBytes(t, pairs(3, 6)...))
			d["train_0001.tar"] = tarBytes(t, pairs(6, 9)...)
			return d
		}(),
		"058-order": func() indexDoc {
			d := indexed(t, tarBytes(t, pairs(0, 1)...), tarBytes(t, pairs(1, 2)...), tarBytes(t, pairs(2, 3)...))
			d["train_2.tar"], d["train_10.tar"], d["train_1.tar"] = d["train_0001.tar"], d["train_0002.tar"], d["train_0000.tar"]
			delete(d, "train_0000.tar")
			delete(d, "train_0001.tar")
			delete(d, "train_0002.tar")
			return d
		}(),
	}
}
