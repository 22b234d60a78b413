package tiledb

import (
	"context"
	"fmt"
	"time"

	"spandrel/model"
	"spandrel/parsers/tiledb/fragment"
	"spandrel/parsers/tiledb/storage"
)

// outline is the logical view of an array: its dimensions and attributes, each with its files in every fragment, and the fragments.
func outline(ctx context.Context, t *model.Tree) (out []model.Meaning, err error) {
	d, ok := t.State.(*doc)
	if !ok || len(d.inOrder) == 0 {
		return nil, nil
	}
	a := d.inOrder[0]
	s := a.schemas.Current()
	if s == nil || len(a.fragList) == 0 {
		return nil, nil
	}
	var dims, attrs, frags []model.Meaning
	fields := fieldsOf(s)
	for i := range s.Dims {
		x := &s.Dims[i]
		text := storage.TypeName(x.Datatype)
		if x.Low.Span != nil {
			text += fmt.Sprintf(", %s to %s", x.Low.Value, x.High.Value)
		}
		dims = append(dims, arrayMeaning{a}.field(x.Self.Span, fields[i], text))
	}
	for i := range s.Attrs {
		x := &s.Attrs[i]
		text := storage.TypeName(x.Datatype)
		if x.Nullable() {
			text += ", may be missing"
		}
		if e := x.Enum.Text(); e != "" {
			text += ", one of " + e
		}
		attrs = append(attrs, arrayMeaning{a}.field(x.Self.Span, fields[len(s.Dims)+i], text))
	}
	for i, f := range a.fragList {
		frags = append(frags, model.Meaning{Label: arrayMeaning{a}.fragment(i), Text: fragMeaning{f}.written() + f.name, Span: f.group})
	}
	count := func(label string, list []model.Meaning) model.Meaning {
		return model.Meaning{Label: label, Text: model.Thousands(int64(len(list))), Kids: list, Open: len(list) <= 50}
	}
	return []model.Meaning{count("dimensions", dims), count("attributes", attrs), count("fragments", frags)}, nil
}

// arrayMeaning makes the nodes of an array.
type arrayMeaning struct{ a *array }

// field is a dimension or an attribute: its files in every fragment, and the tiles of these.
func (a arrayMeaning) field(at *model.Span, c column, text string) model.Meaning {
	m := model.Meaning{Label: c.Name, Text: text, Icon: model.IconOf(c.cells()), Span: at}
	if c.Name == "" {
		m.Label = "(no name)"
	}
	m.More = model.Paged("fragments", int64(len(a.a.fragList)), func(ctx context.Context, i int64) model.Meaning {
		m := fragMeaning{a.a.fragList[i]}.field(ctx, c.Name)
		m.Label = a.fragment(int(i))
		return m
	})
	return m
}

// fragMeaning makes the nodes of a fragment.
type fragMeaning struct{ f *frag }

// field is the files of a field in a fragment.
func (f fragMeaning) field(ctx context.Context, name string) model.Meaning {
	m := model.Meaning{Text: "not in this fragment"}
	if f.f.load(ctx) == nil {
		m.Text = "its metadata cannot be read"
		return m
	}
	for slot := range f.f.slots {
		x := f.f.field(slot)
		if x.Coords || x.Name != name {
			continue
		}
		for part, what := range []string{"values", "strings and lists", "which are missing"} {
			if part == fragment.Fixed && x.Variable() {
				what = "offsets"
			}
			if at := x.file(part).span(); at != nil {
				m.Kids = append(m.Kids, f.file(at, what, x.file(part).name()+".tdb"))
			}
		}
	}
	if len(m.Kids) > 0 {
		m.Text = ""
	}
	return m
}

// file is a file of cells, with its tiles.
func (f fragMeaning) file(at *model.Span, what, file string) model.Meaning {
	t := f.f.a.d.t
	return model.Meaning{Label: what, Text: file, Span: at, More: func(ctx context.Context) (out []model.Meaning, err error) {
		if err := t.Open(ctx, at); err != nil {
			return nil, err
		}
		tiles := at.Get("tiles")
		if tiles == nil {
			return nil, nil
		}
		if err := t.Open(ctx, tiles); err != nil {
			return nil, err
		}
		return model.Paged("tiles", tiles.Count(), func(_ context.Context, k int64) model.Meaning {
			s := tiles.Child(k)
			return model.Meaning{Label: fmt.Sprintf("tile %d", k), Text: model.Thousands(s.Range.Len) + " bytes", Span: s}
		})(ctx)
	}}
}

// fragment names a fragment of the array by its position in writing order.
func (a arrayMeaning) fragment(i int) string {
	if n := len(a.a.fragList); n > 1 {
		return fmt.Sprintf("fragment %s of %s", model.Thousands(int64(i+1)), model.Thousands(int64(n)))
	}
	return "fragment"
}

// clockFrom is the lowest timestamp, in milliseconds, that is taken for a date: programs that number their writes begin with 1.
const clockFrom = 100_000_000_000 // March 1973

// written says when a fragment was written, as a prefix for its other facts; "" if that is unknown.
func (f fragMeaning) written() string {
	if f.f.stamp.from == 0 {
		return ""
	}
	at := func(ms uint64) string {
		if ms < clockFrom {
			return model.Thousands(int64(ms))
		}
		return time.UnixMilli(int64(ms)).UTC().Format("2006-01-02 15:04:05")
	}
	text := "" // a date first: the column is narrow
	if f.f.stamp.from < clockFrom {
		text = "timestamp "
	}
	text += at(f.f.stamp.from)
	if f.f.stamp.to != f.f.stamp.from {
		text += " to " + at(f.f.stamp.to)
	}
	return text + " · "
}
