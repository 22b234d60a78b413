package flat

import (
	"bytes"
	"context"
	"math/rand/v2"
	"slices"
	"testing"
)

// graph is a buffer of a graph: two variables, an operation, and what names them.
func graph() Buffer {
	variable := func(id int32, name string, dims []int64) Fields {
		return Fields{VarID: Fields{0: id}, VarName: name, VarType: int8(5), VarShape: dims, VarKind: int8(1)}
	}
	constant := variable(2, "bias", []int64{2})
	constant[VarArray] = Fields{ArrShape: []int64{1, 2, 1, 0, 1, 99}, ArrBuffer: []byte{0, 0, 128, 63, 0, 0, 0, 64}, ArrType: int8(5)}
	return Fields{
		GraphVariables: []Fields{variable(1, "x", []int64{-1, 2}), constant},
		GraphNodes: []Fields{{NodeID: int32(1), NodeName: "add_1", NodeOpType: int8(21), NodeOpNum: int64(7), NodeOutputs: []string{"y"},
			NodePaired: []Fields{{0: int32(1)}, {0: int32(2)}}, NodeOpName: "add"}},
		GraphPlaceholders: []string{"x"},
		GraphKeys:         []string{"author"}, GraphValues: []string{"日本"},
	}.Buffer()
}

// tiles fails where the objects of a map do not lie end to end over all of a buffer.
func tiles(t *testing.T, f *Map, size int64) {
	t.Helper()
	at := int64(0)
	for i := range f.Count() {
		if o := f.Piece(i); int64(o.Off) != at {
			t.Fatalf("object %d stands at %d, the one before it ends at %d", i, o.Off, at)
		} else {
			at += int64(o.Len)
		}
	}
	if at != size {
		t.Fatalf("the objects end at %d of %d bytes", at, size)
	}
}

// Where there are more objects than are read, the walk ends and says so, and what was not read is not called lost.
func TestCrowded(t *testing.T) {
	defer func(n int) { mostObjects = n }(mostObjects)
	b := graph()
	whole := Open(b, "FlatGraph", nil)
	mostObjects = len(whole.Objs) / 2
	f := Open(b, "FlatGraph", nil)
	tiles(t, f, b.Len())
	if !f.Crowded || !f.Tangled || len(f.Objs) > mostObjects+1 || len(f.Issues) > 0 {
		t.Errorf("of %d objects %d are read (crowded %v), issues %v", len(whole.Objs), len(f.Objs), f.Crowded, f.Issues)
	}
	if mostObjects = len(whole.Objs); Open(b, "FlatGraph", nil).Crowded {
		t.Error("a buffer of as many objects as are read is not read")
	}
}

func TestWalk(t *testing.T) {
	b := graph()
	f := Open(b, "FlatGraph", nil)
	if len(f.Issues) > 0 || f.Unknown > 0 || !f.Late() {
		t.Fatalf("generation %q, %d unknown fields, issues %v", f.Gen, f.Unknown, f.Issues)
	}
	tiles(t, f, b.Len())
	names := []string{}
	for _, table := range b.Tables(b.Root(), GraphVariables) {
		name, _ := b.Str(table, VarName)
		names = append(names, name)
	}
	if len(names) != 2 || names[0] != "x" || names[1] != "bias" {
		t.Error("variables", names)
	}
	if v, ok := b.Strs(b.Root(), GraphValues); !ok || v[0] != "日本" {
		t.Error("values", v, ok)
	}
	for pos, i := range f.order {
		if i < 0 {
			continue // nothing refers to it
		}
		if got := f.Named(f.Name(i)); got != int64(pos) && f.Objs[i].Kind > RootObject && f.Objs[i].Kind != PadObject && f.Objs[i].Kind != vtableObject {
			t.Errorf("the name %s leads to object %d, not to %d", f.Name(i), got, pos)
		}
		if got := f.Find(int64(f.Objs[i].Off)); got != int64(pos) {
			t.Errorf("the offset %d leads to object %d, not to %d", f.Objs[i].Off, got, pos)
		}
	}
}

func TestRewritten(t *testing.T) {
	b := graph()
	f := Open(b, "FlatGraph", nil)
	same, err := f.Rewritten(b, nil)
	if err != nil || !bytes.Equal(same, b) {
		t.Fatalf("a graph that is rewritten without a change differs: %v", err)
	}
	variables := 0
	less, err := f.Rewritten(b, func(c *Copy) {
		c.Drop = func(of *Table, at int64) bool {
			variables++
			name, _ := b.Str(at, VarName)
			return of.Name == "FlatVariable" && name == "bias"
		}
	})
	if err != nil || variables == 0 {
		t.Fatal(err, variables)
	}
	after := Open(less, "FlatGraph", nil)
	tiles(t, after, int64(len(less)))
	_, left, _ := Buffer(less).Vec(Buffer(less).Root(), GraphVariables, 4)
	if left != 1 || len(after.Issues) > 0 || bytes.Contains(less, []byte("bias")) {
		t.Errorf("%d variables are left, issues %v", left, after.Issues)
	}
}

// Whatever is cut off or overwritten, the walk ends, its objects tile what is there, and values that lead outside are absent.
func TestWalkOfDamage(t *testing.T) {
	b := graph()
	for n := range b {
		tiles(t, Open(b[:n], "FlatGraph", nil), int64(n))
	}
	random := rand.New(rand.NewPCG(1, 2))
	for range 3000 {
		bad := bytes.Clone(b)
		for range 1 + random.IntN(3) {
			bad[random.IntN(len(bad))] = byte(random.Uint32())
		}
		tiles(t, Open(bad, "FlatGraph", nil), int64(len(bad)))
	}
}

// A wrong number is found by walking with others in its place, and the right one is among the first.
func TestCorrections(t *testing.T) {
	b := graph()
	at, _, _ := b.Vec(b.Root(), GraphVariables, 4)
	bad := Buffer(bytes.Clone(b))
	bad[at-3] = 1
	f := Open(bad, "FlatGraph", nil)
	if len(f.Issues) == 0 {
		t.Fatal("258 variables in a buffer of two are no issue")
	}
	for _, m := range f.Corrections(context.Background(), bad, "FlatGraph", f.Issues[0], 0) {
		if corrected := bytes.Clone(bad); m.At == at-4 {
			copy(corrected[m.At:], m.Bytes)
			if !bytes.Equal(corrected, b) {
				t.Errorf("%s does not give the buffer back", m.What)
			}
			return
		}
	}
	t.Errorf("nothing corrects the length of the vector: %v, %v", f.Issues, f.Corrections(context.Background(), bad, "FlatGraph", f.Issues[0], 0))
}

func TestCarve(t *testing.T) {
	b := graph()
	copy(b[:4], make([]byte, 4)) // the root is lost
	found := b.Carve()
	if len(found[GraphVariables]) != 2 || len(found[GraphNodes]) != 1 {
		t.Errorf("variables %v, operations %v", found[GraphVariables], found[GraphNodes])
	}
}

// textAt is where a text of a buffer begins, behind its length.
func textAt(b Buffer, text string) int64 { return int64(bytes.Index(b, []byte(text))) }

// TestUnended changes the zero byte behind a text: where the text cannot go on with it, it belongs to the text, and writing it is the only answer.
func TestUnended(t *testing.T) {
	for _, x := range []struct {
		with byte
		kind []Kind
		sure bool
	}{{0xff, []Kind{NoZero}, true}, {1, []Kind{NoZero}, true}, {'s', []Kind{NoZero, Unreached}, false}, {'\n', []Kind{NoZero, Unreached}, false}} {
		b := graph()
		bad := Buffer(bytes.Clone(b))
		end := textAt(bad, "bias") + 4 // three bytes of padding follow
		bad[end] = x.with
		f := Open(bad, "FlatGraph", nil)
		tiles(t, f, bad.Len())
		var kinds []Kind
		for _, is := range f.Issues {
			kinds = append(kinds, is.Kind)
		}
		if !slices.Equal(kinds, x.kind) {
			t.Fatalf("with %q: %v", x.with, f.Issues)
		}
		found := f.Corrections(context.Background(), bad, "FlatGraph", f.Issues[0], 0)
		if x.sure != (len(found) == 1) || len(found) == 0 {
			t.Errorf("with %q: %v", x.with, found)
		} else if x.sure && (found[0].At != end || !bytes.Equal(found[0].Bytes, []byte{0}) || !found[0].Clean) {
			t.Errorf("with %q: %v", x.with, found[0])
		}
	}
}

// At the very end of a buffer there is no room for a longer text, so that any byte there was its zero byte.
func TestUnendedAtTheEnd(t *testing.T) {
	b := graph()
	slot := b.Slot(b.Root(), GraphPlaceholders)
	list, _, _ := b.Vec(b.Root(), GraphPlaceholders, 4)
	if slot == 0 || list == 0 {
		t.Fatal("no placeholders")
	}
	at := b.Len()
	b = append(b, 3, 0, 0, 0, 'e', 'n', 'd', 's')
	copy(b[list:], le32(at-list))
	f := Open(b, "FlatGraph", nil)
	tiles(t, f, b.Len())
	last := f.Piece(f.Count() - 1)
	if last.Kind != StringObject || last.Len != 8 || last.Layout != 1 {
		t.Errorf("the last object is %+v, issues %v", last, f.Issues)
	}
	if f = Open(b[:at+7], "FlatGraph", nil); f.Piece(f.Count()-1).Len != 7 {
		t.Errorf("a byte behind the end is given to a text: %v", f.Issues)
	}
}

// Whatever the length of a text says, and wherever the buffer ends, its objects tile what is there.
func TestHostileTexts(t *testing.T) {
	b := graph()
	for _, text := range []string{"bias", "add_1", "author", "日本"} {
		at := textAt(b, text) - 4
		for _, n := range []int64{0, 1, int64(len(text)) + 1, int64(len(text)) + 3, b.Len() - at - 5, b.Len() - at - 4, 1<<31 - 1, 1<<32 - 1} {
			bad := Buffer(bytes.Clone(b))
			copy(bad[at:], le32(n))
			bad[at+4+int64(len(text))] = 0x80
			for size := at; size <= b.Len(); size++ {
				tiles(t, Open(bad[:size:size], "FlatGraph", nil), size)
			}
		}
	}
}

// A text that begins between two words is read, and so no error.
func TestTextBetweenWords(t *testing.T) {
	b := graph()
	list, _, _ := b.Vec(b.Root(), GraphPlaceholders, 4)
	at := b.Len() + 1
	b = append(b, 0, 1, 0, 0, 0, 'x', 0, 0, 0, 0, 0, 0)
	copy(b[list:], le32(at-list))
	f := Open(b, "FlatGraph", nil)
	tiles(t, f, b.Len())
	if !slices.ContainsFunc(f.Issues, func(is Issue) bool { return is.Kind == Unaligned && is.Off == at }) || f.Grave() {
		t.Errorf("%v", f.Issues)
	}
	if v, ok := b.Strs(b.Root(), GraphPlaceholders); !ok || v[0] != "x" {
		t.Errorf("it reads %q", v)
	}
}
