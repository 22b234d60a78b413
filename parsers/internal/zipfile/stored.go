package zipfile

import (
	"context"
	"encoding/binary"
	"hash/crc32"
	"io"

	"spandrel/model"
)

// Stored returns an archive with one member, stored as it is: sizes and CRC stand in front of it, so that it can be mapped. Those of 4 GiB and
// more stand in a ZIP64 field.
func Stored(ctx context.Context, name string, data model.Source) (model.Source, error) {
	h, le, n := crc32.NewIEEE(), binary.LittleEndian, data.Len()
	for off := int64(0); off < n; off += 1 << 20 {
		if _, err := io.Copy(h, io.NewSectionReader(data, off, min(1<<20, n-off))); err != nil {
			return nil, err
		}
		if err := ctx.Err(); err != nil {
			return nil, err
		}
	}
	needs, size, extra := uint16(10), uint32(n), []byte(nil)
	if n >= max32 {
		needs, size = 45, max32
		extra = le.AppendUint64(le.AppendUint64([]byte{1, 0, 16, 0}, uint64(n)), uint64(n))
	}
	const midnight = 1<<21 | 1<<16 // of the first day that ZIP knows: an archive of the same model is the same
	common := func(b []byte) []byte {
		for _, v := range []uint16{needs, 0, 0} {
			b = le.AppendUint16(b, v)
		}
		for _, v := range []uint32{midnight, h.Sum32(), size, size} {
			b = le.AppendUint32(b, v)
		}
		return le.AppendUint16(le.AppendUint16(b, uint16(len(name))), uint16(len(extra)))
	}
	local := append(append(common(le.AppendUint32(nil, localSignature)), name...), extra...)
	entry := common(le.AppendUint16(le.AppendUint32(nil, entrySignature), needs))
	entry = append(append(append(entry, make([]byte, 14)...), name...), extra...)
	dirAt, tail := int64(len(local))+n, []byte(nil)
	if dirAt >= max32 {
		end64 := le.AppendUint64(le.AppendUint32(nil, end64Signature), 44)
		end64 = append(le.AppendUint16(le.AppendUint16(end64, 45), 45), make([]byte, 8)...)
		for _, v := range []int64{1, 1, int64(len(entry)), dirAt} {
			end64 = le.AppendUint64(end64, uint64(v))
		}
		tail = append(end64, le.AppendUint32(nil, locatorSignature)...)
		tail = append(le.AppendUint64(append(tail, 0, 0, 0, 0), uint64(dirAt)+uint64(len(entry))), 1, 0, 0, 0)
		dirAt = max32
	}
	out := &model.Joined{}
	out.Add(model.Memory(local))
	out.Add(data)
	out.Add(model.Memory(append(append(entry, tail...), endOf(make([]*Member, 1), int64(len(entry)), dirAt)...)))
	return out, nil
}
