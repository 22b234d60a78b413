package parsers

import (
	"bytes"
	"fmt"
	"path"
	"strings"
)

// How the events of damage_events_list_test.go change bytes and folders.

func until(b []byte, end byte) []byte {
	if i := bytes.IndexByte(b, end); i > 0 {
		return b[:i]
	}
	return nil
}

func mapped(b []byte, f func(byte) byte) []byte {
	out := bytes.Clone(b)
	for i, x := range b {
		out[i] = f(x)
	}
	return out
}

func random(p *patient, n int) []byte {
	b := make([]byte, n)
	noise(p.Rand, b)
	return b
}

// fat32 ends a file one byte before a power of two, as a file system does whose files are shorter than 4 GiB.
func fat32(p *patient) []byte {
	n := 1
	for 2*n < len(p.b) {
		n *= 2
	}
	return p.b[:n-1]
}

// part is a size in which a file is transferred, so that it has several parts.
func (p *patient) part() int {
	n := 64
	for n < 1<<16 && 6*n < len(p.b) {
		n *= 2
	}
	return n
}

// parts cuts a file into its parts; nil where there are too few.
func (p *patient) parts() (out [][]byte) {
	n := p.part()
	for b := p.b; len(b) > 0; {
		out = append(out, b[:min(n, len(b))])
		b = b[min(n, len(b)):]
	}
	if len(out) < 4 {
		return nil
	}
	return out
}

func partsSwapped(p *patient) []byte {
	all := p.parts()
	if all == nil {
		return nil
	}
	i := 1 + p.IntN(len(all)-3)
	j := i + 1 + p.IntN(len(all)-2-i)
	all[i], all[j] = all[j], all[i]
	return bytes.Join(all, nil)
}

func partTwice(p *patient) []byte {
	all := p.parts()
	if all == nil {
		return nil
	}
	i := p.IntN(len(all) - 1)
	all[i] = bytes.Repeat(all[i], 2)
	return bytes.Join(all, nil)
}

func partDropped(p *patient) []byte {
	all := p.parts()
	if all == nil {
		return nil
	}
	all[1+p.IntN(len(all)-2)] = nil
	return bytes.Join(all, nil)
}

func partRepeated(p *patient) []byte {
	all := p.parts()
	if all == nil {
		return nil
	}
	i := 1 + p.IntN(len(all)-3)
	all[i+1] = all[i]
	return bytes.Join(all, nil)
}

func torrent(p *patient) []byte {
	n := p.part()
	if len(p.b) < 4*n {
		return nil
	}
	at := p.IntN(len(p.b)/n) * n
	clear(p.b[at:min(at+n, len(p.b))])
	return p.b
}

// chunks leaves the lengths in that HTTP puts in front of pieces.
func chunks(p *patient) []byte {
	var out bytes.Buffer
	n := max(64, p.part())
	for b := p.b; len(b) > 0; {
		k := min(n, len(b))
		fmt.Fprintf(&out, "%x\r\n%s\r\n", k, b[:k])
		b = b[k:]
	}
	out.WriteString("0\r\n\r\n")
	return out.Bytes()
}

// padded is what dd makes of a pipe with conv=sync: each short read is padded with zeros to a block.
func padded(p *patient) []byte {
	if len(p.b) < 1500 {
		return nil
	}
	at := 512 + p.IntN(len(p.b)-1024)
	at -= b2i(at%512 == 0)
	out := append(bytes.Clone(p.b[:at]), make([]byte, 512-at%512)...)
	return append(out, p.b[at:]...)
}

func b2i(b bool) int {
	if b {
		return 1
	}
	return 0
}

// mixed is a file of which an interrupted save wrote the first part again.
func mixed(p *patient) []byte {
	if len(p.b) < 1024 || len(p.other) < 1024 {
		return nil
	}
	at := (256 + p.IntN(min(len(p.b), len(p.other))-512)) / 256 * 256
	return append(bytes.Clone(p.other[:at]), p.b[at:]...)
}

func foreignPage(p *patient) []byte {
	if len(p.b) < 3*4096 {
		return nil
	}
	at := (1 + p.IntN(len(p.b)/4096-1)) * 4096
	with := []func(){func() { noise(p.Rand, p.b[at:min(at+4096, len(p.b))]) }, func() { prose(p.Rand, p.b[at:min(at+4096, len(p.b))]) }}
	with[p.IntN(2)]()
	return p.b
}

func zeroedAt(p *patient, n int) []byte {
	if len(p.b) < 3*n {
		return nil
	}
	at := p.IntN(len(p.b)-n) / n * n
	clear(p.b[at : at+n])
	return p.b
}

// weakBit sets or clears the same bit of bytes that lie as far apart as rows of a memory chip.
func weakBit(p *patient) []byte {
	stride, bit, set := []int{512, 1024, 4096}[p.IntN(3)], byte(1)<<p.IntN(8), p.IntN(2) == 0
	for at := p.IntN(stride); at < len(p.b); at += stride {
		if p.b[at] &^= bit; set {
			p.b[at] |= bit
		}
	}
	return p.b
}

// repr is how Python prints bytes.
// form is what a server stores that does not take a form apart.
func form(p *patient) []byte {
	const boundary = "------WebKitFormBoundary7MA4YWxkTrZu0gW"
	head := boundary + "\r\nContent-Disposition: form-data; name=\"file\"; filename=\"" + path.Base(p.file) + "\"\r\n" +
		"Content-Type: application/octet-stream\r\n\r\n"
	return append(append([]byte(head), p.b...), "\r\n"+boundary+"--\r\n"...)
}

// otherType is a sound NumPy file as other programs write it.
func otherType(p *patient) []byte {
	heads := []string{
		"{'descr': '<f2', 'fortran_order': False, 'shape': (%d,), }",
		"{'descr': '<f2', 'fortran_order': True, 'shape': (%d, 1), }",
		"{'descr': [('a', '|u1'), ('b', '|i1')], 'fortran_order': False, 'shape': (%d,), }",
		"{'descr':'>i2','fortran_order':False,'shape':(%d,)}",
	}
	text := fmt.Sprintf(heads[p.IntN(len(heads))], 500)
	text += strings.Repeat(" ", 63-(10+len(text))%64) + "\n"
	out := append([]byte("\x93NUMPY\x01\x00"), byte(len(text)), byte(len(text)>>8))
	return append(append(out, text...), random(p, 1000)...)
}

// widened is a file whose bytes were taken for characters of Latin-1 and saved in UTF-8.
// mail is what a mail program stores of a file that was sent.
// ascii is a file in Ascii85, as Adobe writes it.
// jsonString is a file of which each byte is a character of a string.
// headless is a file compressed without a header and a checksum.
// uuencoded is a file as uuencode writes it: lines of 45 bytes.
// octalDump is a file as od -t x1 prints it.
// backslashed is a file as Python reads it with errors="backslashreplace" and saves it.
// texts is a place inside of the first long text of a file.
func texts(b []byte) int {
	run := 0
	for i, x := range b {
		if run++; x < ' ' || x > '~' {
			run = 0
		}
		if run == 40 {
			return i - 15
		}
	}
	return len(b) / 2
}

func headerZeroed(p *patient) []byte {
	at := texts(p.b)
	clear(p.b[at:min(at+12, len(p.b))])
	return p.b
}
