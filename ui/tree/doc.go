// Package tree is the panes that lead to fields: the tree of the bytes in their order, the outline of what the document means with a switch
// between the two, and the picture of a graph.
package tree
