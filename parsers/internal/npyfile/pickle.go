package npyfile

import (
	"bytes"
	"context"
	"regexp"
	"unicode/utf8"

	"spandrel/model"
)

// Arrays of Python objects are pickles: programs for a stack machine, which are shown and never run (Python's pickletools).

// objects is the type of Python objects, alone or as the type of a field.
var objects = regexp.MustCompile(`^[|<>=]?O\d*$|'[|<>=]?O\d*'`)

// Objects tells whether the type in a header is that of Python objects.
func Objects(typ string) bool { return objects.MatchString(typ) }

// argument is what follows an opcode: lines of text, or a number, which may be the length of data after it.
type argument struct {
	number, value *model.Field
	lines         int
}

func number(codec model.Codec) argument {
	return argument{number: &model.Field{Name: "value", Codec: codec, Fixed: running}}
}

func counted(codec model.Codec, value *model.Field) argument {
	return argument{number: &model.Field{Name: "count", Codec: codec, Fixed: running, Doc: "bytes of the value"}, value: value}
}

const running = "it is part of a program that creates objects: another value makes a different program"

var (
	pickleField = &model.Field{Name: "pickle", Doc: "the objects in Python's pickle format; shown, never run", Values: true}
	instruction = &model.Field{Name: "instruction", Note: opcodeOf}
	opcodeField = &model.Field{Name: "opcode", Codec: model.U8, Note: opcodeOf, Fixed: running} // not a choice: the right value is unknown
	textField   = &model.Field{Name: "value", Codec: model.UTF8, Fixed: running}
	bytesField  = &model.Field{Name: "value", Codec: model.RawBytes, Fixed: running}
	lineField   = &model.Field{Name: "line", Codec: model.RawBytes, Fixed: running}
	nameField   = &model.Field{Name: "name", Codec: model.RawBytes, Fixed: running, Doc: "the name imported from the module on the line before"}

	byte1, byte2, byte4, byte8 = number(model.U8), number(model.U16LE), number(model.U32LE), number(model.U64LE)
	oneLine, twoLines          = argument{lines: 1}, argument{lines: 2}
)

// arguments are the arguments of opcodes that have any.
var arguments = map[byte]argument{
	'F': oneLine, 'I': oneLine, 'L': oneLine, 'P': oneLine, 'S': oneLine, 'V': oneLine, 'g': oneLine, 'p': oneLine,
	'c': twoLines, 'i': twoLines,
	'K': byte1, 'h': byte1, 'q': byte1, 0x80: byte1, 0x82: byte1, 'M': byte2, 0x83: byte2,
	'J': number(model.I32LE), 0x84: number(model.I32LE), 'j': byte4, 'r': byte4, 0x95: byte8, 'G': number(model.F64BE),
	'U': counted(model.U8, bytesField), 'T': counted(model.U32LE, bytesField), 'C': counted(model.U8, bytesField),
	'B': counted(model.U32LE, bytesField), 0x8e: counted(model.U64LE, bytesField), 0x96: counted(model.U64LE, bytesField),
	0x8c: counted(model.U8, textField), 'X': counted(model.U32LE, textField), 0x8d: counted(model.U64LE, textField),
	0x8a: counted(model.U8, bytesField), 0x8b: counted(model.U32LE, bytesField),
}

var opcodes = model.Enum{
	'(': "MARK", '.': "STOP", '0': "POP", '1': "POP_MARK", '2': "DUP", 'F': "FLOAT", 'I': "INT", 'J': "BININT", 'K': "BININT1", 'L': "LONG",
	'M': "BININT2", 'N': "NONE", 'P': "PERSID", 'Q': "BINPERSID", 'R': "REDUCE", 'S': "STRING", 'T': "BINSTRING", 'U': "SHORT_BINSTRING",
	'V': "UNICODE", 'X': "BINUNICODE", 'a': "APPEND", 'b': "BUILD", 'c': "GLOBAL", 'd': "DICT", '}': "EMPTY_DICT", 'e': "APPENDS", 'g': "GET",
	'h': "BINGET", 'i': "INST", 'j': "LONG_BINGET", 'l': "LIST", ']': "EMPTY_LIST", 'o': "OBJ", 'p': "PUT", 'q': "BINPUT", 'r': "LONG_BINPUT",
	's': "SETITEM", 't': "TUPLE", ')': "EMPTY_TUPLE", 'u': "SETITEMS", 'G': "BINFLOAT", 'B': "BINBYTES", 'C': "SHORT_BINBYTES",
	0x80: "PROTO", 0x81: "NEWOBJ", 0x82: "EXT1", 0x83: "EXT2", 0x84: "EXT4", 0x85: "TUPLE1", 0x86: "TUPLE2", 0x87: "TUPLE3", 0x88: "NEWTRUE",
	0x89: "NEWFALSE", 0x8a: "LONG1", 0x8b: "LONG4", 0x8c: "SHORT_BINUNICODE", 0x8d: "BINUNICODE8", 0x8e: "BINBYTES8", 0x8f: "EMPTY_SET",
	0x90: "ADDITEMS", 0x91: "FROZENSET", 0x92: "NEWOBJ_EX", 0x93: "STACK_GLOBAL", 0x94: "MEMOIZE", 0x95: "FRAME", 0x96: "BYTEARRAY8",
	0x97: "NEXT_BUFFER", 0x98: "READONLY_BUFFER",
}

const (
	stop   = '.'
	window = 1 << 16 // bytes that are looked at together
)

// opcodeOf is the name of the opcode at the front of an instruction.
func opcodeOf(ctx context.Context, t *model.Tree, s *model.Span) string {
	b, err := t.Bytes(ctx, model.Range{Space: s.Range.Space, Off: s.Range.Off, Len: 1})
	if err != nil || len(b) == 0 {
		return ""
	}
	return opcodes[uint64(b[0])]
}

// pickle creates spans for the instructions of a pickle, as far as they are valid.
func pickle(c *model.Cursor) *model.Span {
	var end int64 // found when all are read for the first time
	n := c.Sequence(pickleField, instruction, c.Left(), func(c *model.Cursor) {
		b := c.Peek(1)[0]
		if end > 0 && c.Pos() >= end || opcodes[uint64(b)] == "" {
			c.End()
		}
		c.Field(opcodeField)
		arguments[b].read(c)
		if b == stop && c.Skimming() {
			end = c.Pos()
		}
	})
	return n.Span
}

// PickleEnd is where the instructions of a pickle end, and whether the last of them is STOP, which readers require.
func PickleEnd(ctx context.Context, t *model.Tree, s *model.Span) (end int64, stopped bool, err error) {
	if err = t.Open(ctx, s); err != nil {
		return 0, false, err
	}
	end = s.Range.Off
	for i := s.Count() - 1; i >= 0; i-- {
		if k := s.Child(i); k.Field != nil && k.Field.Note != nil { // what follows is no instruction
			return k.Range.End(), opcodeOf(ctx, t, k) == opcodes[stop], ctx.Err()
		}
	}
	return end, false, ctx.Err()
}

// read creates spans for the arguments of an opcode.
func (a argument) read(c *model.Cursor) {
	for i := range a.lines {
		c.FieldN([]*model.Field{lineField, nameField}[i], line(c))
	}
	if a.number == nil {
		return
	}
	n, value := c.Field(a.number), a.value
	if value == textField && !utf8.Valid(c.Peek(min(n.Int(), window))) { // surrogates may stand alone
		value = bytesField
	}
	if value != nil && n.Uint() > 0 {
		c.LengthOf(n, c.FieldN(value, n.Int()))
	}
}

// line is the length of the line at the position, including its end.
func line(c *model.Cursor) (n int64) {
	for n < c.Left() {
		b := c.PeekAt(c.Pos()+n, min(window, c.Left()-n))
		if end := bytes.IndexByte(b, '\n'); end >= 0 {
			return n + int64(end) + 1
		}
		n += int64(len(b))
	}
	return n
}
