package correct

// adlerMod is the modulus of Adler-32, a prime.
const adlerMod = 65521

// AdlerByte returns every change of one byte of b after which its Adler-32 would be want and not got. The low half gives
// by how much the byte differs, the high half how far from the end it is, up to the modulus: long messages can have several
// answers.
func AdlerByte(b []byte, want, got uint32) (found []Change) {
	low, high := adlerDiff(want&0xffff, got&0xffff), adlerDiff(want>>16, got>>16)
	by := int(low)
	if by > 255 {
		by -= adlerMod
	}
	if by == 0 || by < -255 {
		return nil
	}
	n := uint64(len(b))
	for d := high * inverse(low) % adlerMod; d <= n; d += adlerMod { // the byte counts d times in the high half
		if d == 0 {
			continue
		}
		at := n - d
		if is := int(b[at]) + by; is >= 0 && is <= 255 {
			found = append(found, Change{int64(at), []byte{b[at] ^ byte(is)}})
		}
	}
	return found
}

func adlerDiff(a, b uint32) uint64 { return uint64((a%adlerMod + adlerMod - b%adlerMod) % adlerMod) }

// inverse returns 1/v modulo the prime, by Fermat.
func inverse(v uint64) uint64 {
	r := uint64(1)
	for e := adlerMod - 2; e > 0; e >>= 1 {
		if e&1 != 0 {
			r = r * v % adlerMod
		}
		v = v * v % adlerMod
	}
	return r
}
