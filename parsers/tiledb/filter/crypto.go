package filter

import (
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
