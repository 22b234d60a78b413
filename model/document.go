package model

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"sort"

	"spandrel/model/kinds"
)

// Document is an open file or folder: its format, its tree and, with edits, its history. Only one goroutine may change it;
// the tree may be read from anywhere.
type Document struct {
	Path   string // as given by the user
	Format *Format
	Tree   *Tree
	// Candidates are the formats that examined the bytes, best first, with their confidence.
	Candidates []Candidate

	folder   *Folder
	file     *File            // of a document without a folder
	store    Store            // store with its files; nil: on disk or in memory
	storeDir string           // the folder in it that file names are relative to
	dir      string           // the folder of the disk that file names are relative to; "" for bytes in memory
	disk     map[string]Stamp // state of files when they were opened or saved last
	saved    *Snapshot        // content on disk

	undo, redo []Change
	records    recordOrder
}

// Candidate is a format's opinion of a file.
type Candidate struct {
	Format     *Format
	Confidence Confidence
	Reason     string // why it declined, if known
}

// probeSize is how many bytes of either end a format sees for detection.
const probeSize = 64 << 10

// ErrNoFormat means that no format recognises a file for a command that needs one.
var ErrNoFormat = errors.New("no known format")

// Open opens a file or folder and parses it. force is the format to use, or nil to detect it. A file of unknown format
// opens too: its tree is one Gap. Errors are those of the file system.
func Open(ctx context.Context, path string, formats []*Format, force *Format) (*Document, error) {
	return open(ctx, path, formats, force, nil)
}

func open(ctx context.Context, path string, formats []*Format, force *Format, lists *Listings) (*Document, error) {
	st, err := os.Stat(path)
	if err != nil {
		return nil, err
	}
	if st.IsDir() {
		return openFolder(ctx, path, formats, force)
	}
	real, err := filepath.EvalSymlinks(path)
	if err != nil {
		return nil, err
	}
	file, err := OpenFile(real)
	if err != nil {
		return nil, err
	}
	d := &Document{Path: path, file: file, dir: filepath.Dir(real), disk: map[string]Stamp{filepath.Base(real): file.Stamp}}
	content := NewContent(file)
	if err := d.choose(filepath.Base(real), content, formats, force); err != nil {
		return nil, err
	}
	snap := &Snapshot{Primary: filepath.Base(real)}
	if d.Format.dataset().Beside {
		snap.Primary = d.home(real)
		d.folder, err = OpenFolder(d.dir)
		if err == nil {
			d.folder.lists = lists
			_, err = d.folder.File(snap.Primary)
		}
		if err == nil {
			snap.folder = d.folder
		}
	}
	if snap.folder == nil { // the file is shown alone
		snap.edited = map[string]*Content{snap.Primary: content}
	}
	d.start(ctx, snap, err)
	return d, nil
}

// home makes the folder of the dataset that a file belongs to the document's folder, and returns the file's name in it.
func (d *Document) home(real string) string {
	abs, err := filepath.Abs(real)
	home := d.Format.Dataset.Home
	if home == nil || err != nil {
		return filepath.Base(real)
	}
	real, d.dir = abs, filepath.Dir(abs)
	for range home(filepath.ToSlash(real)) {
		d.dir = filepath.Dir(d.dir)
	}
	rel, err := filepath.Rel(d.dir, real)
	if err != nil {
		d.dir = filepath.Dir(real)
		return filepath.Base(real)
	}
	d.disk = map[string]Stamp{filepath.ToSlash(rel): d.file.Stamp}
	return filepath.ToSlash(rel)
}

// start parses the first snapshot. fault is why its folder could not be opened.
func (d *Document) start(ctx context.Context, snap *Snapshot, fault error) {
	d.saved, snap.unread = snap, &unread{}
	snap.unread.saw(d.dir, fault)
	if d.dir != "" && snap.Primary != "" && Interrupted(filepath.Join(d.dir, snap.Primary)) {
		defer func() {
			d.Tree.Report(Finding{Rule: RuleJournal, Span: d.Tree.Root, Message: "a save of this file was interrupted; its rollback journal still exists"})
		}()
	}
	d.Tree = Parse(ctx, snap, d.Format)
	if x := d.Interrupted(); x != nil {
		d.Tree.Report(Wrong(RuleInterrupted, d.Tree.Root, nil, nil, Saying("a save of %d files was interrupted at %s: some may be new and some old; finish it or undo it",
			len(x.Files), x.When.Format("2006-01-02 15:04:05"))))
	}
}

// Interrupted returns an interrupted save of several files in the document's folder, or nil.
func (d *Document) Interrupted() *Interruption {
	if d.dir == "" || !there(filepath.Join(d.dir, saveFolder)) {
		return nil
	}
	return InterruptedSave(d.dir)
}

// OpenBytes is Open for bytes in memory, such as standard input.
func OpenBytes(ctx context.Context, name string, b []byte, formats []*Format, force *Format) (*Document, error) {
	d := &Document{Path: name}
	content := BytesContent(b)
	if err := d.choose(name, content, formats, force); err != nil {
		return nil, err
	}
	d.start(ctx, &Snapshot{Primary: name, edited: map[string]*Content{name: content}}, nil)
	return d, nil
}

func openFolder(ctx context.Context, path string, formats []*Format, force *Format) (*Document, error) {
	d, fault := openPart(ctx, path, formats, force)
	if d != nil {
		return d, nil
	}
	folder, err := OpenFolder(path)
	if err != nil {
		return nil, err
	}
	d = &Document{Path: path, folder: folder, dir: path, disk: map[string]Stamp{}}
	snap := &Snapshot{folder: folder, unread: &unread{}}
	if !d.claim(snap, formats, force) {
		folder.Close()
		err := snap.Fault()
		if err == nil && begun(path) {
			err = ErrInterrupted
		}
		if err != nil {
			return nil, fmt.Errorf("%s: %w", path, err)
		}
		if is := FolderKind(path); is != "" {
			return nil, fmt.Errorf("%s: %w: %s", path, ErrNoFormat, is)
		}
		return nil, fmt.Errorf("%s: a folder of %w: name one of its files", path, ErrNoFormat)
	}
	d.start(ctx, snap, fault)
	return d, nil
}

// detectors are the formats that recognise folders, or force alone.
func detectors(formats []*Format, force *Format) []*Format {
	return slices.DeleteFunc(slices.Clone(formats), func(f *Format) bool {
		return f.dataset().Detect == nil || force != nil && f != force
	})
}

// claim asks the formats whether a folder is theirs, and takes the most confident one.
func (d *Document) claim(snap *Snapshot, formats []*Format, force *Format) bool {
	defer snap.folder.remember()()
	for _, f := range detectors(formats, force) {
		if primary, c := f.Dataset.Detect(snap); c > 0 || force != nil {
			d.Candidates = append(d.Candidates, Candidate{Format: f, Confidence: c})
			if best := d.Candidates[0]; c > best.Confidence || len(d.Candidates) == 1 {
				d.Candidates[0], d.Candidates[len(d.Candidates)-1] = d.Candidates[len(d.Candidates)-1], best
				snap.Primary = primary
			}
		}
	}
	if len(d.Candidates) > 0 {
		d.Format = d.Candidates[0].Format
	}
	return d.Format != nil
}

// FolderKind says what a folder that no format recognises is and which library opens it; "" if unknown.
func FolderKind(path string) string {
	is, opens := kinds.Folder(func(name string) bool { return there(filepath.Join(path, name)) })
	if is == "" && packed(path) {
		return "its files are compressed with gzip, one by one: unpack them with gunzip -r"
	}
	if is == "" {
		return ""
	}
	return fmt.Sprintf("it is %s, and %s opens it", is, opens)
}

// packed tells whether all files in a folder are compressed, going by their names.
func packed(path string) bool {
	list, _ := os.ReadDir(path)
	list = slices.DeleteFunc(list, func(e os.DirEntry) bool { return e.IsDir() })
	return len(list) > 1 && !slices.ContainsFunc(list, func(e os.DirEntry) bool { return filepath.Ext(e.Name()) != ".gz" })
}

// openPart opens a folder inside a dataset as part of it, or returns nil: a format tells from the path where the
// dataset's folder would be, and must recognise it. An error says why the formats could not be asked.
func openPart(ctx context.Context, path string, formats []*Format, force *Format) (*Document, error) {
	real, err := filepath.EvalSymlinks(path)
	if err != nil {
		return nil, err
	}
	if real, err = filepath.Abs(real); err != nil {
		return nil, err
	}
	var fault error
	for _, f := range detectors(formats, force) {
		if f.Dataset.Home == nil {
			continue
		}
		dir := real
		for range f.Dataset.Home(filepath.ToSlash(real) + "/") {
			dir = filepath.Dir(dir)
		}
		part, err := filepath.Rel(dir, real)
		if dir == real || err != nil {
			continue
		}
		folder, err := OpenFolder(dir)
		if err != nil {
			fault = err
			continue
		}
		snap := &Snapshot{folder: folder, Part: filepath.ToSlash(part), unread: &unread{}}
		forget := folder.remember()
		if _, sure := f.Dataset.Detect(snap); sure > 0 {
			d := &Document{Path: path, Format: f, Candidates: []Candidate{{Format: f, Confidence: sure}}, folder: folder, dir: dir, disk: map[string]Stamp{}}
			d.start(ctx, snap, nil)
			forget()
			return d, nil
		}
		fault = cmp.Or(fault, snap.Fault())
		folder.Close()
	}
	return nil, fault
}

// choose asks the formats about the bytes.
func (d *Document) choose(name string, c *Content, formats []*Format, force *Format) error {
	if force != nil {
		d.Format, d.Candidates = force, []Candidate{{Format: force, Confidence: 100}}
		return nil
	}
	var err error
	if d.Candidates, err = Choose(name, c, formats); err != nil {
		return err
	}
	if len(d.Candidates) > 0 && d.Candidates[0].Confidence > 0 {
		d.Format = d.Candidates[0].Format
	}
	return nil
}

// Choose asks formats about the bytes of a file: the most confident first, then those that decline, with their reasons.
func Choose(name string, c *Content, formats []*Format) (out []Candidate, err error) {
	head, err := read(c, 0, min(probeSize, c.Len()))
	if err != nil {
		return nil, err
	}
	tail, err := read(c, max(0, c.Len()-probeSize), min(probeSize, c.Len()))
	if err != nil {
		return nil, err
	}
	for _, f := range formats {
		if f.Detect != nil {
			is := Candidate{Format: f}
			is.Confidence, is.Reason = f.Detect(name, head, tail, c.Len())
			out = append(out, is)
		}
	}
	sort.SliceStable(out, func(i, j int) bool { return out[i].Confidence > out[j].Confidence })
	return out, nil
}

func read(c *Content, off, n int64) ([]byte, error) {
	b := make([]byte, n)
	if n == 0 {
		return b, nil
	}
	_, err := c.ReadAt(b, off)
	return b, err
}

// Still lists each folder of the document only once from now on, for documents whose files do not change and that are read very often.
func (d *Document) Still() {
	if d.folder != nil {
		d.folder.remember()
	}
}

// Close releases the files. Nothing may read the document's tree afterwards.
func (d *Document) Close() {
	if d.folder != nil {
		d.folder.Close()
	}
	if d.file != nil {
		d.file.Close()
	}
}

// InMemory tells whether the document is not stored in a file on disk.
func (d *Document) InMemory() bool { return d.dir == "" }

// Tables lists the tables of the tree. It may read, so workers call it.
func (t *Tree) Tables(ctx context.Context) (out []Table) {
	if t.Format == nil || t.Format.Tables == nil {
		return nil
	}
	if err := Contain(func() error { out = t.Format.Tables(ctx, t); return nil }); err != nil {
		t.failed(err)
	}
	return out
}

// Cells is how many cells the tables of the tree have, except those that describe others.
func (t *Tree) Cells(ctx context.Context) (n int64) {
	for _, tab := range t.Tables(ctx) {
		if !tab.Aside && !tab.Layout && !tab.Groups {
			n += tab.Rows * int64(len(tab.Columns))
		}
	}
	return n
}

// failed turns a panic of a format into a finding.
func (t *Tree) failed(err error) {
	f := Finding{Rule: RuleUndecoded, Span: t.Root, Message: err.Error()}
	if defect := (*Defect)(nil); errors.As(err, &defect) {
		f.Rule, f.Found = RuleInternal, string(defect.Stack)
	}
	t.Report(f)
}

// Deep runs the checks that read everything and adds their findings to the tree.
func (d *Document) Deep(ctx context.Context, progress func(done, total int64, what string)) error {
	return d.DeepOn(ctx, d.Tree, progress)
}

// DeepOn is Deep for a tree of the document, for workers: it reads nothing that may change meanwhile.
func (d *Document) DeepOn(ctx context.Context, t *Tree, progress func(done, total int64, what string)) error {
	if progress == nil {
		progress = func(int64, int64, string) {}
	}
	p := &Probe{Report: t.Report, Progress: progress}
	if t.Format != nil && t.Format.Deep != nil {
		err := Contain(func() error { return t.Format.Deep(ctx, t, p) })
		if defect := (*Defect)(nil); errors.As(err, &defect) {
			t.failed(err)
		} else if err != nil {
			return err
		}
	}
	if err := t.blankSectors(ctx); err != nil {
		return err
	}
	return t.CheckSums(ctx)
}

// FileName returns the name of the file that a range is in: relative to the folder when there is one.
func (t *Tree) FileName(r Range) string {
	if s := t.Space(r.Space); s != nil {
		return s.File
	}
	return ""
}

// Missing tells whether an error means that a file does not exist.
func Missing(err error) bool { return errors.Is(err, fs.ErrNotExist) }
