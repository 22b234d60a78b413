package headless

import (
	"bytes"
	"encoding/base64"
	"fmt"
	"os"
	"slices"
	"time"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/ipc"
	"github.com/parquet-go/parquet-go"
	"github.com/parquet-go/parquet-go/format"

	"spandrel/model"
)

// leafOf is a column of a Parquet file: a value, or a list of values, each of which may be missing.
type leafOf struct {
	list    bool
	present int // the level from which on a value is there
	listed  int // the level from which on a list has items
	there   int // the level from which on a list is there
	typ     parquet.Type
}

// parquetSource reads a Parquet file, one row group after the other.
func parquetSource(f *os.File) (*source, error) {
	st, err := f.Stat()
	if err != nil {
		return nil, err
	}
	file, err := parquet.OpenFile(f, st.Size())
	if err != nil {
		return nil, err
	}
	s, leaves := &source{}, []leafOf(nil)
	typed := arrowFieldsOf(file)
	stored := slices.DeleteFunc(slices.Clone(file.Metadata().Schema), func(e format.SchemaElement) bool { return !e.Type.Valid })
	for k, path := range file.Schema().Columns() {
		leaf, ok := file.Schema().Lookup(path...)
		if !ok || leaf.MaxRepetitionLevel > 1 || leaf.MaxRepetitionLevel == 0 && len(path) > 1 {
			return nil, fmt.Errorf("column %q: records and lists of lists are not supported", path[0])
		}
		x := leafOf{list: leaf.MaxRepetitionLevel == 1, present: leaf.MaxDefinitionLevel, typ: leaf.Node.Type()}
		if _, half := stored[k].LogicalType.Value.(*format.Float16Type); half { // the library knows only that it is bytes
			x.typ = float16{x.typ}
		}
		x.listed = x.present
		if leaf.Node.Optional() {
			x.listed--
		}
		x.there = x.listed - 1
		leaves = append(leaves, x)
		unit := unitOfParquet(x.typ)
		if t := typed[path[0]]; unit == nil && t != nil && x.typ.Kind() == parquet.Int64 {
			unit = unitOfArrow(t)
		}
		s.names, s.units = append(s.names, path[0]), append(s.units, unit)
	}
	r := &parquetReader{groups: file.RowGroups(), sizes: file.Metadata().RowGroups, columns: make([]leafReader, len(leaves))}
	for k := range leaves {
		r.columns[k] = leafReader{leafOf: leaves[k], item: itemOfParquet(leaves[k].typ), buf: make([]parquet.Value, 1024)}
	}
	s.next, s.shut = r.next, func() error { r.close(); return f.Close() }
	return s, nil
}

// unitOfParquet is the unit of a time type; nil for other types.
func unitOfParquet(t parquet.Type) *model.Clock {
	switch l := logicalOf(t).(type) {
	case *format.DateType:
		return &model.Clock{Step: 24 * time.Hour}
	case *format.TimestampType:
		if l.Unit.Value != nil {
			return &model.Clock{Step: l.Unit.Value.Duration()}
		}
	}
	return nil
}

// logicalOf is the logical type, as opposed to how it is stored; nil for none.
func logicalOf(t parquet.Type) any {
	if l := t.LogicalType(); l != nil {
		return l.Value
	}
	return nil
}

// arrowFieldsOf are the original Arrow types of a Parquet file's columns, if it states them.
func arrowFieldsOf(file *parquet.File) map[string]arrow.DataType {
	text, _ := file.Lookup("ARROW:schema")
	b, err := base64.StdEncoding.DecodeString(text)
	if err != nil || len(b) == 0 {
		return nil
	}
	r, err := ipc.NewReader(bytes.NewReader(b))
	if err != nil {
		return nil
	}
	out := map[string]arrow.DataType{}
	for _, f := range r.Schema().Fields() {
		out[f.Name] = f.Type
	}
	return out
}
