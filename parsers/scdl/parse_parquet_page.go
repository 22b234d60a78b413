package scdl

import (
	"cmp"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"math"
	"math/bits"
	"strings"

	"github.com/parquet-go/parquet-go"
	"github.com/parquet-go/parquet-go/encoding/thrift"
	"github.com/parquet-go/parquet-go/format"
)

// What a page may unpack to, in bytes and in values: the library makes room for what its head says.
const (
	maxPage   = 256 << 20
	maxValues = 16 << 20
)

// checkPages looks over the heads of the pages of a column chunk: they lie one behind the other in its bytes, none claims more values
// than the column has, and what they unpack to has bounds. each, which may be nil, is told where the content of each starts.
func checkPages(in io.ReaderAt, m *format.ColumnMetaData, size int64, each func(h *format.PageHeader, at int64) error) error {
	left, name := m.NumValues, strings.Join(m.PathInSchema, ".")
	at, end := startOf(m), startOf(m)+m.TotalCompressedSize
	if at < 4 || m.TotalCompressedSize < 0 || end < at || end > size {
		return fmt.Errorf("the pages of %s are not in the file", name)
	}
	head := make([]byte, min(64<<10, end-at))
	for at < end {
		h, n, err := headAt(in, head[:min(int64(len(head)), end-at)], at)
		if err != nil && !errors.Is(err, errThrift) {
			return err
		}
		values, words := int64(h.DataPageHeader.V.NumValues)+int64(h.DataPageHeaderV2.V.NumValues), int64(h.DictionaryPageHeader.V.NumValues)
		left -= values
		at += int64(n) + int64(h.CompressedPageSize)
		if err != nil || h.CompressedPageSize < 0 || h.UncompressedPageSize < 0 || values < 0 || words < 0 || at > end || left < 0 {
			return fmt.Errorf("a page of %s is damaged", name)
		}
		if h.UncompressedPageSize > maxPage || max(values, words) > maxValues {
			return fmt.Errorf("a page of %s of %d bytes and %d values is too large to be unpacked", name, h.UncompressedPageSize, max(values, words))
		}
		if each != nil {
			if err := each(&h, at-int64(h.CompressedPageSize)); err != nil {
				return fmt.Errorf("a page of %s is damaged: %w", name, err)
			}
		}
	}
	return nil
}

// headAt reads the head of a page, most of which are short, and how long it is.
func headAt(in io.ReaderAt, buf []byte, at int64) (h format.PageHeader, n int, err error) {
	for _, b := range [][]byte{buf[:min(512, len(buf))], buf} {
		if _, err := in.ReadAt(b, at); err != nil && err != io.EOF {
			return h, 0, err
		}
		if n, err = checkThrift(b); err == nil {
			if thrift.Unmarshal(new(thrift.CompactProtocol), b[:n], &h) != nil {
				err = errThrift
			}
			break
		}
	}
	return h, n, err
}

// pages reads the pages of a column chunk as strictly as the readers do that refuse a file for one of them. The library that decodes
// them is milder: it takes lengths, levels and numbers of texts that lead nowhere.
type pages struct {
	in     io.ReaderAt
	column *parquet.Column
	codec  format.CompressionCodec
	words  int64 // of the dictionary
	buf    []byte
}

var errEnds = errors.New("it ends before its values do")

func (p *pages) page(h *format.PageHeader, at int64) error {
	if h.CompressedPageSize > maxPage {
		return nil // the library says what it makes of it
	}
	b := make([]byte, h.CompressedPageSize)
	if _, err := p.in.ReadAt(b, at); err != nil && err != io.EOF {
		return err
	}
	size := int64(h.UncompressedPageSize)
	switch h.Type {
	case format.DictionaryPage:
		p.words = int64(h.DictionaryPageHeader.V.NumValues)
		b, err := p.unpack(b, size)
		return cmp.Or(err, p.plain(b, p.words))
	case format.DataPage:
		d := &h.DataPageHeader.V
		b, err := p.unpack(b, size)
		if err != nil || d.DefinitionLevelEncoding != format.RLE {
			return err
		}
		_, b, err = levels(b, int64(d.NumValues), p.column.MaxRepetitionLevel())
		if err != nil {
			return err
		}
		some, b, err := levels(b, int64(d.NumValues), p.column.MaxDefinitionLevel())
		return cmp.Or(err, p.values(d.Encoding, b, some))
	case format.DataPageV2:
		d := &h.DataPageHeaderV2.V
		nulls, repeats, room := int64(d.DefinitionLevelsByteLength), int64(d.RepetitionLevelsByteLength), min(int64(len(b)), size)
		if nulls < 0 || repeats < 0 || nulls > room || repeats > room-nulls {
			return errEnds
		}
		some, err := counted(b[repeats:][:nulls], int64(d.NumValues), p.column.MaxDefinitionLevel())
		if err != nil {
			return err
		}
		if b = b[nulls+repeats:]; !d.IsCompressed.Valid || d.IsCompressed.V {
			b, err = p.unpack(b, size-nulls-repeats)
		}
		return cmp.Or(err, p.values(d.Encoding, b, some))
	}
	return nil
}

// unpack decompresses a page, which must have the length that its head says.
func (p *pages) unpack(b []byte, size int64) ([]byte, error) {
	switch p.codec {
	case format.Uncompressed: // no one needs the length
		return b, nil
	case format.Snappy:
		if n, ok := snappySize(b); !ok || n != size {
			return nil, fmt.Errorf("its packed bytes do not make %d bytes", size)
		}
	}
	out, err := parquet.LookupCompressionCodec(p.codec).Decode(p.buf, b)
	if err != nil {
		return nil, err
	}
	if p.buf = out; int64(len(out)) != size {
		return nil, fmt.Errorf("it unpacks to %d bytes instead of %d", len(out), size)
	}
	return out, nil
}

// snappySize is how many bytes packed ones make; false where they are not whole. Decoders of later forms take a copy from a distance
// of 0 for one of their own.
func snappySize(b []byte) (size int64, ok bool) {
	n, k := binary.Uvarint(b)
	if k <= 0 || n > maxPage {
		return 0, false
	}
	var made uint64
	for b = b[k:]; len(b) > 0; {
		copies := b[0]&3 != 0
		length, distance, rest, ok := snappyPart(b)
		switch b = rest; {
		case !ok, copies && (distance == 0 || distance > made), !copies && length > uint64(len(b)):
			return 0, false
		case !copies:
			b = b[length:]
		}
		if made += length; made > n {
			return 0, false
		}
	}
	return int64(n), made == n
}

// snappyPart reads the head of a part of packed bytes: how many it makes, and the distance of a copy, 0 of what stands behind it as it is.
func snappyPart(b []byte) (length, distance uint64, rest []byte, ok bool) {
	tag := b[0]
	more, length := int(tag&3), uint64(tag>>2)+1 // bytes of the distance
	switch {
	case more == 0 && length > 60:
		more = int(length) - 60
	case more == 1:
		length = uint64(tag>>2&7) + 4
	case more == 3:
		more = 4
	}
	if len(b) <= more {
		return 0, 0, nil, false
	}
	var word [8]byte
	copy(word[:], b[1:1+more])
	v := binary.LittleEndian.Uint64(word[:])
	switch {
	case tag&3 == 0 && more > 0:
		length, v = v+1, 0
	case tag&3 == 1:
		v |= uint64(tag>>5) << 8
	}
	return length, v, b[1+more:], true
}

// levels takes the levels that stand in front of the values of a page, and counts how many values are there.
func levels(b []byte, n int64, most int) (some int64, rest []byte, err error) {
	if most == 0 {
		return n, b, nil
	}
	if len(b) < 4 || int64(binary.LittleEndian.Uint32(b)) > int64(len(b)-4) {
		return 0, nil, errEnds
	}
	size := binary.LittleEndian.Uint32(b)
	some, err = counted(b[4:4+size], n, most)
	return some, b[4+size:], err
}

// counted counts the levels that are the highest.
func counted(b []byte, n int64, most int) (some int64, err error) {
	if most == 0 {
		return n, nil
	}
	err = runs(b, bits.Len(uint(most)), n, false, func(v uint64, k int64) error {
		if v > uint64(most) {
			return fmt.Errorf("whether a value is there is said by %d, beyond %d", v, most)
		}
		if v == uint64(most) {
			some += k
		}
		return nil
	})
	return some, err
}

// runs goes over n numbers of so many bits, which stand one by one or as a number and how often it comes. Where they must be whole, the
// last ones that stand one by one are there too, whether they count or not.
func runs(b []byte, width int, n int64, whole bool, each func(v uint64, k int64) error) error {
	for n > 0 {
		head, k := binary.Uvarint(b)
		if k <= 0 || head < 2 {
			return errEnds
		}
		b = b[k:]
		if head&1 == 0 {
			size := (width + 7) / 8
			if len(b) < size {
				return errEnds
			}
			var word [8]byte
			copy(word[:], b[:size])
			count := min(n, int64(min(head>>1, math.MaxInt32)))
			if err := each(binary.LittleEndian.Uint64(word[:]), count); err != nil {
				return err
			}
			n, b = n-count, b[size:]
			continue
		}
		all := int64(min(head>>1, math.MaxInt32)) * 8
		count := min(n, all)
		if room := int64(len(b)) * 8; room < count*int64(width) || whole && room < all*int64(width) {
			return errEnds
		}
		for i := range count {
			if err := each(bitsAt(b, i*int64(width), width), 1); err != nil {
				return err
			}
		}
		n, b = n-count, b[min(int64(len(b)), all/8*int64(width)):]
	}
	return nil
}

// bitsAt reads a number of at most 32 bits.
func bitsAt(b []byte, at int64, width int) uint64 {
	var word [8]byte
	copy(word[:], b[at/8:])
	return binary.LittleEndian.Uint64(word[:]) >> (at % 8) & (1<<width - 1)
}

// values looks over the n values of a data page, as far as their encoding is one of the usual two.
func (p *pages) values(e format.Encoding, b []byte, n int64) error {
	switch e {
	case format.Plain:
		return p.plain(b, n)
	//lint:ignore SA1019 no one should write it any more, and files have it
	case format.PlainDictionary, format.RLEDictionary:
		if n == 0 {
			return nil
		}
		if len(b) == 0 || b[0] > 32 {
			return errEnds
		}
		return runs(b[1:], int(b[0]), n, true, func(v uint64, _ int64) error {
			if v >= uint64(p.words) {
				return fmt.Errorf("it holds value %d of a dictionary of %d", v, p.words)
			}
			return nil
		})
	}
	return nil
}

// plain looks over n values that stand one behind the other.
func (p *pages) plain(b []byte, n int64) error {
	size := int64(0)
	switch t := p.column.Type(); t.Kind() {
	case parquet.Boolean:
		n, size = (n+7)/8, 1
	case parquet.ByteArray:
		for range n {
			if len(b) < 4 || int64(binary.LittleEndian.Uint32(b)) > int64(len(b)-4) {
				return errEnds
			}
			b = b[4+binary.LittleEndian.Uint32(b):]
		}
		return nil
	default:
		size = int64(t.Length())
		if t.Kind() != parquet.FixedLenByteArray {
			size /= 8
		}
	}
	if n*size > int64(len(b)) {
		return errEnds
	}
	return nil
}
