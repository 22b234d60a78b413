package model

// Graph is the data flow that a document describes: nodes, and edges along which data goes from one node to the next. It is drawn
// as a picture.
type Graph struct {
	Nodes []GraphNode
	Edges []GraphEdge
	// Omitted is how many nodes and edges are left out of the picture because there are too many.
	Omitted int64
}

// GraphEdge goes from one node to another, by index in Graph.Nodes. Loops and cycles may occur.
type GraphEdge struct {
	From, To int
	Control  bool // no data: only the order of execution
}

// GraphNode is a box in the picture.
type GraphNode struct {
	Label  string // its name
	Detail string // one short line: what it does, its type and shape
	Kind   GraphKind
	Span   *Span   // what defines it
	Also   []Range // other bytes that are its own, such as its name
	Facts  []GraphFact
}

// GraphFact is a property of a node: one of its inputs, outputs or attributes.
type GraphFact struct {
	Part  string // section of the fact: inputs, outputs, attributes; facts of a section are adjacent
	Label string
	Text  string
	At    Range // bytes that state it, or that it is about; empty: none
}

// GraphKind is the role of a node in the flow.
type GraphKind uint8

// The kinds.
const (
	Operation GraphKind = iota
	Input               // given from outside
	Stored              // a value in the file
	Output              // an output
)
