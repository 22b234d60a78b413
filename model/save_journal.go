package model

import (
	"encoding/binary"
	"errors"
	"fmt"
	"hash/crc32"
	"io"
	"os"
	"path/filepath"
)

// The rollback journal of a save in place: magic, the size of the file, the number of runs; for each run its offset, its
// length and its old bytes; and a CRC-32 of everything before. All numbers are 8 bytes, little-endian. A journal
// with a wrong checksum is incomplete, and then nothing has been overwritten yet.
const journalMagic = "SPANDREL-JOURNAL"

// JournalName returns the name of a file's rollback journal.
func JournalName(path string) string { return path + ".spandrel-journal" }

// journal is the old bytes of a content at runs, and its size.
func journal(c *Content, size int64, runs []Changed, at func(Changed) (off, n int64)) ([]byte, error) {
	j := []byte(journalMagic)
	j = binary.LittleEndian.AppendUint64(j, uint64(size))
	j = binary.LittleEndian.AppendUint64(j, uint64(len(runs)))
	for _, r := range runs {
		off, n := at(r)
		b := make([]byte, n)
		if _, err := c.ReadAt(b, off); err != nil && err != io.EOF {
			return nil, err
		}
		j = binary.LittleEndian.AppendUint64(j, uint64(off))
		j = append(binary.LittleEndian.AppendUint64(j, uint64(n)), b...)
	}
	return binary.LittleEndian.AppendUint32(j, crc32.ChecksumIEEE(j)), nil
}

// patch overwrites the changed runs of a file, after saving their old bytes in a journal.
func (w *saver) patch(s Saved, c *Content, saved *Snapshot) error {
	base, err := saved.Content(s.File)
	if err != nil {
		return err
	}
	runs := c.Diff(base)
	j, err := journal(base, base.Len(), runs, func(r Changed) (int64, int64) { return r.OldOff, r.Old })
	if err != nil {
		return err
	}
	return w.overwritten(s, c, runs, j, func() error { return w.overwrite(s.Path, c, runs) })
}

// overwritten overwrites a file whose old bytes are in a journal, which is kept until the new runs have been read back and compared.
func (w *saver) overwritten(s Saved, c *Content, runs []Changed, old []byte, write func() error) error {
	if err := w.journaled(s, old); err != nil {
		return err
	}
	err := write()
	if err == nil {
		err = written(verify(w.ctx, s.Path, c, runs))                                             // nothing else was touched
		if st, statErr := os.Stat(s.Path); err != nil && statErr == nil && st.Size() != c.Len() { // another program wrote it later: keep that
			return errors.Join(fmt.Errorf("%w (%w)", ErrChanged, err), w.fs.Remove(JournalName(s.Path)), w.fs.SyncDir(filepath.Dir(s.Path)))
		}
	}
	if err != nil {
		if back := rollBack(w.fs, s.Path, old); back != nil {
			return fmt.Errorf("%w; undoing it failed too (%v): open the file again to roll back", err, back)
		}
		return err
	}
	if err := w.fs.Remove(JournalName(s.Path)); err != nil {
		return err
	}
	return w.fs.SyncDir(filepath.Dir(s.Path))
}

// journaled saves the old bytes of a file that is about to be overwritten, and verifies that no other program has changed it until now.
func (w *saver) journaled(s Saved, old []byte) error {
	if err := w.publish(old, JournalName(s.Path)); err != nil || w.still == nil {
		return err
	}
	err := w.still(s)
	if err != nil {
		err = errors.Join(err, w.fs.Remove(JournalName(s.Path)), w.fs.SyncDir(filepath.Dir(s.Path)))
	}
	return err
}

func (w *saver) overwrite(path string, c *Content, runs []Changed) error {
	f, err := w.fs.Open(path)
	if err != nil {
		return err
	}
	var done int64
	for i := len(runs) - 1; i >= 0; i-- { // the last first: bytes added at the end are safe before anything refers to them
		r := runs[i]
		if err == nil && i < len(runs)-1 && runs[i+1].New > runs[i+1].Old {
			err = f.Sync()
		}
		if err != nil {
			break
		}
		for off := r.Off; off < r.Off+r.New && err == nil; off += saveStep {
			b := make([]byte, min(saveStep, r.Off+r.New-off))
			if _, err = c.ReadAt(b, off); err == nil || err == io.EOF {
				_, err = f.WriteAt(b, off)
			}
			done += int64(len(b))
			w.progress(done)
		}
	}
	return errors.Join(err, f.Sync(), f.Close())
}

// run is a run of old bytes in a journal.
type run struct {
	off int64
	old []byte
}

// parseJournal returns the runs of a complete journal for a file of the given size, which the save may have extended, and the
// original size of the file.
func parseJournal(j []byte, size int64) (runs []run, before int64, ok bool) {
	const head = len(journalMagic) + 16
	if len(j) < head+4 || string(j[:len(journalMagic)]) != journalMagic {
		return nil, 0, false
	}
	before = int64(binary.LittleEndian.Uint64(j[len(journalMagic):]))
	body, sum := j[:len(j)-4], binary.LittleEndian.Uint32(j[len(j)-4:])
	if crc32.ChecksumIEEE(body) != sum {
		return nil, 0, false
	}
	for b := body[head:]; len(b) >= 16; {
		off, n := int64(binary.LittleEndian.Uint64(b)), binary.LittleEndian.Uint64(b[8:])
		if n > uint64(len(b)-16) || off < 0 || off > before-int64(n) {
			return nil, 0, false
		}
		runs = append(runs, run{off, b[16 : 16+n]})
		b = b[16+n:]
	}
	whole := len(runs) == 1 && int64(len(runs[0].old)) == before // then the rest of the file does not matter
	return runs, before, whole || before <= size
}

// rollBack restores a file from its journal. The journal is kept until the file has been read back.
func rollBack(fs disk, path string, journal []byte) error {
	st, err := os.Stat(path)
	if err != nil {
		return err
	}
	runs, before, ok := parseJournal(journal, st.Size())
	if !ok {
		return errors.New("the journal does not fit the file")
	}
	if err := writeRuns(fs, path, runs, before); err != nil {
		return err
	}
	if err := fs.Remove(JournalName(path)); err != nil {
		return err
	}
	return fs.SyncDir(filepath.Dir(path))
}

// writeRuns writes runs of bytes into a file, sets its size, and reads it back.
func writeRuns(fs disk, path string, runs []run, size int64) error {
	f, err := fs.Open(path)
	if err != nil {
		return err
	}
	for _, r := range runs {
		if err == nil {
			_, err = f.WriteAt(r.old, r.off)
		}
	}
	if err == nil {
		err = f.Truncate(size)
	}
	if err = errors.Join(err, f.Sync(), f.Close()); err != nil {
		return err
	}
	return reread(path, size, runs)
}

// maxJournal is the size of the largest journal that patch writes: InPlacePatch runs of one byte.
const maxJournal = InPlacePatch*(16+1) + int64(len(journalMagic)) + 16 + 4

// readJournal returns a file's journal. Something else with its name may be of any size, or a pipe that blocks.
func readJournal(path string) ([]byte, error) {
	st, err := os.Stat(JournalName(path))
	if err != nil {
		return nil, err
	}
	if !st.Mode().IsRegular() || st.Size() > maxJournal {
		return nil, fmt.Errorf("%s is not a journal", JournalName(path))
	}
	return os.ReadFile(JournalName(path))
}

// Interrupted tells whether a save of a file in place was interrupted: its journal exists and is complete.
func Interrupted(path string) bool {
	j, err := readJournal(path)
	if err != nil {
		return false
	}
	st, err := os.Stat(path)
	if err != nil {
		return false
	}
	_, _, ok := parseJournal(j, st.Size())
	return ok
}

// RollBack restores a file to its state before an interrupted save in place. Close all documents of it first. The lock of its dataset is taken,
// if one of the formats has one.
func RollBack(path string, formats ...*Format) error {
	return locked(path, formats, func() error {
		j, err := readJournal(path)
		if err != nil {
			return err
		}
		return rollBack(osDisk{}, path, j)
	})
}
