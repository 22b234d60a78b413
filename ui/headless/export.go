package headless

import (
	"bytes"
	"context"
	"fmt"
	"math"
	"runtime"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"spandrel/model"
	"spandrel/model/parallel"
)

// Exports work on columns: workers read batches of rows, and one goroutine writes them in order.
const (
	batchRows  = 64 << 10 // rows of a record batch of Arrow, or a row group of Parquet, at most
	batchBytes = 16 << 20 // about as many bytes
	probeRows  = 64       // rows of the first batch, which determines the size of the others
)

// exported is a column of an export: its name, and its type there.
type exported struct {
	*model.Column
	index int // in the table
	name  string
	item  string // type of a value; "names" where it has a list of them
	names []string
	clock *ticking // of times that the types of Arrow hold
}

// ticking converts the numbers of a clock to Arrow times: (number + from) × times / per units.
type ticking struct {
	unit             time.Duration // 24 h: whole days
	times, per, from int64
}

// exportedColumns determines the types of the selected columns. Units of time depend on the values, which are read for it. least is the coarsest unit.
func exportedColumns(c *call, p *part, least time.Duration) (out []exported, err error) {
	seen := map[string]bool{}
	for _, i := range p.pick {
		x := exported{Column: &p.Columns[i], index: i, name: strings.ToValidUTF8(p.Columns[i].Name, "\uFFFD")}
		for seen[x.name] {
			x.name += "'"
		}
		seen[x.name] = true
		x.item = x.Item()
		if x.Names != nil {
			for _, name := range x.Names(c.ctx) {
				x.item, x.names = "names", append(x.names, strings.ToValidUTF8(name, "\uFFFD"))
			}
		}
		out = append(out, x)
	}
	return out, tick(c, p, out, least)
}

// tick chooses the units of time.
func tick(c *call, p *part, columns []exported, least time.Duration) error {
	var timed []exported
	fit := map[int][]ticking{} // the units that are possible, by column of the table
	for _, x := range columns {
		if x.Clock != nil && model.WidthOf(x.item) == 8 {
			timed, fit[x.index] = append(timed, x), unitsOf(x.Clock, least)
		}
	}
	if len(timed) == 0 {
		return nil
	}
	err := exportBatches(c, p, timed, func(list []model.Batch, _ int64) (func() error, error) {
		return func() error {
			for k, x := range timed {
				fit[x.index] = slices.DeleteFunc(fit[x.index], func(u ticking) bool { return !u.holds(list[k]) })
			}
			return nil
		}, nil
	})
	for k := range columns {
		if units := fit[columns[k].index]; len(units) > 0 {
			columns[k].clock = &units[0]
		}
	}
	return err
}

// inUTF8 replaces what is no UTF-8 in the texts of a batch, as in JSON, and tells whether there is any: readers of Parquet and Arrow refuse such a column.
func inUTF8(b model.Batch) (_ model.Batch, replaced bool) {
	split := func(at int32) bool { return int(at) < len(b.Data) && !utf8.RuneStart(b.Data[at]) }
	if utf8.Valid(b.Data) && !slices.ContainsFunc(b.Starts, split) {
		return b, false
	}
	data, starts := make([]byte, 0, len(b.Data)), make([]int32, 1, len(b.Starts))
	for i, from := range b.Starts[:len(b.Starts)-1] {
		data = append(data, bytes.ToValidUTF8(b.Data[from:b.Starts[i+1]], []byte("\uFFFD"))...)
		starts = append(starts, int32(len(data)))
	}
	b.Data, b.Starts = data, starts
	return b, true
}

// pageOfBatches is some rows that a worker reads and prepares.
type pageOfBatches struct {
	first, n int64
	bytes    int64
	replaced bool // some texts are not UTF-8
	write    func() error
	err      error
	ready    chan struct{}
}

// exportBatches reads the columns of all rows of a part on all cores. prepare is called with them in parallel; the function it returns is called in order.
func exportBatches(c *call, p *part, columns []exported, prepare func(list []model.Batch, rows int64) (func() error, error)) error {
	ctx, cancel := context.WithCancel(c.ctx)
	var workers parallel.Group
	defer workers.Wait()
	defer cancel()
	var waiting []*pageOfBatches
	cores, progress, step, replaced := runtime.GOMAXPROCS(0), c.progressOf("writing rows"), int64(probeRows), false
	for at := p.first; at < p.end || len(waiting) > 0; {
		for at < p.end && len(waiting) <= cores && (step > probeRows || len(waiting) == 0) {
			page := &pageOfBatches{first: at, n: min(step, p.end-at), ready: make(chan struct{}), err: errUnread}
			workers.Go(func() { page.read(ctx, p, columns, prepare) })
			waiting, at = append(waiting, page), at+page.n
		}
		page := waiting[0]
		waiting = waiting[1:]
		<-page.ready
		if page.err != nil {
			return fmt.Errorf("%s, from row %d: %w", p.Name, page.first, page.err)
		}
		if err := page.write(); err != nil {
			return err
		}
		step = max(1, min(batchRows, batchBytes*page.n/max(1, page.bytes)))
		if step <= probeRows {
			step = probeRows + 1 // the first page alone is waited for
		}
		replaced = replaced || page.replaced
		progress(page.first+page.n-p.first, p.end-p.first)
	}
	if replaced {
		return c.aside("warning", p.Name+": some texts are not UTF-8. U+FFFD stands for the bytes that are not; csv has them as they are")
	}
	return nil
}

// errUnread is for a page whose worker did not finish.
var errUnread = fmt.Errorf("the rows were not read")

func (page *pageOfBatches) read(ctx context.Context, p *part, columns []exported, prepare func([]model.Batch, int64) (func() error, error)) {
	defer close(page.ready)
	var picked []int
	for k := range columns {
		picked = append(picked, columns[k].index)
	}
	list, err := p.Batches(ctx, picked, page.first, page.n)
	if err == nil {
		for k, b := range list {
			page.bytes += int64(len(b.Data)) + 4*int64(len(b.Starts)+len(b.Lists))
			if columns[k].item == "utf8" {
				var replaced bool
				list[k], replaced = inUTF8(b)
				page.replaced = page.replaced || replaced
			}
		}
		page.write, err = prepare(list, page.n)
	}
	page.err = err
}

// unitsOf are the units in which times of a clock can be expressed, the preferred one first.
func unitsOf(k *model.Clock, least time.Duration) (out []ticking) {
	const day = 24 * time.Hour
	if k.Step == day && k.Epoch == 0 && !k.Length {
		out = append(out, ticking{unit: day, times: 1, per: 1})
	}
	for _, u := range []time.Duration{time.Second, time.Millisecond, time.Microsecond, time.Nanosecond} {
		if u > least || u > max(k.Step, time.Microsecond) {
			continue
		}
		x := ticking{unit: u, times: max(1, int64(k.Step/u)), per: max(1, int64(u/k.Step))}
		if !k.Length && k.Step <= time.Second {
			x.from = k.Epoch * int64(time.Second/k.Step)
		}
		if out = append(out, x); x.per == 1 {
			break // a finer unit would tell no more
		}
	}
	return out
}

// holds tells whether a unit can express all times of a batch.
func (x ticking) holds(b model.Batch) bool {
	for i := 0; i+8 <= len(b.Data); i += 8 {
		if b.Null != nil && b.Null[i/8] {
			continue
		}
		v := int64(le.Uint64(b.Data[i:]))
		if v == math.MinInt64 {
			continue
		}
		if _, ok := x.time(v); !ok {
			return false
		}
	}
	return true
}

// time is a number as a time; ok is false if the unit cannot express it.
func (x ticking) time(v int64) (t int64, ok bool) {
	n := v + x.from
	t = n / x.per * x.times
	ok = (n < v) == (x.from < 0) && n%x.per == 0 && t/x.times == n/x.per && t != math.MinInt64
	return t, ok && (x.unit != 24*time.Hour || t == int64(int32(t)))
}

// convert turns the numbers of a batch into times. The value for no time becomes missing.
func (x ticking) convert(b model.Batch) model.Batch {
	out, n := model.Batch{Rows: b.Rows, Null: b.Null, Lists: b.Lists, Gone: b.Gone}, len(b.Data)/8
	out.Data = make([]byte, 0, len(b.Data))
	for i := range n {
		v := int64(le.Uint64(b.Data[8*i:]))
		if v == math.MinInt64 {
			if out.Null == nil {
				out.Null = make([]bool, n)
			}
			out.Null[i] = true
		}
		v, _ = x.time(v)
		if x.unit == 24*time.Hour {
			out.Data = le.AppendUint32(out.Data, uint32(v))
		} else {
			out.Data = le.AppendUint64(out.Data, uint64(v))
		}
	}
	return out
}
