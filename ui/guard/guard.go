// Package guard keeps a defect in what one action does from ending the program, and with it everything else that is open.
package guard

import "spandrel/model"

// Told gets what was being done and the defect that ended it, on the goroutine that did it. While it is nil panics go on, as tests want it.
var Told func(what string, err error)

// Do runs what an action does. A panic in it ends that action alone.
func Do(what string, f func()) {
	if Told == nil {
		f()
		return
	}
	if err := model.Contain(func() error { f(); return nil }); err != nil {
		Told(what, err)
	}
}
