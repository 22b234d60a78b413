// Package rule contains the rules of the reference sheet (part 4) as named values, which every part of the format uses: a new rule is added to its
// section here, with a title for people, why it matters and what usually causes it.
package rule
