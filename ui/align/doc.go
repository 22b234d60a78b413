// Package align finds how the bytes of two documents correspond, even if some were inserted or removed: the comparison lists
// the differences, and the panes of bytes and changes are drawn with them.
package align
