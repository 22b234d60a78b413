// Package show puts what a document holds into words: the value of a field as it asks for it, the name of a type, a number of bytes for people, and what
// bytes would be as other types. It knows no window.
package show
