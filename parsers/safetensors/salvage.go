package safetensors

import (
	"bytes"
	"context"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"unicode/utf8"

	"spandrel/model"
)

// salvage saves a file of tensors, or a checkpoint of several.
func salvage(ctx context.Context, t *model.Tree) (*model.Salvaged, error) {
	f := model.StateOf[*file](t)
	switch {
	case f != nil && f.checkpoint != nil:
		return f.checkpoint.salvage(ctx, t)
	case isIndex(t.Snapshot.Primary):
		return nil, errors.New("an index contains no tensors: salvage the folder with the files that it lists")
	case f == nil || f.data == nil || len(f.tensors) == 0:
		return nil, errors.New("none of the tensors in the header is in the file")
	case f.data.Range.Off != f.begins(ctx, t) && f.data.Range.Off+f.size != t.Root.Range.Len:
		return nil, errors.New("the length of the header is wrong, and nothing else says where the tensors begin")
	case f.displaced(t.Root.Range.Len):
		return nil, errors.New("the first tensor does not begin where the data do, and the last does not end where the file does: all offsets may be counted from another place")
	}
	return f.salvage(ctx, t)
}

// displaced tells whether the offsets may be counted from another place than the start of the data: none is 0, nor does the file end after the last
// tensor. Entries that could not be read may be about the first, unless the file ends too early by just as many bytes.
func (f *file) displaced(size int64) bool {
	first, over := f.ordered()[0].from, f.data.Range.Off+f.size-size
	return first > 0 && over != 0 && (f.unread == 0 || over == first)
}

// salvage writes the tensors whose bytes all exist without overlapping another's, one after the other, with a new header.
func (f *file) salvage(ctx context.Context, t *model.Tree) (*model.Salvaged, error) {
	part := model.SalvagedPart{What: "tensors", Of: int64(len(f.tensors)) + f.unread}
	head := &strings.Builder{}
	meta, unread := f.texts(ctx, t)
	head.WriteString("{")
	if len(meta) > 0 {
		fmt.Fprintf(head, "%q:%s,", metadata, meta)
	}
	data, lost, names := &model.Joined{}, f.claimedTwice(), []string{}
	for _, x := range f.ordered() {
		if lost[x] || !x.whole() {
			if len(names) < mostNamed {
				names = append(names, fmt.Sprintf("%.100q", x.name))
			}
			continue
		}
		at, label := data.Len(), quoted(x.name)
		if x.values != nil {
			data.Add(t.Slice(ctx, x.values.Range))
		}
		fmt.Fprintf(head, `%s:{"dtype":%s,"shape":[%s],"data_offsets":[%d,%d]},`, label, quoted(x.typ.Text()), strings.ReplaceAll(x.shapeText(), " ", ""), at, data.Len())
		part.Saved++
	}
	if more := part.Of - part.Saved - int64(len(names)); more > 0 {
		names = append(names, model.Thousands(more)+" more")
	}
	part.Lost = strings.Join(names, ", ")
	out := &model.Joined{}
	out.Add(model.Memory(headOf([]byte(strings.TrimSuffix(head.String(), ",") + "}"))))
	if data.Len() > 0 {
		out.Add(data)
	}
	parts := []model.SalvagedPart{part}
	if unread {
		parts = append(parts, model.SalvagedPart{What: "parts of the metadata", Of: 1, Lost: "what the header says beside the tensors"})
	}
	return &model.Salvaged{Files: map[string]model.Source{t.Snapshot.Primary: out}, Parts: parts}, ctx.Err()
}

// headOf is a header with its length, padded as writers pad it.
func headOf(text []byte) []byte { return sized(append(text, "       "[:-len(text)&7]...)) }

// sized is a header with its length.
func sized(text []byte) []byte {
	return append(binary.LittleEndian.AppendUint64(nil, uint64(len(text))), text...)
}

// whole tells whether all bytes of a tensor are there, and readers accept its name.
func (x *tensor) whole() bool {
	n, known := x.bytes()
	return known && n == x.to-x.from && !x.cut && (x.values != nil || n == 0) && utf8.ValidString(x.name)
}

// mostNamed is how many of the lost tensors are named.
const mostNamed = 16

func quoted(s string) string {
	b, _ := json.Marshal(s)
	return string(b)
}

// begins is where the data begin according to the length of the header.
func (f *file) begins(ctx context.Context, t *model.Tree) int64 {
	b, err := t.Bytes(ctx, model.Range{Space: t.Root.Range.Space, Len: 8})
	if err != nil {
		return -1
	}
	return int64(8 + binary.LittleEndian.Uint64(b))
}

// texts is the metadata of the header as JSON in which every value is a text, as readers want it, or nil; lost means that there is some that cannot be
// read.
func (f *file) texts(ctx context.Context, t *model.Tree) (texts []byte, lost bool) {
	b, err := t.Bytes(ctx, f.head.Range)
	var all struct {
		Values map[string]json.RawMessage `json:"__metadata__"`
	}
	if err != nil || json.Unmarshal(b, &all) != nil {
		return nil, bytes.Contains(b, []byte(metadata))
	}
	out := map[string]string{}
	for key, value := range all.Values {
		var text string
		if json.Unmarshal(value, &text) != nil || string(value) == "null" {
			text = string(value)
		}
		out[key] = text
	}
	if len(out) == 0 {
		return nil, false
	}
	texts, _ = json.Marshal(out)
	return texts, false
}

// claimedTwice are the tensors that overlap another: nothing says which of the two has the wrong place.
func (f *file) claimedTwice() map[*tensor]bool {
	out, last := map[*tensor]bool{}, (*tensor)(nil)
	for _, x := range f.ordered() {
		if x.to <= x.from {
			continue
		}
		if last != nil && x.from < last.to {
			out[x], out[last] = true, true
		}
		if last == nil || x.to > last.to {
			last = x
		}
	}
	return out
}
