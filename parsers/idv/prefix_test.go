package idv

import (
	"testing"

	"spandrel/model"
	"spandrel/model/cause"
)

// TestForeignBytesOrPrefix: several wrong bytes before a stream that is a whole file may be foreign, so that they are a length is not proven, and removing them is
// offered too.
func TestForeignBytesOrPrefix(t *testing.T) {
	rows := sample(false).encode()
	for _, x := range []struct {
		front  []byte
		proven bool
	}{{le(4, uint64(len(rows)^0x40)), true}, {make([]byte, 4), false}, {[]byte{0xff, 0xfe, 0xfd, 0xfc}, false}} {
		d := open(t, "a.idv", append(x.front, rows...))
		if err := d.Deep(t.Context(), nil); err != nil {
			t.Fatal(err)
		}
		found, err := cause.Find(t.Context(), d, cause.Options{Formats: []*model.Format{Format}})
		if err != nil || len(found.Causes) == 0 || (found.Causes[0].Grade == cause.Proven) != x.proven || (len(found.Causes[0].Repairs) > 1) == x.proven {
			t.Errorf("% x: %v, %v", x.front, found.Causes, err)
		}
	}
}
