package filter

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"image"

	"golang.org/x/image/webp"
)

// webP fills the room, rows x bytes per row, with the pixels of one picture in the channel order of the option.
// The picture must have the size of the option: that is checked before its decoder allocates from it.
func (p part) webP() (err error) {
	depth := 3
	if p.s.WebPFormat > 2 {
		depth = 4
	}
	width, height := int(p.s.WebPExtentX)/depth, int(p.s.WebPExtentY)
	if int(p.s.WebPExtentX)%depth != 0 || width == 0 || height == 0 {
		return p.bad(Unsupported, "options", 8, "bytes of a pixel row", "a multiple of "+Text(depth), p.s.WebPExtentX)
	}
	if at, gotWidth, gotHeight := webPSize(p.src); gotWidth != width || gotHeight != height {
		return p.bad(corrupt, "data", p.off+at, "pixels of the picture", fmt.Sprintf("%d x %d", width, height),
			fmt.Sprintf("%d x %d", gotWidth, gotHeight))
	}
	defer func() { // the decoder gets unchecked bytes
		if r := recover(); r != nil {
			err = p.failed(corrupt, p.off, "WebP picture", fmt.Errorf("decoder: %v", r))
		}
	}()
	m, err := webp.Decode(bytes.NewReader(p.src))
	if err != nil {
		return p.codecError(p.off, "WebP picture", err)
	}
	if m.Bounds() != image.Rect(0, 0, width, height) {
		return p.bad(corrupt, "data", p.off, "pixels of the picture", fmt.Sprintf("%d x %d", width, height), m.Bounds().Size())
	}
	order := [4]int{0, 1, 2, 3}
	if p.s.WebPFormat == 2 || p.s.WebPFormat == 4 {
		order = [4]int{2, 1, 0, 3}
	}
	rgba, err := pixels(m)
	if err != nil {
		return p.failed(Unsupported, p.off, "WebP picture", err)
	}
	for i := 0; i*depth < len(p.dst); i++ {
		for c := range depth {
			p.dst[i*depth+c] = rgba[4*i+order[c]]
		}
	}
	return nil
}

// webPSize finds the size of a WebP picture, and its place: every header that states a size must state the same.
func webPSize(b []byte) (at, width, height int) {
	if len(b) < 12 || string(b[:4]) != "RIFF" || string(b[8:12]) != "WEBP" {
		return 0, 0, 0
	}
	for at = 12; len(b)-at >= 8+10; {
		body := b[at+8:]
		n := int64(binary.LittleEndian.Uint32(b[at+4:]))
		var x, y int
		switch string(b[at : at+4]) {
		case "VP8X":
			x = 1 + int(uint32(body[4])|uint32(body[5])<<8|uint32(body[6])<<16)
			y = 1 + int(uint32(body[7])|uint32(body[8])<<8|uint32(body[9])<<16)
		case "VP8 ":
			x, y = int(binary.LittleEndian.Uint16(body[6:])&0x3fff), int(binary.LittleEndian.Uint16(body[8:])&0x3fff)
		case "VP8L":
			v := binary.LittleEndian.Uint32(body[1:])
			x, y = 1+int(v&0x3fff), 1+int(v>>14&0x3fff)
		}
		if x != 0 && (b[at+3] != 'X' || width != 0 && (x != width || y != height)) {
			return at, x, y // a picture of another size, or of no pixels: nothing is decoded after it
		}
		if x != 0 {
			width, height = x, y
		}
		if n += n & 1; n > int64(len(body)) {
			break
		}
		at += 8 + int(n)
	}
	return at, 0, 0
}

// pixels is the picture as R, G, B, A bytes without premultiplication.
func pixels(m image.Image) ([]byte, error) {
	switch m := m.(type) {
	case *image.NRGBA:
		size := m.Rect.Size()
		if m.Stride == 4*size.X {
			return m.Pix, nil
		}
		out := make([]byte, 0, 4*size.X*size.Y)
		for y := range size.Y {
			out = append(out, m.Pix[y*m.Stride:][:4*size.X]...)
		}
		return out, nil
	case *image.YCbCr:
		return upsample(m, nil, 0), nil
	case *image.NYCbCrA:
		return upsample(&m.YCbCr, m.A, m.AStride), nil
	}
	return nil, fmt.Errorf("pixels of type %T", m)
}

// upsample turns luma and chroma into R, G, B, A exactly as libwebp does by default: chroma interpolated between the four
// nearest samples with weights 9, 3, 3, 1, and the limited range of ITU-R BT.601 in 14-bit fixed point
// (libwebp: src/dsp/upsampling.c, src/dsp/yuv.h). A picture without alpha is opaque.
func upsample(m *image.YCbCr, alpha []byte, alphaStride int) []byte {
	width, height := m.Rect.Dx(), m.Rect.Dy()
	cw, ch := (width+1)/2, (height+1)/2
	out := make([]byte, 4*width*height)
	for y := range height {
		near := y / 2
		far := min(max(near+2*(y&1)-1, 0), ch-1)
		for x := range width {
			nx := x / 2
			fx := min(max(nx+2*(x&1)-1, 0), cw-1)
			// At the first column, and the last of an even width, libwebp mixes only the two rows; fx == nx does the same.
			chroma := func(plane []byte) int {
				a, b := int(plane[near*m.CStride+nx]), int(plane[near*m.CStride+fx])
				c, d := int(plane[far*m.CStride+nx]), int(plane[far*m.CStride+fx])
				if fx == nx {
					return (3*a + c + 2) >> 2
				}
				diagonal := (a + b + c + d + 8 + 2*(b+c)) >> 3
				return (diagonal + a) >> 1
			}
			u, v := chroma(m.Cb), chroma(m.Cr)
			luma := int(m.Y[y*m.YStride+x]) * 19077 >> 8
			p := out[4*(y*width+x):]
			p[0] = clip(luma + v*26149>>8 - 14234)
			p[1] = clip(luma - u*6419>>8 - v*13320>>8 + 8708)
			p[2] = clip(luma + u*33050>>8 - 17685)
			p[3] = 255
			if alpha != nil {
				p[3] = alpha[y*alphaStride+x]
			}
		}
	}
	return out
}

func clip(v int) byte { return byte(min(max(v>>6, 0), 255)) }
