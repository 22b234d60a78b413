// Package align finds how the bytes of two documents stand beside each other, although some were inserted or removed: the comparison lists
// it, and the panes of bytes and of changes are drawn by it.
package align
