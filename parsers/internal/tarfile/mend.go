package tarfile

// sizeAt is where the size stands in a header.
const sizeAt = 124

// Numbers are the fields of a header that are octal digits, but for the checksum: where each starts, and how many bytes it has.
var Numbers = [...][2]int{{100, 8}, {108, 8}, {116, 8}, {sizeAt, 12}, {136, 12}, {329, 8}, {337, 8}}

// Digit is a byte of a header and the digit that would stand there, with the field that it is of.
type Digit struct {
	At, Field int
	Digit     byte
	Makes     int64 // the number that the field is then
}

// Mend finds the digits that would each make a header right whose member has length bytes: with it the checksum agrees and the next
// header stands where the payload ends. A digit is changed only where it is none, or in a size that does not fit.
func Mend(header []byte, length int64) (out []Digit) {
	b := append([]byte(nil), header[:Block]...)
	fits := func() bool {
		h := Parse(b)
		return h.Size >= 0 && Block+Padded(h.Payload()) == length
	}
	fitted := fits()
	for _, f := range Numbers {
		field := b[f[0] : f[0]+f[1]]
		for i, was := range field[:len(field)-1] {
			odd := (was < '0' || was > '7') && was != ' '
			for digit := byte('0'); digit <= '7'; digit++ {
				field[i] = digit
				if digit != was && (odd || f[0] == sizeAt && !fitted) && Parse(b).SumOK && fits() {
					out = append(out, Digit{f[0] + i, f[0], digit, Number(field)})
				}
			}
			field[i] = was
		}
	}
	return out
}
