package flat

import (
	"fmt"
	"strings"
	"sync"

	"spandrel/model"
)

// The FlatBuffers schema of SameDiff (section 3.3): a table per line, fields in the order of their ids. A type in brackets is a
// vector; a name of a table is an offset to one; [i8] and [u8] are raw bytes. A name with @ is the form of an older generation
// (section 1.7), which it replaces there; "@S1-" and "@S2-" are nodes without properties,
// "@D" those of October to December 2018, "@S0-" those before 2017-09-21.
const schemaText = `
ModelContainer: header ContainerHeader, sections [SectionHeader], metadata MetadataSection, graph FlatGraph, arrays ArraysSection,
	shard_info ShardInfo
ContainerHeader: format_version i32, section_count i32, checksum i64
MetadataEntry: key str, value str
MetadataSection: entries [MetadataEntry]
ShardInfo: shard_index i32, shard_count i32, shard_type str, base_filename str
SectionHeader: type SectionType, size i64, compression CompressionType, offset i64, checksum i64
ArrayEntry: variable_name str, array FlatArray
ArraysSection: arrays [ArrayEntry]
FlatGraph: id i64, variables [FlatVariable], nodes [FlatNode], outputs [IntPair], configuration FlatConfiguration, placeholders [str],
	lossVariables [str], trainingConfig str, updaterState [UpdaterState], metadataKeys [str], metadataValues [str],
	subInstances [SameDiffSubInstance]
FlatGraph@S0: id i32, variables [FlatVariable], nodes [FlatNode], outputs [i32], configuration FlatConfiguration
FlatVariable: id IntPair, name str, dtype DType, shape [i64], ndarray FlatArray, device i32, variabletype VarType, controlDeps [str],
	controlDepForOp [str], controlDepsForVar [str]
FlatVariable@S0: id i32, name str, shape [i32], values [f32], device i32
FlatVariable@S1: id IntPair, name str, shape [i32], ndarray FlatArray, device i32
FlatVariable@S2: id IntPair, name str, shape [i64], ndarray FlatArray, device i32
FlatArray: shape [i64], buffer [i8], dtype DType, byteOrder ByteOrder, bufferChunks [BufferChunk], totalBufferSize i64,
	externalDataFilename [str], isExternal bool, appendedDataOffset i64, appendedDataLength i64
FlatArray@S1: shape [i32], buffer [i8], dtype DType, byteOrder ByteOrder
BufferChunk: index i64, data [i8]
FlatNode: id i32, name str, opType OpType, opNum i64, properties [FlatProperties], input [i32], inputPaired [IntPair], output [i32],
	extraParams [f64], extraInteger [i64], extraBools [bool], dimensions [i32], device i32, scopeId i32, scopeName str, outputNames [str],
	opName str, outputTypes [DType], scalar FlatArray, controlDeps [str], varControlDeps [str], controlDepFor [str], extraTypes [DType],
	extraStrings [str]
FlatNode@S2: id i32, name str, opType OpType, opNum i64, properties [FlatProperties], input [i32], inputPaired [IntPair], dataType DType,
	output [i32], extraParams [f64], extraInteger [i64], dimensions [i32], device i32, scalar f32, scope_id i32, scope_name str,
	outputNames [str], opName str
FlatNode@D: id i32, name str, opType OpType, opNum i64, properties [FlatProperties], input [i32], inputPaired [IntPair], output [i32],
	extraParams [f64], extraInteger [i64], extraBools [bool], dimensions [i32], device i32, scalar f32, scope_id i32, scope_name str,
	outputNames [str], opName str
FlatNode@S0-: id i32, name str, opType OpType, opNum i16, input [i32], dataType DType, output [i32], extraParams [f32],
	extraInteger [i32], dimensions [i32], device i32, scalar f32
FlatNode@S2-: id i32, name str, opType OpType, opNum i64, input [i32], inputPaired [IntPair], dataType DType, output [i32],
	extraParams [f64], extraInteger [i64], dimensions [i32], device i32, scalar f32, scope_id i32, scope_name str, outputNames [str]
FlatNode@S1: id i32, name str, opType OpType, opNum i64, properties [FlatProperties], input [i32], inputPaired [IntPair], dataType DType,
	output [i32], extraParams [f32], extraInteger [i32], dimensions [i32], device i32, scalar f32, scope_id i32, scope_name str,
	outputNames [str]
FlatNode@S1-: id i32, name str, opType OpType, opNum i64, input [i32], inputPaired [IntPair], dataType DType, output [i32],
	extraParams [f32], extraInteger [i32], dimensions [i32], device i32, scalar f32, scope_id i32, scope_name str, outputNames [str]
FlatProperties: name str, i [i32], l [i64], d [f64], a [FlatArray], b [bool], s [str], shape [i32]
UpdaterState: paramName str, updaterStateKeys [str], updaterStateValues [FlatArray]
SameDiffSubInstance: name str, serializedData [u8]
FlatConfiguration: id i64, executionMode ExecutionMode, profilingMode ProfilingMode, outputMode OutputMode, timestats bool,
	footprintForward i64, footprintBackward i64, direction Direction
FlatConfiguration@S0: id i32, executionMode ExecutionMode, profilingMode ProfilingMode, outputMode OutputMode, timestats bool,
	footprintForward i64, footprintBackward i64, direction Direction
IntPair: first i32, second i32`

// Slots that the program reads by number. They are those of generation S3 and later.
const (
	graphID, GraphVariables, GraphNodes, GraphOutputs, graphConfiguration, GraphPlaceholders = 0, 1, 2, 3, 4, 5
	GraphLoss, GraphTraining, GraphUpdater, GraphKeys, GraphValues, GraphSubs                = 6, 7, 8, 9, 10, 11

	VarID, VarName, VarType, VarShape, VarArray, VarDevice, VarKind = 0, 1, 2, 3, 4, 5, 6
	VarDeps, VarDepForOp, VarDepsForVar                             = 7, 8, 9

	ArrShape, ArrBuffer, ArrType, ArrOrder, ArrChunks, ArrTotal   = 0, 1, 2, 3, 4, 5
	ArrFiles, ArrExternal, ArrAppendedOffset, ArrAppendedLength   = 6, 7, 8, 9
	NodeID, NodeName, NodeOpType, NodeOpNum, nodeProps, NodeInput = 0, 1, 2, 3, 4, 5
	NodePaired, nodeOutput, NodeScopeID, NodeScope, NodeOutputs   = 6, 7, 13, 14, 15
	NodeOpName, NodeOutputTypes, nodeScalar                       = 16, 17, 18
	NodeFloats, NodeInts                                          = 8, 9
	NodeDeps, NodeVarDeps, NodeDepFor                             = 19, 20, 21
)

// Enums are the enumerations of section 3.4; all are i8.
var Enums = map[string]model.Enum{
	"SectionType":     enum(0, "HEADER METADATA GRAPH ARRAYS SHARD_INFO"),
	"CompressionType": enum(0, "NONE DEFLATE ZSTD"),
	"DType": enum(0, `INHERIT BOOL FLOAT8 HALF HALF2 FLOAT DOUBLE INT8 INT16 INT32 INT64 UINT8 UINT16 UINT32 UINT64 QINT8
		QINT16 BFLOAT16`, 50, "UTF8 UTF16 UTF32", 100, "ANY", 200, "AUTO"),
	"ByteOrder": enum(0, "LE BE"),
	"VarType":   enum(0, "VARIABLE CONSTANT ARRAY PLACEHOLDER SEQUENCE"),
	"OpType": enum(0, `TRANSFORM_FLOAT TRANSFORM_SAME TRANSFORM_BOOL TRANSFORM_STRICT TRANSFORM_ANY REDUCE_FLOAT REDUCE_SAME
		REDUCE_LONG REDUCE_BOOL INDEX_REDUCE SCALAR SCALAR_BOOL BROADCAST BROADCAST_BOOL PAIRWISE PAIRWISE_BOOL REDUCE_3
		SUMMARYSTATS SHAPE AGGREGATION RANDOM CUSTOM GRAPH`, 40, "VARIABLE", 60, "BOOLEAN", 119, "LOGIC UDF"),
	"OpTypeB": enum(0, `TRANSFORM ACCUMULATION INDEX_ACCUMULATION SCALAR BROADCAST PAIRWISE ACCUMULATION3 SUMMARYSTATS SHAPE
		AGGREGATION RANDOM CUSTOM GRAPH`, 30, "VARIABLE", 40, "BOOLEAN", 119, "LOGIC"),
	"OpTypeB-": enum(0, `TRANSFORM ACCUMULATION INDEX_ACCUMULATION SCALAR BROADCAST PAIRWISE ACCUMULATION3 SUMMARYSTATS SHAPE
		AGGREGATION CUSTOM GRAPH`, 30, "VARIABLE", 40, "BOOLEAN", 119, "LOGIC"),
	"OpTypeC": enum(0, `TRANSFORM_FLOAT TRANSFORM_SAME TRANSFORM_BOOL TRANSFORM_STRICT REDUCE_FLOAT REDUCE_SAME REDUCE_LONG REDUCE_BOOL
		INDEX_REDUCE SCALAR BROADCAST PAIRWISE REDUCE_3 SUMMARYSTATS SHAPE AGGREGATION RANDOM CUSTOM GRAPH`,
		30, "VARIABLE", 40, "BOOLEAN", 119, "LOGIC"),
	"OpTypeD": enum(0, `TRANSFORM_FLOAT TRANSFORM_SAME TRANSFORM_BOOL TRANSFORM_STRICT REDUCE_FLOAT REDUCE_SAME REDUCE_LONG REDUCE_BOOL
		INDEX_REDUCE SCALAR SCALAR_BOOL BROADCAST BROADCAST_BOOL PAIRWISE PAIRWISE_BOOL REDUCE_3 SUMMARYSTATS SHAPE AGGREGATION RANDOM CUSTOM
		GRAPH`, 30, "VARIABLE", 40, "BOOLEAN", 119, "LOGIC"),
	"ExecutionMode": enum(0, "SEQUENTIAL STRICT AUTO"),
	"ProfilingMode": enum(0, "NONE NAN_PANIC INF_PANIC ANY_PANIC"),
	"OutputMode":    enum(0, "IMPLICIT EXPLICIT EXPLICIT_AND_IMPLICIT VARIABLE_SPACE OPTIMIZED"),
	"Direction":     enum(0, "FORWARD_ONLY FORWARD_AND_BACKWARD BACKWARD_ONLY"),
}

// enum makes an enumeration of runs: a first number followed by names.
func enum(runs ...any) model.Enum {
	e := model.Enum{}
	for i := 0; i < len(runs); i += 2 {
		for k, name := range strings.Fields(runs[i+1].(string)) {
			e[uint64(runs[i].(int)+k)] = name
		}
	}
	return e
}

// Slot is a field of a table.
type Slot struct {
	Name  string
	Vec   bool
	Str   bool   // a string, or a vector of them
	raw   bool   // a vector of raw bytes
	Bool  bool   // a truth value in the table
	table *Table // an offset to one, or a vector of them
	Width int64  // of the value inside the table, or of a vector's element
	Enum  model.Enum
	leaf  *model.Field // what is in the table: the value, or the offset
	elem  *model.Field // an element of the vector
}

// IsOffset tells whether the table holds an offset to the value.
func (s *Slot) IsOffset() bool { return s.Vec || s.Str || s.table != nil }

// Table is the target of the table's offset, or of those of the vector; nil for anything else.
func (s *Slot) Table() *Table { return s.table }

// element is a field like the elements of a vector.
func (s *Slot) element() *Slot {
	one := *s
	one.Vec = false
	return &one
}

// kind is what the offset leads to.
func (s *Slot) kind() objectKind {
	switch {
	case !s.Vec && s.Str:
		return StringObject
	case !s.Vec:
		return TableObject
	case s.Str || s.table != nil:
		return OffsetsObject
	case s.raw:
		return RawObject
	}
	return VectorObject
}

// inline is the width of the value in the table.
func (s *Slot) inline() int64 {
	if s.IsOffset() {
		return 4
	}
	return s.Width
}

// Table is a table of the schema.
type Table struct {
	Name  string
	Slots []Slot
}

var codecs = map[string]model.Codec{"i8": model.I8, "u8": model.U8, "bool": model.U8, "i16": model.I16LE, "i32": model.I32LE,
	"i64": model.I64LE,
	"f32": model.F32LE, "f64": model.F64LE}

// forms are the lines of the schema by the names of tables, with their generation.
var forms = func() map[string]string {
	lines := map[string]string{}
	all := strings.ReplaceAll(strings.TrimSpace(schemaText), "\n\t", " ") // an indented line continues the previous one
	for _, l := range strings.Split(all, "\n") {
		name, fields, _ := strings.Cut(l, ": ")
		lines[name] = fields
	}
	return lines
}()

// schema identifies the tables of a generation: the form of its nodes, that of all other tables, and its list of operations.
type schema struct{ node, other, ops string }

var (
	schemas   = map[schema]map[string]*Table{}
	schemasMu sync.Mutex
)

// tables returns the tables of a generation.
func (x schema) tables() map[string]*Table {
	schemasMu.Lock()
	defer schemasMu.Unlock()
	if t := schemas[x]; t != nil {
		return t
	}
	tables := map[string]*Table{}
	for name := range forms {
		if base, _, old := strings.Cut(name, "@"); !old {
			tables[base] = &Table{Name: base}
		}
	}
	for name, t := range tables {
		form := x.other
		if name == "FlatNode" {
			form = x.node
		}
		fields, ok := forms[name+"@"+form]
		if !ok {
			fields = forms[name]
		}
		t.Slots = slots(strings.ReplaceAll(fields, "opType OpType", "opType OpType"+x.ops), tables)
	}
	schemas[x] = tables
	return tables
}

func slots(fields string, tables map[string]*Table) []Slot {
	var out []Slot
	for i, f := range strings.Split(fields, ", ") {
		name, kind, _ := strings.Cut(f, " ")
		s := Slot{Name: name}
		if in, ok := strings.CutPrefix(kind, "["); ok {
			kind, s.Vec = strings.TrimSuffix(in, "]"), true
		}
		ref := fmt.Sprintf("3.3, field %d", i)
		s.elem = &model.Field{Name: "elem", Ref: ref}
		switch {
		case kind == "str":
			s.Str, s.Width = true, 4
		case tables[kind] != nil:
			s.table, s.Width = tables[kind], 4
		case Enums[kind] != nil:
			s.Enum, s.elem.Codec, s.elem.Enum = Enums[kind], model.I8, Enums[kind]
		default:
			s.elem.Codec = codecs[kind]
			s.Bool = kind == "bool" && !s.Vec
			s.raw = s.Vec && s.elem.Codec.Size() == 1 && kind != "bool"
		}
		if s.elem.Codec != nil {
			s.Width = int64(s.elem.Codec.Size())
		}
		s.leaf = &model.Field{Name: name, Ref: ref, Codec: s.elem.Codec, Enum: s.Enum}
		if s.IsOffset() {
			s.leaf = &model.Field{Name: name, Ref: ref, Codec: model.U32LE, Doc: "offset to " + kind + ", from here", Fixed: fixedOffset,
				Target: target}
		}
		out = append(out, s)
	}
	return out
}

const fixedOffset = "an offset is computed from the position of its target"
