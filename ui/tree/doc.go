// Package tree is the panes that lead to fields: the tree of bytes, the logical view with a switch
// between the two, and the picture of a graph.
package tree
