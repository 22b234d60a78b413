// Package model is the engine of a hex-aware explorer: it knows bytes, spans, links, findings and plans, and no file format.
//
// Five nouns carry everything:
//
//   - A Space is a run of bytes with addresses of its own: a file, or what a Transform makes of other bytes (a block inflated).
//   - A Span is a range of a space with a Field that says what it is. Spans hold no values: whoever looks decodes the bytes.
//   - A Link says that one field is derived from other bytes (a length, a count, an offset, a checksum, a copy). The same
//     link checks a file, lays it out again after an edit, and is what the user follows from one place to another.
//   - A Finding is a rule that does not hold somewhere: where, what was found, what was expected. It is data; its repairs are asked
//     for with Tree.Fixes when someone wants them.
//   - A Plan is a set of byte patches from one baseline: the only road by which anything changes.
//
// A Format is a value of functions that lay spans over bytes through a Cursor. It declares what files repeat, and the engine does
// it: Prefixed and Counted read a number with what it measures, Wrong reports, Try reads ahead, Probe.Each checks many items on all
// cores. Everything that reads has a context and can be cancelled.
//
// Formats live in packages below parsers, the window in ui. This package imports neither: it uses the standard library, x/sys and
// mmap-go only. A test keeps this rule.
package model
