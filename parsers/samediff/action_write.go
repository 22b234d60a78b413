package samediff

import (
	"cmp"
	"context"
	"encoding/binary"
	"fmt"
	"io"
	"slices"

	"spandrel/model"
	"spandrel/parsers/samediff/flat"
)

// flatMetadata makes a MetadataSection of sorted keys.
func flatMetadata(keys, values []string) []byte {
	entries := make([]flat.Fields, len(keys))
	for i := range keys {
		entries[i] = flat.Fields{0: keys[i], 1: values[i]}
	}
	return flat.Fields{0: entries}.Buffer()
}

// flatShardInfo makes a ShardInfo; empty texts are left out.
func flatShardInfo(s shard) []byte {
	n := flat.Fields{0: int32(s.index), 1: int32(s.count)}
	for slot, text := range map[int]string{2: s.kind, 3: s.base} {
		if text != "" {
			n[slot] = text
		}
	}
	return n.Buffer()
}

// described is a FlatArray in the dims dialect without elements.
func (a *data) described() flat.Fields {
	n := flat.Fields{flat.ArrShape: a.dims, flat.ArrType: int8(a.typ)}
	if a.order == 'f' {
		n[flat.ArrOrder] = int8(1)
	}
	return n
}

// stub is a FlatArray whose bytes are elsewhere, at an offset; an offset below 1 is left out.
func (a *data) stub(off int64) flat.Fields {
	n := a.described()
	n[flat.ArrTotal], n[flat.ArrAppendedLength] = a.bytes, a.bytes
	if off > 0 {
		n[flat.ArrAppendedOffset] = off
	}
	return n
}

// inline is a FlatArray with its bytes: texts have no other place (section 2.1, H-36).
func (a *data) inline(ctx context.Context, t *model.Tree) (flat.Fields, error) {
	if a.bytes > flat.MaxSize/4 {
		return nil, fmt.Errorf("%s: %d bytes are too many for an index", a.name, a.bytes)
	}
	raw, err := a.elements(ctx, t)
	n := a.described()
	n[flat.ArrBuffer] = raw
	return n, err
}

// elements reads the elements of an array, little-endian.
func (a *data) elements(ctx context.Context, t *model.Tree) ([]byte, error) {
	if a.bytes > maxConverted {
		return nil, fmt.Errorf("%s: %s bytes are too many to convert at once", a.name, model.Thousands(a.bytes))
	}
	s := a.source(ctx, t, false)
	return io.ReadAll(io.NewSectionReader(s, 0, s.Len()))
}

// source is the elements of an array in a byte order.
func (a *data) source(ctx context.Context, t *model.Tree, big bool) model.Source {
	if a.raw != nil { // values of an edit are little-endian
		return model.Memory(a.raw)
	}
	out := &model.Joined{}
	for _, r := range a.at {
		if typ := types[a.typ]; typ != nil && a.big != big {
			out.Add(model.Mapped(t.Slice(ctx, r), typ.width, func(_ int64, b []byte) { slices.Reverse(b) }))
		} else {
			out.Add(t.Slice(ctx, r))
		}
	}
	return out
}

// places are the places of consecutive arrays, aligned to a multiple of a number, by name.
func places(list []*data, unit int64) map[string]int64 {
	at, end := map[string]int64{}, int64(0)
	for _, a := range list {
		end = (end + unit - 1) / unit * unit
		at[a.name] = end
		end += a.bytes
	}
	return at
}

// boxed assembles a container of profile P1 (section 2.2). Errors name the file.
type boxed struct {
	ctx  context.Context
	t    *model.Tree
	recs []model.Source
	err  error
}

// record adds a section with its CRC.
func (x *boxed) record(typ, code byte, data model.Source) {
	if x.err = cmp.Or(x.err, x.ctx.Err()); x.err != nil {
		return
	}
	rec, err := newRecord(binary.BigEndian, typ, 0x80|code, data)
	x.recs, x.err = append(x.recs, rec), err
}

// metadata adds METADATA: the keys of a model, and those that every container has (section 2.1, H-19).
func (x *boxed) metadata(m map[string]string) {
	m["nd4j.format.type"], m["nd4j.format.version"] = "CONTAINER", "1"
	x.record(metadata, 0, model.Memory(flatMetadata(merge(m, nil))))
}

// arrays adds an ARRAYS section, if there are any.
func (x *boxed) arrays(list []*data) {
	if len(list) == 0 {
		return
	}
	data, err := arraysPayload(x.ctx, x.t, list, binary.BigEndian)
	if x.err = cmp.Or(x.err, err); err == nil {
		x.record(arraysType, 0, data)
	}
}

// arraysPayload is the payload of an ARRAYS section (section 2.3), with a byte order for the length of its index.
func arraysPayload(ctx context.Context, t *model.Tree, list []*data, order binary.ByteOrder) (_ model.Source, err error) {
	entries := make([]flat.Fields, len(list))
	region := &model.Joined{}
	align := func(j *model.Joined) { j.Add(model.Fill(0, -j.Len()&63)) }
	for i, a := range list {
		var array flat.Fields
		if s := a.source(ctx, t, false); s.Len() != a.bytes {
			return nil, fmt.Errorf("%s: only %d of %d bytes are present", a.name, s.Len(), a.bytes)
		} else if types[a.typ] != nil {
			align(region)
			array = a.stub(region.Add(s))
		} else if array, err = a.inline(ctx, t); err != nil {
			return nil, err
		}
		entries[i] = flat.Fields{0: a.name, 1: array}
	}
	index := flat.Fields{0: entries}.Buffer()
	size := make([]byte, 8)
	order.PutUint64(size, uint64(len(index)))
	data := joined(model.Memory(append(size, index...)))
	align(data)
	data.Add(region)
	return data, nil
}

// file returns the whole container, with its HEADER.
func (x *boxed) file() (model.Source, error) {
	parts := x.recs
	if x.record(header, 0, model.Memory(flatHeader(1, int64(len(parts)+1)))); x.err != nil {
		return nil, x.err
	}
	front := []model.Source{model.Memory(append([]byte(containerMagic), 0, 0, 0, 1)), x.recs[len(parts)]}
	return joined(append(front, parts...)...), nil
}
