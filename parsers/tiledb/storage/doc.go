// Package storage reads and writes the building blocks of TileDB's files: generic tiles with their header, filter pipeline and chunks
// (tile.go, header.go, pipeline.go), the values of its datatypes (value.go), counted lists and texts (cursor.go). It knows no schema.
package storage
