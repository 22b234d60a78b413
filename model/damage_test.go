package model

import "testing"

func TestThousands(t *testing.T) {
	for n, want := range map[int64]string{0: "0", 12: "12", 999: "999", 1000: "1,000", -1000: "-1,000", -100: "-100", 1234567: "1,234,567", 123456: "123,456"} {
		if got := Thousands(n); got != want {
			t.Errorf("%d: %s, not %s", n, got, want)
		}
	}
}

func TestSalvagedPart(t *testing.T) {
	p := SalvagedPart{What: "rows", Saved: 1231, Of: 1350, Lost: "those of shard 2"}
	if got := p.String(); got != "1,231 of 1,350 rows; lost: those of shard 2" || p.Whole() {
		t.Error(got)
	}
	if p = (SalvagedPart{What: "rows", Saved: 5, Of: -1}); p.String() != "5 rows" || p.Whole() {
		t.Error(p.String())
	}
}
