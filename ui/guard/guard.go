// Package guard keeps a panic in one action from ending the program, and with it everything else that is open.
package guard

import "spandrel/model"

// Told receives the name of the action and the defect that ended it, on the goroutine of the action. While it is nil panics continue, as tests want.
var Told func(what string, err error)

// Do runs an action. A panic ends only that action.
func Do(what string, f func()) {
	if Told == nil {
		f()
		return
	}
	if err := model.Contain(func() error { f(); return nil }); err != nil {
		Told(what, err)
	}
}
