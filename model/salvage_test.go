package model

import (
	"bytes"
	"context"
	"errors"
	"strings"
	"testing"
)

// Whatever a format says it has saved is opened and checked: an error that is left is said, as is what was not checked, a copy of nothing is
// refused, and what is whole is copied.
func TestSalvageIsTried(t *testing.T) {
	rules := NewRules("LET")
	bad := rules.Error(1, "a letter is bad", "it is", "1")
	letters := func(c *Cursor) {
		if bytes.HasPrefix(c.Peek(1), []byte("(")) {
			c.Frame(&Field{Name: "inside"}, c.Left(), func(c *Cursor) { c.Wrong(bad, c.Rest(&Field{Name: "text", Codec: RawBytes}), nil, nil) })
			return
		}
		if !bytes.HasPrefix(c.Peek(3), []byte("sum")) {
			c.Rest(&Field{Name: "text", Codec: RawBytes})
			return
		}
		c.FieldN(&Field{Name: "mark", Codec: ASCII}, 3)
		sum := c.Field(&Field{Name: "sum", Codec: U32LE})
		c.ChecksumOf(sum, CRC32, c.Rest(&Field{Name: "text", Codec: RawBytes}))
	}
	parts := func(saved, of int64) []SalvagedPart { return []SalvagedPart{{What: "letters", Saved: saved, Of: of}} }
	for name, x := range map[string]struct {
		is, makes string
		parts     []SalvagedPart
		err       error
		want      string // begins the verdict, or the refusal
		contains  string
	}{
		"repaired":       {"axb", "ab", parts(2, 3), nil, "readable: no errors (full check). No checksum covers 2 bytes of values", "2 of 3 letters"},
		"with a new sum": {"sum\x83\x16\xdc\x8cx", "sum\x6d\x48\x83\x9eab", parts(2, 3), nil, "readable: no errors (full check). No checksum covers 2 bytes of values", "2 of 3 letters"},
		"with its sum":   {"sum\x6d\x48\x83\x9eabx", "sum\x6d\x48\x83\x9eab", parts(2, 3), nil, "valid: no errors (full check)", "2 of 3 letters"},
		"still bad":      {"axb", "ax", parts(2, 3), nil, "not valid: 1 problem left: a letter is bad (text)", "2 of 3 letters"},
		"bad inside":     {"axb", "(b", parts(2, 3), nil, "not valid: 1 problem left: a letter is bad (inside/text)", "2 of 3 letters"},
		"whole, not in":  {"(b", "b", parts(1, 2), nil, "readable: no errors (full check). No checksum covers 1 byte of values", "1 of 2 letters"},
		"beyond a limit": {"axb", "ab?", parts(2, 3), nil, "not checked completely: more", "2 of 3 letters"},
		"empty":          {"xxx", "", parts(0, 3), nil, "nothing can be salvaged: 0 of 3 letters", ""},
		"empty, of none": {"xxx", "", parts(0, 0), nil, "nothing can be salvaged: 0 of 0 letters", ""},
		"no format":      {"xxx", "other", parts(1, 3), nil, "the result is not recognised as Letters", ""},
		"refused":        {"xxx", "", nil, errors.New("no letter"), "no letter", ""},
		"whole":          {"ab", "a", parts(1, 2), nil, "readable: no errors (full check). No checksum covers 2 bytes of values", "2 of 2 bytes"},
		"whole, summed":  {"sum\x6d\x48\x83\x9eab", "a", parts(1, 2), nil, "valid: no errors (full check)", "9 of 9 bytes"},
		"whole, refused": {"", "", nil, errors.New("no letter"), "valid: no errors (full check)", "0 of 0 bytes"},
	} {
		f := &Format{Name: "let", Title: "Letters", Parse: letters, Rules: rules,
			Detect: func(_ string, head, _ []byte, _ int64) (Confidence, string) {
				if string(head) == "other" {
					return 0, "other"
				}
				return 90, ""
			},
			Deep: func(ctx context.Context, t *Tree, p *Probe) error {
				b, err := t.Bytes(ctx, t.Root.Range)
				if text := t.Root.Get("text"); strings.Contains(string(b), "x") {
					p.Wrong(bad, text, nil, nil)
				} else if strings.Contains(string(b), "?") {
					p.Wrong(RuleCap, text, nil, nil, Saying("more"))
				}
				return err
			},
			Salvage: func(context.Context, *Tree) (*Salvaged, error) {
				return &Salvaged{Files: map[string]Source{"f": Memory([]byte(x.makes))}, Parts: x.parts}, x.err
			}}
		d, err := OpenBytes(bg, "f", []byte(x.is), []*Format{f}, nil)
		if err != nil {
			t.Fatal(err)
		}
		s, err := Salvage(bg, d.Tree)
		if x.contains == "" {
			if err == nil || s != nil || !strings.HasPrefix(err.Error(), x.want) {
				t.Errorf("%s: %v, %v", name, s, err)
			}
			continue
		}
		if err != nil || !strings.HasPrefix(s.Verdict(), x.want) || s.Valid() == strings.HasPrefix(x.want, "not") || s.Contents() != x.contains {
			t.Errorf("%s: %v, %v", name, s, err)
		}
	}
}

// TestSalvageCopiesAll: an intact document that its format cannot write is copied with the files that belong to it.
func TestSalvageCopiesAll(t *testing.T) {
	d := openFiles(t, map[string][]byte{"main": []byte("m"), "other": []byte("of it")})
	for _, refused := range []error{nil, errors.New("an index is not enough")} {
		f := *folderFormat
		f.Salvage = func(context.Context, *Tree) (*Salvaged, error) {
			return &Salvaged{Files: map[string]Source{"main": Memory([]byte("m"))}, Parts: []SalvagedPart{{What: "letters", Saved: 1, Of: 1}}}, refused
		}
		s, err := Salvage(bg, Parse(bg, d.Tree.Snapshot, &f))
		if err != nil || !s.Valid() || (len(s.Files) == 2) != (refused != nil) {
			t.Errorf("%v: %v, %v", refused, s, err)
		}
	}
}
