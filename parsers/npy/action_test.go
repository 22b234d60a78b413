package npy

import (
	"bytes"
	"context"
	"encoding/binary"
	"slices"
	"testing"

	"spandrel/model"
	"spandrel/parsers/internal/suite"
)

// acted is an array after an action, or why it was refused.
func acted(t *testing.T, b []byte, name string, args map[string]string) ([]byte, error) {
	t.Helper()
	d, err := model.OpenBytes(context.Background(), "a.npy", b, []*model.Format{Format}, nil)
	if err != nil {
		t.Fatal(err)
	}
	defer d.Close()
	i := slices.IndexFunc(actions, func(a model.Action) bool { return a.Name == name })
	edits, err := actions[i].Plan(context.Background(), d.Tree, d.Tree.Root, args)
	if err != nil {
		return nil, err
	}
	p, err := d.Plan(context.Background(), name, edits...)
	if err != nil {
		return nil, err
	}
	d.Apply(context.Background(), p, nil)
	return suite.Bytes(t, d), nil
}

// integers is an array of i4 in a shape.
func integers(shape string, values ...int32) []byte {
	var b []byte
	for _, v := range values {
		b = binary.LittleEndian.AppendUint32(b, uint32(v))
	}
	return array(dict("'<i4'", "False", "("+shape+")"), b)
}

func TestReshape(t *testing.T) {
	b := integers("2, 3", 1, 2, 3, 4, 5, 6)
	for shape, want := range map[string]string{"3, -1": "3, 2", "(6,)": "6,", "1,6,1": "1, 6, 1"} {
		if is, err := acted(t, b, "reshape", map[string]string{"shape": shape}); err != nil || !bytes.Equal(is, integers(want, 1, 2, 3, 4, 5, 6)) {
			t.Errorf("%s: %v\n%q", shape, err, is)
		}
	}
	for _, shape := range []string{"4", "", "2, x", "-1, -1", "0, -1", "-2, -3", "9223372036854775807, 2"} {
		if _, err := acted(t, b, "reshape", map[string]string{"shape": shape}); err == nil {
			t.Errorf("a shape of %q is accepted", shape)
		}
	}
}

func TestConvertType(t *testing.T) {
	b := integers("2,", -1, 300)
	back, err := acted(t, b, "convert-type", map[string]string{"dtype": ">f8"})
	if err == nil {
		back, err = acted(t, back, "convert-type", map[string]string{"dtype": "<i4"})
	}
	if err != nil || !bytes.Equal(back, b) {
		t.Errorf("through >f8: %v\n%q", err, back)
	}
	for _, x := range []struct {
		value int32
		dtype string
	}{{-1, "<u4"}, {300, "|u1"}, {300, "|b1"}, {1<<24 + 1, "<f4"}, {1, "<q9"}} {
		if _, err := acted(t, integers("1,", x.value), "convert-type", map[string]string{"dtype": x.dtype}); err == nil {
			t.Errorf("%d is converted to %s", x.value, x.dtype)
		}
	}
	for _, n := range []int64{1<<53 + 1, -1<<53 - 1} {
		if _, err := converted(model.I(n), model.F64LE); err == nil {
			t.Errorf("%d is converted to <f8", n)
		}
	}
}
