// Package schema handles the schemas of arrays with their enumerations: their content (schema.go), how they are read (read.go, enumeration.go, labels.go,
// legacy.go), checked (check*.go) and written (write.go), and the effect of an edit on existing cells (consequence.go). A Set is the
// schemas of one array, each read on demand.
package schema
