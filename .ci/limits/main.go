// Command limits runs every command on documents made to cost too much time or memory, of 1 MiB or of -bytes, and prints the most expensive runs:
// docs/limits.md contains its output.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"spandrel/.ci/measured"
)

// commands are run on each document; PATH is the document, OUT a file that does not exist yet.
var commands = []string{
	"check --deep PATH", "check --all --json PATH", "dump --json --all PATH", "dump --elements all PATH", "fix --no-backup -o OUT PATH", "salvage PATH -o OUT",
	"report --deep PATH -o OUT", "slice PATH -o OUT", "find --decoded PATH spandrel", "find --field PATH spandrel", "diff PATH PATH", "convert PATH",
	"get PATH nothing/there", "table PATH", "table --to jsonl --rows 0:1000 PATH TABLE", "table --to csv -o OUT PATH TABLE",
}

// cost is the time and memory of a command on a document.
type cost struct {
	format, document, command string
	took, cpu                 time.Duration
	memory                    int64
	ended                     string
}

func (c cost) String() string {
	return fmt.Sprintf("| %s | %s | `%s` | %.1f s | %d MB | %s |", c.format, c.document, c.command, c.time().Seconds(), c.memory>>20, c.ended)
}

// time estimates the time on an idle machine: no more than the elapsed time, and no more than the CPU time, that is, on one core.
func (c cost) time() time.Duration { return min(c.took, c.cpu) }

func main() {
	size := flag.Int("bytes", 1<<20, "how large each document is")
	program := flag.String("program", "./spandrel-headless", "what is measured")
	only := flag.String("only", "", "FORMAT/DOCUMENT/COMMAND that contain one of these, with commas between")
	documents := flag.String("documents", "", "the folder in which the documents lie, and are made if there are none; without it they are made for this run")
	patience := flag.Duration("patience", 2*time.Minute, "after which a command is ended")
	seconds, megabytes := flag.Float64("seconds", 10, "what a command may take"), flag.Int64("megabytes", 300, "what a command may take of memory")
	flag.Parse()
	costs, err := measure(*program, *documents, *only, *size, *patience)
	if err != nil {
		fmt.Fprintln(os.Stderr, "limits:", err)
		os.Exit(2)
	}
	over := 0
	fmt.Println("| Format | Document | Command | Time | Memory | Ended |\n|---|---|---|---|---|---|")
	for _, c := range costs {
		if c.time().Seconds() > *seconds || c.memory>>20 > *megabytes || strings.HasPrefix(c.ended, "!") {
			fmt.Println(c)
			over++
		}
	}
	fmt.Printf("\n%d commands over documents of %d bytes, %d over %.0f s or %d MB. What cost most, by format:\n\n", len(costs), *size, over, *seconds, *megabytes)
	for _, by := range []func(a, b cost) int{func(a, b cost) int { return int(b.time() - a.time()) }, func(a, b cost) int { return int(b.memory - a.memory) }} {
		slices.SortFunc(costs, by)
		seen := map[string]bool{}
		for _, c := range costs {
			if !seen[c.format] {
				fmt.Println(c)
			}
			seen[c.format] = true
		}
		fmt.Println()
	}
	if over > 0 {
		os.Exit(1)
	}
}

// written returns the paths of the documents in a folder; if there are none, it runs the tests that generate them.
func written(dir string, size int) ([]byte, error) {
	if list, err := os.ReadFile(filepath.Join(dir, "list")); err == nil {
		return list, nil
	}
	make := exec.Command("go", "test", "-count", "1", "-timeout", "30m", "-run", "Limits$", "./parsers/...")
	make.Env = append(os.Environ(), fmt.Sprintf("SPANDREL_HOSTILE=%s,%d", dir, size))
	if out, err := make.CombinedOutput(); err != nil {
		return nil, fmt.Errorf("%w: %s", err, out)
	}
	return os.ReadFile(filepath.Join(dir, "list"))
}

// measure runs the commands on the documents and returns their costs.
func measure(program, dir, only string, size int, patience time.Duration) (costs []cost, err error) {
	program, err = filepath.Abs(program)
	if err != nil {
		return nil, err
	}
	work, err := os.MkdirTemp("", "spandrel-limits-")
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(work)
	if dir == "" {
		dir = filepath.Join(work, "documents")
	} else if dir, err = filepath.Abs(dir); err != nil {
		return nil, err
	}
	list, err := written(dir, size)
	if err != nil {
		return nil, err
	}
	paths := strings.Fields(string(list))
	slices.Sort(paths)
	for _, path := range paths {
		rel, _ := filepath.Rel(dir, path)
		at := strings.Split(rel, "/")
		for _, c := range commands {
			wanted := func(part string) bool { return strings.Contains(at[0]+"/"+at[1]+"/"+c, part) }
			if !slices.ContainsFunc(strings.Split(only, ","), wanted) {
				continue
			}
			table := ""
			if strings.Contains(c, " TABLE") {
				if table = tableOf(program, path); table == "" {
					continue
				}
			}
			before := files(filepath.Join(dir, at[0], at[1]))
			got := run(program, path, filepath.Join(work, "out"), table, c, patience)
			got.format, got.document = at[0], at[1]
			if after := files(filepath.Join(dir, at[0], at[1])); after != before {
				got.ended = "! it changed the document's folder: " + got.ended
			}
			os.RemoveAll(filepath.Join(work, "out"))
			fmt.Fprintln(os.Stderr, got)
			costs = append(costs, got)
		}
	}
	return costs, nil
}

// tableOf is the name of a document's first table.
func tableOf(program, path string) string {
	ctx, cancel := context.WithTimeout(context.Background(), 30*time.Second)
	defer cancel()
	out, _ := exec.CommandContext(ctx, program, "table", "--quiet", path).Output()
	lines := strings.Split(string(out), "\n")
	return strings.Split(strings.TrimSpace(lines[0]), "\t")[0]
}

func run(program, path, out, table, command string, patience time.Duration) cost {
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	args := strings.Fields(command)
	for i := range args {
		switch args[i] {
		case "PATH":
			args[i] = path
		case "OUT":
			args[i] = out
		case "TABLE":
			args[i] = table
		}
	}
	c, start := exec.CommandContext(ctx, program, args...), time.Now()
	said := &lastLine{}
	c.Stderr = said
	err := c.Run()
	got := cost{command: command, took: time.Since(start), cpu: c.ProcessState.UserTime() + c.ProcessState.SystemTime(), memory: measured.Memory(c.ProcessState), ended: "0"}
	var exit *exec.ExitError
	switch {
	case ctx.Err() != nil:
		got.ended = "! it did not end"
	case errors.As(err, &exit) && exit.ExitCode() != 1 && exit.ExitCode() != 2:
		got.ended = "! " + said.String()
	case err != nil:
		got.ended = strings.TrimPrefix(err.Error(), "exit status ")
	}
	if strings.Contains(said.String(), "goroutine ") {
		got.ended = "! it crashed: " + said.String()
	}
	return got
}

// lastLine keeps the first kilobyte of what was written to it.
type lastLine struct{ b []byte }

func (l *lastLine) Write(b []byte) (int, error) {
	l.b = append(l.b, b[:min(len(b), 1024-len(l.b))]...)
	return len(b), nil
}

func (l *lastLine) String() string {
	return strings.ReplaceAll(strings.TrimSpace(string(l.b)), "\n", "; ")
}

// files lists the names, sizes and modification times in a folder, to check that no command changes it.
func files(dir string) string {
	var b strings.Builder
	filepath.WalkDir(dir, func(path string, e fs.DirEntry, err error) error {
		if i, err := e.Info(); err == nil && !e.IsDir() {
			fmt.Fprintln(&b, path, i.Size(), i.ModTime().UnixNano())
		}
		return nil
	})
	return b.String()
}
