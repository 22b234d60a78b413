package model

import (
	"context"
	"errors"
	"math"
	"testing"
)

var floatField = &Field{Name: "x", Codec: F32LE}

// Zero and minus zero are different values to whoever sets one; what is set to itself changes nothing.
func TestSetMinusZero(t *testing.T) {
	f := &Format{Name: "toy", Parse: func(c *Cursor) { c.Field(floatField) }}
	d, err := OpenBytes(bg, "x", make([]byte, 4), nil, f)
	if err != nil {
		t.Fatal(err)
	}
	minus := F(math.Copysign(0, -1))
	p, err := d.Plan(bg, "set", Set{Path: "x", Value: minus})
	if err != nil || p.Empty() {
		t.Fatalf("nothing to change: %v", err)
	}
	d.Apply(bg, p, nil)
	if got := d.bytes(t); string(got) != "\x00\x00\x00\x80" {
		t.Errorf("% x", got)
	}
	if p, err = d.Plan(bg, "set", Set{Path: "x", Value: minus}); err != nil || !p.Empty() {
		t.Errorf("setting what is there: %v, %v", p.Patches, err)
	}
}

// A format may add to edits, warn of them, or refuse them.
func TestPrepare(t *testing.T) {
	refused := errors.New("not that")
	a, b := &Field{Name: "a", Codec: U8}, &Field{Name: "b", Codec: U8}
	f := &Format{Name: "toy", Parse: func(c *Cursor) { c.Field(a); c.Field(b) }}
	f.Prepare = func(ctx context.Context, _ *Tree, edits []Edit) ([]Edit, []string, error) {
		if set, ok := edits[0].(Set); ok && set.Value.Equal(U(9)) {
			return nil, nil, refused
		}
		return append(edits, Set{Path: "b", Value: U(7)}), []string{"b follows"}, ctx.Err()
	}
	d, err := OpenBytes(bg, "x", []byte{1, 2}, nil, f)
	if err != nil {
		t.Fatal(err)
	}
	p, err := d.Plan(bg, "set", Set{Path: "a", Value: U(5)})
	if err != nil || len(p.Warnings) != 1 {
		t.Fatalf("%v, %v", p, err)
	}
	d.Apply(bg, p, nil)
	if got := d.bytes(t); string(got) != "\x05\x07" {
		t.Errorf("% x", got)
	}
	if _, err = d.Plan(bg, "set", Set{Path: "a", Value: U(9)}); !errors.Is(err, refused) {
		t.Errorf("not refused: %v", err)
	}
}
