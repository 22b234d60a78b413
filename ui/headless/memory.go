package headless

import (
	"os"
	"runtime"
	"runtime/debug"
	"runtime/metrics"
	"sync/atomic"
)

// thrift is the memory limit of a command, above which garbage is collected early;
// if more is needed, an eighth of that and a little more is allowed as garbage.
var thrift atomic.Int64

// Reading from a store is a thousand times slower than collecting garbage.
const (
	thriftLocal  = 192 << 20
	thriftRemote = 112 << 20
)

// thrifty keeps garbage small in proportion to live memory, unless the environment sets a memory limit.
func thrifty() {
	if os.Getenv("GOMEMLIMIT") != "" {
		return
	}
	thrift.Store(thriftLocal)
	debug.SetMemoryLimit(thriftLocal)
	watch := &collected{}
	runtime.SetFinalizer(watch, (*collected).again)
}

// thriftier is thrifty for reading from a store.
func thriftier() {
	if thrift.Swap(thriftRemote) == thriftLocal {
		debug.SetMemoryLimit(thriftRemote)
	}
}

// collected is unreachable, so that its finalizer runs after each garbage collection.
type collected struct{ sample [1]metrics.Sample }

// again adjusts the limit to the present live memory.
func (c *collected) again() {
	c.sample[0].Name = "/gc/heap/live:bytes"
	metrics.Read(c.sample[:])
	if live := int64(c.sample[0].Value.Uint64()); c.sample[0].Value.Kind() == metrics.KindUint64 {
		least := thrift.Load()
		debug.SetMemoryLimit(max(least, live+live/8+least/8))
	}
	runtime.SetFinalizer(c, (*collected).again)
}
