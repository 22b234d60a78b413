package scdl

import (
	"encoding/base64"
	"encoding/binary"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/parquet-go/parquet-go"
)

// Arrow keeps its own schema beside that of Parquet: a message of its stream format, in the letters of base64, as a value of the file's
// metadata. Readers of Arrow, the package's among them, read it before anything else, and refuse the whole table where it is damaged.

// arrowKey is the key of that value.
const arrowKey = "ARROW:schema"

// arrowTables are the tables of a schema and their fields (Schema.fbs and Message.fbs of Arrow): how many bytes a number has, a text, a
// table; in brackets a list. A union is behind the number that says what it is.
var arrowTables = map[string][]string{
	"Message": {"2", "1", "header", "8", "[KeyValue]"}, "Schema": {"2", "[Field]", "[KeyValue]", "[8]"}, "KeyValue": {"text", "text"},
	"Field": {"text", "1", "1", "type", "DictionaryEncoding", "[Field]", "[KeyValue]"}, "DictionaryEncoding": {"8", "Int", "1", "2"},
	"Int": {"4", "1"}, "FloatingPoint": {"2"}, "Decimal": {"4", "4", "4"}, "Date": {"2"}, "Time": {"2", "4"}, "Timestamp": {"2", "text"},
	"Interval": {"2"}, "Union": {"2", "[4]"}, "FixedSizeBinary": {"4"}, "FixedSizeList": {"4"}, "Map": {"1"}, "Duration": {"2"},
}

// arrowTypes are the types of columns by their numbers.
var arrowTypes = strings.Fields("none Null Int FloatingPoint Binary Utf8 Bool Decimal Date Time Timestamp Interval List Struct Union FixedSizeBinary " +
	"FixedSizeList Map Duration LargeBinary LargeUtf8 LargeList RunEndEncoded BinaryView Utf8View ListView LargeListView")

// checkArrow tells why readers of Arrow refuse what a file says of its columns in their words; nil where it says nothing.
func checkArrow(f *parquet.File) error {
	text, ok := f.Lookup(arrowKey)
	if !ok {
		return nil
	}
	b, err := base64.StdEncoding.DecodeString(text)
	if err != nil {
		return errors.New("a letter of it is none of those it is written in")
	}
	n := uint32(0)
	if len(b) >= 8 && binary.LittleEndian.Uint32(b) == 0xffffffff { // releases before 0.15 begin with the length
		b = b[4:]
	}
	if len(b) >= 4 {
		n, b = binary.LittleEndian.Uint32(b), b[4:]
	}
	if n == 0 || uint64(n) > uint64(len(b)) {
		return fmt.Errorf("it has %d bytes, and says %d", len(b), n)
	}
	w := &arrowWalk{b: b[:n], body: int64(len(b)) - int64(n)}
	return w.message()
}

// arrowWalk goes through a message as the verifier of FlatBuffers does.
type arrowWalk struct {
	b      []byte
	body   int64 // bytes behind the message
	tables int
}

const (
	maxArrowDepth  = 64
	maxArrowTables = 1 << 20
)

var errArrow = errors.New("an offset of it leads nowhere")

// num reads a number where one may be: inside, and at a multiple of its width.
func (w *arrowWalk) num(at, width int64) (uint64, error) {
	if at < 0 || at > int64(len(w.b))-width || at%width != 0 {
		return 0, errArrow
	}
	var raw [8]byte
	copy(raw[:], w.b[at:at+width])
	return binary.LittleEndian.Uint64(raw[:]), nil
}

// follow is where an offset leads.
func (w *arrowWalk) follow(at int64) (int64, error) {
	off, err := w.num(at, 4)
	if to := at + int64(off); err == nil && off > 0 && off < 1<<31 && to < int64(len(w.b)) {
		return to, nil
	}
	return 0, errArrow
}

func (w *arrowWalk) message() error {
	root, err := w.follow(0)
	if err != nil {
		return err
	}
	numbers, err := w.table(root, "Message", 0)
	if err != nil {
		return err
	}
	if numbers[0] < 3 || numbers[0] > 4 {
		return fmt.Errorf("its version is %d, and readers know 3 and 4", int16(numbers[0]))
	}
	if int64(numbers[3]) < 0 || int64(numbers[3]) > w.body {
		return fmt.Errorf("it says that %d bytes follow", int64(numbers[3]))
	}
	return nil
}

// table goes through a table and what it leads to, and returns its numbers by the fields they are in, and of lists how many there are.
func (w *arrowWalk) table(at int64, name string, depth int) (numbers []uint64, err error) {
	back, err := w.num(at, 4)
	if w.tables++; err != nil || depth > maxArrowDepth || w.tables > maxArrowTables {
		return nil, errArrow
	}
	vtable := at - int64(int32(back))
	size, err := w.num(vtable, 2)
	if err != nil || size%2 != 0 || vtable+int64(size) > int64(len(w.b)) {
		return nil, errArrow
	}
	numbers = make([]uint64, len(arrowTables[name]))
	for i, kind := range arrowTables[name] {
		slot := int64(0)
		if 6+2*uint64(i) <= size { // within what is known to be there
			off, _ := w.num(vtable+4+2*int64(i), 2)
			slot = int64(off)
		}
		if kind == "header" || kind == "type" {
			if kind, err = w.union(kind, numbers[i-1], slot); err != nil {
				return nil, err
			}
		}
		if kind == "[Field]" && slot == 0 && name == "Schema" {
			return nil, errors.New("it lists no columns")
		}
		if slot == 0 {
			continue
		}
		if numbers[i], err = w.field(at+slot, kind, depth); err != nil {
			return nil, err
		}
	}
	return numbers, w.sense(name, numbers)
}

// union names the table that a union is.
func (w *arrowWalk) union(kind string, of uint64, slot int64) (string, error) {
	switch {
	case kind == "header" && of != 1:
		return "", errors.New("it is no schema, but another message")
	case kind == "type" && (of == 0 || of >= uint64(len(arrowTypes))):
		return "", fmt.Errorf("a column is of type %d, which there is not", of)
	case slot == 0:
		return "", errors.New("a column has no type")
	case kind == "header":
		return "Schema", nil
	}
	return arrowTypes[of], nil
}

// field goes through a field of a table.
func (w *arrowWalk) field(at int64, kind string, depth int) (uint64, error) {
	if width := int64(kind[0] - '0'); kind[0] <= '9' {
		return w.num(at, width)
	}
	to, err := w.follow(at)
	if err != nil {
		return 0, err
	}
	inner, isList := strings.CutPrefix(kind, "[")
	if kind != "text" && !isList {
		numbers, err := w.table(to, kind, depth+1)
		if kind == "Schema" || len(numbers) == 0 {
			return 0, err
		}
		return numbers[0], err
	}
	n, err := w.num(to, 4)
	width := int64(1)
	if isList {
		if width = 4; inner[0] <= '9' {
			width = int64(inner[0] - '0')
		}
	}
	end := to + 4 + int64(n)*width
	if err != nil || end > int64(len(w.b)) || !isList && (end == int64(len(w.b)) || w.b[end] != 0) {
		return 0, errArrow
	}
	if isList && inner[0] > '9' {
		err = w.children(to+4, int64(n), strings.TrimSuffix(inner, "]"), depth+1)
	}
	return n, err
}

// children goes through the n tables that a list leads to.
func (w *arrowWalk) children(at, n int64, name string, depth int) error {
	for i := range n {
		child, err := w.follow(at + 4*i)
		if err != nil {
			return err
		}
		if _, err := w.table(child, name, depth); err != nil {
			return err
		}
	}
	return nil
}

// sense tells what no reader takes of a type.
func (w *arrowWalk) sense(name string, numbers []uint64) error {
	switch {
	case name == "Int" && !slices.Contains([]uint64{8, 16, 32, 64}, numbers[0]):
		return fmt.Errorf("a column is of whole numbers of %d bits", int32(numbers[0]))
	case name == "Field" && numbers[5] != 1 && strings.Contains(arrowTypes[numbers[2]], "List"), name == "Field" && numbers[5] != 1 && arrowTypes[numbers[2]] == "Map":
		return fmt.Errorf("a column of lists is one of %d columns", numbers[5])
	}
	return nil
}
