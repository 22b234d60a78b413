// Package schema has the schemas of arrays with their enumerations: what they say (schema.go), how they are read (read.go, enumeration.go, labels.go,
// legacy.go), checked (check*.go) and written (write.go), and what an edit of one does to the cells that there are (consequence.go). A Set is the
// schemas of one array, of which each is read when someone asks for it.
package schema
