// Package bytes is the pane that shows the bytes of an address space: offsets, digits, text, with an overview map, tabs for the spaces visited
// so far, editing by typing, and a second pane for the other document of a comparison.
package bytes
