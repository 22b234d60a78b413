package model

// Graph is what flows where in a document: its nodes, and edges along which data goes from one node to the next. It is drawn
// as a picture.
type Graph struct {
	Nodes []GraphNode
	Edges []GraphEdge
	// Omitted is how many nodes and edges are not in the picture, because there are too many.
	Omitted int64
}

// GraphEdge goes from one node to another, by their places in Graph.Nodes. An edge to the node itself, and a circle, may occur.
type GraphEdge struct {
	From, To int
	Control  bool // nothing flows: it only says that one runs before the other
}

// GraphNode is a box of the picture.
type GraphNode struct {
	Label  string // its name
	Detail string // one short line: what it does, its type and shape
	Kind   GraphKind
	Span   *Span   // what defines it
	Also   []Range // other bytes that are its own, such as its name
	Facts  []GraphFact
}

// GraphFact is something that is known of a node: one of its inputs, of its outputs, of its attributes.
type GraphFact struct {
	Part  string // what the fact is a part of: inputs, outputs, attributes; facts of a part follow each other
	Label string
	Text  string
	At    Range // what says so, or what it is about; no bytes where that is nowhere
}

// GraphKind is what part a node has in the flow.
type GraphKind uint8

// The kinds.
const (
	Operation GraphKind = iota
	Input               // given from outside
	Stored              // a value that the file holds
	Output              // what comes out
)
