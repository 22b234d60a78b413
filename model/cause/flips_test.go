package cause

import (
	"bytes"
	"compress/flate"
	"compress/zlib"
	"context"
	"encoding/binary"
	"errors"
	"io"
	"math/rand"
	"testing"

	"spandrel/model"
	"spandrel/model/correct"
)

// packed is a format for tests: PACKED, a length, and a stream that inflates to that many bytes, all of them small letters.
func packed(zipped bool) *model.Format {
	tr := &model.Transform{Name: "deflate", SumBits: 32 * b2i(zipped),
		Decode: func(_ context.Context, in []byte, limit int64) ([]byte, error) {
			r := io.Reader(flate.NewReader(bytes.NewReader(in)))
			if zipped {
				z, err := zlib.NewReader(bytes.NewReader(in))
				if err != nil {
					return nil, err
				}
				r = z
			}
			out, err := io.ReadAll(io.LimitReader(r, limit+1)) // one more, so that the sum behind it is read
			if int64(len(out)) > limit {
				out, err = out[:limit], errors.New("it goes on")
			}
			return out, err
		},
		Flips: func(ctx context.Context, in []byte, length int, accept func([]byte) bool, _ *correct.Work) ([]correct.Change, error) {
			return (&correct.Stream{In: in, Zlib: zipped, Length: length, Accept: accept}).Flip(ctx, nil)
		}}
	rules := model.NewRules("PCK")
	short := rules.Error(1, "the content is shorter than it should be", "", "")
	fields := []*model.Field{{Name: "magic", Codec: model.TextOf(6, 0)}, {Name: "length", Codec: model.U32LE}, {Name: "data", Codec: model.RawBytes}, {Name: "content"}}
	detect := func(_ string, head, _ []byte, _ int64) (model.Confidence, string) { return 99, "" }
	return &model.Format{Name: "packed", Title: "Packed", Detect: detect, Parse: func(c *model.Cursor) {
		c.Field(fields[0])
		n := c.Field(fields[1])
		d := c.FieldN(fields[2], c.Left())
		c.Derive(fields[3], model.Derived{Transform: tr, From: d, Size: n.Int(), Body: func(c *model.Cursor) {
			if l := c.Left(); l > 0 {
				if b := c.Peek(l); int64(len(b)) < l {
					c.Report(model.Finding{Rule: short, Span: d.Span})
				}
				c.FieldN(fields[2], l)
			}
		}})
	}}
}

// TestFlips turns bits of compressed streams round. With a checksum in the stream each comes back as the only answer; without one
// some of those that break it do. No other bit is ever called proven.
func TestFlips(t *testing.T) {
	for _, zipped := range []bool{true, false} {
		var stream bytes.Buffer
		var w io.WriteCloser = zlib.NewWriter(&stream)
		if !zipped {
			w, _ = flate.NewWriter(&stream, 6)
		}
		content := []byte(text(500))
		for i := range content {
			content[i] = 'a' + content[i]%7
		}
		w.Write(content)
		w.Close()
		f := packed(zipped)
		sound := append(binary.LittleEndian.AppendUint32([]byte("PACKED"), uint32(len(content))), stream.Bytes()...)
		back, noticed := 0, 0
		for bit := 3; bit < 8*(stream.Len()-6); bit += 97 {
			b := bytes.Clone(sound)
			b[12+bit/8] ^= 1 << (bit % 8)
			g := diagnose(t, b, f)
			if len(g.Findings) > 0 {
				noticed++
			}
			if len(g.Causes) == 0 || len(g.Causes[0].Repairs) == 0 || g.Causes[0].Repairs[0].To == nil {
				continue
			}
			right := bytes.Equal(bytesOf(t, g.Causes[0].Repairs[0].To), sound)
			if right {
				back++
			} else if g.Causes[0].Grade == Proven {
				t.Errorf("zlib %v, bit %d: %s", zipped, bit, g.Causes[0].Text)
			}
		}
		if zipped && back < noticed || back == 0 {
			t.Errorf("zlib %v: %d of %d back", zipped, back, noticed)
		}
	}
}

// TestFlipInStep: of two wrong bytes in a stream that still decodes to its full length, the Adler-32 is that of one other wrong byte between them.
func TestFlipInStep(t *testing.T) {
	content := make([]byte, 120)
	rand.New(rand.NewSource(4)).Read(content) // nothing to compress, so that it is stored
	copy(content[50:], []byte{0x10, 0x12, 0x10})
	var stream bytes.Buffer
	w := zlib.NewWriter(&stream)
	w.Write(content)
	w.Close()
	sound := append(binary.LittleEndian.AppendUint32([]byte("PACKED"), uint32(len(content))), stream.Bytes()...)
	at := bytes.Index(sound, content) + 50
	b := bytes.Clone(sound)
	b[at]++
	b[at+2]++
	wrong := func(x *Repair) bool { return len(x.Changes) == 1 && x.Changes[0].Off == int64(at)+1 }
	c := diagnose(t, b, packed(true)).Causes
	if len(c) != 1 || len(c[0].Repairs) == 0 || !wrong(c[0].Repairs[0]) {
		t.Fatalf("the byte between the two is not found: %+v", c)
	}
	if c[0].Grade == Proven || c[0].Repairs[0].Safe {
		t.Errorf("%s: %s", c[0].Grade, c[0].Text)
	}
}
