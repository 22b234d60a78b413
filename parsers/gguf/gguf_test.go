package gguf

import (
	"bytes"
	"context"
	"encoding/binary"
	"fmt"
	"strings"
	"testing"

	"spandrel/model"
	"spandrel/model/cause"
	"spandrel/parsers/internal/suite"
)

var le = binary.LittleEndian

func str(s string) []byte { return append(le.AppendUint64(nil, uint64(len(s))), s...) }

// pairOf is a key-value pair whose value is these bytes.
func pairOf(key string, kind uint32, value ...byte) []byte {
	return append(le.AppendUint32(str(key), kind), value...)
}

// entryOf is a tensor of the header.
func entryOf(name string, typ uint32, offset uint64, dims ...uint64) []byte {
	b := le.AppendUint32(str(name), uint32(len(dims)))
	for _, d := range dims {
		b = le.AppendUint64(b, d)
	}
	return le.AppendUint64(le.AppendUint32(b, typ), offset)
}

// made is a file of version 3: header, padding to 32, data.
func made(pairs, tensors [][]byte, data []byte) []byte {
	b := le.AppendUint32([]byte("GGUF"), 3)
	b = le.AppendUint64(le.AppendUint64(b, uint64(len(tensors))), uint64(len(pairs)))
	b = append(append(b, bytes.Join(pairs, nil)...), bytes.Join(tensors, nil)...)
	b = append(b, make([]byte, -len(b)&31)...)
	return append(b, data...)
}

// numbers are tensors of so many 32-bit numbers each, with the padding behind them.
func numbers(counts ...int) (b []byte) {
	for _, n := range counts {
		for i := range n {
			b = le.AppendUint32(b, 0x3f800000+uint32(i)<<16)
		}
		b = append(b, make([]byte, -len(b)&31)...)
	}
	return b
}

var (
	llama = pairOf("general.architecture", 8, str("llama")...)
	three = [][]byte{entryOf("a.weight", 0, 0, 4, 2), entryOf("b.weight", 0, 32, 5), entryOf("c.weight", 0, 64, 2, 3)}
)

// alignedTo has tensors at multiples of 64, and a pair that says something of that.
func alignedTo(key string, says byte) []byte {
	b := made([][]byte{llama, pairOf(key, 4, says, 0, 0, 0)}, [][]byte{three[0], entryOf("b.weight", 0, 64, 5), entryOf("c.weight", 0, 128, 2, 3)}, nil)
	b = append(b, make([]byte, -len(b)&63)...)
	for _, n := range []int{8, 5, 6} {
		b = append(b, numbers(n)...)
		b = append(b, make([]byte, 64-len(numbers(n)))...)
	}
	return b
}

func splitOf(no, count uint16, total uint32) [][]byte {
	return [][]byte{llama, pairOf("split.no", 2, le.AppendUint16(nil, no)...), pairOf("split.count", 2, le.AppendUint16(nil, count)...),
		pairOf("split.tensors.count", 5, le.AppendUint32(nil, total)...)}
}

// samples are the bad files of testdata/gguf; the good ones are written by the Python package, see testdata/SOURCES.md.
func samples() map[string][]byte {
	whole := made([][]byte{llama}, three, numbers(8, 5, 6))
	with := func(i int, entry []byte) []byte {
		list := append([][]byte{}, three...)
		list[i] = entry
		return made([][]byte{llama}, list, numbers(8, 5, 6))
	}
	put := func(at int, b ...byte) []byte {
		out := bytes.Clone(whole)
		copy(out[at:], b)
		return out
	}
	alone := func(pairs ...[]byte) []byte { return made(append([][]byte{llama}, pairs...), three, numbers(8, 5, 6)) }
	list := func(kind uint32, n uint64, b ...byte) []byte {
		return append(le.AppendUint64(le.AppendUint32(nil, kind), n), b...)
	}
	one, other := [][]byte{entryOf("a.weight", 0, 0, 4)}, [][]byte{entryOf("b.weight", 0, 0, 4)}
	return map[string][]byte{
		"bad/001-magic.gguf":      put(0, 'G', 'G', 'M', 'L'),
		"bad/002-version.gguf":    put(4, 1),
		"bad/003-big-endian.gguf": append([]byte("GGUF\x00\x00\x00\x03"), make([]byte, 16)...),
		"bad/004-kind.gguf":       put(24+8+20, 13),
		"bad/005-key-twice.gguf":  alone(llama),
		"bad/006-strings.gguf": alone(pairOf("tokenizer.ggml.tokens", 9, list(8, 3, append(str("a"), le.AppendUint64(nil,
			1<<40)...)...)...)),
		"bad/007-nested.gguf": alone(pairOf("shape", 9, list(9, 2, append(list(4, 1, 1, 0, 0, 0), list(4, 1, 2, 0, 0,
			0)...)...)...)),
		"bad/008-alignment.gguf":     alone(pairOf("general.alignment", 4, 24, 0, 0, 0)),
		"bad/008-alignment-u64.gguf": alone(pairOf("general.alignment", 10, 32, 0, 0, 0, 0, 0, 0, 0)),
		"bad/009-architecture.gguf":  made(nil, three, numbers(8, 5, 6)),
		"bad/010-name-long.gguf":     with(0, entryOf(strings.Repeat("a", 64), 0, 0, 4, 2)),
		"bad/011-name-twice.gguf":    with(1, entryOf("a.weight", 0, 32, 5)),
		"bad/012-dims.gguf":          with(0, entryOf("a.weight", 0, 0, 2, 2, 2, 1, 1)),
		"bad/013-type.gguf":          with(0, entryOf("a.weight", 4, 0, 4, 2)),
		"bad/014-row.gguf":           with(0, entryOf("a.weight", 8, 0, 20)),
		"bad/014-huge.gguf":          with(0, entryOf("a.weight", 0, 0, 1<<40, 1<<40)),
		"bad/015-offset.gguf":        with(1, entryOf("b.weight", 0, 40, 5)),
		"bad/015-offset-last.gguf":   with(2, entryOf("c.weight", 0, 96, 2, 3)),
		"bad/016-shape.gguf":         with(0, entryOf("a.weight", 0, 0, 4, 6)),
		"bad/016-type.gguf": made([][]byte{llama}, [][]byte{entryOf("a.weight", 1, 0, 40), entryOf("b.weight", 1, 160, 20), entryOf("c.weight", 1, 256, 72)}, // F16 for F32
			numbers(40, 20, 72)),
		"bad/016-gap.gguf": made([][]byte{llama}, [][]byte{three[0], entryOf("b.weight", 0, 64, 5), entryOf("c.weight",
			0, 96, 2, 3)}, numbers(16, 5, 6)),
		"bad/017-cut.gguf":         whole[:len(whole)-40],
		"bad/017-cut-early.gguf":   whole[:len(whole)-70],
		"bad/cut-in-tensors.gguf":  whole[:150],
		"bad/cut-in-metadata.gguf": whole[:60],
		"bad/018-trailing.gguf":    append(bytes.Clone(whole), "more"...),
		"bad/018-no-tensors.gguf":  append(made([][]byte{llama}, nil, nil), "more"...),
		"bad/019-padding.gguf":     put(len(whole)-4, 1),
		"bad/023-key.gguf":         alone(pairOf("a\x00b", 4, 1, 0, 0, 0)),
		"bad/023-name.gguf":        with(0, entryOf("a\nweight", 0, 0, 4, 2)),
		"bad/027-text.gguf":        alone(pairOf("general.name", 8, str("caf\xe9")...)),
		"bad/token.gguf":           alone(pairOf("tokenizer.ggml.tokens", 9, list(8, 2, append(str("a"), str("\xff")...)...)...)),
		"bad/pairs.gguf":           put(16, 2),
		"bad/009-key.gguf":         made([][]byte{pairOf("general.arch\xe9tecture", 8, str("llama")...)}, three, numbers(8, 5, 6)),
		"bad/026-blocks.gguf": made([][]byte{llama, pairOf("llama.block_count", 4, 3, 0, 0, 0)}, [][]byte{entryOf("blk.0.attn_q.weight", 0, 0, 4, 2),
			entryOf("blk.1.attn_q.weight", 0, 32, 5)}, numbers(8, 5)),
		"bad/026-length.gguf": made([][]byte{llama, pairOf("llama.embedding_length", 4, 5, 0, 0, 0)}, [][]byte{entryOf("token_embd.weight", 0, 0, 4,
			2)}, numbers(8)),
		"bad/028-longer.gguf":  bytes.Replace(whole, []byte("llama"), []byte("mistral"), 1),
		"bad/028-shorter.gguf": bytes.Replace(whole, []byte("b.weight"), []byte("b.w"), 1),
		"bad/029-from-file-start.gguf": made([][]byte{llama}, [][]byte{entryOf("a.weight", 0, 224, 4, 2), entryOf("b.weight", 0, 256, 5),
			entryOf("c.weight", 0, 288, 2, 3)}, numbers(8, 5, 6)),
		"bad/025-key.gguf":                         alignedTo("general.alignmend", 64),
		"bad/025-value.gguf":                       alignedTo("general.alignment", 32),
		"bad/024-tensors.gguf":                     put(8, 2),
		"bad/length.gguf":                          put(24+8+20+4, 4),
		"bad/020-shard/model-00001-of-00002.gguf":  made(splitOf(0, 2, 2), one, numbers(4)),
		"bad/021-number/model-00001-of-00002.gguf": made(splitOf(1, 2, 2), one, numbers(4)),
		"bad/021-number/model-00002-of-00002.gguf": made(splitOf(0, 2, 2), other, numbers(4)),
		"bad/021-count/model-00001-of-00002.gguf":  made(splitOf(0, 3, 2), one, numbers(4)),
		"bad/021-renamed.gguf":                     made(splitOf(0, 2, 2), one, numbers(4)),
		"bad/021-key.gguf": made([][]byte{llama, splitOf(0, 1, 3)[1], pairOf("split.cound", 2, 1, 0), splitOf(0, 1, 3)[3]}, three,
			numbers(8, 5, 6)),
		"bad/021-type.gguf": made([][]byte{llama, splitOf(0, 1, 3)[1], pairOf("split.count", 4, 1, 0, 0, 0), splitOf(0, 1, 3)[3]}, three,
			numbers(8, 5, 6)),
		"bad/022-sum/model-00001-of-00002.gguf": made(splitOf(0, 2, 3), one, numbers(4)),
		"bad/022-sum/model-00002-of-00002.gguf": made(splitOf(1, 2, 3), other, numbers(4)),
		"bad/032-layer.gguf": made([][]byte{llama}, [][]byte{entryOf("blk.0.up", 0, 0, 4), entryOf("blk.0.down", 0, 32, 4), entryOf("blk.1.uq", 0, 64, 4),
			entryOf("blk.1.down", 0, 96, 4), entryOf("blk.2.up", 0, 128, 4), entryOf("blk.2.down", 0, 160, 4)}, make([]byte, 192)),
		"bad/031-late.gguf":                       bytes.Replace(whole, numbers(8, 5, 6), append(make([]byte, 13), numbers(8, 5, 6)...), 1),
		"bad/030-mixed/model-00001-of-00003.gguf": made(splitOf(0, 3, 3), one, numbers(4)),
		"bad/030-mixed/model-00002-of-00003.gguf": made(splitOf(1, 4, 4), one, numbers(4)),
		"bad/030-mixed/model-00003-of-00003.gguf": made(splitOf(2, 3, 3), other, numbers(4)),
	}
}

func TestGGUFSamples(t *testing.T) { suite.Samples(t, "gguf", samples()) }

// What each rule says of a file that breaks it is written down.
func TestTranscript(t *testing.T) { suite.Transcript(t, Format, suite.BadSamples(t, Format)) }

func opened(t *testing.T, b []byte) *model.Document {
	t.Helper()
	d, err := model.OpenBytes(context.Background(), "x.gguf", b, []*model.Format{Format}, nil)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(d.Close)
	return d
}

// problems are the errors and warnings of a document, checked to its end.
func problems(t *testing.T, d *model.Document) (out []string) {
	t.Helper()
	if err := d.Deep(context.Background(), nil); err != nil {
		t.Fatal(err)
	}
	found, _ := d.Tree.Findings()
	for i := range found {
		if found[i].Grade() != model.Note {
			out = append(out, found[i].Rule.ID+" "+found[i].Path()+": "+found[i].Text())
		}
	}
	return out
}

func set(t *testing.T, d *model.Document, path string, v model.Value) {
	t.Helper()
	s, err := d.Tree.Find(context.Background(), path)
	if err != nil {
		t.Fatal(err)
	}
	p, err := d.Plan(context.Background(), "edit", model.SetValue(s, v))
	if err != nil {
		t.Fatal(err)
	}
	d.Apply(context.Background(), p, nil)
}

// A longer text in the metadata moves what follows, and the data begins at the next multiple of the alignment; another alignment moves
// every tensor.
func TestEditsLayOut(t *testing.T) {
	pairs := func(arch string, alignment byte) [][]byte {
		return [][]byte{pairOf("general.architecture", 8, str(arch)...), pairOf("general.alignment", 4, alignment, 0, 0, 0)}
	}
	whole := made(pairs("llama", 32), three, numbers(8, 5, 6))
	for _, arch := range []string{"", "llamas", strings.Repeat("llama", 20)} {
		d := opened(t, whole)
		set(t, d, "header/metadata[0]/value", model.S(arch))
		if got, want := suite.Bytes(t, d), made(pairs(arch, 32), three, numbers(8, 5, 6)); !bytes.Equal(got, want) {
			t.Errorf("%q:\n%q\n%q", arch, got, want)
		}
	}
	d := opened(t, whole)
	set(t, d, "header/metadata[1]/value", model.U(64))
	if list := problems(t, d); len(list) > 0 {
		t.Errorf("alignment 64: %v", list)
	}
	for i, want := range []uint64{0, 64, 128} {
		s, err := d.Tree.Find(context.Background(), "header/tensors["+string(rune('0'+i))+"]/offset")
		if err != nil {
			t.Fatal(err)
		}
		if v, _ := d.Tree.Value(context.Background(), s); v.Uint() != want {
			t.Errorf("alignment 64: tensor %d begins at %s", i, v)
		}
	}
	set(t, d, "header/metadata[1]/value", model.U(32))
	if got := suite.Bytes(t, d); !bytes.Equal(got, whole) {
		t.Errorf("there and back:\n%q\n%q", got, whole)
	}
}

// A string of an array, which is opened when someone looks, is laid out like the others.
func TestLongerToken(t *testing.T) {
	tokens := func(a string) []byte {
		b := le.AppendUint64(le.AppendUint32(nil, 8), 2)
		return made([][]byte{llama, pairOf("tokenizer.ggml.tokens", 9, append(append(b, str(a)...), str("z")...)...)}, three, numbers(8, 5, 6))
	}
	d := opened(t, tokens("a"))
	set(t, d, "header/metadata[1]/items[0]/value", model.S("a much longer token"))
	if got, want := suite.Bytes(t, d), tokens("a much longer token"); !bytes.Equal(got, want) {
		t.Errorf("%q\n%q", got, want)
	}
}

// Bytes after the last tensor may fit another alignment by chance: what would be padding by it tells.
func TestAlignmentByChance(t *testing.T) {
	two := [][]byte{entryOf("a.weight", 0, 0, 12), entryOf("b.weight", 0, 64, 8)}
	whole := made([][]byte{llama}, two, numbers(12, 8))
	d := opened(t, append(bytes.Clone(whole), bytes.Repeat([]byte{7}, 32)...))
	if list := problems(t, d); len(list) != 1 || !strings.HasPrefix(list[0], "GGUF-018") {
		t.Errorf("%v", list)
	}
}

// TestAlignmentOfAny: if smaller alignments put all tensors at the same places, the one of most files is meant, wherever the header ends.
func TestAlignmentOfAny(t *testing.T) {
	two := [][]byte{entryOf("a.weight", 0, 0, 8), entryOf("b.weight", 0, 32, 8)}
	for arch := "a"; len(arch) < 32; arch += "a" {
		pairs := [][]byte{pairOf("general.architecture", 8, str(arch)...), pairOf("general.alignment", 4, 128, 0, 0, 0)}
		d := opened(t, made(pairs, two, numbers(8, 8)))
		found, _ := d.Tree.Findings()
		if len(found) != 1 || found[0].Rule != otherAlignment || !found[0].Want.Equal(model.U(32)) && !found[0].Want.Equal(model.I(32)) {
			t.Errorf("%q: %v", arch, problems(t, d))
		}
	}
}

// TestPaddingIsNoTensor counts more tensors than a header describes: what follows is its padding, of any length, however many there should be.
func TestPaddingIsNoTensor(t *testing.T) {
	for name := "b"; len(name) < 32; name += "b" {
		list := [][]byte{entryOf("a.weight", 0, 0, 4, 2), entryOf(name, 0, 32, 5)}
		for _, n := range []uint64{3, 1 << 40} {
			b := made([][]byte{llama}, list, numbers(8, 5))
			le.PutUint64(b[8:], n)
			d, err := model.OpenBytes(t.Context(), "a.gguf", b, []*model.Format{Format}, nil)
			if err != nil {
				t.Fatal(err)
			}
			if f := model.StateOf[*file](d.Tree); len(f.tensors) != 2 || f.data == nil {
				t.Errorf("%d counted, with a name of %d letters: %d tensors", n, len(name), len(f.tensors))
			}
		}
	}
}

// TestTooLongAtBothEnds puts bytes in front of a file and behind it: that those in front are all that came in is not proven.
func TestTooLongAtBothEnds(t *testing.T) {
	b := append(append([]byte("\""), made([][]byte{llama}, three, numbers(8, 5, 6))...), "more than the file"...)
	d, err := model.OpenBytes(t.Context(), "a.gguf", b, []*model.Format{Format}, nil)
	if err != nil {
		t.Fatal(err)
	}
	g, err := cause.Find(t.Context(), d, cause.Options{Formats: []*model.Format{Format}, Deep: true})
	if err != nil || len(g.Causes) == 0 {
		t.Fatal(err, g)
	}
	if c := g.Causes[0]; !strings.HasPrefix(c.Text, "1 byte precedes") || c.Grade == cause.Proven {
		t.Errorf("%v: %s", c.Grade, c.Text)
	}
}

// TestFurther: tensors behind those that the header counts are counted, but for more of them than are taken apart: a limit is no evidence.
func TestFurther(t *testing.T) {
	for n, want := range map[int]bool{0: false, 3: true, maxParts + 1: false} {
		b := append(made(nil, nil, nil)[:24], bytes.Repeat(entryOf("a", 0, 0, 1), n)...)
		said := strings.Join(problems(t, opened(t, b)), "\n")
		if strings.Contains(said, "described after") != want {
			t.Errorf("%d tensors: %.300s", n, said)
		}
	}
}

// TestTensorsHaveTables: the values of every tensor can be shown, of however many.
func TestTensorsHaveTables(t *testing.T) {
	var tensors [][]byte
	for i := range 5000 {
		tensors = append(tensors, entryOf(fmt.Sprintf("t%d", i), 0, uint64(32*i), 8))
	}
	d := opened(t, made([][]byte{llama}, tensors, make([]byte, 32*len(tensors))))
	if _, ok := model.TableNamed(d.Tree.Tables(context.Background()), "t4999"); !ok {
		t.Error("the last tensor has no table")
	}
}

// TestEitherType: values of which nothing says whether they are F32 or I32 are not saved as one of them.
func TestEitherType(t *testing.T) {
	d, err := model.OpenBytes(t.Context(), "a.gguf", samples()["bad/016-type.gguf"], []*model.Format{Format}, nil)
	if err != nil {
		t.Fatal(err)
	}
	if s, err := model.Salvage(t.Context(), d.Tree); err == nil {
		t.Errorf("%+v", s.Parts)
	}
}
