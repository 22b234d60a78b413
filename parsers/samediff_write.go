package parsers

import (
	"encoding/binary"
	"fmt"
	"io"
	"sort"

	flatbuffers "github.com/google/flatbuffers/go"

	"spandrel/model"
)

// sdFlatHeader makes a ContainerHeader (section 2.3).
func sdFlatHeader(format, count, sum int64) []byte {
	b := flatbuffers.NewBuilder(64)
	b.StartObject(3)
	if sum != 0 {
		b.PrependInt64(sum)
		b.Slot(2)
	}
	b.PrependInt32(int32(count))
	b.Slot(1)
	b.PrependInt32(int32(format))
	b.Slot(0)
	b.Finish(b.EndObject())
	return b.FinishedBytes()
}

// sdFlatMetadata makes a MetadataSection of keys that are in order.
func sdFlatMetadata(keys, values []string) []byte {
	b := flatbuffers.NewBuilder(256)
	entries := make([]flatbuffers.UOffsetT, len(keys))
	for i := range keys {
		k, v := b.CreateString(keys[i]), b.CreateString(values[i])
		b.StartObject(2)
		b.PrependUOffsetT(v)
		b.Slot(1)
		b.PrependUOffsetT(k)
		b.Slot(0)
		entries[i] = b.EndObject()
	}
	sdFinish(b, entries)
	return b.FinishedBytes()
}

// sdFinish ends a buffer whose root is one vector of tables.
func sdFinish(b *flatbuffers.Builder, entries []flatbuffers.UOffsetT) {
	v := sdRefs(b, entries)
	b.StartObject(1)
	b.PrependUOffsetT(v)
	b.Slot(0)
	b.Finish(b.EndObject())
}

func sdRefs(b *flatbuffers.Builder, refs []flatbuffers.UOffsetT) flatbuffers.UOffsetT {
	b.StartVector(4, len(refs), 4)
	for i := len(refs) - 1; i >= 0; i-- {
		b.PrependUOffsetT(refs[i])
	}
	return b.EndVector(len(refs))
}

// sdFlatShardInfo makes a ShardInfo.
func sdFlatShardInfo(index, count int64, kind, base string) []byte {
	b := flatbuffers.NewBuilder(128)
	k, n := b.CreateString(kind), b.CreateString(base)
	b.StartObject(4)
	b.PrependUOffsetT(n)
	b.Slot(3)
	b.PrependUOffsetT(k)
	b.Slot(2)
	b.PrependInt32(int32(count))
	b.Slot(1)
	b.PrependInt32(int32(index))
	b.Slot(0)
	b.Finish(b.EndObject())
	return b.FinishedBytes()
}

// sdFlatStub makes a FlatArray in the dims dialect whose bytes are elsewhere. An offset below 0 is left out.
func sdFlatStub(b *flatbuffers.Builder, a *sdData, off int64) flatbuffers.UOffsetT {
	dims := sdFlatDims(b, a)
	b.Prep(8, 0) // equal tables are of equal sizes
	b.StartObject(10)
	b.PrependInt64(a.bytes)
	b.Slot(9)
	if off > 0 {
		b.PrependInt64(off)
		b.Slot(8)
	}
	b.PrependInt64(a.bytes)
	b.Slot(5)
	b.PrependUOffsetT(dims)
	b.Slot(0)
	if a.order == 'f' {
		b.PrependInt8(1)
		b.Slot(3)
	}
	b.PrependInt8(int8(a.typ))
	b.Slot(2)
	return b.EndObject()
}

// sdFlatInline makes a FlatArray in the dims dialect with its bytes: texts have no other place (section 2.1, H-36).
func sdFlatInline(b *flatbuffers.Builder, a *sdData, s model.Source) (flatbuffers.UOffsetT, error) {
	if a.bytes > sdMaxFlat/4 {
		return 0, fmt.Errorf("%s: %d bytes are too many for an index", a.name, a.bytes)
	}
	raw := make([]byte, a.bytes)
	if _, err := io.ReadFull(io.NewSectionReader(s, 0, s.Len()), raw); err != nil {
		return 0, err
	}
	dims, buffer := sdFlatDims(b, a), b.CreateByteVector(raw)
	b.StartObject(4)
	b.PrependUOffsetT(buffer)
	b.Slot(1)
	b.PrependUOffsetT(dims)
	b.Slot(0)
	if a.order == 'f' {
		b.PrependInt8(1)
		b.Slot(3)
	}
	b.PrependInt8(int8(a.typ))
	b.Slot(2)
	return b.EndObject(), nil
}

func sdFlatDims(b *flatbuffers.Builder, a *sdData) flatbuffers.UOffsetT {
	b.StartVector(8, len(a.dims), 8)
	for i := len(a.dims) - 1; i >= 0; i-- {
		b.PrependInt64(a.dims[i])
	}
	return b.EndVector(len(a.dims))
}

// sdConcat is sources one behind the other.
type sdConcat struct {
	parts []model.Source
	ends  []int64
}

func (c *sdConcat) add(s model.Source) {
	if s.Len() > 0 {
		c.parts = append(c.parts, s)
		c.ends = append(c.ends, c.Len()+s.Len())
	}
}

func (c *sdConcat) bytes(b []byte) { c.add(model.Memory(b)) }

// Len implements model.Source.
func (c *sdConcat) Len() int64 {
	if len(c.ends) == 0 {
		return 0
	}
	return c.ends[len(c.ends)-1]
}

// ReadAt implements model.Source.
func (c *sdConcat) ReadAt(p []byte, off int64) (n int, err error) {
	for i := sort.Search(len(c.ends), func(i int) bool { return c.ends[i] > off }); i < len(c.parts) && n < len(p); i++ {
		start := c.ends[i] - c.parts[i].Len()
		want := min(int64(len(p)-n), c.ends[i]-off)
		k, err := c.parts[i].ReadAt(p[n:n+int(want)], off-start)
		n, off = n+k, off+int64(k)
		if int64(k) < want {
			return n, err
		}
	}
	if n < len(p) {
		return n, io.EOF
	}
	return n, nil
}

// sdSource returns the bytes of a range, as they are in the file or from memory.
func sdSource(ctx sdCtx, t *model.Tree, r model.Range) (model.Source, error) {
	if sp := t.Space(r.Space); sp != nil && !sp.Derived() {
		return t.Mapped(r, 1<<16, func(int64, []byte) {})
	}
	b, err := t.Bytes(ctx, r)
	return model.Memory(b), err
}

// source returns the elements of an array, little-endian.
func (a *sdData) source(ctx sdCtx, t *model.Tree) (model.Source, error) {
	out := &sdConcat{}
	w := int64(1)
	if typ := sdTypes[a.typ]; typ != nil && a.big {
		w = typ.width
	}
	for _, r := range a.at {
		if w == 1 {
			s, err := sdSource(ctx, t, r)
			if err != nil {
				return nil, err
			}
			out.add(s)
			continue
		}
		if sp := t.Space(r.Space); sp != nil && !sp.Derived() {
			s, err := t.Mapped(r, w, func(_ int64, b []byte) { sdReverse(b) })
			if err != nil {
				return nil, err
			}
			out.add(s)
			continue
		}
		b, err := t.Bytes(ctx, r)
		if err != nil {
			return nil, err
		}
		for i := int64(0); i+w <= int64(len(b)); i += w {
			sdReverse(b[i : i+w])
		}
		out.bytes(b)
	}
	return out, nil
}

func sdReverse(b []byte) {
	for i, j := 0, len(b)-1; i < j; i, j = i+1, j-1 {
		b[i], b[j] = b[j], b[i]
	}
}

// sdBoxed puts a container of profile P1 together (section 2.2).
type sdBoxed struct {
	ctx   sdCtx
	recs  []*sdConcat
	order binary.ByteOrder // of the length in front of an index; nil: big-endian
}

// record adds a section with its CRC.
func (x *sdBoxed) record(typ, code byte, data model.Source) error {
	h := model.CRC32.New()
	if _, err := io.Copy(h, io.NewSectionReader(data, 0, data.Len())); err != nil {
		return err
	}
	r := &sdConcat{}
	r.bytes(append(binary.BigEndian.AppendUint64([]byte{typ}, uint64(data.Len())), 0x80|code))
	r.add(data)
	r.bytes(binary.BigEndian.AppendUint32(nil, uint32(model.CRC32.Value(h).Uint())))
	x.recs = append(x.recs, r)
	return x.ctx.Err()
}

// arrays adds an ARRAYS section.
func (x *sdBoxed) arrays(t *model.Tree, list []*sdData) error {
	data, err := x.section(t, list)
	if err != nil {
		return err
	}
	return x.record(sdArraysType, 0, data)
}

// section returns the payload of an ARRAYS section.
func (x *sdBoxed) section(t *model.Tree, list []*sdData) (model.Source, error) {
	b := flatbuffers.NewBuilder(1 << 10)
	entries := make([]flatbuffers.UOffsetT, len(list))
	region := &sdConcat{}
	for i, a := range list {
		s, err := a.source(x.ctx, t)
		if err != nil {
			return nil, err
		}
		if s.Len() != a.bytes {
			return nil, fmt.Errorf("%s: %d bytes of %d are there", a.name, s.Len(), a.bytes)
		}
		var array flatbuffers.UOffsetT
		if sdTypes[a.typ] == nil {
			if array, err = sdFlatInline(b, a, s); err != nil {
				return nil, err
			}
		} else {
			if pad := -region.Len() & 63; pad > 0 {
				region.bytes(make([]byte, pad))
			}
			array = sdFlatStub(b, a, region.Len())
			region.add(s)
		}
		name := b.CreateString(a.name)
		b.StartObject(2)
		b.PrependUOffsetT(array)
		b.Slot(1)
		b.PrependUOffsetT(name)
		b.Slot(0)
		entries[i] = b.EndObject()
	}
	sdFinish(b, entries)
	index := b.FinishedBytes()
	data := &sdConcat{}
	size := make([]byte, 8)
	if x.order == nil {
		x.order = binary.BigEndian
	}
	x.order.PutUint64(size, uint64(len(index)))
	data.bytes(append(size, index...))
	if pad := -data.Len() & 63; pad > 0 {
		data.bytes(make([]byte, pad))
	}
	for _, p := range region.parts {
		data.add(p)
	}
	return data, nil
}

// file returns the whole container, with its HEADER.
func (x *sdBoxed) file() (model.Source, error) {
	head := &sdBoxed{ctx: x.ctx}
	if err := head.record(sdHeader, 0, model.Memory(sdFlatHeader(1, int64(len(x.recs)+1), 0))); err != nil {
		return nil, err
	}
	out := &sdConcat{}
	out.bytes(append([]byte(sdMagic), 0, 0, 0, 1))
	for _, r := range append(head.recs, x.recs...) {
		for _, p := range r.parts {
			out.add(p)
		}
	}
	return out, nil
}
