package scdl

import (
	"context"
	"encoding/binary"
	"testing"

	"spandrel/model"
)

// A header that lists more than anybody needs is read up to a limit: it says so, and calls what it did not read neither damaged nor missing.
func TestHeaderIsReadUpToALimit(t *testing.T) {
	const n = mostListed + 5
	b := headOf()[:12:12]
	b = binary.BigEndian.AppendUint32(b, n)
	for i := range uint32(n) {
		b = binary.BigEndian.AppendUint32(append(b, 0, 0, 0, 4), 'a'<<24|('a'+i>>14)<<16|('0'+i>>7&0x3f)<<8|'0'+i&0x3f) // a name of four letters
		b = append(b, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 3, 0)
	}
	d, err := model.OpenBytes(context.Background(), "header.sch", b, []*model.Format{Format}, Format)
	if err != nil {
		t.Fatal(err)
	}
	capped := false
	for _, f := range found(d.Tree) {
		capped = capped || f.Rule == model.RuleCap
		if f.Rule == arrayTotal || f.Rule == tooManyArrays || f.Rule == indexBlock || f.Rule == model.RuleInternal {
			t.Errorf("%s: %s", f.Rule.ID, f.Message)
		}
	}
	if !capped {
		t.Error("nothing says that the others were not read")
	}
}

func found(t *model.Tree) []model.Finding {
	list, _ := t.Findings()
	return list
}
