// Package problems is the panes that say what is wrong: the list of causes and problems with their repairs, the headline with the best advice,
// and the coverage of the bytes by what is known of them.
package problems
