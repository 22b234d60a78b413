// Package problems is the panes about what is wrong: the list of causes and problems with their repairs, the headline with the best advice,
// and the coverage of the bytes by what is known about them.
package problems
