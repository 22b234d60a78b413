// Package rule has the rules of the reference sheet (part 4) as named values, of which every part of the format speaks: who adds one, adds it to its
// section here, with a sentence for people, why it matters and what usually causes it.
package rule
