package ui

// inTurn runs f when no other change is being worked out: one that was asked for later sees what the earlier one made. f ends
// with next.
func (e *editor) inTurn(f func()) {
	if e.busy {
		e.waiting = append(e.waiting, f)
		return
	}
	e.busy = true
	e.orNext(f)
}

// orNext does a part of a change. A defect in it ends the change: those that wait come to their turn.
func (e *editor) orNext(f func()) {
	done := false
	defer func() {
		if !done {
			e.next()
		}
	}()
	f()
	done = true
}

// next ends a change and begins the one that waits.
func (e *editor) next() {
	e.busy = false
	if len(e.waiting) > 0 {
		f := e.waiting[0]
		e.waiting = e.waiting[1:]
		e.inTurn(f)
	}
}
