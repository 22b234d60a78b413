package block

import (
	"encoding/binary"
	"fmt"
	"math"
	"strings"

	"spandrel/model"
)

// Kind is how the values of a codec are stored (§3).
type Kind uint8

// The kinds of values.
const (
	Unknown Kind = iota
	I1
	I2
	I4
	I8
	U1
	U2
	U4
	U8
	R4
	R8
	Bool
	Bool2 // two bits a value: false, true, missing
	Text
	TimeSpan
	DateTime
	DateZone
	RowID
	Vector
	Key
)

// LoadNames are the codecs by load name (§3.1), those of old writers among them.
var LoadNames = map[string]Kind{
	"SByte": I1, "Int16": I2, "Int32": I4, "Int64": I8, "Byte": U1, "UInt16": U2, "UInt32": U4, "UInt64": U8,
	"Single": R4, "Double": R8, "Boolean": Bool, "DvBool": Bool2, "TextSpan": Text,
	"TimeSpan": TimeSpan, "DvTimeSpan": TimeSpan, "DateTime": DateTime, "DvDateTime": DateTime,
	"DateTimeOffset": DateZone, "DvDateTimeZone": DateZone, "DataViewRowId": RowID, "RowId": RowID, "UInt128": RowID,
	"VBuffer": Vector, "Key2": Key, "Key": Key,
}

// numbers are the codecs of kinds whose values are numbers.
var numbers = [...]model.Codec{I1: model.I8, I2: model.I16LE, I4: model.I32LE, I8: model.I64LE, U1: model.U8, U2: model.U16LE, U4: model.U32LE, U8: model.U64LE,
	R4: model.F32LE, R8: model.F64LE, TimeSpan: model.I64LE, DateTime: model.I64LE, Key: nil}

// Number is the codec of a single value of a kind that is a number; nil for other kinds.
func (k Kind) Number() model.Codec { return numbers[k] }

// Width is the size of a fixed-width value in bytes, otherwise 0.
func (k Kind) Width() int64 {
	switch c := numbers[k]; {
	case k == RowID:
		return 16
	case c != nil:
		return int64(c.Size())
	}
	return 0
}

// Unsigned tells whether values are unsigned integers, which keys can be.
func (k Kind) Unsigned() bool { return k >= U1 && k <= U8 }

// Codec is a codec definition (§3.1).
type Codec struct {
	Name  string // as it is stored
	Kind  Kind
	Item  *Codec // of a vector or a key
	Dims  []int32
	Size  int64  // of a vector: its fixed length, or 0
	Rank  int64  // as stored
	Count uint64 // of a key: the largest raw value
	Min   uint64 // of a legacy key
	// BadCount means that the count of a key is out of range: Count is then the maximum of its type.
	BadCount bool
	Legacy   bool // its writer had missing numbers and times: the lowest value (§3.9)
	Place
}

// Place is where a codec definition is in its stream.
type Place struct {
	Off, N          int64 // of the definition
	NameAt, NameLen int64
}

// Readable tells whether the values can be decoded.
func (c *Codec) Readable() bool {
	if c == nil || c.Kind == Unknown {
		return false
	}
	return c.Kind < Vector || c.Item.Readable() && (c.Kind == Key || c.Item.Kind != Vector)
}

// Base is the kind of the stored numbers: for a key that of its item, otherwise the kind itself.
func (c *Codec) Base() Kind {
	for c != nil && c.Kind == Key {
		c = c.Item
	}
	if c == nil {
		return Unknown
	}
	return c.Kind
}

// Scalar is the codec of a single value: for vectors that of the items, otherwise the codec itself.
func (c *Codec) Scalar() *Codec {
	if c != nil && c.Kind == Vector {
		return c.Item
	}
	return c
}

// TopKey is the largest value of an unsigned codec.
func (c *Codec) TopKey() uint64 {
	if b := c.Base(); b.Unsigned() {
		return math.MaxUint64 >> (64 - 8*b.Width())
	}
	return math.MaxUint64
}

// String names the type as people know it: Single, Vector<Text, 5>, Key<UInt32, 3>.
func (c *Codec) String() string {
	switch {
	case c == nil:
		return "?"
	case c.Kind == Vector && len(c.Dims) > 0:
		return fmt.Sprintf("Vector<%s, %s>", c.Item, strings.ReplaceAll(strings.Trim(fmt.Sprint(c.Dims), "[]"), " ", "×"))
	case c.Kind == Vector:
		return fmt.Sprintf("Vector<%s>", c.Item)
	case c.Kind == Key:
		return fmt.Sprintf("Key<%s, %d>", c.Item, c.Count)
	}
	return c.Name
}

// Define writes a codec definition with parameters (§3.1).
func Define(loadName string, parameters []byte) []byte {
	out := append(binary.AppendUvarint(nil, uint64(len(loadName))), loadName...)
	return append(binary.AppendUvarint(out, uint64(len(parameters))), parameters...)
}

// DefineVector writes the definition of a one-dimensional vector type; length 0 means variable.
func DefineVector(item []byte, length int64) []byte {
	params := binary.LittleEndian.AppendUint32(append([]byte(nil), item...), 1)
	return Define("VBuffer", binary.LittleEndian.AppendUint32(params, uint32(length)))
}
