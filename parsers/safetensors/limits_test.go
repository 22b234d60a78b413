package safetensors

import (
	"fmt"
	"strings"
	"testing"

	"spandrel/parsers/internal/suite"
)

// Headers of tensors that are many, one in another, or all the same bytes.
func TestSafetensorsLimits(t *testing.T) {
	of := func(f func(n int) string) func(int) map[string][]byte {
		return func(n int) map[string][]byte {
			return map[string][]byte{"a.safetensors": made(padded(f(n)), make([]byte, n/8))}
		}
	}
	suite.Limits(t, Format, suite.Hostile{
		"nested":       of(func(n int) string { return `{"a":` + strings.Repeat("[", n/2) + strings.Repeat("]", n/2) + "}" }),
		"nested-open":  of(func(n int) string { return strings.Repeat(`{"a":`, n/5) }),
		"nested-shape": of(func(n int) string { return `{"a":{"dtype":"F32","shape":` + strings.Repeat("[", n) }),
		"one-name": of(func(n int) string {
			return "{" + strings.Repeat(`"a":{"dtype":"U8","shape":[1],"data_offsets":[0,1]},`, n/52) + `"b":1}`
		}),
		"no-commas": of(func(n int) string { return "{" + strings.Repeat(`"a" `, n/4) + "}" }),
		"long-shape": of(func(n int) string {
			return `{"a":{"dtype":"F32","shape":[` + strings.Repeat("1,", n/2) + `1],"data_offsets":[0,4]}}`
		}),
		"long-metadata": of(func(n int) string { return `{"__metadata__":{` + strings.Repeat(`"a":"b",`, n/8) + `"c":"d"}}` }),
		"escapes":       of(func(n int) string { return `{"` + strings.Repeat(`\ud800`, n/6) + `":1}` }),
		"all-the-same": of(func(n int) string {
			var b strings.Builder
			for i := 0; b.Len() < n; i++ {
				fmt.Fprintf(&b, `"t%d":{"dtype":"U8","shape":[%d],"data_offsets":[0,%d]},`, i, n/8, n/8)
			}
			return "{" + strings.TrimSuffix(b.String(), ",") + "}"
		}),
		"of-nothing": of(func(n int) string {
			var b strings.Builder
			for i := 0; b.Len() < n; i++ {
				fmt.Fprintf(&b, `"t%d":{"dtype":"U8","shape":[0,9223372036854775807],"data_offsets":[0,0]},`, i)
			}
			return "{" + strings.TrimSuffix(b.String(), ",") + "}"
		}),
	})
}
