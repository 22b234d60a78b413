package parsers

import "fmt"

// sdCount prints a number of things.
func sdCount(n int, what string) string {
	if n != 1 {
		what += "s"
	}
	return fmt.Sprintf("%d %s", n, what)
}
