package cause

import (
	"bytes"
	"compress/gzip"
	"context"
	"encoding/base64"
	"encoding/binary"
	"encoding/hex"
	"fmt"
	"hash/crc32"
	"math/rand"
	"strings"
	"testing"
	"unicode/utf16"

	"golang.org/x/text/encoding/charmap"

	"spandrel/model"
)

// toy is a format for tests: TOYFILE1, a count of records, and records of a length, bytes and their CRC-32; after them the file ends.
var toy = &model.Format{
	Name: "toy", Title: "Toy", Magics: []model.Magic{{Bytes: toyMagic}},
	Detect: func(_ string, head, _ []byte, _ int64) (model.Confidence, string) {
		if bytes.HasPrefix(head, []byte(toyMagic)) {
			return 99, ""
		}
		return 0, "it does not begin with " + toyMagic
	},
	Parse: toyParse,
}

const toyMagic = "TOYFILE1"

var (
	toyRules  = model.NewRules("TOY")
	toyShort  = toyRules.Error(1, "the file ends inside a record", "", "")
	toyBehind = toyRules.Error(2, "bytes follow the last record", "", "")

	fMagic   = &model.Field{Name: "magic", Codec: model.TextOf(8, 0)}
	fCount   = &model.Field{Name: "count", Codec: model.U32LE}
	fRecords = &model.Field{Name: "records"}
	fRecord  = &model.Field{Name: "record"}
	fLength  = &model.Field{Name: "length", Codec: model.U32LE}
	fData    = &model.Field{Name: "data", Codec: model.RawBytes}
	fSum     = &model.Field{Name: "crc", Codec: model.U32LE}
)

func toyParse(c *model.Cursor) {
	c.Field(fMagic)
	n := c.Field(fCount)
	c.List(fRecords, func(c *model.Cursor) {
		for range min(n.Int(), 1000) {
			if c.Left() < 8 {
				c.Report(model.Finding{Rule: toyShort, Span: n.Span})
				return
			}
			c.Struct(fRecord, func(c *model.Cursor) {
				l := c.Field(fLength)
				if l.Int() > c.Left()-4 {
					c.Report(model.Finding{Rule: toyShort, Span: l.Span})
					c.Resync(func([]byte) int { return -1 })
					return
				}
				d := c.FieldN(fData, l.Int())
				c.LengthOf(l, d)
				c.ChecksumOf(c.Field(fSum), model.CRC32, d)
			})
		}
	})
	if c.Left() > 0 {
		c.Report(model.Finding{Rule: toyBehind, Span: c.Span(), Range: c.Range(c.Pos(), c.Left())})
		c.Resync(func([]byte) int { return -1 })
	}
}

func toyFile(records ...string) []byte {
	b := binary.LittleEndian.AppendUint32([]byte(toyMagic), uint32(len(records)))
	for _, r := range records {
		b = binary.LittleEndian.AppendUint32(b, uint32(len(r)))
		b = append(b, r...)
		b = binary.LittleEndian.AppendUint32(b, crc32.ChecksumIEEE([]byte(r)))
	}
	return b
}

// text is a record of n bytes with all values in it.
func text(n int) string {
	r, b := rand.New(rand.NewSource(int64(n))), make([]byte, n)
	r.Read(b)
	return string(b)
}

func find(t *testing.T, b []byte) *Diagnosis {
	t.Helper()
	return diagnose(t, b, toy)
}

func diagnose(t *testing.T, b []byte, f *model.Format) *Diagnosis {
	t.Helper()
	formats := []*model.Format{f}
	d, err := model.OpenBytes(context.Background(), "a.toy", b, formats, nil)
	if err != nil {
		t.Fatal(err)
	}
	defer d.Close()
	g, err := Find(context.Background(), d, Options{Formats: formats, Time: 60e9})
	if err != nil {
		t.Fatal(err)
	}
	return g
}

func bytesOf(t *testing.T, s *model.Snapshot) []byte {
	t.Helper()
	c, err := s.Content("a.toy")
	if err != nil {
		t.Fatal(err)
	}
	b := make([]byte, c.Len())
	c.ReadAt(b, 0)
	return b
}

// wantBack fails unless the first repair of the first cause restores the file, and is safe.
func wantBack(t *testing.T, g *Diagnosis, sound []byte, text string) {
	t.Helper()
	if len(g.Causes) == 0 || len(g.Causes[0].Repairs) == 0 {
		t.Fatalf("no cause with a repair; %d findings", len(g.Findings))
	}
	c := g.Causes[0]
	if x := c.Repairs[0]; !x.Safe || x.To == nil || !bytes.Equal(bytesOf(t, x.To), sound) {
		t.Errorf("%s: %s; first repair %q, safe %v, does not restore", c.Grade, c.Text, x.Label, x.Safe)
	}
	if !strings.Contains(c.Text, text) {
		t.Errorf("%q says nothing of %q", c.Text, text)
	}
	if c.Grade != Proven {
		t.Errorf("%s: %s", c.Grade, c.Text)
	}
	if t.Failed() && c.Ledger != nil {
		t.Log(strings.Join(c.Ledger.Explain(c.Story), "\n"))
	}
}

func TestSound(t *testing.T) {
	if g := find(t, toyFile("one", text(300))); len(g.Causes) != 0 || len(g.Findings) != 0 {
		t.Errorf("a sound file has %d causes and %d findings", len(g.Causes), len(g.Findings))
	}
}

// TestWhole damages the file as a whole, in every way that can be undone.
func TestWhole(t *testing.T) {
	sound := toyFile("first\nrecord\n", text(700), "the last")
	latin := func(b []byte) []byte {
		var out []rune
		for _, x := range b {
			out = append(out, rune(x))
		}
		return []byte(string(out))
	}
	packed := func(b []byte) []byte {
		var out bytes.Buffer
		w := gzip.NewWriter(&out)
		w.Write(b)
		w.Close()
		return out.Bytes()
	}
	swap := bytes.Clone(append(sound, make([]byte, (4-len(sound)%4)%4)...))
	for i := 0; i+4 <= len(swap); i += 4 {
		swap[i], swap[i+1], swap[i+2], swap[i+3] = swap[i+3], swap[i+2], swap[i+1], swap[i]
	}
	dos, _ := charmap.CodePage437.NewDecoder().Bytes(sound)
	wide := []byte("\xff\xfe")
	for _, u := range utf16.Encode([]rune(string(dos))) {
		wide = binary.LittleEndian.AppendUint16(wide, u)
	}
	for _, c := range []struct {
		name, says string
		b          []byte
	}{
		{"byte order mark", "3 bytes precede", append([]byte("\xef\xbb\xbf"), sound...)},
		{"junk in front", "100 bytes precede", append(bytes.Repeat([]byte("j"), 100), sound...)},
		{"HTTP head", "an HTTP response header", append([]byte("HTTP/1.1 200 OK\r\nContent-Type: x\r\n\r\n"), sound...)},
		{"twice", "second copy", append(bytes.Clone(sound), sound...)},
		{"padded", "zeros follow", append(bytes.Clone(sound), make([]byte, 4096-len(sound))...)},
		{"gzip", "compressed with gzip", packed(sound)},
		{"base64", "base64", []byte(base64.StdEncoding.EncodeToString(sound))},
		{"hex", "in hexadecimal", []byte(hex.EncodeToString(sound[:9]) + "\n" + hex.EncodeToString(sound[9:]))},
		{"as UTF-8", "every byte above 0x7f", latin(sound)},
		{"code page", "as text", dos},
		{"page inside", "web page (oops)", append(append(bytes.Clone(sound[:400]), "<!DOCTYPE html>\n<title>Oops</title>\n<p>try again</p></html>\n"...), sound[400:]...)},
		{"gzip and a line end", "compressed with gzip", append(packed(sound), '\n')},
		{"page in front", "a web page (oops)", append([]byte("<!DOCTYPE html>\n<title>Oops</title>\n<p>try again</p></html>\n"), sound...)},
		{"length prefix", "number of bytes that follow", append(binary.BigEndian.AppendUint32(nil, uint32(len(sound))), sound...)},
		{"signed chunks", "chunk lengths", fmt.Appendf(nil, "%x;chunk-signature=0123\r\n%s\r\n0;chunk-signature=4567\r\n\r\n", len(sound), sound)},
		{"UTF-16 of a code page", "as text in UTF-16", wide},
		{"two wrappers", "compressed with gzip", packed(packed(sound))},
		{"CR LF twice", "twice: ", bytes.ReplaceAll(sound, []byte("\n"), []byte("\r\r\n"))},
		{"CR LF", "line feeds became", bytes.ReplaceAll(sound, []byte("\n"), []byte("\r\n"))},
	} {
		t.Run(c.name, func(t *testing.T) { wantBack(t, find(t, c.b), sound, c.says) })
	}
}

// TestDamagedPacking keeps a compressed file whose checksum fails: what it unpacks to would look sound.
func TestDamagedPacking(t *testing.T) {
	f := *toy
	f.Detect = func(name string, head, tail []byte, size int64) (model.Confidence, string) {
		if sure, why := toy.Detect(name, head, tail, size); sure > 0 {
			return sure, why
		}
		return 40, "" // by its name
	}
	f.Parse = func(c *model.Cursor) { // nothing checks what follows the magic
		if string(c.Peek(8)) != toyMagic {
			c.Report(model.Finding{Rule: toyShort, Span: c.Span()})
		}
		c.FieldN(fData, c.Left())
	}
	var out bytes.Buffer
	w := gzip.NewWriter(&out)
	w.Write([]byte(toyMagic + text(500)))
	w.Close()
	b := out.Bytes()
	b[len(b)-6] ^= 1
	g := diagnose(t, b, &f)
	if len(g.Causes) == 0 || !strings.Contains(g.Causes[0].Text, "the compressed data is damaged") || len(g.Causes[0].Repairs) > 0 && g.Causes[0].Repairs[0].Safe {
		for _, c := range g.Causes {
			t.Errorf("%s: %s: %d repairs", c.Grade, c.Text, len(c.Repairs))
		}
	}
}

func TestPut(t *testing.T) {
	sound := toyFile("first", text(3000))
	wantBack(t, find(t, bytes.ReplaceAll(sound, []byte{0xff}, []byte{0xff, 0xff})), sound, "after each byte 0xff")
}

// TestPutInText: in text, one letter may always follow another, and as many bytes may have been inserted elsewhere.
func TestPutInText(t *testing.T) {
	const words, width = 9, 8
	f := *toy
	f.Extents = func(context.Context, *model.Tree) []model.Extent {
		return []model.Extent{{Size: int64(len(toyMagic) + words*width), Says: "someone says"}}
	}
	f.Parse = func(c *model.Cursor) {
		c.Field(fMagic)
		for range words {
			c.FieldN(fData, min(width-1, c.Left()))
			if end := c.Field(&model.Field{Name: "end", Codec: model.U8}); end.Uint() != 0 {
				c.Report(model.Finding{Rule: toyShort, Span: end.Span})
			}
		}
		if c.Left() > 0 {
			c.Report(model.Finding{Rule: toyBehind, Span: c.Span(), Range: c.Range(c.Pos(), c.Left())})
		}
	}
	b := []byte(toyMagic)
	for i := range words {
		b = append(b, fmt.Sprintf("%cle%03d%c%c\x00", 'a'+i, i*i, 'A'+i, 'P'-i)...) // the last letter is new
	}
	g := diagnose(t, b, &f)
	if len(g.Causes) == 0 || !strings.Contains(g.Causes[0].Text, "after each byte 0x") || g.Safe() != nil {
		t.Errorf("%+v", g.Causes)
	}
}

// A piece that is there twice goes, where something says how long the file should be.
func TestPieceTwice(t *testing.T) {
	sound := toyFile("first", strings.Repeat("\x00", 300), text(700), "the last")
	f := *toy
	f.Extents = func(context.Context, *model.Tree) []model.Extent {
		return []model.Extent{{Size: int64(len(sound)), Says: "someone says"}}
	}
	b := append(bytes.Clone(sound[:800]), sound[700:]...)
	wantBack(t, diagnose(t, b, &f), sound, "100 bytes at 0x2bc are repeated")
}

// TestTold wants a plain sentence, and no repair, where nothing can be had back.
func TestTold(t *testing.T) {
	for _, c := range []struct{ name, says, b string }{
		{"empty", "is empty", ""},
		{"page", "web page (404 not found)", "<!DOCTYPE html><html><title>404 Not Found</title></html>"},
		{"pointer", "its 1234 bytes are in the repository's store", "version https://git-lfs.github.com/spec/v1\noid sha256:" + strings.Repeat("0a", 32) + "\nsize 1234\n"},
		{"zeros", "is all zeros", strings.Repeat("\x00", 1000)},
		{"text", "is text in an unknown format: # Files", "# Files\n\nA file begins with " + toyMagic + " and then has records.\n"},
		{"replaced", "are lost", toyMagic + strings.Repeat("\xef\xbf\xbd\x00", 40)},
	} {
		t.Run(c.name, func(t *testing.T) {
			g := find(t, []byte(c.b))
			if len(g.Findings) == 0 || len(g.Causes) == 0 {
				t.Fatalf("%d findings, %d causes", len(g.Findings), len(g.Causes))
			}
			if c := g.Causes[0]; c.Grade != Proven || len(c.Repairs) != 0 {
				t.Errorf("%s: %s; %d repairs", c.Grade, c.Text, len(c.Repairs))
			}
			if !strings.Contains(g.Causes[0].Text, c.says) {
				t.Error(g.Causes[0].Text)
			}
		})
	}
}

// TestSectors overwrites a sector with zeros, with text, and with another of the same file.
func TestSectors(t *testing.T) {
	sound := toyFile(text(700), text(3000), "the last")
	for _, c := range []struct {
		says string
		with []byte
	}{
		{"512 bytes at 0x400 are zero", make([]byte, 512)},
		{"1,024 bytes at 0x400 are unrelated text", bytes.Repeat([]byte("the file that stood there before\n"), 40)[:1024]},
		{"512 bytes at 0x400 are a copy of those at 0x200", sound[512:1024]},
	} {
		b := bytes.Clone(sound)
		copy(b[1024:], c.with)
		told := false
		for _, x := range find(t, b).Causes {
			told = told || strings.HasPrefix(x.Text, c.says)
		}
		if !told {
			t.Errorf("nothing says %q", c.says)
		}
	}
}

// TestUnknown: a file of no format is never clean.
func TestUnknown(t *testing.T) {
	g := find(t, []byte("something else, and long enough to be anything"))
	if len(g.Findings) != 1 || g.Findings[0].Rule != model.RuleUnknown || !strings.Contains(g.Findings[0].Expected, "does not begin with TOYFILE1") {
		t.Errorf("%+v", g.Findings)
	}
}

// TestField sets numbers wrongly.
func TestField(t *testing.T) {
	sound := toyFile("first", text(60), "the last")
	for _, c := range []struct {
		at   int
		is   string
		says string
	}{
		{12, "\x06\x00\x00\x00", "records[0]/length is 6, should be 5"},
		{12, "\x00\x00\x00\x05", "records[0]/length"},
		{25, "\x00\x00\x00\x00", "records[1]/length is 0, should be 60"},
		{8, "\x00\x00\x00\x03", "count is"},
	} {
		b := bytes.Clone(sound)
		copy(b[c.at:], c.is)
		t.Run(fmt.Sprintf("%d=%x", c.at, c.is), func(t *testing.T) { wantBack(t, find(t, b), sound, c.says) })
	}
}

// TestSum: a wrong byte under a checksum is found, a wrong checksum is told from it, and a changed content is not blessed.
func TestSum(t *testing.T) {
	sound := toyFile("first", text(600), "the last")
	b := bytes.Clone(sound)
	b[100] ^= 0x5a
	wantBack(t, find(t, b), sound, "One byte at 0x64 is wrong")
	b = bytes.Clone(sound)
	b[100], b[101] = b[100]^0xc0, b[101]^0x05
	wantBack(t, find(t, b), sound, "2 bytes at 0x64 are wrong")
	b = bytes.Clone(sound)
	b[len(b)-2] ^= 0x10
	wantBack(t, find(t, b), sound, "The checksum")
	b = bytes.Clone(sound)
	copy(b[100:], "another content")
	g := find(t, b)
	for _, c := range g.Causes {
		for _, x := range c.Repairs {
			if x.Safe {
				t.Errorf("%q is safe", x.Label)
			}
		}
	}
}

// TestCut: what is missing is never explained away.
func TestCut(t *testing.T) {
	sound := toyFile("first", text(600), text(50))
	for _, n := range []int{len(sound) - 1, len(sound) / 2, 30, 14} {
		g := find(t, sound[:n])
		for _, c := range g.Causes {
			for _, x := range c.Repairs {
				if x.Safe {
					t.Errorf("cut at %d: %q is safe", n, x.Label)
				}
			}
		}
	}
}
