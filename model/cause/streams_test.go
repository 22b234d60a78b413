package cause

import (
	"bytes"
	"compress/zlib"
	"encoding/binary"
	"strings"
	"testing"

	"spandrel/model"
	"spandrel/model/evidence"
)

// TestUndecoded: compressed bytes that a state of the document no longer decodes count against it, if they were intact.
func TestUndecoded(t *testing.T) {
	var b bytes.Buffer
	w := zlib.NewWriter(&b)
	w.Write([]byte(text(500)))
	w.Close()
	for _, broken := range []bool{false, true} {
		in := append(binary.LittleEndian.AppendUint32([]byte("PACKED"), 500), b.Bytes()...)
		if broken {
			in[len(in)-1] ^= 1
		}
		d, err := model.OpenBytes(t.Context(), "a", in, []*model.Format{packed(true)}, nil)
		if err != nil {
			t.Fatal(err)
		}
		v := judge(t.Context(), d.Tree.Snapshot, d.Format, nil)
		if err := check(t.Context(), v.tree, nil); err != nil {
			t.Fatal(err)
		}
		v.note()
		if lost := (&verdict{}).lost(v); (lost >= evidence.Random(4)) == broken {
			t.Errorf("broken %v: without these bytes %v bits are lost", broken, lost)
		}
		d.Close()
	}
}

// What numpy.save writes in front of an array is not bytes that belong to no structure.
func TestForeignHeader(t *testing.T) {
	head := "\x93NUMPY\x01\x00v\x00{'descr': '<u2', 'fortran_order': False, 'shape': (7,), }" + strings.Repeat(" ", 60) + "\n"
	if what := foreign([]byte(head), nil); what != "the header that numpy.save writes" {
		t.Error(what)
	}
}

// TestSpoiledOnce: damaged compressed bytes are looked for once for a document. An archive may have thousands of them, and each finding asks.
func TestSpoiledOnce(t *testing.T) {
	b := append(binary.LittleEndian.AppendUint32([]byte("PACKED"), 100), "no stream at all"...)
	d, err := model.OpenBytes(t.Context(), "a.packed", b, []*model.Format{packed(true)}, nil)
	if err != nil {
		t.Fatal(err)
	}
	defer d.Close()
	r := &search{ctx: t.Context(), all: t.Context(), deep: true}
	if err := r.start(d.Tree.Snapshot, d.Format); err != nil {
		t.Fatal(err)
	}
	first, again := spoiledStreams(r), spoiledStreams(r)
	if len(first) != 1 || len(again) != 1 || &first[0] != &again[0] {
		t.Errorf("%+v, then %+v", first, again)
	}
}

// Mail ends all lines with CR LF. If the text has carriage returns of its own, these were line feeds.
func TestQuotedLines(t *testing.T) {
	for was, text := range map[string]string{"a=0D=00=01=02=03=04=05=06=07b\r\nc": "a\r\x00\x01\x02\x03\x04\x05\x06\ab\nc", "a=00=01=02=03=04=05=06=07b\r\nc": "a\x00\x01\x02\x03\x04\x05\x06\ab\r\nc"} {
		if got := readQuoted([]byte(was)); string(got) != text {
			t.Errorf("%q: %q, want %q", was, got, text)
		}
	}
}
