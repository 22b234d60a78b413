package parsers

import (
	"bytes"
	"context"
	"crypto/sha256"
	"math/rand/v2"
	"sync"
	"testing"
	"time"

	"spandrel/model"
	"spandrel/parsers/internal/suite"
)

// tried holds what was given to each format, as most bad samples are a good one but for a few bytes: what stands before those
// bytes need not be tried again.
type tried struct{ sync.Map }

// survives parses damaged bytes as a format and reads all of them: no defect, and an end.
func (tr *tried) survives(t testing.TB, f *model.Format, b []byte) {
	t.Helper()
	type attempt struct {
		*model.Format
		sum [sha256.Size]byte
	}
	if _, again := tr.LoadOrStore(attempt{f, sha256.Sum256(b)}, true); again {
		return
	}
	ctx, cancel := context.WithTimeout(context.Background(), 5*time.Minute) // a hang names the bytes
	defer cancel()
	d, err := model.OpenBytes(ctx, "x", b, nil, f)
	if err != nil {
		t.Fatal(err)
	}
	suite.ReadAll(ctx, t, d, d.Tree)
	if t.Failed() {
		t.Fatalf("%d bytes %x…", len(b), b[:min(len(b), 64)])
	}
}

// TestCut gives every format the beginnings of its samples.
func TestCut(t *testing.T) {
	var tried tried
	eachSample(t, func(t *testing.T, s sample) {
		b := s.mainBytes(t)
		cuts := 1000
		if testing.Short() {
			cuts = 60
		}
		if len(b) <= cuts {
			for n := range b {
				tried.survives(t, s.format, b[:n])
			}
			return
		}
		rnd := rand.New(rand.NewPCG(3, uint64(len(b))))
		for range cuts {
			tried.survives(t, s.format, b[:rnd.IntN(len(b))])
		}
	})
}

// TestMutate changes up to four bytes of a sample.
func TestMutate(t *testing.T) {
	rounds := 10_000
	if testing.Short() {
		rounds = 400
	}
	count := map[*model.Format]int{}
	for _, f := range All() {
		count[f] = len(samples(t, f))
	}
	var tried tried
	eachSample(t, func(t *testing.T, s sample) {
		b := s.mainBytes(t)
		if len(b) == 0 {
			return
		}
		rnd := rand.New(rand.NewPCG(5, uint64(len(b))))
		for range max(4, rounds/count[s.format]) {
			m := bytes.Clone(b)
			for range 1 + rnd.IntN(4) {
				i := rnd.IntN(min(len(m), 4096)) // where headers and directories are
				if rnd.IntN(2) == 0 {
					i = len(m) - 1 - i
				}
				switch rnd.IntN(4) {
				case 0:
					m[i] = 0xff
				case 1:
					m[i] = 0
				default:
					m[i] = byte(rnd.Uint32())
				}
			}
			if rnd.IntN(8) == 0 {
				m = m[:rnd.IntN(len(m)+1)]
			}
			tried.survives(t, s.format, m)
		}
	})
}
