package filter

import (
	"bytes"
	"crypto/md5"
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"hash"
)

const (
	ivBytes   = 12
	TagBytes  = 16
	sealEntry = 8 + ivBytes + TagBytes // of a part: two lengths, IV and tag
)

func (s *stage) newHash() hash.Hash {
	if s.op == MD5 {
		return md5.New()
	}
	return sha256.New()
}

// undoChecksum verifies the digests and passes metadata and data on. Block: u32 metadata sums, u32 data sums, then per sum
// u64 byte count and digest. The earlier metadata follows the block and is what the metadata sums cover. A digest that
// differs leaves the data usable.
func (w *work) undoChecksum(md, data []byte) ([]byte, []byte, error) {
	h := w.s.newHash()
	size := 8 + h.Size()
	r := &block{w: w, b: md}
	nm, nd := r.u32("number of metadata sums"), r.u32("number of data sums")
	sums := r.bytes((nm+nd)*int64(size), "sums")
	if r.err != nil {
		return nil, nil, r.err
	}
	cover := [2][]byte{r.rest(), data}
	names := [2]string{"metadata", "data"}
	for i := range int(nm + nd) {
		if err := w.ctx.Err(); err != nil {
			return nil, nil, err
		}
		k := 0
		if i >= int(nm) {
			k = 1
		}
		sum := sums[i*size:][:size]
		at := 8 + i*size
		count := binary.LittleEndian.Uint64(sum)
		if count > uint64(len(cover[k])) {
			return nil, nil, w.bad(corrupt, "metadata", at, names[k]+" bytes covered by a sum", "at most "+Text(len(cover[k]))+" left",
				count)
		}
		h.Reset()
		h.Write(cover[k][:count])
		if got, stored := hex.EncodeToString(h.Sum(nil)), hex.EncodeToString(sum[8:]); got != stored {
			e := w.bad(Checksum, "metadata", at+8, "digest of "+Text(count)+" bytes of "+names[k], got, stored)
			e.Usable = true
			w.keep(e)
		}
		cover[k] = cover[k][count:]
	}
	return r.rest(), data, nil
}

// Digest is a checksum of the bytes From to To of a chunk as stored.
type Digest struct {
	New      func() hash.Hash
	Want     []byte
	From, To int
}

// Unmatched are the checksums of a chunk, meta bytes of metadata and data after them, that do not match, if its last filter made them: then they
// say whether what is stored is right without decoding it.
func (how Coding) Unmatched(body []byte, meta int) (out []Digest) {
	p, err := how.compile()
	if err != nil || len(p.stages) == 0 {
		return nil
	}
	s := &p.stages[len(p.stages)-1]
	if s.op != MD5 && s.op != SHA256 || meta < 8 {
		return nil
	}
	nm, nd, size := Uint(body, 4), Uint(body[4:], 4), s.newHash().Size()
	at, end := uint64(8), 8+(nm+nd)*uint64(8+size)
	if end > uint64(meta) {
		return nil
	}
	for from, i := end, uint64(0); i < nm+nd; i++ {
		if i == nm {
			from = uint64(meta)
		}
		n := Uint(body[at:], 8)
		if n > uint64(len(body))-from {
			return nil
		}
		d := Digest{s.newHash, body[at+8 : at+8+uint64(size)], int(from), int(from + n)}
		h := d.New()
		if h.Write(body[d.From:d.To]); !bytes.Equal(h.Sum(nil), d.Want) {
			out = append(out, d)
		}
		at, from = at+8+uint64(size), from+n
	}
	return out
}

// undoAES decrypts. An entry has a 12-byte IV and a 16-byte tag after the two lengths, which are equal.
func (w *work) undoAES(md, data []byte) ([]byte, []byte, error) {
	same := func(i int, e []byte) error {
		if plain, sealed := binary.LittleEndian.Uint32(e), binary.LittleEndian.Uint32(e[4:]); plain != sealed {
			return w.bad(corrupt, "metadata", 8+i*sealEntry+4, "cipher length of part "+Text(i), plain, sealed)
		}
		return nil
	}
	return w.streams(md, data, sealEntry, same, func(p part, i int, e []byte) error {
		if err := w.ctx.Err(); err != nil {
			return err
		}
		w.sealed = append(append(w.sealed[:0], p.src...), e[8+ivBytes:sealEntry]...)
		plain, err := w.aead.Open(w.sealed[:0], e[8:8+ivBytes], w.sealed, nil) // decrypts in place
		if err != nil {
			f := w.bad(Auth, "metadata", 8+i*sealEntry+8+ivBytes, "tag of part "+Text(i)+" of "+Text(len(p.src))+" bytes", "the tag of this key and ciphertext", "another")
			f.Err = err
			return f
		}
		copy(p.dst, plain)
		return nil
	})
}
