package headless

import (
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"
)

// pathList is a list of paths that a command takes in addition to its arguments.
type pathList struct {
	file string
	nul  bool
}

func listed(f *flag.FlagSet) *pathList {
	l := &pathList{}
	f.StringVar(&l.file, "files-from", "", "also the paths listed in this file, one per line; - is standard input")
	f.BoolVar(&l.nul, "0", false, "the paths of --files-from are separated by NUL, like the output of find -print0")
	return l
}

// read returns the arguments, with patterns expanded, and the listed paths; there must be an argument or a list, which may be empty.
func (l *pathList) read(c *call) (paths []string, err error) {
	switch paths = expand(c.args); {
	case l.file == "" && len(paths) == 0:
		return nil, c.misused()
	case l.file == "":
		return paths, nil
	}
	if l.file == "-" && slices.Contains(c.args, "-") {
		return nil, errors.New("standard input is the list of paths, so it cannot also be a document")
	}
	in, err := c.input(l.file)
	if err != nil {
		return nil, err
	}
	defer in.Close()
	b, err := io.ReadAll(io.LimitReader(in, maxList+1))
	if err != nil {
		return nil, err
	}
	if len(b) > maxList {
		return nil, fmt.Errorf("the list of paths has more than %d bytes", maxList)
	}
	end := "\n"
	if l.nul {
		end = "\x00"
	}
	for path := range strings.SplitSeq(string(b), end) {
		if !l.nul {
			path = strings.TrimSuffix(path, "\r")
		}
		if path == "-" {
			path = "./-" // a file of that name
		}
		if path != "" {
			paths = append(paths, path)
		}
	}
	return paths, nil
}

// input opens a file, or standard input for "-".
func (c *call) input(path string) (io.ReadCloser, error) {
	if path == "-" {
		return io.NopCloser(c.In), nil
	}
	return os.Open(path)
}

// maxList is the longest list of paths.
const maxList = 64 << 20
