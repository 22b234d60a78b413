package model

import (
	"bytes"
	"os"
	"path/filepath"
	"testing"
)

// lyingDisk says that it wrote what it was given, and did not: one bit is another.
type lyingDisk struct{ osDisk }

func (d lyingDisk) Create(dir, pattern string) (diskFile, error) {
	return lying(d.osDisk.Create(dir, pattern))
}
func (d lyingDisk) Open(path string) (diskFile, error) { return lying(d.osDisk.Open(path)) }

func lying(f diskFile, err error) (diskFile, error) {
	if err != nil {
		return nil, err
	}
	return &lyingFile{f}, nil
}

type lyingFile struct{ diskFile }

func (f *lyingFile) Write(b []byte) (int, error) { return f.diskFile.Write(flipped(b)) }
func (f *lyingFile) WriteAt(b []byte, off int64) (int, error) {
	return f.diskFile.WriteAt(flipped(b), off)
}

func flipped(b []byte) []byte {
	b = bytes.Clone(b)
	b[len(b)-1] ^= 1
	return b
}

// TestLyingDisk: what a save wrote is read again before it counts. A new file that is not what was meant takes no other's place; of one that was
// written over the save says so.
func TestLyingDisk(t *testing.T) {
	old := toyFile("one", "two")
	for _, inPlace := range []bool{false, true} {
		d := openToy(t, old)
		d.set(t, "rows[1]/b", I(-5))
		s := Saved{File: "a.toy", Path: filepath.Join(d.dir, "a.toy"), InPlace: inPlace}
		w := &saver{ctx: bg, fs: lyingDisk{}, progress: func(int64) {}, still: d.still}
		if err := d.saveFile(w, &s); err == nil {
			t.Errorf("in place %v: the save says that all went well", inPlace)
		}
		if b, err := os.ReadFile(s.Path); !inPlace && (err != nil || !bytes.Equal(b, old)) {
			t.Errorf("the file is no longer the old one: %v", err)
		}
	}
}

// overDisk lies about writing over files that are there, so often; new files are what was meant.
type overDisk struct {
	osDisk
	lies int
}

func (d *overDisk) Open(path string) (diskFile, error) {
	f, err := d.osDisk.Open(path)
	if err != nil {
		return nil, err
	}
	return &overFile{f, d}, nil
}

type overFile struct {
	diskFile
	d *overDisk
}

func (f *overFile) WriteAt(b []byte, off int64) (int, error) {
	if f.d.lies > 0 {
		f.d.lies--
		b = flipped(b)
	}
	return f.diskFile.WriteAt(b, off)
}

// TestLyingDiskInPlace: what leads back to the old bytes stays until the new ones were read again, and then until the old ones were. A disk that
// lies once leaves the old file and nothing to recover; one that goes on lying leaves the way back, which leads to the old file on a disk that works.
func TestLyingDiskInPlace(t *testing.T) {
	old := toyFile("one", "two")
	for _, together := range []bool{false, true} {
		for _, lies := range []int{1, 1000} {
			d := openToy(t, old)
			d.set(t, "rows[1]/b", I(-5))
			path, fs := filepath.Join(d.dir, "a.toy"), &overDisk{lies: lies}
			var err error
			if !together {
				err = d.saveInPlace(fs)
			} else {
				w := &saver{ctx: bg, fs: fs, progress: func(int64) {}, still: d.still}
				err = d.saveTogether(w, []Saved{{File: "a.toy", Path: path, InPlace: true}}, new(int64))
			}
			if err == nil {
				t.Fatalf("together %v, %d lies: the save says that all went well", together, lies)
			}
			x := InterruptedSave(d.dir)
			switch told := Interrupted(path) || x != nil; {
			case told != (lies > 1):
				t.Errorf("together %v, %d lies: an interrupted save: %v (%v)", together, lies, told, err)
			case x != nil:
				err = x.c.takeBack(osDisk{})
			case told:
				err = RollBack(path)
			default:
				err = nil
			}
			if b, readErr := os.ReadFile(path); err != nil || readErr != nil || !bytes.Equal(b, old) {
				t.Errorf("together %v, %d lies: the file is not the old one (%v)", together, lies, err)
			}
		}
	}
}

// TestPadding: after an edit a text is followed by as much padding as it takes to the next multiple, and none where it ends at one.
func TestPadding(t *testing.T) {
	padded := &Format{Name: "padded", Parse: func(c *Cursor) {
		c.Struct(&Field{Name: "body"}, func(c *Cursor) {
			n := c.Field(&Field{Name: "length", Codec: U32LE})
			text := c.FieldN(&Field{Name: "text", Codec: UTF8}, n.Int())
			c.LengthOf(n, text)
			pad := c.FieldN(&Field{Name: "pad", Codec: RawBytes}, (4-n.Int()%4)%4)
			c.PadOf(pad, 4, 0, text)
		})
		c.Field(&Field{Name: "end", Codec: U32LE, Check: Is(U(7)), Rule: RuleValue})
	}}
	for n := 1; n < 10; n++ {
		d, err := OpenBytes(bg, "a", []byte("\x03\x00\x00\x00abc\x00\x07\x00\x00\x00"), nil, padded)
		if err != nil {
			t.Fatal(err)
		}
		d.set(t, "body/text", S("123456789"[:n]))
		d.sound(t)
		if got, want := len(d.bytes(t)), 4+(n+3)/4*4+4; got != want {
			t.Errorf("a text of %d bytes: the file has %d bytes, want %d", n, got, want)
		}
	}
}
