// Package model is the engine of a hex-aware explorer: it knows bytes, spans, links, findings and plans, and no file format.
//
// Five nouns carry everything:
//
//   - A Space is a run of bytes with addresses of its own: a file, or what a Transform computes from other bytes (a block inflated).
//   - A Span is a range of a space with a Field that says what it is. Spans store no values: whoever looks decodes the bytes.
//   - A Link says that one field is derived from other bytes (a length, a count, an offset, a checksum, a copy). The same
//     link checks a file, updates it after an edit, and lets the user navigate.
//   - A Finding is a rule that is violated somewhere: the place, what was found, what was expected. It is data; its repairs are asked
//     for with Tree.Fixes when someone wants them.
//   - A Plan is a set of byte patches from one baseline: the only way in which anything changes.
//
// A Format is a value of functions that create spans over bytes through a Cursor. It declares what files repeat, and the engine does
// it: Prefixed and CountedBy read a number with what it measures, Wrong adds a finding, Try reads ahead, Probe.Each checks many items on all
// cores. Everything that reads has a context and can be cancelled.
//
// Formats are in packages below parsers, the window in ui. This package imports neither: it uses the standard library, x/sys and
// mmap-go only. A test enforces this rule.
package model
