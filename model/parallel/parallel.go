// Package parallel runs functions in parallel. Unlike in a bare goroutine, a panic in one of them does not end the program.
package parallel

import (
	"fmt"
	"runtime"
	"runtime/debug"
	"sync"
	"sync/atomic"
)

// Group runs functions on goroutines of their own. The zero value is ready.
type Group struct {
	wg    sync.WaitGroup
	mu    sync.Mutex
	first any
}

// Panic is a panic of one of the functions, with the stack of its goroutine.
type Panic struct {
	Value any
	Stack []byte
}

func (p *Panic) String() string { return fmt.Sprint(p.Value) }

// Go runs f. Page faults of mapped files are panics in it, as they are under model.Guard.
func (g *Group) Go(f func()) {
	g.wg.Add(1)
	go func() {
		defer g.wg.Done()
		defer debug.SetPanicOnFault(debug.SetPanicOnFault(true))
		defer func() {
			if r := recover(); r != nil {
				g.mu.Lock()
				defer g.mu.Unlock()
				if g.first == nil {
					g.first = held(r)
				}
			}
		}()
		f()
	}()
}

// Each runs f for 0 to n-1, on all cores.
func Each(n int, f func(i int)) {
	var next atomic.Int64
	var g Group
	for range min(runtime.GOMAXPROCS(0), n) {
		g.Go(func() {
			for i := int(next.Add(1)) - 1; i < n; i = int(next.Add(1)) - 1 {
				f(i)
			}
		})
	}
	g.Wait()
}

// Wait returns when all functions have. A panic in one of them continues here, where the caller may be guarded: the first one if there are several.
func (g *Group) Wait() {
	g.wg.Wait()
	if g.first != nil {
		panic(g.first)
	}
}

// held is a panic with its stack. A page fault is kept unchanged, because its meaning depends on its value.
func held(r any) any {
	switch r.(type) {
	case *Panic, interface{ Addr() uintptr }:
		return r
	}
	return &Panic{r, debug.Stack()}
}
