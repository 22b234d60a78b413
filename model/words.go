package model

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"sync"
)

// Words is fmt.Sprintf for sentences that people read: a plural noun after %d or %s becomes singular if the number is
// one, together with the verb after it: "%d rows are lost" becomes "1 row is lost".
func Words(format string, args ...any) string {
	if !slices.ContainsFunc(args, isOne) {
		return fmt.Sprintf(format, args...)
	}
	k, at := 0, 0
	var b strings.Builder
	for _, m := range countedIn(format) {
		b.WriteString(format[at:m[0]])
		at = m[1]
		whole := format[m[0]:m[1]]
		if format[m[0]:m[0]+2] == "%%" {
			b.WriteString(whole)
			continue
		}
		if k < len(args) && m[4] >= 0 && isOne(args[k]) {
			whole = format[m[0]:m[4]] + singular(format[m[4]:m[5]])
			if m[6] >= 0 {
				that, verb := "", format[m[6]:m[7]]
				if v, ok := strings.CutPrefix(verb, "that "); ok {
					that, verb = "that ", v
				}
				whole += " " + that + agrees[verb]
			}
		}
		b.WriteString(whole)
		k++
	}
	b.WriteString(format[at:])
	return fmt.Sprintf(b.String(), args...)
}

// countedIn finds what a format counts, cached, because formats are few and reading damaged files fails in a thousand ways.
func countedIn(format string) [][]int {
	if known, ok := formats.Load(format); ok {
		return known.([][]int)
	}
	found := counted().FindAllStringSubmatchIndex(format, -1)
	formats.Store(format, found)
	return found
}

var formats sync.Map // what countedIn found in each

// Count is a number of things in words: "1 row", "1,350 rows".
func Count(n int64, plural string) string { return Words("%s "+plural, Thousands(n)) }

// counted matches each verb of a format, with the noun that it counts and the verb after that, if they follow.
var counted = Pattern(`(%[-+# 0]*[0-9.]*[a-zA-Z%])(?: ((?:[a-z]+ )?(?:` + nouns + `))\b(?: ((?:that )?(?:are|have|were|follow|hold|lie|stand|fit|differ|say|come|go|do|disappear)\b))?)?`)

// nouns are what formats count.
const nouns = "arrays|attributes|axes|batches|bits|blocks|boxes|bytes|causes|cells|changes|characters|chunks|columns|conflicts|copies|differences|dimensions|directories|documents|" +
	"edges|elements|entries|extensions|feeds|fields|files|findings|folders|fragments|genes|graphs|groups|headers|hits|indices|items|keys|labels|links|matches|matrices|members|names|" +
	"nodes|notes|numbers|offsets|operations|patches|places|pointers|problems|properties|ranges|records|repairs|requests|rows|samples|sections|segments|shards|slots|spans|steps|stems|" +
	"strings|tables|tabs|tensors|texts|tiles|times|units|values|variables|vectors|versions|vertices|warnings|words|zeros"

var agrees = map[string]string{"are": "is", "have": "has", "were": "was", "follow": "follows", "hold": "holds", "lie": "lies", "stand": "stands", "fit": "fits",
	"differ": "differs", "say": "says", "come": "comes", "disappear": "disappears", "go": "goes", "do": "does"}

// singular is the singular of a noun.
func singular(plural string) string {
	for _, e := range [][2]string{{"vertices", "vertex"}, {"indices", "index"}, {"matrices", "matrix"}, {"axes", "axis"}, {"ies", "y"}, {"ches", "ch"}, {"xes", "x"}, {"s", ""}} {
		if stem, ok := strings.CutSuffix(plural, e[0]); ok {
			return stem + e[1]
		}
	}
	return plural
}

// isOne tells whether something prints as 1.
func isOne(x any) bool {
	switch x := x.(type) {
	case string:
		return x == "1"
	case int:
		return x == 1
	case int64:
		return x == 1
	case uint64:
		return x == 1
	}
	return fmt.Sprint(x) == "1"
}

// Few is the first names of a list, at most so many, and the number of others: "a, b, and 3 more".
func Few(names []string, most int) string {
	if more := len(names) - most; more > 0 {
		names = append(slices.Clone(names[:most]), "and "+Thousands(int64(more))+" more")
	}
	return strings.Join(names, ", ")
}

// Differ is in how many bytes two texts of equal length differ; MaxInt if their lengths differ.
func Differ[T string | []byte](a, b T) (n int) {
	if len(a) != len(b) {
		return math.MaxInt
	}
	for i := range len(a) {
		if a[i] != b[i] {
			n++
		}
	}
	return n
}
