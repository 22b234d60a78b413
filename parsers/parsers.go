// Package parsers holds the formats: one file for each, <format>.go, and <format>_<part>.go where a part stands alone. A format
// is a model.Format value; nothing outside this package names one. All format files keep the same order of parts: a comment
// that names the specification, the registration, fields and records in the specification's order, detection, parsing from the
// outside in, rules, tables, deep checks, actions.
package parsers

import (
	"sort"

	"spandrel/model"
)

var formats []*model.Format

// add registers a format. It is called once in each format file.
func add(f *model.Format) *model.Format {
	formats = append(formats, f)
	return f
}

// All returns every format, in the order of their names.
func All() []*model.Format {
	all := append([]*model.Format(nil), formats...)
	sort.Slice(all, func(i, j int) bool { return all[i].Name < all[j].Name })
	return all
}
