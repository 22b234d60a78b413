package block

import (
	"encoding/binary"
	"sync"

	"spandrel/model"
)

// Role is the role of a part of a block.
type Role uint8

// The parts that blocks have.
const (
	Values     Role = iota // numbers, keys, times, row ids
	Bits                   // booleans, in units of a byte or a word
	Minutes                // of time zones
	Ticks                  // of dates with a time zone
	Entries                // number of texts
	Bounds                 // where texts end, in UTF-16 units
	TextLength             // bytes of text
	Chars                  // all texts
	NumVectors
	Size // length of every vector; 0: lengths follow
	Lengths
	Counts
	NumIndices
	Indices
	Opaque   // values of an unknown codec
	Leftover // bytes after the values
)

// Part is a run of bytes of a block. Parts tile it.
type Part struct {
	Role  Role
	Kind  Kind  // of values
	Off   int64 // in the block
	N     int64 // bytes
	Items bool  // it belongs to the items of vectors
}

// End is where a part ends.
func (p Part) End() int64 { return p.Off + p.N }

// Block is a decoded block: what its bytes are.
type Block struct {
	Codec *Codec
	B     []byte
	N     int64 // expected number of values
	Own   int64 // number of values stated or implied by the block; -1: unknown
	Whole bool  // all values exist, and nothing follows them

	parts  [12]Part
	count  int
	issues []Issue // of the structure
	vec    vectors
	txt    texts
	base   [2]int64 // start of the values of the block, and of the items of vectors
	items  int64    // of all vectors
	failed bool     // the structure could not be read completely
}

// texts is the places of the texts in a block.
type texts struct {
	n       int64 // texts that can be found
	boundAt int64
	textAt  int64
	end     int64
	bounds  []byte // n × i32
	// ends is where each text ends in bytes, or ^ of that if it ends inside a surrogate pair, whose four bytes start there. It is
	// nil until someone asks, and if units are bytes.
	ends  []int32
	asked sync.Once // a block is used by everything that shows its column
}

// vectors is what precedes the items of vectors.
type vectors struct {
	n                int64
	size             int64
	lengths, counts  []byte
	countsAt         int64
	indicesAt        int64
	indices          []byte
	sum              sums
	bare             bool    // dense vectors state their length instead of -1, and have no indices
	starts, explicit []int64 // start of each vector in the items and in the indices; computed on demand
	placed           sync.Once
}

// reading is a block that is being read.
type reading struct {
	*Block
	pos    int64
	deep   bool // inside vectors
	assume assumption
}

// assumption is what a reading assumes instead of the stored value.
type assumption struct {
	size, indices       int64
	hasSize, hasIndices bool
}

// Read finds the structure of a block that should contain n values. It never fails: what cannot be followed becomes the last part.
func Read(c *Codec, b []byte, n int64) *Block {
	k := readAs(c, b, n, assumption{})
	if k.Whole || !c.Readable() || c.Kind != Vector {
		return k
	}
	// A wrong size or a wrong number of indices moves everything after it: the reading in which everything fits is the right one.
	for _, a := range k.alternatives() {
		if other := readAs(c, b, n, a); other.Whole {
			other.issues = append(other.issues, k.blame(a)...)
			return other
		}
	}
	return k
}

func readAs(c *Codec, b []byte, n int64, a assumption) *Block {
	k := &reading{Block: &Block{Codec: c, B: b, N: n, Own: -1}, assume: a}
	ok := k.values(c, n)
	k.failed = !ok
	k.Whole = ok && k.pos == int64(len(b)) && len(k.issues) == 0 && c.Readable()
	if k.left() > 0 {
		if !c.Readable() {
			k.deep = c.Kind == Vector && k.base[1] > 0
			k.add(Part{Role: Opaque, N: k.left()})
			k.deep = false
		} else {
			k.add(Part{Role: Leftover, N: k.left()})
		}
	}
	return k.Block
}

// Parts returns what the bytes of the block are, in order.
func (k *Block) Parts() []Part { return k.parts[:k.count] }

// Part returns the part of a role, and whether there is one; items means that it belongs to the items of vectors.
func (k *Block) Part(r Role, items bool) (Part, bool) {
	for _, p := range k.Parts() {
		if p.Role == r && p.Items == items {
			return p, true
		}
	}
	return Part{}, false
}

func (k *reading) left() int64 { return int64(len(k.B)) - k.pos }

// add takes the bytes of a part.
func (k *reading) add(p Part) []byte {
	if p.N <= 0 {
		return nil
	}
	p.Off, p.Items = k.pos, k.deep && p.Role != Leftover
	k.parts[k.count] = p
	k.count++
	k.pos += p.N
	return k.B[p.Off:k.pos:k.pos]
}

// numbers reads n numbers of a width, or as many as there are; ok is false if that is fewer.
func (k *reading) numbers(r Role, kind Kind, w, n int64) (b []byte, ok bool) {
	have := max(0, min(n, k.left()/w))
	if have < n {
		k.issue(Issue{Problem: Short, At: k.pos, N: k.left(), Found: k.left(), Want: min(n, maxItems) * w})
	}
	return k.add(Part{Role: r, Kind: kind, N: have * w}), have == n && n >= 0
}

// i32 reads a number; ok is false if it does not exist.
func (k *reading) i32(r Role) (v int64, ok bool) {
	if k.left() < 4 {
		k.issue(Issue{Problem: Short, At: k.pos, N: k.left(), Found: k.left(), Want: 4})
		return 0, false
	}
	return num32(k.add(Part{Role: r, N: 4}), 0), true
}

// num32 is number i of a run of i32.
func num32(b []byte, i int64) int64 { return int64(int32(binary.LittleEndian.Uint32(b[4*i:]))) }

// values reads n values of a codec and tells whether they are complete.
func (k *reading) values(c *Codec, n int64) (ok bool) {
	k.base[index(k.deep)] = k.pos
	switch base := c.Base(); base {
	case Unknown:
		return false
	case Text:
		return k.texts(n)
	case Vector:
		return !k.deep && c.Kind == Vector && k.vectors(c, n)
	case Bool, Bool2:
		w, per := base.unit()
		_, ok = k.numbers(Bits, base, w, n/per+min(1, n%per))
	case DateZone:
		if _, ok = k.numbers(Minutes, base, 2, n); ok {
			_, ok = k.numbers(Ticks, base, 8, n)
		}
	default:
		_, ok = k.numbers(Values, base, base.Width(), n)
	}
	if !k.deep {
		k.Own = ownCount(c.Base(), int64(len(k.B)))
	}
	return ok
}

func index(deep bool) int {
	if deep {
		return 1
	}
	return 0
}

// ownCount is how many fixed-width values fit into the block; -1 if there is a remainder.
func ownCount(k Kind, size int64) int64 {
	if w, per := k.unit(); w > 0 && per == 1 && size%w == 0 {
		return size / w
	}
	return -1
}

// unit is the smallest number of bytes for values of a kind that is neither text nor vector (§3.8), and how many values that is.
func (k Kind) unit() (bytes, values int64) {
	switch k {
	case Bool:
		return 1, 8
	case Bool2:
		return 4, 16
	case DateZone:
		return 10, 1
	}
	return k.Width(), 1
}

// plainBytes is the size of n values of a kind that is neither text nor vector (§3.8).
func plainBytes(k Kind, n int64) int64 {
	w, per := k.unit()
	return w * (n/per + min(1, n%per))
}

// texts reads a block of texts (§3.4), according to its own count.
func (k *reading) texts(n int64) bool {
	at := k.pos
	stored, ok := k.i32(Entries)
	if !ok {
		return false
	}
	if !k.deep {
		k.Own = stored
	}
	if stored != n {
		k.issue(Issue{Problem: TextCount, At: at, N: 4, Found: stored, Want: n})
	}
	t := &k.txt
	if t.boundAt = k.pos; stored < 0 || stored > k.left()/4 {
		if stored == n { // otherwise the number is wrong
			k.issue(Issue{Problem: Short, At: k.pos, N: k.left(), Found: k.left(), Want: 4 * stored})
		}
		return false
	}
	t.bounds, _ = k.numbers(Bounds, I4, 4, stored)
	v, size, err := model.ULEB31.Decode(k.B[k.pos:min(int64(len(k.B)), k.pos+5)])
	if err != nil {
		k.issue(Issue{Problem: TextSize, At: k.pos, N: min(5, k.left()), Want: err.Error()})
		return false
	}
	k.add(Part{Role: TextLength, N: int64(size)})
	t.textAt = k.pos
	if v.Int() > k.left() {
		k.issue(Issue{Problem: Short, At: k.pos, N: k.left(), Found: k.left(), Want: v.Int()})
	}
	whole := v.Int() <= k.left()
	k.add(Part{Role: Chars, N: min(v.Int(), k.left())})
	t.end, t.n = k.pos, stored
	return whole && stored == n
}

// Tiled tells whether the block was followed to its end, in spite of any problems.
func (k *Block) Tiled() bool {
	_, more := k.Part(Leftover, false)
	return !k.failed && !more
}

// issue keeps a structural problem; those that follow from the first are not reported.
func (k *reading) issue(i Issue) {
	if len(k.issues) == 0 {
		k.issues = append(k.issues, i)
	}
}
