package headless

import (
	"bytes"
	"cmp"
	"errors"
	"flag"
	"fmt"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync/atomic"

	"spandrel/model"
	"spandrel/model/cause"
)

// A batch checks many documents on all cores and prints results in the order of the arguments, and within folders
// by name.
type batch struct {
	*call
	search *search
	listed *pathList
	share  *shard
	all    bool
	kind   string // output format, one of kinds
	reads  asked  // no Software: no reader was requested
	begun  atomic.Int64

	known func(j *job) bool                    // tells of a document that need not be opened; nil: each has to be
	judge func(one *call, j *job) (int, error) // what is done with an open document
}

// batched declares the flags of commands that work on many documents.
func batched(f *flag.FlagSet, c *call) *batch {
	return &batch{call: c, search: searching(f), listed: listed(f), share: sharded(f), kind: "text"}
}

// begin parses the flags, and returns the paths of the documents.
func (b *batch) begin() ([]string, error) {
	paths, err := b.listed.read(b.call)
	if err = cmp.Or(err, b.share.read()); err != nil {
		return nil, err
	}
	if _, err := b.forced(); err != nil {
		return nil, err
	}
	b.single = len(paths) == 1 && !isFolder(paths[0])
	b.lists = model.NewListings()
	if o := b.search.options(b.call); !b.single && o.Time > 0 {
		b.search.purse = cause.NewPurse(o.Time)
	}
	return paths, nil
}

// kinds are the values of `check --format` other than formats of files.
var kinds = []string{"text", "json", "sarif", "junit", "github"}

// collects tells whether printing needs the verdicts of all documents first.
func (b *batch) collects() bool { return b.kind != "text" && b.kind != "json" }

// job is one document of a batch.
type job struct {
	path  string
	d     *model.Document // opened already; nil when not
	found bool            // in a folder, and not named by the user: what no format takes is passed over
	ready chan struct{}   // closed when what follows is there

	passed  bool // over: it is no document
	row     *dataset
	out     bytes.Buffer
	verdict *verdict // for reports of all documents in one; nil for what was passed over
	status  int
	err     error
}

// verdict is what a report on all documents needs to know about one.
type verdict struct {
	path, format string
	problems     []problem
	causes       []causeLine
	err          error
}

// errUnheard ends a walk that no one is waiting for.
var errUnheard = errors.New("enough")

// run checks the documents and returns the worst status. An unreadable document does not prevent others from being checked.
func (b *batch) run(paths []string) (int, error) {
	worst, failed, more, passed := Done, []error(nil), 0, true
	var verdicts []*verdict
	err := b.each(paths, func(j *job) error {
		worst, passed = max(worst, j.status), passed && j.passed
		if j.err != nil && len(failed) < maxFailed {
			failed = append(failed, of(j.path, j.err))
		} else if j.err != nil {
			more++
		}
		if j.verdict != nil {
			verdicts = append(verdicts, j.verdict)
		}
		_, err := b.Out.Write(j.out.Bytes())
		return cmp.Or(err, b.ctx.Err())
	})
	if err != nil {
		return Failed, err
	}
	b.step("")
	if passed && len(paths) > 0 && !b.quiet && b.share.whole() {
		b.aside("note", strings.Join(paths, ", ")+": no file of a known format was found")
	}
	if more > 0 {
		failed = append(failed, fmt.Errorf("%d more could not be checked", more))
	}
	switch b.kind {
	case "sarif":
		failed = append(failed, b.sarif(verdicts))
	case "junit":
		failed = append(failed, b.junit(verdicts))
	case "github":
		failed = append(failed, b.github(verdicts))
	}
	return worst, errors.Join(failed...)
}

// each passes the finished documents on in order, until take returns an error.
func (b *batch) each(paths []string, take func(j *job) error) error {
	stop := make(chan struct{})
	defer close(stop)
	var ballast []byte
	defer func() { runtime.KeepAlive(ballast) }()
	n := 0
	for j := range b.jobs(paths, stop) {
		select {
		case <-j.ready:
		case <-b.ctx.Done(): // no one may have begun with it
			return b.ctx.Err()
		}
		if n++; n == manySmall {
			ballast = make([]byte, ballastBytes)
		}
		if err := take(j); err != nil {
			return err
		}
	}
	return nil
}

// ballastBytes is allocated while more than a few documents are checked, and never touched, so that it uses no memory: garbage is
// then collected when there is as much of it, and not after every few small documents. For a few documents the allocation would not pay.
const (
	ballastBytes = 32 << 20
	manySmall    = 16
)

// maxFailed is how many unreadable documents are listed; the others are counted.
const maxFailed = 20

// jobs starts the work and returns it in order. At most a few documents per core are open or waiting to be printed.
func (b *batch) jobs(paths []string, stop chan struct{}) <-chan *job {
	cores := runtime.GOMAXPROCS(0)
	todo, order := make(chan *job, 64*cores), make(chan *job, 64*cores)
	for range cores {
		go func() {
			for j := range todo {
				b.work(j)
				close(j.ready)
			}
		}()
	}
	send := func(j *job) error {
		if !b.share.has(j.path) {
			j.close()
			return nil
		}
		j.ready = make(chan struct{})
		for _, to := range []chan *job{order, todo} {
			select {
			case to <- j:
			case <-stop:
				return errUnheard
			case <-b.ctx.Done():
				return b.ctx.Err()
			}
		}
		return nil
	}
	go func() {
		defer close(order)
		defer close(todo)
		b.walkAll(paths, send)
	}()
	return order
}

// work checks one document.
func (b *batch) work(j *job) {
	defer func() {
		j.close()
		if j.err != nil && b.collects() {
			j.verdict = &verdict{path: j.path, err: j.err}
		}
	}()
	if j.err != nil { // it could not be opened when it was found
		j.status = Failed
		return
	}
	if b.known != nil && j.d == nil && b.known(j) {
		return
	}
	one := *b.call
	one.Out, one.many = &j.out, !b.single
	if j.d == nil {
		if j.d, j.err = one.open(j.path); j.err != nil {
			j.status, j.d = Failed, nil
			return
		}
	}
	if j.passed = j.found && j.d.Format == nil && !b.claimed(j.path); j.passed {
		return
	}
	b.step(j.path)
	fault := model.Contain(func() error { j.status, j.err = b.judge(&one, j); return nil })
	if fault = cmp.Or(fault, j.err); fault == nil || torn(fault) {
		fault = cmp.Or(j.d.Unread(), fault)
	}
	if fault != nil {
		j.status, j.err = Failed, of(j.path, fault)
	}
}

func (j *job) close() {
	if j.d != nil {
		j.d.Close()
		j.d = nil
	}
}

// claimed tells whether a name is one that a format's files have.
func (b *batch) claimed(path string) bool {
	name := strings.ToLower(filepath.Base(path))
	return slices.ContainsFunc(b.Formats, func(f *model.Format) bool {
		return slices.ContainsFunc(f.Exts, func(ext string) bool { return strings.HasSuffix(name, ext) })
	})
}

// report prints, or keeps, the problems of a document.
func (b *batch) report(one *call, j *job) (int, error) {
	g, err := one.diagnose(j.d, j.d.Tree, b.search)
	if err != nil {
		return Failed, err
	}
	status, x := verdictOf(g.Findings), diagnosed{one, j.d, g, j.path}
	if b.collects() {
		j.verdict = x.verdict()
		return status, nil
	}
	if b.reads.Software != nil {
		status, err = x.reads(b.reads)
	} else {
		err = x.troubled()
	}
	if err == nil {
		err = x.print(b.all)
	}
	return status, err
}

// verdict is the causes and problems as data.
func (c diagnosed) verdict() *verdict {
	v := &verdict{path: c.path}
	if c.d.Format != nil {
		v.format = c.d.Format.Name
	}
	for k := range c.g.Causes {
		v.causes = append(v.causes, c.causeOf(k))
	}
	for i := range c.g.Findings {
		v.problems = append(v.problems, c.describe(i, nil))
	}
	return v
}

// step shows the progress of a batch; "" ends it.
func (b *batch) step(path string) {
	f := terminal(b.Err)
	n := b.begun.Add(1)
	switch {
	case f == nil || b.quiet || b.single:
	case path == "":
		fmt.Fprint(f, "\r\x1b[K")
	default:
		fmt.Fprintf(f, "\r%d checked: %.60s\x1b[K", n, model.OneLine(filepath.Base(path)))
	}
}
