// Package table is the pane that shows the tables of a document: rows read in pages, sorted and filtered, edited cell by cell, exported, and
// column statistics.
package table
