package model

import "testing"

func TestChecks(t *testing.T) {
	for _, x := range []struct {
		name  string
		check func(Value) string
		v     Value
		want  string
	}{
		{"is", Is(U(32)), U(32), ""},
		{"is, of another kind", Is(U(32)), I(32), ""},
		{"is not", Is(S("SCDL")), S("SCDX"), "SCDL"},
		{"at most", AtMost(2), U(2), ""},
		{"above", AtMost(2), U(3), "0 to 2"},
		{"negative", AtMost(1 << 63), I(-1), "0 to 9223372036854775808"},
		{"below", Between(1, 9), U(0), "1 to 9"},
		{"zeros", Zeros, Raw(make([]byte, 7)), ""},
		{"a zero", Zeros, U(0), ""},
		{"not zeros", Zeros, Raw([]byte{0, 1}), "zeros"},
	} {
		if got := x.check(x.v); got != x.want {
			t.Errorf("%s: %q instead of %q", x.name, got, x.want)
		}
	}
}
