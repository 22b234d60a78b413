package suite

import "fmt"

// Rate prints a line of figures, whether the test is verbose or not.
func Rate(what, figures string) { fmt.Printf("%-32s %s\n", what, figures) }
