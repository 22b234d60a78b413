package idv

import (
	"bytes"
	"context"
	"testing"

	"spandrel/model"
)

// repairSample is a sample that breaks one rule, and what its repair makes of it.
type repairSample struct {
	bad  []byte
	safe bool
	want fileSpec
}

// repairSamples are samples of repairs that do more than set the field at fault.
func repairSamples() map[string]repairSample {
	single, text := typeSpec{load: "Single"}, typeSpec{load: "TextSpan"}
	i32, u8 := typeSpec{load: "Int32"}, typeSpec{load: "Byte"}
	dense := func(items ...any) any { return vecSpec{n: len(items), items: items} }
	// vectors has a column of vectors of four beside one that no repair may touch; deflated, so that the block changes its size.
	vectors := func(item *typeSpec, deflate bool, v ...any) fileSpec {
		same := make([]any, len(v))
		for i := range same {
			same[i] = i
		}
		return fileSpec{rpb: 2, rows: int64(len(v)), deflate: deflate, cols: []columnSpec{
			{name: "v", typ: typeSpec{load: "VBuffer", item: item, dims: []int32{4}}, values: v}, {name: "n", typ: i32, values: same}}}
	}
	keys := func(typ typeSpec, values int, raw ...any) fileSpec {
		f := fileSpec{rpb: 2, rows: int64(len(raw)), cols: []columnSpec{{name: "k", typ: typ, values: raw}}}
		if values > 0 {
			v := vecSpec{n: values}
			for i := range values {
				v.items = append(v.items, string(rune('a'+i)))
			}
			f.cols[0].meta = []metaSpec{{"KeyValues", typeSpec{load: "VBuffer", item: &text, dims: []int32{int32(values)}}, v}}
		}
		return f
	}
	key := func(count uint64) typeSpec { return typeSpec{load: "Key2", item: &u8, count: count} }
	old := func(skip int, with []byte, values int, count uint64) []byte { // a key of the old type with other parameters
		b := keys(typeSpec{load: "Key", item: &u8, count: count}, values, 1, 3, 0).encode()
		copy(b[bytes.Index(b, []byte("\x04Byte\x00\x01\x00"))+6+skip:], with)
		return b
	}
	overKeys := func(load string) fileSpec {
		k := typeSpec{load: load, item: &u8, count: 3}
		return fileSpec{rpb: 2, rows: 1, cols: []columnSpec{{name: "k", typ: typeSpec{load: "VBuffer", item: &k, dims: []int32{2}}, values: []any{dense(1, 3)}}}}
	}
	times := func(load string) fileSpec {
		return fileSpec{rpb: 2, rows: 3, deflate: true, cols: []columnSpec{{name: "t", typ: typeSpec{load: load}, values: []any{5, 7, 9}}}}
	}
	rows := func(rpb, other int) []byte { // rows per block in the entries of both columns
		b := vectors(&single, false, dense(1.0, 2.0, 3.0, 4.0), dense(1.0, 2.0, 3.0, 4.0), dense(1.0, 2.0, 3.0, 4.0)).encode()
		at := bytes.Index(b, []byte("\x01n\x05Int32\x00\x00")) + 10
		b[at], b[bytes.Index(b, []byte("\x01v\x07VBuffer"))+28] = byte(other), byte(rpb)
		return b
	}
	blocks := vectors(&single, false, dense(1.0, 2.0, 3.0, 4.0), dense(1.0, 2.0, 3.0, 4.0), dense(1.0, 2.0, 3.0, 4.0))
	words := func(vs ...any) fileSpec {
		return fileSpec{rpb: 3, rows: 3, cols: []columnSpec{{name: "c", typ: text, values: vs}}}
	}
	high := words("ab", "c", "def").encode()
	copy(high[256+8:], le(4, 100))
	mark := words("ab", "c", "def").encode()
	mark[256+4+4+3] = 0x80
	return map[string]repairSample{
		"034-key-values.idv":  {keys(key(0), 3, 1, 3, 0).encode(), true, keys(key(3), 3, 1, 3, 0)},
		"034-largest-key.idv": {keys(key(999), 0, 1, 5, 0).encode(), false, keys(key(5), 0, 1, 5, 0)},
		"035-old-key.idv":     {old(0, []byte{0}, 3, 3), false, keys(key(3), 3, 1, 3, 0)},
		"035-old-count.idv":   {old(9, le(4, 1<<32-1), 3, 3), false, keys(key(3), 3, 1, 3, 0)},
		"035-old-min.idv":     {old(1, []byte{5}, 0, 3), false, keys(key(3), 0, 1, 3, 0)},
		"035-unknown.idv":     {old(0, []byte{0}, 0, 0), false, keys(key(255), 0, 1, 3, 0)},
		"035-vector.idv":      {bytes.Replace(overKeys("Key").encode(), []byte("\x04Byte\x00\x01"), []byte("\x04Byte\x00\x00"), 1), false, overKeys("Key2")},
		"037-blocks.idv":      {rows(0, 0), true, blocks},
		"037-other.idv":       {rows(2, 0), true, blocks},
		"043-time.idv":        {times("DvDateTime").encode(), false, times("DateTime")},
		"043-key.idv":         {overKeys("Key").encode(), false, overKeys("Key2")},
		"061-mark.idv":        {mark, false, words("ab", "c", "def")},
		"061-too-high.idv":    {high, false, words("ab", "cdef", "")},
	}
}

// TestIDVRepairs makes the repair of each sample, after which nothing is wrong and an independent reader finds what was meant.
func TestIDVRepairs(t *testing.T) {
	for name, m := range repairSamples() {
		t.Run(name, func(t *testing.T) {
			d := open(t, name, m.bad)
			run := model.Repair{Rule: "IDV-" + name[:3]}
			if m.safe {
				run.Rule = ""
			}
			for range 5 {
				rulesOf(t, d)
				fix := run.Next(context.Background(), d.Tree)
				if fix == nil {
					break
				}
				if fix.Safe != m.safe {
					t.Errorf("%q is safe: %v", fix.Label, fix.Safe)
				}
				edits, err := fix.Make(context.Background(), d.Tree)
				if err != nil {
					t.Fatal(err)
				}
				plan, err := d.Plan(t.Context(), fix.Label, edits...)
				if err != nil {
					t.Fatal(err)
				}
				d.Apply(t.Context(), plan, nil)
				run.Done(nil)
			}
			found, _ := d.Tree.Findings()
			for i := range found {
				if run.Made == 0 || found[i].Grade() != model.Note {
					t.Errorf("%d repairs: %s: %s", run.Made, found[i].Rule.ID, found[i].Text())
				}
			}
			p, err := readStrict(content(t, d))
			if err != nil {
				t.Fatal(err)
			}
			sameParsed(t, p, m.want)
		})
	}
}

// TestIDVRepairRefused checks that repairs are not on offer where they would lose something.
func TestIDVRepairRefused(t *testing.T) {
	single := typeSpec{load: "Single"}
	vec := typeSpec{load: "VBuffer", item: &single, dims: []int32{4}}
	w := func(vs ...uint64) (b []byte) {
		for _, v := range vs {
			b = append(b, le(4, v)...)
		}
		return b
	}
	for name, b := range map[string][]byte{
		"072-twice.idv":   one(vec, w(1, 4, 2, 2, 1, 1, 5, 6), 1).encode(),
		"072-outside.idv": one(vec, w(1, 4, 2, 2, 9, 1, 5, 6), 1).encode(),
		"073-more.idv":    one(vec, w(1, 4, 1, 2, 0, 1, 5), 1).encode(),
		"073-fewer.idv":   one(vec, w(1, 4, 2, 1, 0, 5, 6), 1).encode(),
		"071-more.idv":    one(vec, w(1, 4, 5, 5, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9), 1).encode(),
	} {
		d := open(t, name, b)
		if _, all := rulesOf(t, d); !all["IDV-"+name[:3]] {
			t.Errorf("%s: %v", name, all)
		}
		found, _ := d.Tree.Findings()
		for i := range found {
			if fix := d.Tree.Safe(&found[i], d.Tree.Fixes(t.Context(), &found[i])); fix != nil {
				t.Errorf("%s: %s offers %q", name, found[i].Rule.ID, fix.Label)
			}
		}
	}
}
