package model

import (
	"fmt"
	"testing"
)

func TestMisnamed(t *testing.T) {
	names := func() (out []string) {
		for i := range 4 {
			for _, x := range []string{"attn_q", "attn_k", "attn_v", "ffn_up", "ffn_down"} {
				out = append(out, fmt.Sprintf("blk.%d.%s.weight", i, x))
			}
		}
		return append(out, "token_embd.weight", "output.weight")
	}
	for _, x := range []struct {
		at   int
		is   string
		want string
	}{
		{3, "blk.0.ffn_uq.weight", "blk.0.ffn_up.weight"},
		{3, "blj.0.ffn_up.weight", "blk.0.ffn_up.weight"},
		{8, "blk.9.ffn_up.weight", "blk.1.ffn_up.weight"},
		{0, "blk.0.attn_k.weight", ""},   // it has the name of another
		{3, "blk.0.ffn_gate.weight", ""}, // another kind of layer
		{20, "token_embe.weight", ""},    // it is in no layer
		{0, "blk.0.attn_q.weight", ""},
	} {
		list := names()
		list[x.at] = x.is
		got := Misnamed(list)
		if x.want == "" && len(got) > 0 || x.want != "" && (len(got) != 1 || got[x.at] != x.want) {
			t.Errorf("%s: %v", x.is, got)
		}
	}
	first := names()[1:] // the first layer has no attn_q, and one tensor that is nearly it
	if got := Misnamed(append(first, "blk.0.attn_r.bias")); len(got) > 0 {
		t.Error(got)
	}
}
