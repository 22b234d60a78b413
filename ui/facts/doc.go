// Package facts is the pane with the details of what is selected: its cause, its problems, what the field is, what its bytes would be as other
// types, and the editor of its value.
package facts
