package taridx

import (
	"bytes"
	"fmt"
	"slices"
	"strings"
	"testing"

	"spandrel/model"
	"spandrel/parsers/internal/suite"
)

// filled gives the table of rows others from a place on, as columns and their texts.
func filled(t *testing.T, d *model.Document, from int64, rows ...map[int]string) error {
	t.Helper()
	fill := d.Tree.Tables(t.Context())[0].Fill
	if fill == nil {
		t.Fatal("the table keeps its number of rows")
	}
	edits, err := fill(t.Context(), model.GivenRows{From: from, N: int64(len(rows)), Cell: func(row int64, column int) model.Typed {
		text, ok := rows[row-from][column]
		return model.Typed{Row: row, Column: column, Text: text, Missing: !ok}
	}})
	if err != nil {
		return err
	}
	p, err := d.Plan(t.Context(), "fill", edits...)
	if err == nil {
		d.Apply(t.Context(), p, nil)
	}
	return err
}

// texts are the rows of the table as they are exported.
func texts(t *testing.T, d *model.Document) (out []map[int]string) {
	t.Helper()
	tab := d.Tree.Tables(t.Context())[0]
	rows, err := tab.Read(t.Context(), 0, tab.Rows)
	if err != nil {
		t.Fatal(err)
	}
	for _, r := range rows {
		m := map[int]string{}
		for column, c := range r {
			m[column] = c.Value.Text()
		}
		out = append(out, m)
	}
	return out
}

// sound tells that the reader takes an index, and that nothing but members without a row is wrong with it.
func sound(t *testing.T, name string, d *model.Document) {
	t.Helper()
	if err := accepts(suite.Bytes(t, d)); err != nil {
		t.Errorf("%s: the reader refuses it: %v", name, err)
	}
	for _, f := range findings(t, d) {
		if f.Rule != missingRow && f.Grade() != model.Note {
			t.Errorf("%s: %s %s", name, f.Rule.ID, f.Text())
		}
	}
}

// Rows are dropped and come again from their members, whatever tells which those are: the index is the one that it was, but for the numbers of
// colliding stems.
func TestFillAgain(t *testing.T) {
	told := map[string][]int{"all": {fid, offset, size, extID, keyHash, extension, stemName, shardName, memberName}, "place": {fid, offset},
		"shard": {shardName, offset}, "member": {memberName}, "name": {stemName, extension}}
	for name, doc := range goodSamples(t) {
		if len(doc) < 2 || name == "empty" {
			continue
		}
		for drop := range 5 { // of four rows each, one goes; or all
			for by, columns := range told {
				d, what := doc.open(t), fmt.Sprintf("%s, %d, by %s", name, drop, by)
				old, was := texts(t, d), suite.Bytes(t, d)
				var kept, gone []map[int]string
				for i, r := range old {
					if drop < 4 && i%4 != drop {
						kept = append(kept, r)
						continue
					}
					again := map[int]string{}
					for _, c := range columns {
						again[c] = r[c]
					}
					if again[extID] != "" && (drop == 4 || len(old) < 8) {
						delete(again, extID) // it may become another when its names have gone
					}
					gone = append(gone, again)
				}
				if err := filled(t, d, 0, kept...); err != nil {
					t.Fatalf("%s: %v", what, err)
				}
				sound(t, what, d)
				if got := texts(t, d); len(got) != len(kept) {
					t.Errorf("%s: %d rows are left, not %d", what, len(got), len(kept))
				}
				slices.Reverse(gone)
				if err := filled(t, d, int64(len(kept)), gone...); err != nil {
					t.Fatalf("%s: %v", what, err)
				}
				sound(t, what, d)
				plain := func(rows []map[int]string) (out []string) {
					for _, r := range rows {
						out = append(out, r[shardName]+" "+r[offset]+" "+r[size]+" "+r[keyHash]+" "+r[extension]+" "+r[stemName])
					}
					if name == "interleaved" { // once its samples are together, they stay so
						slices.Sort(out)
					}
					return out
				}
				if got := plain(texts(t, d)); !slices.Equal(got, plain(old)) {
					t.Errorf("%s:\n%s\nnot\n%s", what, strings.Join(got, "\n"), strings.Join(plain(old), "\n"))
				}
				if one := name == "three-shards" && drop < 4; one && !bytes.Equal(suite.Bytes(t, d), was) {
					t.Errorf("%s: the index is another", what)
				}
			}
		}
	}
}

// What an index cannot hold, or no shard has, is refused with its row and its column.
func TestFillRefused(t *testing.T) {
	doc := indexed(t, tarBytes(t, append(pairs(0, 1), file{name: "one.txt", size: 3}, file{name: "d/one.txt", size: 3}, file{name: "d/bare", size: 1},
		file{name: "a.b c", size: 1}, file{name: "s0000.new", size: 1})...), tarBytes(t, file{name: "s0000.cls", size: 1}, file{name: "last.txt", size: 9})[:1536+4])
	doc["train.taridx"] = indexed(t, doc["train_0000.tar"]).rows(t, 2)
	for _, c := range []struct {
		row  map[int]string
		want string
	}{
		{map[int]string{memberName: "s0000.new", stemName: "s0000", extension: "new", fid: "0x0"}, ""},
		{map[int]string{memberName: "none.txt"}, `"member": the shards have no such member`},
		{map[int]string{memberName: "one.txt"}, ""},
		{map[int]string{stemName: "one", extension: "txt"}, `"stem": 2 members have this name`},
		{map[int]string{memberName: "s0000.jpg"}, `"offset": row 0 refers to the same member`},
		{map[int]string{fid: "1", offset: "0"}, `"extension": row 1 has the same sample and extension`},
		{map[int]string{fid: "1", offset: "512"}, `"offset": the shards have no such member`},
		{map[int]string{fid: "0", offset: "1536", memberName: "x"}, `"member": the member says "s0000.cls", not "x"`},
		{map[int]string{memberName: "s0000.new", size: "2"}, `"size": the member says "1", not "2"`},
		{map[int]string{memberName: "d/bare"}, `"member": a row needs a member`},
		{map[int]string{fid: "0", offset: "4608"}, `"member": "d/bare" is not a file with an extension`},
		{map[int]string{memberName: "a.b c"}, `"extension": "b c" has white space`},
		{map[int]string{memberName: "last.txt"}, `"member": train_0001.tar ends before`},
		{map[int]string{fid: "2", offset: "0"}, `"fid": shard 2 is not beside the index`},
		{map[int]string{shardName: "x.tar", offset: "0"}, `"shard": there is no shard "x.tar"`},
		{map[int]string{fid: "-1", offset: "0"}, `"fid": "-1" is not a shard number`},
		{map[int]string{fid: "0", offset: "z"}, `"offset": "z" is not an offset`},
		{map[int]string{size: "1"}, `"member": a row needs a member`},
	} {
		d := doc.open(t)
		err := filled(t, d, 2, c.row)
		if c.want == "" {
			if err != nil {
				t.Errorf("%v: %v", c.row, err)
			}
			if got := texts(t, d); len(got) != 3 || got[2][memberName] != c.row[memberName] {
				t.Errorf("%v: %v", c.row, got)
			}
			continue
		}
		if err == nil || !strings.Contains(err.Error(), `row 0 of the new rows, column `+c.want) {
			t.Errorf("%v: %v, not %s", c.row, err, c.want)
		}
	}
	d := doc.open(t)
	if err := filled(t, d, 1, map[int]string{memberName: "one.txt"}, map[int]string{memberName: "one.txt"}); err == nil || !strings.Contains(err.Error(), "row 1 of the new rows") {
		t.Errorf("one member twice: %v", err)
	}
}

// rows is the index with the first rows only.
func (doc indexDoc) rows(t *testing.T, n int) []byte {
	d := doc.open(t)
	var list []map[int]string
	for i := range n {
		list = append(list, map[int]string{fid: texts(t, d)[i][fid], offset: texts(t, d)[i][offset]})
	}
	if err := filled(t, d, 0, list...); err != nil {
		t.Fatal(err)
	}
	return suite.Bytes(t, d)
}

// A row whose shard is not there, or that does not fit its member, stays as it is while others go.
func TestFillKeeps(t *testing.T) {
	doc := goodSamples(t)["three-shards"]
	doc["train.taridx"][71+3*rowSize+10]++ // a size
	delete(doc, "train_0002.tar")
	d := doc.open(t)
	rows := texts(t, d)
	want := suite.Bytes(t, d)[71+2*rowSize:]
	if err := filled(t, d, 0, rows[2:]...); err != nil {
		t.Fatal(err)
	}
	if got := suite.Bytes(t, d)[71:]; !bytes.Equal(got, want) {
		t.Errorf("%x, not\n%x", got, want)
	}
}

// Two rows of one member are told apart by what else is given of them.
func TestFillTwice(t *testing.T) {
	doc := indexDoc{}
	for name, b := range goodSamples(t)["one-shard"] {
		doc[name] = b
	}
	b := doc["train.taridx"]
	copy(b[71+2*rowSize:], b[71+rowSize:71+2*rowSize])
	b[71+2*rowSize+10]++ // a size
	d := doc.open(t)
	rows := texts(t, d)
	if err := filled(t, d, 1, rows[2:]...); err != nil {
		t.Fatal(err)
	}
	if got := suite.Bytes(t, d)[71+rowSize:]; !bytes.Equal(got, b[71+2*rowSize:]) {
		t.Errorf("%x, not\n%x", got, b[71+2*rowSize:])
	}
	if err := filled(t, d, 1, rows[2], rows[2]); err == nil || !strings.Contains(err.Error(), "row 1 of the new rows") {
		t.Errorf("a row given twice: %v", err)
	}
}

// Dropping rows by the action takes the names with them that no row has any more.
func TestDropRowsNames(t *testing.T) {
	d := goodSamples(t)["collisions"].open(t)
	if err := act(t, d, "drop-rows", 0, map[string]string{"from": "0", "to": "1"}); err != nil {
		t.Fatal(err)
	}
	sound(t, "drop-rows", d)
	if x := stateOf(d.Tree); len(x.stems) != 0 {
		t.Errorf("stems %v", x.stems)
	}
	if err := act(t, d, "add-row", 0, map[string]string{"shard": "0", "offset": "0"}); err != nil {
		t.Fatal(err)
	}
	sound(t, "add-row", d)
	if x := stateOf(d.Tree); len(x.stems) != 1 || x.n != 3 {
		t.Errorf("stems %v, %d rows", x.stems, x.n)
	}
}

// Nothing is written over an index that is damaged: what is behind its rows would be lost.
func TestFillDamaged(t *testing.T) {
	doc := goodSamples(t)["one-shard"]
	doc["train.taridx"] = append(doc["train.taridx"], 1, 2, 3)
	d := doc.open(t)
	if d.Tree.Tables(t.Context())[0].Fill != nil {
		t.Error("rows of a damaged index come and go")
	}
	if err := act(t, d, "add-row", 0, map[string]string{"shard": "0", "offset": "0"}); err == nil {
		t.Error("a row was added to a damaged index")
	}
}

// TestSampleNames types names of samples in their table: several at once, also if two samples swap theirs.
func TestSampleNames(t *testing.T) {
	for _, c := range []struct {
		names []string
		want  string // of the samples, or of the error
	}{
		{[]string{"a", "s0001", "b"}, "a s0001 b"},
		{[]string{"s0001", "s0000", "s0002"}, "s0001 s0000 s0002"},
		{[]string{"s0001", "s0001", "s0002"}, "already exists"},
		{[]string{"a", "a", "s0002"}, "two samples would be called a"},
		{[]string{"a.b", "s0001", "s0002"}, "cannot be empty or contain a dot"},
	} {
		d := indexed(t, tarBytes(t, pairs(0, 3)...)).open(t)
		tab := d.Tree.Tables(t.Context())[1]
		var cells []model.Typed
		for i, name := range c.names {
			cells = append(cells, model.Typed{Row: int64(i), Text: name})
		}
		edits, err := tab.Edits(t.Context(), d.Tree, cells)
		if err != nil {
			if !strings.Contains(err.Error(), c.want) {
				t.Errorf("%v: %v", c.names, err)
			}
			continue
		}
		p, err := d.Plan(t.Context(), "names", edits...)
		if err != nil {
			t.Fatal(err)
		}
		d.Apply(t.Context(), p, nil)
		var got []string
		for _, r := range texts(t, d) {
			got = append(got, r[stemName])
		}
		if strings.Join(slices.Compact(got), " ") != c.want {
			t.Errorf("%v: the samples are %v", c.names, got)
		}
		sound(t, strings.Join(c.names, " "), d)
	}
}
