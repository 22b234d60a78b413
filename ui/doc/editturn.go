package doc

// InTurn runs f when no other change is in progress: a later request sees the result of an earlier one. f ends
// with next.
func (e *Editor) InTurn(f func()) {
	if e.Busy {
		e.waiting = append(e.waiting, f)
		return
	}
	e.Busy = true
	e.orNext(f)
}

// orNext runs a part of a change. A panic in it ends the change, so that those waiting get their turn.
func (e *Editor) orNext(f func()) {
	done := false
	defer func() {
		if !done {
			e.Next()
		}
	}()
	f()
	done = true
}

// Next ends a change and starts the waiting one.
func (e *Editor) Next() {
	e.Busy = false
	if len(e.waiting) > 0 {
		f := e.waiting[0]
		e.waiting = e.waiting[1:]
		e.InTurn(f)
		return
	}
	e.d.Window.Update() // what could not be done meanwhile can be done again
}
