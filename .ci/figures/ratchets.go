package main

import (
	"cmp"
	"fmt"
	"strconv"
	"strings"
)

// ratchets are what `make lint` holds: no figure gets worse than it is. Who makes one better writes the new value here. A change that makes a figure
// better and the code harder to read is wrong all the same, and one that has good reason to make it worse says so where it raises the value.
var ratchets = map[string]int{
	"arrows inside a format that run back up":               0,
	"files of a format whose names say no layer":            0,
	"floors: packages that stand on each other":             10, // the window is kit, document, panes and frame: four floors in place of one
	"links that are Unchecked":                              3,
	"literals of findings in formats":                       1,
	"contexts that nothing cancels, outside main and tests": 5,
	"functions over 60 lines":                               0,
	"types over 30 methods (Cursor, Tree, Document may)":    10,
	"functions of a cognitive complexity over 15":           10,
	"functions with more than 5 parameters":                 5,
	"most promoted methods of a type":                       41,
	"deepest embedding of structs":                          2,
	"interfaces with one implementation":                    1,
	bareRules:                                               0,
}

// worse lists the figures that are worse than their ratchet, and the ratchets of no figure.
func worse(list []figure) (out []string) {
	seen := map[string]bool{}
	for _, f := range list {
		most, held := ratchets[f.name]
		first, _, _ := strings.Cut(f.got, " ")
		n, err := strconv.Atoi(first)
		if seen[f.name] = true; held && (err != nil || n > most) {
			out = append(out, fmt.Sprintf("%s: %s, at most %d before", f.name, f.got, most))
		}
	}
	for name := range ratchets {
		if !seen[name] {
			out = append(out, "no figure has this name: "+name)
		}
	}
	return out
}

// mark says whether what is wanted is met: "" or "red".
func (f figure) mark() string {
	first, _, _ := strings.Cut(f.got, " ")
	got, err := strconv.Atoi(first)
	want, bad := strconv.Atoi(strings.TrimPrefix(f.wanted, "≤ "))
	if cmp.Or(err, bad) == nil && got > want {
		return "red"
	}
	return ""
}
