package taridx

import (
	"fmt"
	"slices"
	"strings"

	"spandrel/model"
)

// decoders are the last parts of extensions that the reference decodes by default (section 8).
var decoders = map[string]bool{}

func init() {
	for _, e := range strings.Fields("cls rle seg8 seg16 seg24 seg32 json npy mat pkl txt apng avif avifs blp bmp bufr bw cur dcx dds dib " +
		"emf eps fit fits flc fli fpx ftc ftu gbr gif grib h5 hdf icb icns ico iim im j2c j2k jfif jp2 jpc jpe jpeg jpf jpg jpx mic mpeg mpg " +
		"mpo msp palm pbm pcd pcx pdf pfm pgm png pnm ppm ps psd pxr qoi ras rgb rgba sgi tga tif tiff vda vst webp wmf xbm xpm") {
		decoders[e] = true
	}
}

// read creates the spans of an index and checks its names.
func read(c *model.Cursor) {
	parse(c)
	stateOf(c.Tree()).checkNames(c)
}

// checkNames runs the rules on single names.
func (x *index) checkNames(c *model.Cursor) {
	for _, list := range []*model.Span{x.extSpan, x.stemSpan} {
		names, isExt := x.namesOf(list), list == x.extSpan
		if list != nil {
			checkSplit(c, list, names, isExt)
		}
		seen := map[string]bool{}
		for i, name := range names {
			for _, rule := range brokenBy(name, isExt, seen[name]) {
				c.Wrong(rule, list.Child(int64(i)), fmt.Sprintf("%q", name), nil, model.Saying("%s: %s[%d]", rule.Title, list.Field.Name, i))
			}
			seen[name] = true
		}
	}
}

// brokenBy are the rules that the name of an extension or collision stem violates.
func brokenBy(name string, isExt, twice bool) (rules []*model.Rule) {
	for _, is := range []struct {
		rule   *model.Rule
		broken bool
	}{
		{emptyName, name == ""},
		{blankInName, strings.ContainsFunc(name, space)},
		{upperCase, isExt && (name != pythonLower(name) || strings.HasPrefix(name, "."))},
		{dottedStem, !isExt && strings.ContainsAny(name, "./")},
		{repeatedName, twice && name != ""},
		{noDecoder, isExt && name != "" && !decoders[name[strings.LastIndexByte(name, '.')+1:]]},
	} {
		if is.broken {
			rules = append(rules, is.rule)
		}
	}
	return rules
}

// checkSplit checks that readers, which split a text block at white space, find the same names in it.
func checkSplit(c *model.Cursor, list *model.Span, names []string, isExt bool) {
	split := strings.FieldsFunc(strings.Join(names, "\n"), space)
	switch {
	case slices.Equal(split, names):
	case len(split) == len(names):
		c.Wrong(splitsOtherwise, list, "names without their white space", "the same names", model.Graded(model.Warning))
	default:
		grade := model.Warning
		if isExt {
			grade = model.Error
		}
		c.Wrong(splitsOtherwise, list, model.Words("%d names", len(split)), model.Words("%d names", len(names)), model.Graded(grade))
	}
}

// namesOf is the names of a text block.
func (x *index) namesOf(block *model.Span) []string {
	if block == x.extSpan {
		return x.exts
	}
	return x.stems
}
