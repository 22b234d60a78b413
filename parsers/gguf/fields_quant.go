package gguf

import (
	"encoding/binary"
	"math"
)

// Decoders of blocks of quantised values, like dequantize_row_* of ggml, in 32-bit floating point. half reads a scale.

type scales = func([]byte) float32

// nibbles calls put with the 4-bit values of bytes: all low ones before all high ones.
func nibbles(b []byte, put func(i int, v byte)) {
	for i, v := range b {
		put(i, v&15)
		put(i+len(b), v>>4)
	}
}

func q40(b []byte, half scales, out []float32) {
	d := half(b)
	nibbles(b[2:], func(i int, v byte) { out[i] = d * float32(int(v)-8) })
}

func q41(b []byte, half scales, out []float32) {
	d, m := half(b), half(b[2:])
	nibbles(b[4:], func(i int, v byte) { out[i] = d*float32(v) + m })
}

func q50(b []byte, half scales, out []float32) {
	d, high := half(b), binary.LittleEndian.Uint32(b[2:])
	nibbles(b[6:], func(i int, v byte) { out[i] = d * float32(int(v)|int(high>>i&1)<<4-16) })
}

func q51(b []byte, half scales, out []float32) {
	d, m, high := half(b), half(b[2:]), binary.LittleEndian.Uint32(b[4:])
	nibbles(b[8:], func(i int, v byte) { out[i] = d*float32(int(v)|int(high>>i&1)<<4) + m })
}

func q80(b []byte, half scales, out []float32) {
	d := half(b)
	for i, v := range b[2:] {
		out[i] = d * float32(int8(v))
	}
}

var levels = [16]float32{-127, -104, -83, -65, -49, -35, -22, -10, 1, 13, 25, 38, 53, 69, 89, 113}

func iq4nl(b []byte, half scales, out []float32) {
	d := half(b)
	nibbles(b[2:], func(i int, v byte) { out[i] = d * levels[v] })
}

var halves = [16]float32{0, 1, 2, 3, 4, 6, 8, 12, 0, -1, -2, -3, -4, -6, -8, -12} // e2m1, doubled

func mxfp4(b []byte, _ scales, out []float32) {
	d := float32(math.Ldexp(1, int(b[0])-128))
	nibbles(b[1:], func(i int, v byte) { out[i] = d * halves[v] })
}

func tq20(b []byte, half scales, out []float32) {
	d := half(b[64:])
	for i := range out {
		out[i] = d * float32(int(b[i/128*32+i%32]>>(i%128/32*2)&3)-1)
	}
}

func q2k(b []byte, half scales, out []float32) {
	d, m := half(b[80:]), half(b[82:])
	for i := range out {
		s, q := b[i/16], b[16+i/128*32+i%32]>>(i%128/32*2)&3
		out[i] = d*float32(s&15)*float32(q) - m*float32(s>>4)
	}
}

func q3k(b []byte, half scales, out []float32) {
	d, s := half(b[108:]), b[96:108]
	for i := range out {
		g := i / 16
		scale := int(s[g%8]>>(g/8*4)&15|s[8+g%4]>>(g/4*2)&3<<4) - 32
		q := int(b[32+i/128*32+i%32] >> (i % 128 / 32 * 2) & 3)
		if b[i%32]>>(i/32)&1 == 0 {
			q -= 4
		}
		out[i] = d * float32(scale) * float32(q)
	}
}

// sixBits unpacks a scale and a minimum of Q4_K and Q5_K.
func sixBits(s []byte, g int) (scale, least float32) {
	if g < 4 {
		return float32(s[g] & 63), float32(s[g+4] & 63)
	}
	return float32(s[g+4]&15 | s[g-4]>>6<<4), float32(s[g+4]>>4 | s[g]>>6<<4)
}

func q4k(b []byte, half scales, out []float32) {
	d, m := half(b), half(b[2:])
	for i := range out {
		scale, least := sixBits(b[4:16], i/32)
		out[i] = d*scale*float32(b[16+i/64*32+i%32]>>(i%64/32*4)&15) - m*least
	}
}

func q5k(b []byte, half scales, out []float32) {
	d, m := half(b), half(b[2:])
	for i := range out {
		scale, least := sixBits(b[4:16], i/32)
		q := b[48+i/64*32+i%32]>>(i%64/32*4)&15 | b[16+i%32]>>(i/32)&1<<4
		out[i] = d*scale*float32(q) - m*least
	}
}

func q6k(b []byte, half scales, out []float32) {
	d := half(b[208:])
	for i := range out {
		low := b[i/128*64+i%64] >> (i % 128 / 64 * 4) & 15
		high := b[128+i/128*32+i%32] >> (i % 128 / 32 * 2) & 3
		out[i] = d * float32(int8(b[192+i/16])) * float32(int(low|high<<4)-32)
	}
}
