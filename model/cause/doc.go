// Package cause finds out what happened to a broken file and how it can be had back. It knows no format: hypotheses come from
// the bytes as a whole, from what formats have said already in fields, links, rules and quantities, and from checksums; each
// is tried on a scratch copy, which is parsed and checked, and judged by what is left. See Find.
//
//	whole*.go   what happened to a file as a whole: junk around it, cut, wrapped, converted, swapped, something else
//	surplus.go  what bytes are that do not belong to a file
//	field.go    one field is wrong: which, and what it might have been
//	clues.go    what the document itself says that it should be; clues_values.go lists the values that follow
//	swaps.go    two numbers have each other's value
//	sums.go     one byte is wrong under a checksum
//	flips.go    one bit is wrong in a compressed stream
//	repair.go   what rules offer, one by one and all that do not touch each other; a hypothesis as a repair
//	streams.go  compressed bytes that are damaged
//	loss.go     what a repair writes over
//	same.go     which of them are the same bytes
//	trial.go    a hypothesis is judged: parsed and checked
//	search.go   hypotheses are run on all cores, and put in order
//	story.go    what a hypothesis costs in bits, see package evidence
//	agreed.go   what a state of the document has right, and what it costs to read that no longer
//	rank.go     which of them leads
//	grade.go    how sure it is, and what speaks for it
//	lost.go     what hides that bytes are lost
//	another*.go what another copy of a file restores
//	guard*.go   what must hold before anything is called proven
//	shown.go    the document as it is after its first repair, where more of it can be read
//	find.go     the best become causes, and findings their consequences
package cause
