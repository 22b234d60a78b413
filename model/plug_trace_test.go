package model

import (
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// TestPlugTrace reads what a save did, as strace saw it, and asks what a power cut would have left at any moment of it. `make faults` says where:
// SPANDREL_PLUG is a copy of what a folder was, the trace, and the folder. The calls have to be in an order that keeps everything, and each state in
// which the disk may be found is all old or all new, or is made so by what `spandrel recover` does.
func TestPlugTrace(t *testing.T) {
	paths := filepath.SplitList(os.Getenv("SPANDREL_PLUG"))
	if len(paths) != 3 {
		t.Skip("make faults tells a folder before, a trace, and the folder after")
	}
	before, after := paths[0], paths[2]
	p, err := traced(before, paths[1], after)
	if err != nil {
		t.Fatal(err)
	}
	p.pull(t, before, after)
	for _, w := range p.wrong[:min(len(p.wrong), 5)] {
		t.Error(w)
	}
	t.Logf("%d syncs, %d states, %d of them recovered, %d wrong", p.tape.Syncs, p.states, p.told, len(p.wrong))
}

// program is what a trace tells of a program.
type program struct {
	tape   *tape
	dir    string // where it runs
	files  map[int]*openFile
	before map[int]bool // the files that were there
	fixed  bool         // the disk renames nothing
	wrong  []string
	states int
	told   int
}

// openFile is a file that it has open.
type openFile struct {
	path string
	node int
	at   int64
}

// traceLine is a line of strace: a name, arguments and what it returned. One that another thread interrupted is two lines.
var traceLine = regexp.MustCompile(`^(\w+)\((.*)\) += (-?\d+)`)

func traced(before, trace, dir string) (*program, error) {
	tape, err := tapeOf(before)
	if err != nil {
		return nil, err
	}
	tape.Root = dir
	p := &program{tape: tape, dir: dir, files: map[int]*openFile{}, before: map[int]bool{}}
	for _, path := range tape.Safe() {
		p.before[tape.Find(filepath.Join(dir, path))] = true
	}
	b, err := os.ReadFile(trace)
	if err != nil {
		return nil, err
	}
	p.fixed = strings.Contains(string(b), "EXDEV")
	begun := map[string]string{}
	for line := range strings.Lines(string(b)) {
		pid, text, _ := strings.Cut(strings.TrimSpace(line), " ")
		text = strings.TrimSpace(text)
		if first, is := strings.CutSuffix(text, " <unfinished ...>"); is {
			begun[pid] = first
			continue
		}
		if strings.HasPrefix(text, "<... ") {
			_, rest, _ := strings.Cut(text, " resumed>")
			text = begun[pid] + rest
		}
		m := traceLine.FindStringSubmatch(text)
		if m == nil {
			continue
		}
		if ret, err := strconv.ParseInt(m[3], 10, 64); err == nil && ret >= 0 {
			if err := p.did(m[1], strings.Split(m[2], ", "), ret); err != nil {
				return nil, err
			}
		}
	}
	for _, names := range tape.Left() {
		if slices.ContainsFunc(names, func(name string) bool { return name != "" && !ours(name) && !swept.MatchString(name) }) {
			p.say("%q may not be on the disk when the program says that it is done", names)
		}
	}
	tape.Say()
	return p, nil
}

func (p *program) say(format string, args ...any) {
	p.wrong = append(p.wrong, fmt.Sprintf(format, args...))
}

// traceText is a string, which strace prints in hexadecimal.
func traceText(arg string) string {
	b, _ := hex.DecodeString(strings.ReplaceAll(strings.Trim(arg, `"`), `\x`, ""))
	return string(b)
}

// path is an argument and the one after it: a folder that is open, and a path from there.
func (p *program) path(args []string, i int) string {
	path, from := traceText(args[i+1]), p.dir
	if fd, err := strconv.Atoi(args[i]); err == nil && p.files[fd] != nil {
		from = p.files[fd].path
	}
	if filepath.IsAbs(path) {
		return filepath.Clean(path)
	}
	return filepath.Join(from, path)
}

// did takes down a call that succeeded.
func (p *program) did(name string, args []string, ret int64) error {
	fd, _ := strconv.Atoi(args[0])
	f := p.files[fd]
	if f == nil {
		f = &openFile{node: -1}
	}
	number := func(i int) int64 { n, _ := strconv.ParseInt(args[i], 0, 64); return n }
	switch name {
	case "openat":
		p.opens(p.path(args, 0), args[2:], int(ret))
	case "close":
		delete(p.files, fd)
	case "read":
		f.at += ret
	case "lseek":
		f.at = ret
	case "write":
		p.writes(f, []byte(traceText(args[1]))[:ret], f.at)
		f.at += ret
	case "pwrite64":
		p.writes(f, []byte(traceText(args[1]))[:ret], number(3))
	case "copy_file_range":
		to, _ := strconv.Atoi(args[2])
		if out := p.files[to]; ret > 0 && out != nil && out.node >= 0 {
			if f.node < 0 {
				return fmt.Errorf("%s is copied, and is not known", f.path)
			}
			p.writes(out, p.tape.Content(f.node)[f.at:f.at+ret], out.at)
			out.at += ret
		}
		f.at += ret
	case "ftruncate":
		p.overwrites(f)
		p.tape.Truncate(f.node, number(1))
	case "fsync", "fdatasync":
		p.tape.Sync(f.node)
	case "fchmod":
		p.tape.Mode(f.node, fs.FileMode(number(1)))
	case "fchmodat":
		p.tape.Mode(p.tape.Find(p.path(args, 0)), fs.FileMode(number(2)))
	case "mkdirat":
		p.tape.New(p.path(args, 0), fs.ModeDir|fs.FileMode(number(2))&^0o22)
	case "unlinkat":
		p.tape.Remove(p.path(args, 0))
	case "renameat", "renameat2":
		p.places(p.path(args, 0))
		p.tape.Rename(p.path(args, 0), p.path(args, 2))
	case "linkat":
		p.places(p.path(args, 0))
		p.tape.Link(p.path(args, 0), p.path(args, 2))
	default:
		return fmt.Errorf("%s is a call that is not known here", name)
	}
	return nil
}

func (p *program) opens(path string, args []string, fd int) {
	node := p.tape.Find(path)
	if node < 0 && strings.Contains(args[0], "O_CREAT") {
		mode, _ := strconv.ParseInt(args[1], 0, 64)
		p.tape.New(path, fs.FileMode(mode)&^0o22)
		node = p.tape.Find(path)
	}
	p.files[fd] = &openFile{path, node, 0}
	if strings.Contains(args[0], "O_TRUNC") {
		p.tape.Truncate(node, 0)
	}
}

func (p *program) writes(f *openFile, b []byte, at int64) {
	p.overwrites(f)
	p.tape.Write(f.node, b, at)
}

// overwrites checks that what a file held is on the disk elsewhere before it is written over.
func (p *program) overwrites(f *openFile) {
	if f.node < 0 || !p.before[f.node] {
		return
	}
	for _, path := range p.tape.Safe() {
		if filepath.Join(p.dir, path) == JournalName(f.path) || strings.HasSuffix(path, "/record") || path == ".spandrel-save/record" {
			return
		}
	}
	p.say("%s is written over, and nothing leads back", f.path)
}

// places checks that a file that gets a name is on the disk.
func (p *program) places(from string) {
	if id := p.tape.Find(from); id >= 0 && p.tape.Torn(id) {
		p.say("%s gets another name before it is synced", from)
	}
}

// swept are names in the folder of a save, which may stay there.
var swept = regexp.MustCompile(`^[0-9a-z.]+\.(new|old|temp)$`)

// largestPlugged is the size of the largest folder whose states are tried.
const largestPlugged = 16 << 20

// pull tries all states.
func (p *program) pull(t *testing.T, before, after string) {
	size := int64(0)
	filepath.WalkDir(after, func(_ string, e fs.DirEntry, _ error) error {
		if st, err := e.Info(); err == nil {
			size += st.Size()
		}
		return nil
	})
	if size > largestPlugged {
		return
	}
	wants := []map[string]string{stands(t, before), stands(t, after)}
	for s := range p.tape.States() {
		p.states++
		p.try(t, s, wants[min(s.Said, 1):])
	}
}

// try looks at one state: what opens as it is, and what each way out of an interrupted save makes of it.
func (p *program) try(t *testing.T, s diskState, allowed []map[string]string) {
	saves := &pulling{lax: p.fixed}
	for _, undo := range []bool{false, true} {
		dir := t.TempDir()
		if err := s.Put(dir); err != nil {
			t.Fatal(err)
		}
		found, err := recovered(dir, undo)
		if err != nil {
			p.say("%d done: %v", s.Said, err)
			return
		}
		got := stands(t, dir)
		maps.DeleteFunc(got, func(name, _ string) bool { return around(name, allowed[0]) })
		os.RemoveAll(dir)
		if found {
			if p.told++; s.Said > 0 {
				p.say("it is said to be interrupted when it was done")
			}
		}
		if why := saves.differs(got, allowed); why != "" {
			p.say("%d done, recovered %v: %s", s.Said, found, why)
			return
		}
		if !found {
			return
		}
	}
}

// recovered does what `spandrel recover` does, to every folder.
func recovered(dir string, undo bool) (found bool, err error) {
	var saves []*Interruption
	err = filepath.WalkDir(dir, func(path string, e fs.DirEntry, err error) error {
		if e != nil && e.Name() == ".spandrel-save" {
			if x := InterruptedSave(filepath.Dir(path)); x != nil {
				saves = append(saves, x)
			}
			return filepath.SkipDir
		}
		return err
	})
	for _, x := range saves {
		way := x.Finish
		if undo || !x.Finishable() {
			way = x.TakeBack
		}
		err = errors.Join(err, way(bg))
	}
	over := InterruptedInPlace(dir)
	for _, path := range over {
		err = errors.Join(err, RollBack(path))
	}
	return len(saves)+len(over) > 0, err
}

// around tells whether a name is that of an empty folder, which is made around a new place.
func around(name string, old map[string]string) bool {
	top, _, folder := strings.Cut(name, "/")
	for at := range old {
		folder = folder && at != top && !strings.HasPrefix(at, top+"/")
	}
	return folder && strings.HasSuffix(name, "/")
}
