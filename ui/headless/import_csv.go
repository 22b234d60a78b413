package headless

import (
	"bufio"
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"

	"spandrel/model"
)

// csvSource reads rows of CSV, whose first line names the columns.
func csvSource(f *os.File) (*source, error) {
	in := bufio.NewReaderSize(f, 256<<10)
	if mark, _ := in.Peek(3); string(mark) == "\ufeff" { // spreadsheets begin a file so
		in.Discard(3)
	}
	kept := &keptReturns{r: in, begun: true}
	r := csv.NewReader(kept)
	names, err := r.Read()
	if err != nil {
		return nil, fmt.Errorf("it has no header line: %w", err)
	}
	for i := range names {
		names[i] = strings.ReplaceAll(names[i], standIn, "\r")
	}
	r.ReuseRecord = true
	s := &source{names: slices.Clone(names), units: make([]*model.Clock, len(names)), plain: true, text: true}
	s.next = gathered(len(names), "utf8", func(p *someRows) (size int, err error) {
		words, err := r.Read()
		if kept.blank > 0 && len(names) == 1 {
			return 0, fmt.Errorf("line %d is empty: remove it, or write \"\" for an empty value", kept.blank)
		}
		if err != nil {
			return 0, err
		}
		for k, w := range words {
			p.columns[k].Append("utf8", model.S(strings.ReplaceAll(w, standIn, "\r")))
			size += len(w) + 4
		}
		return size, nil
	})
	return s, nil
}

// standIn stands for a carriage return between quotation marks, which encoding/csv drops before a line feed.
const standIn = "\x1a"

// keptReturns reads CSV with such bytes. It notes the first empty line, which encoding/csv skips: in a file of one column it may be a value.
type keptReturns struct {
	r      io.Reader
	quoted bool
	begun  bool // a line begins
	lines  int  // that have ended
	blank  int  // the number of the first empty line; 0 for none
}

func (k *keptReturns) Read(b []byte) (int, error) {
	n, err := k.r.Read(b)
	for i, c := range b[:n] {
		switch {
		case c == standIn[0]:
			return 0, errors.New("it contains the character U+001A, which CSV cannot carry here; use JSON lines")
		case c == '"':
			k.quoted = !k.quoted // two for one in a text end it and begin it again
		case c == '\r' && k.quoted:
			b[i] = standIn[0]
		}
		if c == '\n' {
			if k.lines++; k.begun && !k.quoted && k.blank == 0 {
				k.blank = k.lines
			}
		}
		k.begun = c == '\n' && !k.quoted || k.begun && c == '\r'
	}
	return n, err
}
