// Package facts is the pane with the details of the selection: its cause, its problems, its field, its bytes as other
// types, and the editor of its value.
package facts
