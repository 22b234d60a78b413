package model

import (
	"bytes"
	"encoding/binary"
	"math/rand/v2"
	"testing"
)

// Every kind of query finds what looking at each place finds, first and last.
func TestQuery(t *testing.T) {
	rnd := rand.New(rand.NewPCG(1, 2))
	for range 20000 {
		b := make([]byte, rnd.IntN(40))
		for i := range b {
			b[i] = "abAB"[rnd.IntN(4)]
		}
		p := make([]byte, 1+rnd.IntN(4))
		text := ""
		for i := range p {
			p[i] = "abAB"[rnd.IntN(4)]
			if text += string("0123456789abcdef"[p[i]>>4]) + string("0123456789abcdef"[p[i]&15]); rnd.IntN(3) == 0 {
				text = text[:2*i] + "??"
			}
		}
		wild, err := HexQuery(text)
		if err != nil {
			t.Fatal(err)
		}
		compareQuery(t, wild, b, func(b []byte) bool {
			return wild.mask == nil && bytes.HasPrefix(b, wild.pattern) || wild.mask != nil && wild.at(b)
		})
		compareQuery(t, TextQuery(string(p), true), b, func(b []byte) bool { return bytes.EqualFold(b[:len(p)], p) })
		compareQuery(t, TextQuery(string(p), false), b, func(b []byte) bool { return bytes.HasPrefix(b, p) })
	}
}

func compareQuery(t *testing.T, q Query, b []byte, holds func([]byte) bool) {
	t.Helper()
	first, last := -1, -1
	for i := 0; i+len(q.pattern) <= len(b); i++ {
		if holds(b[i:]) {
			if last = i; first < 0 {
				first = i
			}
		}
	}
	if at, _ := q.index(b, len(b)+1, false); at != first {
		t.Fatalf("%q %x in %q: first at %d, not %d", q.pattern, q.mask, b, at, first)
	}
	if at, _ := q.index(b, len(b)+1, true); at != last {
		t.Fatalf("%q %x in %q: last at %d, not %d", q.pattern, q.mask, b, at, last)
	}
}

func TestQueryKinds(t *testing.T) {
	number, err := ValueQuery(U32BE, "1350")
	if err != nil {
		t.Fatal(err)
	}
	expr, err := RegexpQuery("im+g[0-9]{3}")
	if err != nil {
		t.Fatal(err)
	}
	for want, q := range map[int]Query{2: number, 7: expr, 15: UTF16Query("é", binary.LittleEndian)} {
		if at, _ := q.index([]byte("xx\x00\x00\x05\x46 immg001 \xe9\x00"), 100, false); at != want {
			t.Errorf("at %d, not %d", at, want)
		}
	}
	if _, err := RegexpQuery("a*"); err == nil {
		t.Error("an expression that matches nothing is taken")
	}
	if _, err := ValueQuery(U8, "300"); err == nil {
		t.Error("300 is taken for a byte")
	}
}

// Searching is held against bytes.Index over the same memory; the ratios are what make bench prints.
func BenchmarkQuery(b *testing.B) {
	data := make([]byte, 16<<20)
	rnd := rand.New(rand.NewPCG(1, 2))
	for i := range data {
		data[i] = byte(rnd.Uint32())
	}
	wild, _ := HexQuery("41 52 ?? 44 49")
	expr, err := RegexpQuery("TARIDX[0-9]+")
	if err != nil {
		b.Fatal(err)
	}
	for name, q := range map[string]Query{"exact": TextQuery("TARIDX", false), "wildcards": wild, "case": TextQuery("taridx", true), "regexp": expr} {
		b.Run(name, func(b *testing.B) {
			b.SetBytes(int64(len(data)))
			for b.Loop() {
				q.index(data, len(data), false)
			}
		})
	}
	b.Run("plain", func(b *testing.B) {
		b.SetBytes(int64(len(data)))
		for b.Loop() {
			bytes.Index(data, []byte("TARIDX"))
		}
	})
}
