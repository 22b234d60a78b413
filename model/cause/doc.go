// Package cause finds out what happened to a broken file and how it can be had back. It knows no format: hypotheses come from
// the bytes as a whole, from what formats have said already in fields, links, rules and quantities, and from checksums; each
// is tried on a scratch copy, which is parsed and checked, and judged by what is left. See Find.
//
//	whole*.go   what happened to a file as a whole: junk around it, cut, wrapped, converted, swapped, something else
//	field*.go   one field is wrong: which, and what it should be
//	sums.go     one byte or bit is wrong under a checksum
//	trial.go    a hypothesis is tried and judged
//	find.go     the best hypotheses become causes, and findings their consequences
//	mend.go     many repairs that do not touch each other are made in one pass
package cause
