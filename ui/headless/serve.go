package headless

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"runtime"
	"slices"
	"strings"
	"time"

	"spandrel/model"
)

// Limits of a request. A request beyond a limit fails, and the next one is read.
const (
	maxRequest = 4 << 20 // bytes of its line
	maxID      = 1 << 10 // bytes of its id, which each frame of the answer repeats
	maxAnswer  = 4 << 30 // bytes of its answer
	frameSize  = 1 << 20 // bytes of an answer that are sent together
	maxSaid    = 1 << 20 // bytes of what a command says on standard error
	maxSeconds = 86400   // that it may take
)

// notServed are commands that make no sense through a pipe.
var notServed = []string{"serve", "shot", "register", "unregister", "completion", "man"}

// request is a line of standard input: a command with its arguments, as in a shell.
type request struct {
	ID      json.RawMessage `json:"id"`
	Command string          `json:"command"`
	Args    []string        `json:"args"`
	Input   string          `json:"input"`   // what the command reads for "-"
	Seconds float64         `json:"seconds"` // how long it may take; 0: for ever
}

// frameLine precedes a number of bytes of a command's output.
type frameLine struct {
	ID     json.RawMessage `json:"id"`
	Length int             `json:"length"`
}

// answerLine ends an answer.
type answerLine struct {
	ID     json.RawMessage `json:"id"`
	Status int             `json:"status"`          // the exit status of the command
	Said   string          `json:"said,omitempty"`  // what it printed on standard error
	Error  string          `json:"error,omitempty"` // why it could not be done, in one line, with status 2
}

// server runs requests, one after another, and keeps documents open between them.
type server struct {
	*call
	kept *shelf
}

func serve(f *flag.FlagSet, c *call) func() (int, error) {
	stdio := f.Bool("stdio", false, "read requests from standard input and write answers to standard output")
	return func() (int, error) {
		if !*stdio {
			return Failed, c.misused()
		}
		s := &server{call: c, kept: &shelf{ctx: c.ctx}}
		defer s.kept.close()
		ballast := make([]byte, ballastBytes) // for all requests: each is too small to have it
		defer runtime.KeepAlive(ballast)
		return Done, s.run()
	}
}

// run answers requests until standard input ends or the reader of the answers is gone.
func (s *server) run() error {
	lines := make(chan []byte)
	go s.read(lines) // a read cannot be stopped, so that it would keep a signal from ending the program
	for {
		select {
		case <-s.ctx.Done():
			return nil
		case line, more := <-lines:
			if !more || s.ctx.Err() != nil { // a request that no one began is for another process
				return nil
			}
			if err := s.answer(line); err != nil {
				return err
			}
		}
	}
}

// read sends the lines of standard input.
func (s *server) read(lines chan<- []byte) {
	defer close(lines)
	in := bufio.NewReaderSize(s.In, 64<<10)
	for err := error(nil); err == nil; {
		var line []byte
		if line, err = readRequest(in); len(line) > 0 {
			select {
			case lines <- line:
			case <-s.ctx.Done():
				return
			}
		}
	}
}

// readRequest reads a line. For a line that is too long it returns one byte more than the limit.
func readRequest(in *bufio.Reader) (line []byte, err error) {
	for {
		part, err := in.ReadSlice('\n')
		line = append(line, part[:min(len(part), maxRequest+1-len(line))]...)
		if !errors.Is(err, bufio.ErrBufferFull) {
			if len(line) <= maxRequest { // what was cut stays too long, whatever it ends in
				line = bytes.TrimSpace(line)
			}
			return line, err
		}
	}
}

// answer runs one request. An error is one of writing the answer.
func (s *server) answer(line []byte) error {
	var r request
	err := fmt.Errorf("a request has at most %d bytes", maxRequest)
	if len(line) <= maxRequest {
		err = json.Unmarshal(line, &r)
	}
	if len(r.ID) > maxID {
		r.ID, err = nil, fmt.Errorf("an id has at most %d bytes", maxID)
	}
	switch {
	case err != nil:
		return s.line(answerLine{r.ID, Failed, "", "this is not a request: " + model.OneLine(err.Error())})
	case slices.Contains(notServed, r.Command) || !s.peer.known(r.Command):
		return s.line(answerLine{r.ID, Failed, "", fmt.Sprintf("%q is not a command that can be served", r.Command)})
	case r.Seconds < 0 || r.Seconds > maxSeconds:
		return s.line(answerLine{r.ID, Failed, "", fmt.Sprintf("seconds: 0 to %d", maxSeconds)})
	}
	ctx, cancel := s.ctx, context.CancelFunc(func() {})
	if r.Seconds > 0 {
		ctx, cancel = context.WithTimeout(s.ctx, time.Duration(r.Seconds*float64(time.Second)))
	}
	defer cancel()
	out, spoken := &frames{server: s, id: r.ID}, &capped{left: maxSaid}
	env := s.Env
	env.In, env.Out, env.Err, env.kept = strings.NewReader(r.Input), out, spoken, nil
	if reads(r) {
		env.kept = s.kept
	}
	a := answerLine{ID: r.ID, Status: Failed}
	if fault := model.Contain(func() error { a.Status = s.peer.run(ctx, env, append([]string{r.Command}, r.Args...)); return nil }); fault != nil {
		fmt.Fprintln(spoken, said(fault))
	}
	if flagged(r, "upload") {
		s.kept.forget()
	}
	if err := out.flush(); err != nil {
		return err
	}
	if a.Said = strings.TrimSpace(spoken.String()); a.Status == Failed {
		a.Error = lastLine(a.Said)
	}
	return s.line(a)
}

// reads tells whether a request only reads its document, so that an open one can be reused. A dump shows what was opened before.
func reads(r request) bool {
	return slices.Contains([]string{"get", "table"}, r.Command) && !flagged(r, "from")
}

// flagged tells whether a request may have a flag.
func flagged(r request, name string) bool {
	return slices.ContainsFunc(r.Args, func(a string) bool { return strings.HasPrefix(strings.TrimLeft(a, "-"), name) })
}

// frames sends a command's output.
type frames struct {
	server *server
	id     json.RawMessage
	buf    bytes.Buffer
	sent   int64
}

func (f *frames) Write(b []byte) (n int, err error) {
	if f.sent += int64(len(b)); f.sent > maxAnswer {
		return 0, fmt.Errorf("the answer has more than %s bytes: ask for fewer rows", model.Thousands(maxAnswer))
	}
	if f.buf.Len()+len(b) < frameSize {
		return f.buf.Write(b)
	}
	if err := f.flush(); err != nil {
		return 0, err
	}
	return len(b), f.send(b)
}

func (f *frames) flush() error {
	defer f.buf.Reset()
	return f.send(f.buf.Bytes())
}

// send writes a frame.
func (f *frames) send(b []byte) error {
	if len(b) == 0 {
		return nil
	}
	if err := f.server.line(frameLine{f.id, len(b)}); err != nil {
		return err
	}
	_, err := f.server.Out.Write(b)
	return err
}

// capped keeps the first bytes that are written to it.
type capped struct {
	strings.Builder
	left int
}

func (c *capped) Write(b []byte) (int, error) {
	kept := b[:min(len(b), c.left)]
	c.left -= len(kept)
	c.Builder.Write(kept)
	return len(b), nil
}

// lastLine is the last line of a command's messages, without the name of the program.
func lastLine(said string) string {
	return strings.TrimPrefix(said[strings.LastIndexByte(said, '\n')+1:], "spandrel: ")
}
