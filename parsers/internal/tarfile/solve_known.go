package tarfile

import "bytes"

// Known is what is known about a member besides its header.
type Known struct {
	Siblings [][]byte             // sound headers of other members
	length   int64                // bytes up to the next header, this one among them; 0: not known
	least    int64                // … of the payload up to its last byte that is not zero, in the last block
	Size     int64                // bytes of the payload; −1: not known
	Named    func(string) Witness // what is known of a name; nil: nothing
	Names    []string             // what it may be called
}

// UpTo adds that the next header is so many bytes after this one, which is at a place. What pads a payload is zero.
func (k Known) UpTo(read Reader, at, length int64) Known {
	if k.length, k.least = length, 0; length < 2*Block {
		return k
	}
	if last := read(at+length-Block, Block); len(last) == Block {
		k.least = length - 2*Block + int64(len(bytes.TrimRight(last, "\x00")))
	}
	return k
}

// Witness is how much of the content of a field something outside the header knows.
type Witness uint8

const (
	Denied Witness = iota // it is not this
	Partly                // part of it could be anything
	Wholly                // every byte of it
)
