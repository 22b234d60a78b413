// Package cause finds out what happened to a damaged file and how to undo it. It knows no format: hypotheses come from
// the bytes of a whole file, from what formats declare in fields, links, rules and quantities, and from checksums; each
// is tried on a scratch copy, which is parsed and checked, and judged by the problems that remain. See Find.
//
//	whole*.go   what happened to a whole file: surplus bytes, truncated, wrapped, converted, swapped, another kind of file
//	surplus.go  what surplus bytes are
//	field.go    one field is wrong: which one, and what it may have been
//	clues.go    what the document itself says it should be; clues_values.go lists candidate values
//	swaps.go    two numbers have each other's value
//	sums.go     one byte under a checksum is wrong
//	flips.go    one bit of a compressed stream is wrong
//	repair.go   what rules offer, one by one and all that do not overlap; a repair as a hypothesis
//	streams.go  damaged compressed bytes
//	loss.go     what a repair overwrites
//	same.go     which hypotheses lead to the same bytes
//	trial.go    a hypothesis is judged: parsed and checked
//	search.go   hypotheses run on all cores, and are put in order
//	story.go    the cost of a hypothesis in bits; see package evidence
//	agreed.go   what a state of the document has right, and the cost of no longer parsing it
//	rank.go     the best one
//	grade.go    how certain it is, and the evidence for it
//	lost.go     what hides that bytes are lost
//	another*.go what can be restored from another copy of a file
//	guard*.go   what must be true before anything is called proven
//	shown.go    the document after its first repair, if more of it can be read then
//	find.go     the best hypotheses become causes, and findings their consequences
package cause
