package headless

import (
	"os"
	"runtime"
	"runtime/debug"
	"runtime/metrics"
)

// thrift is how much memory a command takes before garbage is collected without waiting for as much of it as there is of what is needed;
// what needs more than that may have an eighth of it again as garbage, and a little.
const thrift = 192 << 20

// thrifty keeps garbage small beside what is needed, unless the environment says how much memory there is.
func thrifty() {
	if os.Getenv("GOMEMLIMIT") != "" {
		return
	}
	debug.SetMemoryLimit(thrift)
	watch := &collected{}
	runtime.SetFinalizer(watch, (*collected).again)
}

// collected is needed by no one, so that it is told of each collection of garbage.
type collected struct{ sample [1]metrics.Sample }

// again sets the limit again for what is needed now.
func (c *collected) again() {
	c.sample[0].Name = "/gc/heap/live:bytes"
	metrics.Read(c.sample[:])
	if live := int64(c.sample[0].Value.Uint64()); c.sample[0].Value.Kind() == metrics.KindUint64 {
		debug.SetMemoryLimit(max(thrift, live+live/8+thrift/8))
	}
	runtime.SetFinalizer(c, (*collected).again)
}
