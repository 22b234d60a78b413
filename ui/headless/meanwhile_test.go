//go:build unix

package headless_test

import (
	"errors"
	"fmt"
	"io/fs"
	"math/rand"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"spandrel/testdata"
)

// Each command reads, and some write. What is in capitals is a path, OUT one that is not there.
var underOthers = map[string][]string{
	"taridx/good/three-shards/train.taridx": {"table PATH shards --to parquet -o OUT", "set --no-backup PATH header/n_rows=7 --force", "convert --no-backup --path rows[0] PATH rename-sample name=other"},
	"taridx/bad/022-n-rows/train.taridx":    {"fix --no-backup PATH", "slice PATH -o OUT"},
	"idv/good/deflated.idv":                 {"table PATH rows --to csv -o OUT", "table PATH rows --to arrow -o OUT", "set --no-backup PATH toc[0]/name/text=neuer", "set -o OUT PATH toc[0]/name/text=neuer"},
	"idv/bad/002-signature.idv":             {"fix --no-backup PATH", "salvage PATH -o OUT"},
	"scdl/good/archive":                     {"table PATH matrix --to jsonl -o OUT", "convert --no-backup PATH byte-order", "convert -o OUT PATH byte-order"},
	"tiledb/good/dense-v22":                 {"table PATH cells --to parquet -o OUT", "salvage PATH -o OUT"},
	"samediff/good/arrays.sdc":              {"find --decoded PATH a", "salvage PATH -o OUT"},
	"npy/good/columns.npy":                  {"table PATH --to csv -o OUT", "set --no-backup PATH data[0]=5"},
	"safetensors/good/model.safetensors":    {"convert --no-backup --path data/layer.0/weight PATH drop-tensor"},
	"tar/good/gnu.tar":                      {"convert --no-backup --path members[2] PATH drop-member", "salvage PATH -o OUT"},
}

// alwaysUnderOthers are run on every document.
var alwaysUnderOthers = []string{"dump --all PATH", "check --deep --json PATH", "report --deep PATH -o OUT", "diff PATH SAME", "find PATH a", "fix --dry-run PATH"}

// While a command works, another program empties, cuts, grows, replaces or deletes a file of the document, at any moment: the program lives on. What
// it says is what it says of the document before or after that, or else that it failed, in a line of plain words; and then it changed nothing. With
// SPANDREL_SOAK each command is tried at many more moments, and what it says is compared: on a busy machine a repair that is looked for in a time may
// be found once, and once not.
func TestFilesChangeUnderCommands(t *testing.T) {
	times, every := 2, 1
	if testing.Short() {
		times, every = 1, 4
	}
	if os.Getenv("SPANDREL_SOAK") != "" {
		times, every = 60, 1
	}
	n := 0
	for sample, own := range underOthers {
		for _, command := range append(alwaysUnderOthers, own...) {
			if n++; n%every != 0 {
				continue
			}
			u := newUnderOthers(t, sample, command)
			for range times {
				u.try()
			}
		}
	}
}

// others is a command on a sample, which others change.
type others struct {
	t       *testing.T
	sample  string
	command string
	dir     string // with all its files
	path    string // of the document
	out     string
	most    time.Duration // that the command takes
	files   []string
	rand    *rand.Rand
	after   map[string]string // what is said of the document after a change
}

func newUnderOthers(t *testing.T, sample, command string) *others {
	home := t.TempDir()
	u := &others{t: t, sample: sample, command: command, dir: filepath.Join(home, "d"), out: filepath.Join(home, "out"), rand: rand.New(rand.NewSource(int64(len(sample + command)))), after: map[string]string{}}
	u.fresh()
	if err := filepath.WalkDir(u.dir, func(name string, e fs.DirEntry, err error) error {
		if err == nil && !e.IsDir() {
			u.files = append(u.files, name)
		}
		return err
	}); err != nil {
		t.Fatal(err)
	}
	begun := time.Now()
	u.after[""] = u.said(u.run())
	u.most = time.Since(begun)
	return u
}

// fresh makes the document as it was.
func (u *others) fresh() {
	if err := errors.Join(os.RemoveAll(u.dir), os.RemoveAll(u.out)); err != nil {
		u.t.Fatal(err)
	}
	u.path = copyInto(u.t, u.sample, u.dir)
}

func (u *others) run() (status int, printed, line string) {
	return run(nil, strings.Fields(strings.NewReplacer("PATH", u.path, "OUT", u.out, "SAME", "../../testdata/"+u.sample).Replace(u.command))...)
}

// said is all that a command says, with what it wrote elsewhere.
func (u *others) said(status int, printed, line string) string {
	written := ""
	if _, err := os.Lstat(u.out); err == nil {
		written = sums(u.t, u.out)
	}
	return fmt.Sprint(status, "\n", printed, line, written)
}

// try changes a file at a moment of the command.
func (u *others) try() {
	u.t.Helper()
	other, victim, delay := testdata.Others[u.rand.Intn(len(testdata.Others))], u.files[u.rand.Intn(len(u.files))], time.Duration(u.rand.Int63n(int64(u.most)))
	what := fmt.Sprintf("%s of %s, %s %s after %v", u.command, u.sample, filepath.Base(victim), other.What, delay)
	if _, known := u.after[victim+other.What]; !known {
		u.fresh()
		u.must(other.Do(victim))
		u.after[victim+other.What] = u.said(u.run())
	}
	u.fresh()
	before := u.besides(victim)
	done := make(chan error, 1)
	go func() {
		time.Sleep(delay)
		done <- other.Do(victim)
	}()
	status, printed, line := u.run()
	if err := <-done; !errors.Is(err, fs.ErrNotExist) { // a save was just about to give the file its name
		u.must(err)
	}
	for _, word := range []string{"defect", "runtime error", "goroutine", "panic", "invalid memory"} {
		if strings.Contains(printed+line, word) {
			u.t.Errorf("%s, %s: %s%s", what, word, line, printed)
		}
	}
	said := u.said(status, printed, line)
	switch {
	case said == u.after[""] || said == u.after[victim+other.What]:
	case status != 2 && os.Getenv("SPANDREL_SOAK") == "":
	case status != 2:
		u.t.Errorf("%s: neither what was nor what is: %s\nwas %s\nis %s", what, said, u.after[""], u.after[victim+other.What])
	case !plainLines(line):
		u.t.Errorf("%s: said %q", what, line)
	default:
		u.t.Log(strings.ReplaceAll(line, u.dir, "DIR"))
		if now := u.besides(victim); now != before {
			u.t.Errorf("%s: failed, and changed files: %q", what, line)
		}
	}
}

// plainLines tells whether all that was said is lines of the program, the last of which is why it failed.
func plainLines(said string) bool {
	lines := strings.Split(strings.TrimSuffix(said, "\n"), "\n")
	return strings.HasSuffix(said, "\n") && !slices.ContainsFunc(lines, func(l string) bool {
		return !strings.HasPrefix(l, "spandrel: ") && !strings.HasPrefix(l, `{"kind":"error"`)
	})
}

func (u *others) must(err error) {
	u.t.Helper()
	if err != nil {
		u.t.Fatal(err)
	}
}

// besides is the names and the bytes of all files but one.
func (u *others) besides(victim string) string {
	var kept []string
	for _, line := range strings.Split(sums(u.t, u.dir), "\n") {
		if !strings.HasPrefix(line, victim+" ") {
			kept = append(kept, line)
		}
	}
	return strings.Join(kept, "\n")
}

// copyInto copies a sample and what lies beside it, and returns the path of the copy.
func copyInto(t *testing.T, sample, dir string) string {
	t.Helper()
	from := filepath.Join("../../testdata", sample)
	if st, err := os.Stat(from); err != nil {
		t.Fatal(err)
	} else if st.IsDir() {
		if err := os.CopyFS(dir, os.DirFS(from)); err != nil {
			t.Fatal(err)
		}
		return dir
	}
	if strings.HasPrefix(sample, "taridx") {
		return filepath.Join(copyInto(t, filepath.Dir(sample), dir), filepath.Base(sample))
	}
	raw, err := os.ReadFile(from)
	if err != nil {
		t.Fatal(err)
	}
	to := filepath.Join(dir, filepath.Base(sample))
	if err := errors.Join(os.MkdirAll(dir, 0o700), os.WriteFile(to, raw, 0o600)); err != nil {
		t.Fatal(err)
	}
	return to
}
