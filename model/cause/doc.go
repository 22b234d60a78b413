// Package cause finds out what happened to a damaged file and how to undo it. It knows no format: hypotheses come from
// the bytes of a whole file, from what formats declare in fields, links, rules and quantities, and from checksums; each
// is tried on a scratch copy, which is parsed and checked, and judged by the problems that remain. See Find.
//
//	find.go      the search from beginning to end: start here
//	whole*.go    what happened to a whole file, a function for each hypothesis; examine lists them
//	surplus.go   what surplus bytes are
//	field.go     one field is wrong: which one, and what it may have been
//	clues.go     what the document itself says it should be; clues_values.go lists candidate values
//	swaps.go     two numbers have each other's value
//	sums.go      one byte under a checksum is wrong
//	flips.go     one bit of a compressed stream is wrong
//	repair.go    what rules offer, one by one and all that do not overlap
//	streams.go   damaged compressed bytes
//	trial.go     a hypothesis as changes and words, and the state of the document after it
//	search.go    trials run on all cores, and are put in order
//	same.go      which trials lead to the same bytes
//	loss.go      what a repair overwrites
//	story_….go   the cost of a trial in bits; see package evidence
//	agreed.go    what a state of the document has right, and the cost of no longer parsing it
//	rank.go      the best trial
//	rewritten.go what happened to a file whose content is stored elsewhere too
//	offer.go     a trial as a repair: its changes and its name
//	apply.go     proven repairs, one after the other
//	slip.go      whether a repair undoes a typical mistake: a bit, a digit, the byte order, the unit
//	grade.go     how certain it is, and the evidence for it
//	guard*.go    what must be true before anything is called proven
//	lost.go      what hides that bytes are lost
//	diagnosis.go which cause explains what, and in which order people read it
//	shown.go     the document after its first repair, if more of it can be read then
//	another*.go  what can be restored from another copy of a file
//	budget.go    how long a search takes
//	worth.go     what each part of the search contributes
//	protected.go what protection data beside the document say
package cause
