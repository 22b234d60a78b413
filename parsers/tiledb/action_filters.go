package tiledb

import (
	"context"
	"fmt"
	"path"
	"slices"
	"strconv"
	"strings"

	"spandrel/model"
	"spandrel/parsers/tiledb/filter"
	"spandrel/parsers/tiledb/schema"
	"spandrel/parsers/tiledb/storage"
)

// setFilters writes a schema with other filters, and all cells by it: fragments keep those of the schema that they were written with.
func setFilters(ctx context.Context, t *model.Tree, s *model.Span, args map[string]string) ([]model.Edit, error) {
	a := wholeArray(t, s)
	if err := unread(ctx, a); err != nil {
		return nil, err
	}
	filters, err := parseFilters(args["filters"])
	if err != nil {
		return nil, err
	}
	now := *a.schemas.Current() // a copy, with the new filters
	now.Attrs, now.Dims = slices.Clone(now.Attrs), slices.Clone(now.Dims)
	list, err := refiltered(&now, names(args["fields"]), filters)
	if err != nil {
		return nil, err
	}
	e, err := evolved(ctx, a, a.schemas.Current(), list)
	if err != nil {
		return nil, err
	}
	now.File = path.Base(e.(model.FileEdit).File)
	add := a.adding()
	add.s, add.now = &now, max(add.now, stampOf(now.File).to)
	edits, err := add.together(ctx, t)
	return append([]model.Edit{e}, edits...), err
}

// refiltered gives fields of a schema other filters, all attributes if there are no names, and returns the changes of its bytes.
func refiltered(s *schema.Schema, fields []string, filters []filter.Filter) (list []schema.Splice, err error) {
	all := len(fields) == 0
	set := func(name string, asked bool, p *storage.Pipeline) {
		k := slices.Index(fields, name)
		if k < 0 && !asked {
			return
		}
		if k >= 0 {
			fields = slices.Delete(fields, k, k+1)
		}
		list = append(list, schema.Instead(p.Node, storage.AppendPipeline(nil, filters, s.Layout)))
		p.List = filters
	}
	for i := range s.Dims {
		if len(filters) == 0 && slices.Contains(fields, s.Dims[i].Name.Text()) {
			return nil, fmt.Errorf("%s: coordinates without filters of their own get those of the array", s.Dims[i].Name.Text())
		}
		set(s.Dims[i].Name.Text(), false, &s.Dims[i].Filters)
	}
	for i := range s.Attrs {
		set(s.Attrs[i].Name.Text(), all, &s.Attrs[i].Filters)
	}
	if len(fields) > 0 {
		return nil, fmt.Errorf("there is no attribute or dimension %q", fields[0])
	}
	return list, nil
}

// parseFilters reads a list of filters, each with its level if it has one.
func parseFilters(text string) (out []filter.Filter, err error) {
	if strings.EqualFold(strings.TrimSpace(text), filter.NameOf(filter.NoFilter)) {
		return nil, nil
	}
	for _, word := range names(text) {
		name, level, leveled := strings.Cut(word, ":")
		k := slices.IndexFunc(settable, func(t uint8) bool { return strings.EqualFold(filter.NameOf(t), name) })
		if k < 0 {
			return nil, fmt.Errorf("%q is not a filter that can be set; available: %s", name, settableNames())
		}
		f := filter.Filter{Type: settable[k], Compressor: settable[k], Level: -1, Reinterpret: filter.Any, Window: 256}
		switch f.Type {
		case filter.Delta:
			f.Compressor = 8
		case filter.Dictionary:
			f.Compressor = 7
		case filter.PositiveDelta:
			f.Window = 1024
		}
		if leveled {
			n, err := strconv.ParseInt(level, 10, 32)
			if err != nil || !slices.Contains([]uint8{filter.Gzip, filter.Zstd, filter.LZ4, filter.Bzip2}, f.Type) {
				return nil, fmt.Errorf("%q: a level is a number, of GZIP, ZSTD, LZ4 or BZIP2", word)
			}
			f.Level = int32(n)
		}
		out = append(out, f)
	}
	if len(out) == 0 {
		return nil, fmt.Errorf("which filters?")
	}
	return out, nil
}

// settable are the filters that keep all cells, and need no other option than a level.
var settable = []uint8{filter.Gzip, filter.Zstd, filter.LZ4, filter.RLE, filter.Bzip2, filter.DoubleDelta, filter.Delta, filter.Dictionary, filter.BitWidth,
	filter.PositiveDelta, filter.BitShuffle, filter.ByteShuffle, filter.Xor, filter.MD5, filter.SHA256}

func settableNames() string {
	var list []string
	for _, t := range settable {
		list = append(list, filter.NameOf(t))
	}
	return strings.Join(list, ", ") + " or NONE"
}
