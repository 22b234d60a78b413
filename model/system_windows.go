package model

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"unsafe"

	"golang.org/x/sys/windows"
)

// shareAll lets other programs, and a save, do anything with a file while it is open.
const shareAll = windows.FILE_SHARE_READ | windows.FILE_SHARE_WRITE | windows.FILE_SHARE_DELETE

// answers are the errors that mean that there is no such file: the name is not possible, or a link leads in circles.
var answers = []syscall.Errno{syscall.ENOTDIR, windows.ERROR_DIRECTORY, windows.ERROR_INVALID_NAME, windows.ERROR_BAD_PATHNAME,
	windows.ERROR_FILENAME_EXCED_RANGE, windows.ERROR_CANT_RESOLVE_FILENAME, windows.ERROR_INVALID_PARAMETER}

// openShared opens a file for reading. Other programs, and a save, may rename, replace or remove it meanwhile, which os.Open prevents.
func openShared(path string) (*os.File, error) {
	name, err := windows.UTF16PtrFromString(path)
	if err != nil {
		return nil, &os.PathError{Op: "open", Path: path, Err: err}
	}
	h, err := windows.CreateFile(name, windows.GENERIC_READ, shareAll, nil,
		windows.OPEN_EXISTING, windows.FILE_ATTRIBUTE_NORMAL, 0)
	if err != nil {
		return nil, &os.PathError{Op: "open", Path: path, Err: err}
	}
	return os.NewFile(uintptr(h), path), nil
}

// mapRegion maps nothing: here a mapped file can be neither replaced nor truncated, by this program or its owner.
func mapRegion(*os.File, int64) []byte { return nil }
func unmapRegion([]byte) error         { return nil }
func adviseRandom([]byte)              {}
func adviseWillNeed([]byte)            {}

// sameOwner gives a file the permissions of another, as far as the user may.
func sameOwner(path, model string, _ os.FileInfo) {
	sd, err := windows.GetNamedSecurityInfo(model, windows.SE_FILE_OBJECT, windows.DACL_SECURITY_INFORMATION)
	if err != nil {
		return
	}
	list, _, err := sd.DACL()
	if err != nil || list == nil {
		return
	}
	what := windows.SECURITY_INFORMATION(windows.DACL_SECURITY_INFORMATION | windows.UNPROTECTED_DACL_SECURITY_INFORMATION)
	if control, _, err := sd.Control(); err == nil && control&windows.SE_DACL_PROTECTED != 0 {
		what = windows.DACL_SECURITY_INFORMATION | windows.PROTECTED_DACL_SECURITY_INFORMATION
	}
	_ = windows.SetNamedSecurityInfo(path, windows.SE_FILE_OBJECT, what, nil, nil, list, nil)
}

// umask is empty: here the folder determines the mode.
var umask os.FileMode

// lockFile takes no lock: here a file that another program locks cannot be written at all.
func lockFile(string) (back func() error, err error) { return func() error { return nil }, nil }

// replaceFile renames a file over another, which may be open or read-only. NTFS can do that in one step. Elsewhere
// (FAT, Wine, shares of old servers) the old file is renamed for a moment.
func replaceFile(from, to string) error {
	if renameOver(from, to) == nil {
		return nil
	}
	err := os.Rename(from, to)
	if err == nil || !there(to) {
		return err
	}
	aside, stepErr := stepAside(to)
	if stepErr != nil {
		return held(stepErr)
	}
	if err = os.Rename(from, to); err != nil {
		return errors.Join(err, os.Rename(aside, to))
	}
	_ = os.Remove(aside) // at the latest when the document is closed
	return nil
}

// renameOver renames as on other systems: the old file stays readable for those who have it open.
func renameOver(from, to string) error {
	to, err := filepath.Abs(to)
	if err != nil {
		return err
	}
	source, err := windows.UTF16PtrFromString(from)
	if err != nil {
		return err
	}
	name, err := windows.UTF16FromString(to)
	if err != nil {
		return err
	}
	h, err := windows.CreateFile(source, windows.DELETE|windows.SYNCHRONIZE, shareAll, nil,
		windows.OPEN_EXISTING, windows.FILE_FLAG_BACKUP_SEMANTICS|windows.FILE_FLAG_OPEN_REPARSE_POINT, 0)
	if err != nil {
		return err
	}
	defer windows.CloseHandle(h)
	type renameInfo struct { // FILE_RENAME_INFO
		flags  uint32
		root   windows.Handle
		length uint32
		name   [1]uint16
	}
	b := make([]byte, unsafe.Sizeof(renameInfo{})+uintptr(len(name))*2)
	x := (*renameInfo)(unsafe.Pointer(&b[0]))
	x.flags = windows.FILE_RENAME_REPLACE_IF_EXISTS | windows.FILE_RENAME_POSIX_SEMANTICS | windows.FILE_RENAME_IGNORE_READONLY_ATTRIBUTE
	x.length = uint32(len(name)-1) * 2
	copy(unsafe.Slice(&x.name[0], len(name)), name)
	return windows.SetFileInformationByHandle(h, windows.FileRenameInfoEx, &b[0], uint32(len(b)))
}

// stepAside renames a file to an unused working name beside it.
func stepAside(path string) (aside string, err error) {
	for i := 0; ; i++ {
		aside = filepath.Join(filepath.Dir(path), fmt.Sprintf(".%s.%d.spandrel", filepath.Base(path), i))
		if !there(aside) {
			return aside, os.Rename(path, aside)
		}
	}
}

// removeFile removes a file, which may be open, or an empty folder. Some systems keep the name of an open file until it is closed, so it is
// renamed first.
func removeFile(path string) error {
	if st, err := os.Lstat(path); err == nil && st.Mode().IsRegular() {
		if aside, err := stepAside(path); err == nil {
			if err := os.Remove(aside); err != nil {
				return errors.Join(err, os.Rename(aside, path))
			}
			return nil
		}
	}
	return held(os.Remove(path))
}

// held explains the error for a file that another program keeps open.
func held(err error) error {
	for _, busy := range []windows.Errno{windows.ERROR_SHARING_VIOLATION, windows.ERROR_LOCK_VIOLATION, windows.ERROR_USER_MAPPED_FILE} {
		if errors.Is(err, busy) {
			return fmt.Errorf("another program has the file open and prevents replacing it: "+
				"close it there and save again, or save under another name (%w)", err)
		}
	}
	return err
}

// syncDir does nothing: folders are not synced here.
func syncDir(*os.File) error { return nil }

// systemName is an error unless a file of a folder may have this name on this system.
func systemName(name string) error {
	for part := range strings.SplitSeq(name, "/") {
		if strings.ContainsAny(part, `<>:"|?*\`) || strings.ContainsFunc(part, func(r rune) bool { return r < ' ' }) ||
			strings.TrimRight(part, ". ") != part || !filepath.IsLocal(part) {
			return fmt.Errorf("%q is not a valid file name on Windows", name)
		}
	}
	return nil
}
