package ui

import (
	"path/filepath"
	"time"

	"github.com/fsnotify/fsnotify"
)

// watcher watches the folders of open documents, so that changes by other programs are noticed at once.
type watcher struct {
	files   *fsnotify.Watcher
	folders map[string]int // how many documents each is watched for
}

// watchPause is how long a folder must be quiet before it is examined.
const watchPause = 150 * time.Millisecond

// watch starts watching the folders of documents that are opened from now on. If the system does not support it, changes are noticed when the
// window comes to the front.
func (r *reloader) watch() {
	files, err := fsnotify.NewWatcher()
	if err != nil {
		return
	}
	r.watcher = &watcher{files: files, folders: map[string]int{}}
	look := func() { r.wb.Post(r.lookAtDisk) }
	go func() {
		late := time.AfterFunc(time.Hour, look)
		late.Stop()
		for open := true; open; {
			select {
			case _, open = <-files.Events:
			case _, open = <-files.Errors: // some changes may be lost: look
			}
			if open {
				late.Reset(watchPause)
			}
		}
	}()
}

// follow starts watching the folder of a document, or with -1 stops.
func (r *reloader) follow(d *tab, by int) {
	w := r.watcher
	if w == nil {
		return
	}
	folders := map[string]bool{d.Model.Path: d.Model.Tree.Snapshot.Primary == ""}
	folders[filepath.Dir(d.Model.DiskPath(d.Model.Tree.Snapshot.Primary))] = true
	for folder, wanted := range folders {
		if !wanted {
			continue
		}
		switch w.folders[folder] += by; {
		case by > 0 && w.folders[folder] == 1:
			_ = w.files.Add(folder) // a folder that cannot be watched is checked when the window gets the focus
		case w.folders[folder] == 0:
			_ = w.files.Remove(folder)
			delete(w.folders, folder)
		}
	}
}
