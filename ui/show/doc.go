// Package show puts the content of a document into words: the value of a field, the name of a type, a number of bytes, and
// bytes as other types. It knows no window.
package show
