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

// undoChecksum verifies the digests and hands metadata and data on. Block: u32 metadata sums, u32 data sums, then per sum
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

// undoAES decrypts. Block: u32 metadata parts, u32 data parts, per part u32 plain length, u32 cipher length, 12-byte IV and
// 16-byte tag; the ciphertexts lie back to back in the data. It gives back the earlier metadata and the data.
func (w *work) undoAES(md, data []byte) ([]byte, []byte, error) {
	r := &block{w: w, b: md}
	nm, nd := r.u32("number of metadata parts"), r.u32("number of data parts")
	if r.err == nil && (nm+nd)*sealEntry != int64(len(md)-8) {
		return nil, nil, w.bad(corrupt, "metadata", 0, "bytes for "+Text(nm)+" metadata and "+Text(nd)+" data parts", 8+(nm+nd)*sealEntry,
			len(md))
	}
	if r.err != nil {
		return nil, nil, r.err
	}
	sizes, at, err := w.sealedSizes(md, len(data), int(nm), int(nd))
	if err != nil {
		return nil, nil, err
	}
	earlier, err := w.roomMeta(sizes[0])
	if err != nil {
		return nil, nil, err
	}
	out, err := w.room(sizes[1])
	if err != nil {
		return nil, nil, err
	}
	src, metaLeft, dataLeft := 0, earlier, out
	for i := range int(nm + nd) {
		if err := w.ctx.Err(); err != nil {
			return nil, nil, err
		}
		e := md[8+i*sealEntry:][:sealEntry]
		n := int(binary.LittleEndian.Uint32(e))
		w.sealed = append(append(w.sealed[:0], data[src:src+n]...), e[8+ivBytes:]...)
		plain, err := w.aead.Open(w.sealed[:0], e[8:8+ivBytes], w.sealed, nil) // decrypts where it lies
		if err != nil {
			f := w.bad(Auth, "metadata", 8+i*sealEntry+8+ivBytes, "tag of part "+Text(i)+" of "+Text(n)+" bytes",
				"the tag of this key and ciphertext", "another")
			f.Err = err
			return nil, nil, f
		}
		if i < int(nm) {
			metaLeft = metaLeft[copy(metaLeft, plain):]
		} else {
			dataLeft = dataLeft[copy(dataLeft, plain):]
		}
		src += n
	}
	w.spare(at, int64(len(data)))
	w.mdOwn = true
	return earlier, out, nil
}

// sealedSizes adds up the lengths of the parts of the metadata and of the data, and says where the last part ends.
func (w *work) sealedSizes(md []byte, data, nm, nd int) (sizes [2]int64, at int64, err error) {
	for i := range nm + nd {
		e := md[8+i*sealEntry:]
		plain, sealed := int64(binary.LittleEndian.Uint32(e)), int64(binary.LittleEndian.Uint32(e[4:]))
		if plain != sealed {
			return sizes, 0, w.bad(corrupt, "metadata", 8+i*sealEntry+4, "cipher length of part "+Text(i), plain, sealed)
		}
		if sealed > int64(data)-at {
			return sizes, 0, w.bad(truncated, "data", int(at), "bytes of part "+Text(i), sealed, int64(data)-at)
		}
		at += sealed
		if i < nm {
			sizes[0] += plain
		} else {
			sizes[1] += plain
		}
	}
	return sizes, at, nil
}
