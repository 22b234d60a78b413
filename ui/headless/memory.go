package headless

import (
	"os"
	"runtime"
	"runtime/debug"
	"runtime/metrics"
	"sync/atomic"
)

// thrift is how much memory a command takes before garbage is collected without waiting for as much of it as there is of what is needed;
// what needs more than that may have an eighth of it again as garbage, and a little.
var thrift atomic.Int64

// What is read of a store comes a thousand times slower than garbage is collected.
const (
	thriftLocal  = 192 << 20
	thriftRemote = 112 << 20
)

// thrifty keeps garbage small beside what is needed, unless the environment says how much memory there is.
func thrifty() {
	if os.Getenv("GOMEMLIMIT") != "" {
		return
	}
	thrift.Store(thriftLocal)
	debug.SetMemoryLimit(thriftLocal)
	watch := &collected{}
	runtime.SetFinalizer(watch, (*collected).again)
}

// thriftier is thrifty where a store is read.
func thriftier() {
	if thrift.Swap(thriftRemote) == thriftLocal {
		debug.SetMemoryLimit(thriftRemote)
	}
}

// collected is needed by no one, so that it is told of each collection of garbage.
type collected struct{ sample [1]metrics.Sample }

// again sets the limit again for what is needed now.
func (c *collected) again() {
	c.sample[0].Name = "/gc/heap/live:bytes"
	metrics.Read(c.sample[:])
	if live := int64(c.sample[0].Value.Uint64()); c.sample[0].Value.Kind() == metrics.KindUint64 {
		least := thrift.Load()
		debug.SetMemoryLimit(max(least, live+live/8+least/8))
	}
	runtime.SetFinalizer(c, (*collected).again)
}
