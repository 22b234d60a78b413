package doc

// InTurn runs f when no other change is being worked out: one that was asked for later sees what the earlier one made. f ends
// with next.
func (e *Editor) InTurn(f func()) {
	if e.Busy {
		e.waiting = append(e.waiting, f)
		return
	}
	e.Busy = true
	e.orNext(f)
}

// orNext does a part of a change. A defect in it ends the change: those that wait come to their turn.
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

// Next ends a change and begins the one that waits.
func (e *Editor) Next() {
	e.Busy = false
	if len(e.waiting) > 0 {
		f := e.waiting[0]
		e.waiting = e.waiting[1:]
		e.InTurn(f)
	}
}
