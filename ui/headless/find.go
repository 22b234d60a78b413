package headless

import (
	"bytes"
	"encoding/binary"
	"encoding/hex"
	"errors"
	"flag"
	"fmt"
	"strings"

	"spandrel/model"
)

// types are the values of --number: types as in dumps, followed by be or le if they have a byte order.
var types = map[string]model.Codec{
	"u8": model.U8, "i8": model.I8, "u16le": model.U16LE, "u16be": model.U16BE, "i16le": model.I16LE, "i16be": model.I16BE, "u32le": model.U32LE, "u32be": model.U32BE,
	"i32le": model.I32LE, "i32be": model.I32BE, "u64le": model.U64LE, "u64be": model.U64BE, "i64le": model.I64LE, "i64be": model.I64BE,
	"f16le": model.F16LE, "f16be": model.F16BE, "f32le": model.F32LE, "f32be": model.F32BE, "f64le": model.F64LE, "f64be": model.F64BE,
}

// finder is what `find` looks for and where.
type finder struct {
	bytes, text, utf16, regexp, field, ignore, decoded bool
	number                                             string
	most                                               int
}

func find(f *flag.FlagSet, c *call) func() (int, error) {
	var o finder
	f.BoolVar(&o.bytes, "bytes", false, "WHAT is hexadecimal; ?? is any byte")
	f.BoolVar(&o.text, "text", false, "WHAT is UTF-8 text (the default)")
	f.BoolVar(&o.utf16, "utf16", false, "WHAT is text, found as UTF-16 in both byte orders")
	f.BoolVar(&o.regexp, "regexp", false, "WHAT is a regular expression")
	f.BoolVar(&o.field, "field", false, "WHAT is the path of a field, or in its name or value")
	f.StringVar(&o.number, "number", "", "WHAT is a number of this `type`: u32le, f64be …; without a byte order, both are tried")
	f.BoolVar(&o.ignore, "ignore-case", false, "ignore case")
	f.BoolVar(&o.decoded, "decoded", false, "also search compressed and encoded content")
	number(f, &o.most, "most", 10000, "maximum number of hits")
	return func() (int, error) {
		queries, err := o.queries(c.args[1])
		if err != nil {
			return Failed, err
		}
		d, err := c.open(c.args[0])
		if err != nil {
			return Failed, err
		}
		hits := 0
		if o.field {
			err = o.named(c, d, &hits)
		} else {
			err = o.search(c, d, queries, &hits)
		}
		if errors.Is(err, errEnough) {
			err = c.aside("note", fmt.Sprintf("there are more than %d hits: --most shows more", o.most))
		}
		if err != nil {
			return Failed, err
		}
		if hits == 0 {
			return Found, nil
		}
		return Done, nil
	}
}

// queries are the queries for WHAT, according to the flags.
func (o *finder) queries(what string) ([]model.Query, error) {
	one := func(q model.Query, err error) ([]model.Query, error) { return []model.Query{q}, err }
	switch {
	case o.field:
		return nil, nil
	case o.bytes:
		return one(model.HexQuery(what))
	case o.regexp:
		if o.ignore {
			what = "(?i)" + what
		}
		return one(model.RegexpQuery(what))
	case o.utf16:
		return []model.Query{model.UTF16Query(what, binary.LittleEndian), model.UTF16Query(what, binary.BigEndian)}, nil
	case o.number != "":
		var out []model.Query
		for _, order := range []string{"", "le", "be"} {
			if c := types[strings.ToLower(o.number)+order]; c != nil {
				q, err := model.ValueQuery(c, what)
				if err != nil {
					return nil, err
				}
				out = append(out, q)
			}
		}
		if out == nil {
			return nil, fmt.Errorf("--number %s: u8 to u64, i8 to i64 or f16 to f64, optionally followed by le or be", o.number)
		}
		return out, nil
	}
	return one(model.TextQuery(what, o.ignore), nil)
}

// errEnough ends a search that has found as many hits as were asked for.
var errEnough = errors.New("enough hits")

// search searches the spaces: the files, and with decoded also what is decoded from them.
func (o *finder) search(c *call, d *model.Document, queries []model.Query, hits *int) error {
	if o.decoded {
		if err := d.Tree.OpenAll(c.ctx, d.Tree.Root); err != nil {
			return err
		}
	}
	for _, sp := range d.Tree.Spaces() {
		if sp.Derived() && !o.decoded {
			continue
		}
		var failed error
		err := d.Tree.SearchAll(c.ctx, sp.ID, queries, false, nil, func(r model.Range) bool {
			failed = o.hit(c, d, r, d.Tree.At(r.Space, r.Off), hits)
			return failed == nil
		})
		if failed != nil {
			return failed
		}
		if err != nil && (!sp.Derived() || c.ctx.Err() != nil) {
			return err
		}
	}
	return nil
}

// named prints the field that the text names, by its path, and then those whose name or value contains it.
func (o *finder) named(c *call, d *model.Document, hits *int) error {
	if s, err := d.Tree.Find(c.ctx, c.args[1]); err == nil && s.Parent() != nil && !o.has(s.Name(), c.args[1]) {
		if err := o.hit(c, d, s.Range, s, hits); err != nil {
			return err
		}
	}
	return o.fields(c, d, d.Tree.Root, hits)
}

// fields prints the fields whose name or value contains the text.
func (o *finder) fields(c *call, d *model.Document, s *model.Span, hits *int) error {
	if err := c.ctx.Err(); err != nil {
		return err
	}
	if d.Tree.Open(c.ctx, s) != nil {
		return c.ctx.Err()
	}
	has := func(text string) bool { return o.has(text, c.args[1]) }
	value := ""
	if s.Shape == model.Leaf && s.Range.Len <= model.MaxValue {
		if v, err := d.Tree.Value(c.ctx, s); err == nil {
			value = s.Field.Text(v)
		}
	}
	if s.Parent() != nil && (has(s.Name()) || has(value)) {
		if err := o.hit(c, d, s.Range, s, hits); err != nil {
			return err
		}
	}
	n, err := o.elements(c, d, s, hits)
	for i := n; i < s.Count() && err == nil; i++ {
		err = o.fields(c, d, s.Child(i), hits)
	}
	return err
}

// elements prints the elements of an array whose value or index contains the text, and returns how many were examined. Long arrays
// mostly repeat values.
func (o *finder) elements(c *call, d *model.Document, s *model.Span, hits *int) (int64, error) {
	what := c.args[1]
	numbered := strings.Trim(what, "[0123456789]") == ""
	var last []byte
	var found bool
	return d.Tree.Elements(c.ctx, s, func(i int64, f *model.Field, b []byte) error {
		if last == nil || !bytes.Equal(b, last) {
			v, _, err := f.Codec.Decode(b)
			found, last = o.has("", what) || err == nil && o.has(f.Text(v), what), append(last[:0], b...)
		}
		if found || numbered && strings.Contains(fmt.Sprintf("[%d]", i), what) {
			k := s.Child(i)
			return o.hit(c, d, k.Range, k, hits)
		}
		return nil
	})
}

// has tells whether a text contains what is searched for.
func (o *finder) has(text, want string) bool {
	if o.ignore {
		return strings.Contains(strings.ToLower(text), strings.ToLower(want))
	}
	return strings.Contains(text, want)
}

// hit prints a hit.
func (o *finder) hit(c *call, d *model.Document, r model.Range, s *model.Span, hits *int) error {
	if *hits++; *hits > o.most {
		return errEnough
	}
	path, space := "", "file"
	if s != nil {
		path = s.Path()
	}
	if sp := d.Tree.Space(r.Space); sp != nil && sp.Derived() {
		space = sp.Name()
	}
	b, err := d.Tree.Bytes(c.ctx, model.Range{Space: r.Space, Off: r.Off, Len: min(r.Len, 32)})
	if err != nil {
		return err
	}
	data := map[string]any{"kind": "hit", "document": c.args[0], "file": d.Tree.FileName(r), "space": space, "offset": r.Off, "length": r.Len, "path": path, "bytes": hex.EncodeToString(b)}
	return c.either(data, "%s\t%s\t0x%x\t%d\t%s", d.Tree.FileName(r), space, r.Off, r.Len, path)
}
