// Command plug reads what a save did, as strace saw it, and asks what a power cut would have left at any moment of it: plug BEFORE TRACE FOLDER.
// BEFORE is a copy of what FOLDER was. The calls have to be in an order that keeps everything, and each state in which the disk may be found is
// all old or all new, or is made so by what `spandrel recover` does. It prints what is wrong, and how many states it tried.
package main

import (
	"context"
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

	"spandrel/model"
	"spandrel/model/plug"
)

func main() {
	if len(os.Args) != 4 {
		fmt.Fprintln(os.Stderr, "usage: plug BEFORE TRACE FOLDER")
		os.Exit(2)
	}
	p, err := read(os.Args[1], os.Args[2], os.Args[3])
	if err == nil {
		err = p.pull(os.Args[1], os.Args[3])
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(2)
	}
	for _, w := range p.wrong[:min(len(p.wrong), 5)] {
		fmt.Println("  WRONG", w)
	}
	fmt.Printf("%d syncs, %d states, %d of them recovered, %d wrong\n", p.tape.Syncs, p.states, p.told, len(p.wrong))
	if len(p.wrong) > 0 {
		os.Exit(1)
	}
}

// program is what a trace tells of a program.
type program struct {
	tape   *plug.Tape
	dir    string // where it runs
	files  map[int]*open
	before map[int]bool // the files that were there
	fixed  bool         // the disk renames nothing
	wrong  []string
	states int
	told   int
}

// open is a file that it has open.
type open struct {
	path string
	node int
	at   int64
}

// call is a line of strace: a name, arguments and what it returned. One that another thread interrupted is two lines.
var call = regexp.MustCompile(`^(\w+)\((.*)\) += (-?\d+)`)

func read(before, trace, dir string) (*program, error) {
	tape, err := plug.Of(before)
	if err != nil {
		return nil, err
	}
	tape.Root = dir
	p := &program{tape: tape, dir: dir, files: map[int]*open{}, before: map[int]bool{}}
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
		m := call.FindStringSubmatch(text)
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

// text is a string, which strace prints in hexadecimal.
func text(arg string) string {
	b, _ := hex.DecodeString(strings.ReplaceAll(strings.Trim(arg, `"`), `\x`, ""))
	return string(b)
}

// path is an argument and the one after it: a folder that is open, and a path from there.
func (p *program) path(args []string, i int) string {
	path, from := text(args[i+1]), p.dir
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
		f = &open{node: -1}
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
		p.writes(f, []byte(text(args[1]))[:ret], f.at)
		f.at += ret
	case "pwrite64":
		p.writes(f, []byte(text(args[1]))[:ret], number(3))
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
	p.files[fd] = &open{path, node, 0}
	if strings.Contains(args[0], "O_TRUNC") {
		p.tape.Truncate(node, 0)
	}
}

func (p *program) writes(f *open, b []byte, at int64) {
	p.overwrites(f)
	p.tape.Write(f.node, b, at)
}

// overwrites checks that what a file held is on the disk elsewhere before it is written over.
func (p *program) overwrites(f *open) {
	if f.node < 0 || !p.before[f.node] {
		return
	}
	for _, path := range p.tape.Safe() {
		if filepath.Join(p.dir, path) == model.JournalName(f.path) || strings.HasSuffix(path, "/record") || path == ".spandrel-save/record" {
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

// ours tells whether a name is one that saving works with.
func ours(name string) bool {
	return name == ".spandrel-save" || strings.HasSuffix(name, ".spandrel") && strings.HasPrefix(name, ".") || strings.HasSuffix(name, ".spandrel-journal")
}

// holds is what is in a folder, but for what saving works with.
func holds(dir string) (map[string]string, error) {
	out := map[string]string{}
	err := filepath.WalkDir(dir, func(path string, e fs.DirEntry, err error) error {
		switch {
		case err != nil || path == dir:
			return err
		case ours(e.Name()) && e.IsDir():
			return filepath.SkipDir
		case ours(e.Name()):
			return nil
		}
		name, _ := filepath.Rel(dir, path)
		if e.IsDir() {
			list, err := os.ReadDir(path)
			if len(list) == 0 {
				out[name+"/"] = ""
			}
			return err
		}
		b, err := os.ReadFile(path)
		out[name] = string(b)
		return err
	})
	return out, err
}

// most is the size of the largest folder whose states are tried.
const most = 16 << 20

// pull tries all states.
func (p *program) pull(before, after string) error {
	size := int64(0)
	filepath.WalkDir(after, func(_ string, e fs.DirEntry, _ error) error {
		if st, err := e.Info(); err == nil {
			size += st.Size()
		}
		return nil
	})
	if size > most {
		return nil
	}
	was, err := holds(before)
	is, err2 := holds(after)
	if err := errors.Join(err, err2); err != nil {
		return err
	}
	for s := range p.tape.States() {
		p.states++
		allowed := []map[string]string{was, is}[min(s.Said, 1):]
		if err := p.try(s, allowed); err != nil {
			return err
		}
	}
	return nil
}

// try looks at one state.
func (p *program) try(s plug.State, allowed []map[string]string) error {
	for _, undo := range []bool{false, true} {
		dir, err := os.MkdirTemp("", "plug")
		if err != nil {
			return err
		}
		defer os.RemoveAll(dir)
		if err := s.Put(dir); err != nil {
			return err
		}
		found, err := recovered(dir, undo)
		if err != nil {
			p.say("%d done: %v", s.Said, err)
			return nil
		}
		got, err := holds(dir)
		if err != nil {
			return err
		}
		if found {
			if p.told++; s.Said > 0 {
				p.say("it is said to be interrupted when it was done")
			}
		}
		if why := p.differs(got, allowed); why != "" {
			p.say("%d done, recovered %v: %s", s.Said, found, why)
			return nil
		}
		if !found {
			return nil
		}
	}
	return nil
}

// recovered does what `spandrel recover` does, to every folder.
func recovered(dir string, undo bool) (found bool, err error) {
	var saves []*model.Interruption
	err = filepath.WalkDir(dir, func(path string, e fs.DirEntry, err error) error {
		if e != nil && e.Name() == ".spandrel-save" {
			if x := model.InterruptedSave(filepath.Dir(path)); x != nil {
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
		err = errors.Join(err, way(context.Background()))
	}
	over := model.InterruptedInPlace(dir)
	for _, path := range over {
		err = errors.Join(err, model.RollBack(path))
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

// differs says how a folder differs from all that it may be. A backup may be there before it is needed; where nothing is renamed a new file has
// its name before it is written, and a backup too.
func (p *program) differs(got map[string]string, allowed []map[string]string) (why string) {
	old := slices.Collect(maps.Values(allowed[0]))
	for _, want := range allowed {
		why = ""
		for name, text := range got {
			before := model.IsBackup(name) && slices.Contains(old, text) || p.fixed && (text == "" || model.IsBackup(name))
			if _, is := want[name]; !is && !before && !around(name, allowed[0]) {
				why += " " + name + " is there;"
			}
		}
		for name, text := range want {
			if now, is := got[name]; !is || now != text {
				why += " " + name + " is not what it should be;"
			}
		}
		if why == "" {
			return ""
		}
	}
	return why
}
