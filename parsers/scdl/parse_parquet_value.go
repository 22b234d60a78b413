package scdl

import (
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"math/big"
	"strconv"
	"strings"
	"time"

	"github.com/parquet-go/parquet-go"
	"github.com/parquet-go/parquet-go/format"

	"spandrel/model"
)

// columnOf describes a column of a Parquet file, with Arrow's names for the types.
func columnOf(c *parquet.Column) model.Column {
	col := model.Column{Name: c.Name(), Type: "group", Kind: model.Text}
	if !c.Leaf() || c.Repeated() {
		if l := c.Type().LogicalType(); l != nil && l.Value != nil {
			col.Type = "list"
		}
		col.Fixed = "lists and records cannot be edited cell by cell"
		return col
	}
	switch l := meaningOf(c).(type) {
	case *format.IntType:
		col.Type, col.Kind = fmt.Sprintf("int%d", l.BitWidth), model.Int
		if !l.IsSigned {
			col.Type, col.Kind = "u"+col.Type, model.Uint
		}
	case *format.StringType, *format.EnumType, *format.JsonType:
		col.Type = "utf8"
	case *format.DateType:
		col.Type = "date32"
	case *format.TimeType:
		col.Type = "time[" + unitOf(l.Unit).name + "]"
	case *format.TimestampType:
		col.Type = "timestamp[" + unitOf(l.Unit).name + "]"
	case *format.DecimalType:
		col.Type = fmt.Sprintf("decimal(%d, %d)", l.Precision, l.Scale)
	default:
		col.Type, col.Kind = physical(c)
	}
	if _, err := typedValue(c, ""); err == errFixed {
		col.Fixed = "values of " + col.Type + " cannot be edited cell by cell"
	}
	return col
}

// meaningOf is the logical type of a column; nil if it has none.
func meaningOf(c *parquet.Column) any {
	if l := c.Type().LogicalType(); l != nil && l.Value != nil {
		return l.Value
	}
	return nil
}

func physical(c *parquet.Column) (string, model.Kind) {
	switch c.Type().Kind() {
	case parquet.Boolean:
		return "bool", model.Bool
	case parquet.Int32:
		return "int32", model.Int
	case parquet.Int64:
		return "int64", model.Int
	case parquet.Int96:
		return "timestamp[ns]", model.Text
	case parquet.Float:
		return "float32", model.Float
	case parquet.Double:
		return "float64", model.Float
	}
	return "binary", model.Text
}

// unit is a unit of time, and how many of it make a second.
type unit struct {
	name string
	per  int64
}

func unitOf(u format.TimeUnit) unit {
	switch u.Value.(type) {
	case *format.MilliSeconds:
		return unit{"ms", 1e3}
	case *format.MicroSeconds:
		return unit{"us", 1e6}
	}
	return unit{"ns", 1e9}
}

func (u unit) time(n int64) time.Time {
	s, rest := n/u.per, n%u.per
	return time.Unix(s, rest*(1e9/u.per)).UTC()
}

func (u unit) of(t time.Time) int64 { return t.Unix()*u.per + int64(t.Nanosecond())/(1e9/u.per) }

const (
	dayForm  = "2006-01-02"
	timeForm = "15:04:05.999999999"
	day      = 24 * 60 * 60
)

// valueOf converts a value of a leaf column according to its logical type.
func valueOf(c *parquet.Column, v parquet.Value) model.Value {
	if v.IsNull() {
		return model.Value{}
	}
	whole := func() int64 {
		if v.Kind() == parquet.Int32 {
			return int64(v.Int32())
		}
		return v.Int64()
	}
	switch l := meaningOf(c).(type) {
	case *format.IntType:
		switch {
		case l.IsSigned:
			return model.I(whole())
		case v.Kind() == parquet.Int32:
			return model.U(uint64(v.Uint32()))
		}
		return model.U(v.Uint64())
	case *format.StringType, *format.EnumType, *format.JsonType:
		return model.S(string(v.ByteArray()))
	case *format.DateType:
		return model.S(time.Unix(whole()*day, 0).UTC().Format(dayForm))
	case *format.TimeType:
		return model.S(unitOf(l.Unit).time(whole()).Format(timeForm))
	case *format.TimestampType:
		zone := ""
		if l.IsAdjustedToUTC {
			zone = "Z"
		}
		return model.S(unitOf(l.Unit).time(whole()).Format(dayForm+"T"+timeForm) + zone)
	case *format.DecimalType:
		return model.S(decimal(v, l.Scale))
	}
	switch v.Kind() {
	case parquet.Boolean:
		return model.B(v.Boolean())
	case parquet.Int32, parquet.Int64:
		return model.I(whole())
	case parquet.Int96: // nanoseconds of the day, then the Julian day
		n := v.Int96()
		return model.S(time.Unix((int64(n[2])-2440588)*day, int64(n[1])<<32|int64(n[0])).UTC().Format(dayForm + "T" + timeForm))
	case parquet.Float:
		return model.F(float64(v.Float()))
	case parquet.Double:
		return model.F(v.Double())
	}
	return model.S(base64.StdEncoding.EncodeToString(v.ByteArray()))
}

// decimal formats a decimal number with scale digits after the point.
func decimal(v parquet.Value, scale int32) string {
	n := new(big.Int)
	switch v.Kind() {
	case parquet.Int32:
		n.SetInt64(int64(v.Int32()))
	case parquet.Int64:
		n.SetInt64(v.Int64())
	default: // two's complement, big-endian
		b := v.ByteArray()
		if n.SetBytes(b); len(b) > 0 && b[0]&0x80 != 0 {
			n.Sub(n, new(big.Int).Lsh(big.NewInt(1), uint(8*len(b))))
		}
	}
	if scale < 0 || scale > 1000 {
		return n.String()
	}
	return new(big.Rat).SetFrac(n, new(big.Int).Exp(big.NewInt(10), big.NewInt(int64(scale)), nil)).FloatString(int(scale))
}

// cellOf makes a table cell from the values of a column in one row; lists and records are assembled from their leaves, as JSON.
func cellOf(c *parquet.Column, values parquet.Row) (cell model.Cell) {
	if c.Leaf() && !c.Repeated() {
		cell.Value = valueOf(c, values[0])
		return cell
	}
	leaves := leavesOf(c)
	parts := make([]parquet.Row, len(leaves))
	for i, l := range leaves {
		for len(values) > 0 && values[0].Column() == l.Index() {
			parts[i], values = append(parts[i], values[0]), values[1:]
		}
	}
	if v := assembled(c, parts); v != nil {
		if b, err := json.Marshal(v); err == nil {
			cell.Value = model.S(string(b))
		}
	}
	return cell
}

// assembled combines the values of a column's leaves into one value, list or record; nil if it is null.
func assembled(c *parquet.Column, parts []parquet.Row) any {
	if len(parts) == 0 || len(parts[0]) == 0 || parts[0][0].DefinitionLevel() < c.MaxDefinitionLevel() {
		if c.Repeated() {
			return []any{}
		}
		return nil
	}
	if !c.Repeated() {
		return content(c, parts)
	}
	list := []any{}
	for len(parts[0]) > 0 {
		one := make([]parquet.Row, len(parts))
		for i, p := range parts {
			n := min(1, len(p))
			for n < len(p) && p[n].RepetitionLevel() > c.MaxRepetitionLevel() {
				n++
			}
			one[i], parts[i] = p[:n], p[n:]
		}
		list = append(list, content(c, one))
	}
	return list
}

// content is one item of a column: a value, a record, or the content of a list's wrapper.
func content(c *parquet.Column, parts []parquet.Row) any {
	if c.Leaf() {
		return valueOf(c, parts[0][0]).JSON()
	}
	record := map[string]any{}
	for _, k := range c.Columns() {
		n := len(leavesOf(k))
		v := assembled(k, parts[:n])
		parts = parts[n:]
		if len(c.Columns()) == 1 && (c.Repeated() || meaningOf(c) != nil) {
			return v
		}
		record[k.Name()] = v
	}
	return record
}

var errFixed = errors.New("text cannot be converted to this type")

// typedValue parses a value of a column from text; errFixed if the type does not allow that.
func typedValue(c *parquet.Column, text string) (parquet.Value, error) {
	whole := func(n int64) parquet.Value {
		if c.Type().Kind() == parquet.Int32 {
			return parquet.Int32Value(int32(n))
		}
		return parquet.Int64Value(n)
	}
	timed := func(form string, u unit) (parquet.Value, error) {
		t, err := time.Parse(form, strings.Replace(text, " ", "T", 1))
		if form == timeForm {
			t = t.AddDate(1970, 0, 0)
		}
		return whole(u.of(t)), err
	}
	switch l := meaningOf(c).(type) {
	case *format.StringType, *format.EnumType, *format.JsonType:
		return parquet.ByteArrayValue([]byte(text)), nil
	case *format.IntType:
		if !l.IsSigned {
			n, err := strconv.ParseUint(text, 10, int(l.BitWidth))
			return whole(int64(n)), err
		}
		n, err := strconv.ParseInt(text, 10, int(l.BitWidth))
		return whole(n), err
	case *format.DateType:
		t, err := time.Parse(dayForm, text)
		return whole(t.Unix() / day), err
	case *format.TimeType:
		return timed(timeForm, unitOf(l.Unit))
	case *format.TimestampType:
		if l.IsAdjustedToUTC {
			return timed(dayForm+"T"+timeForm+"Z", unitOf(l.Unit))
		}
		return timed(dayForm+"T"+timeForm, unitOf(l.Unit))
	case nil:
		return parsePlain(c.Type(), text, whole)
	}
	return parquet.Value{}, errFixed
}

func parsePlain(of parquet.Type, text string, whole func(int64) parquet.Value) (parquet.Value, error) {
	switch of.Kind() {
	case parquet.Boolean:
		b, err := strconv.ParseBool(text)
		return parquet.BooleanValue(b), err
	case parquet.Int32, parquet.Int64:
		n, err := strconv.ParseInt(text, 10, map[parquet.Kind]int{parquet.Int32: 32, parquet.Int64: 64}[of.Kind()])
		return whole(n), err
	case parquet.Float:
		n, err := strconv.ParseFloat(text, 32)
		return parquet.FloatValue(float32(n)), err
	case parquet.Double:
		n, err := strconv.ParseFloat(text, 64)
		return parquet.DoubleValue(n), err
	case parquet.ByteArray:
		b, err := base64.StdEncoding.DecodeString(text)
		return parquet.ByteArrayValue(b), err
	}
	return parquet.Value{}, errFixed
}
