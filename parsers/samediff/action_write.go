package samediff

import (
	"context"
	"encoding/binary"
	"fmt"
	"io"
	"slices"

	"spandrel/model"
	"spandrel/parsers/samediff/flat"
)

// flatHeader makes a ContainerHeader (section 2.3).
func flatHeader(format, count int64) []byte {
	return flat.Fields{0: int32(format), 1: int32(count)}.Buffer()
}

// flatMetadata makes a MetadataSection of keys that are in order.
func flatMetadata(keys, values []string) []byte {
	entries := make([]flat.Fields, len(keys))
	for i := range keys {
		entries[i] = flat.Fields{0: keys[i], 1: values[i]}
	}
	return flat.Fields{0: entries}.Buffer()
}

// flatShardInfo makes a ShardInfo; texts that there are none of are left out.
func flatShardInfo(s shard) []byte {
	n := flat.Fields{0: int32(s.index), 1: int32(s.count)}
	for slot, text := range map[int]string{2: s.kind, 3: s.base} {
		if text != "" {
			n[slot] = text
		}
	}
	return n.Buffer()
}

// described is a FlatArray in the dims dialect that has no elements yet.
func (a *data) described() flat.Fields {
	n := flat.Fields{flat.ArrShape: a.dims, flat.ArrType: int8(a.typ)}
	if a.order == 'f' {
		n[flat.ArrOrder] = int8(1)
	}
	return n
}

// stub is a FlatArray whose bytes are elsewhere, at an offset; one below 1 is left out.
func (a *data) stub(off int64) flat.Fields {
	n := a.described()
	n[flat.ArrTotal], n[flat.ArrAppendedLength] = a.bytes, a.bytes
	if off > 0 {
		n[flat.ArrAppendedOffset] = off
	}
	return n
}

// inline is a FlatArray with its bytes: texts have no other place (section 2.1, H-36).
func (a *data) inline(s model.Source) (flat.Fields, error) {
	if a.bytes > flat.MaxSize/4 {
		return nil, fmt.Errorf("%s: %d bytes are too many for an index", a.name, a.bytes)
	}
	raw, err := io.ReadAll(io.NewSectionReader(s, 0, s.Len()))
	n := a.described()
	n[flat.ArrBuffer] = raw
	return n, err
}

// source returns the bytes of a range, as they are in the file or from memory. Elements of a width above 1 are swapped.
func source(ctx context.Context, t *model.Tree, r model.Range, width int64) (model.Source, error) {
	if sp := t.Space(r.Space); sp != nil && !sp.Derived() {
		if width == 1 {
			return t.Mapped(r, 1<<16, func(int64, []byte) {})
		}
		return t.Mapped(r, width, func(_ int64, b []byte) { slices.Reverse(b) })
	}
	b, err := t.Bytes(ctx, r)
	swap(b, width)
	return model.Memory(b), err
}

// swap turns the bytes of every element around.
func swap(b []byte, width int64) {
	for ; width > 1 && int64(len(b)) >= width; b = b[width:] {
		slices.Reverse(b[:width])
	}
}

// source returns the elements of an array, little-endian.
func (a *data) source(ctx context.Context, t *model.Tree) (model.Source, error) {
	return a.ordered(ctx, t, false)
}

// ordered returns the elements of an array in a byte order.
func (a *data) ordered(ctx context.Context, t *model.Tree, big bool) (model.Source, error) {
	if a.raw != nil { // of an edit, which keeps what it writes little-endian
		return model.Memory(a.raw), nil
	}
	out, width := &model.Joined{}, int64(1)
	if typ := types[a.typ]; typ != nil && a.big != big {
		width = typ.width
	}
	for _, r := range a.at {
		s, err := source(ctx, t, r, width)
		if err != nil {
			return nil, err
		}
		out.Add(s)
	}
	return out, nil
}

// boxed puts a container of profile P1 together (section 2.2).
type boxed struct {
	ctx   context.Context
	recs  []model.Source
	order binary.ByteOrder // of the length in front of an index; nil: big-endian
}

// record adds a section with its CRC.
func (x *boxed) record(typ, code byte, data model.Source) error {
	h := model.CRC32.New()
	if _, err := io.Copy(h, io.NewSectionReader(data, 0, data.Len())); err != nil {
		return err
	}
	r := &model.Joined{}
	r.Add(model.Memory(append(binary.BigEndian.AppendUint64([]byte{typ}, uint64(data.Len())), 0x80|code)))
	r.Add(data)
	r.Add(model.Memory(binary.BigEndian.AppendUint32(nil, uint32(model.CRC32.Value(h).Uint()))))
	x.recs = append(x.recs, r)
	return x.ctx.Err()
}

// metadata adds METADATA: keys of a model, and those that every container has (section 2.1, H-19).
func (x *boxed) metadata(m map[string]string) error {
	m["nd4j.format.type"], m["nd4j.format.version"] = "CONTAINER", "1"
	return x.record(metadata, 0, model.Memory(flatMetadata(merge(m, nil))))
}

// arrays adds an ARRAYS section.
func (x *boxed) arrays(t *model.Tree, list []*data) error {
	data, err := x.section(t, list)
	if err != nil {
		return err
	}
	return x.record(arraysType, 0, data)
}

// section returns the payload of an ARRAYS section (section 2.3).
func (x *boxed) section(t *model.Tree, list []*data) (model.Source, error) {
	entries := make([]flat.Fields, len(list))
	region := &model.Joined{}
	align := func(j *model.Joined) { j.Add(model.Fill(0, -j.Len()&63)) }
	for i, a := range list {
		s, err := a.source(x.ctx, t)
		if err != nil {
			return nil, err
		}
		if s.Len() != a.bytes {
			return nil, fmt.Errorf("%s: %d bytes of %d are there", a.name, s.Len(), a.bytes)
		}
		var array flat.Fields
		if types[a.typ] != nil {
			align(region)
			array = a.stub(region.Add(s))
		} else if array, err = a.inline(s); err != nil {
			return nil, err
		}
		entries[i] = flat.Fields{0: a.name, 1: array}
	}
	index := flat.Fields{0: entries}.Buffer()
	size := make([]byte, 8)
	if x.order == nil {
		x.order = binary.BigEndian
	}
	x.order.PutUint64(size, uint64(len(index)))
	data := &model.Joined{}
	data.Add(model.Memory(append(size, index...)))
	align(data)
	data.Add(region)
	return data, nil
}

// file returns the whole container, with its HEADER.
func (x *boxed) file() (model.Source, error) {
	head := &boxed{ctx: x.ctx}
	if err := head.record(header, 0, model.Memory(flatHeader(1, int64(len(x.recs)+1)))); err != nil {
		return nil, err
	}
	out := &model.Joined{}
	out.Add(model.Memory(append([]byte(containerMagic), 0, 0, 0, 1)))
	for _, r := range append(head.recs, x.recs...) {
		out.Add(r)
	}
	return out, nil
}
