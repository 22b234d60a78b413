package zipfile

import (
	"context"
	"encoding/binary"
	"hash/crc32"
	"io"

	"spandrel/model"
)

// Stored returns an archive with one uncompressed member: sizes and CRC precede it, so that it can be mapped. Sizes of 4 GiB and
// more are in a ZIP64 field.
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
	const first = 1<<5 | 1 // the first day that ZIP knows: an archive of the same model is the same
	s, extra := stated{needs: 10, date: first, crc: h.Sum32(), packed: n, size: n}, []byte(nil)
	if n >= max32 {
		s.needs, s.packed, s.size, s.extra = 45, max32, max32, 20
		extra = le.AppendUint64(le.AppendUint64([]byte{1, 0, 16, 0}, uint64(n)), uint64(n))
	}
	v := s.fields(name)
	v["madeBy"] = v["needs"]
	local := append(append(record(localRecord, localSignature, v), name...), extra...)
	entry := append(append(record(entryRecord, entrySignature, v), name...), extra...)
	dirAt, dirSize, tail := int64(len(local))+n, int64(len(entry)), []byte(nil)
	if dirAt >= max32 {
		tail = append(record(end64Record, end64Signature, map[string]int64{"size": 44, "madeBy": 45, "needs": 45, "entries": 1, "entriesHere": 1, "cdSize": dirSize, "cdOffset": dirAt}),
			record(locatorRecord, locatorSignature, map[string]int64{"endOffset": dirAt + dirSize, "disks": 1})...)
		dirAt = max32
	}
	out := &model.Joined{}
	out.Add(model.Memory(local))
	out.Add(data)
	out.Add(model.Memory(append(append(entry, tail...), endOf(make([]*Member, 1), dirSize, dirAt)...)))
	return out, nil
}
