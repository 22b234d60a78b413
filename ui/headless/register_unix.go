//go:build !windows

package headless

import (
	"errors"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"

	"spandrel/assets/linux"
)

// shared is the folder in which desktops look for a user's applications and file types.
func shared() (string, error) {
	if runtime.GOOS == "darwin" {
		return "", errors.New("on macOS the application bundle declares its file types")
	}
	if dir := os.Getenv("XDG_DATA_HOME"); filepath.IsAbs(dir) {
		return dir, nil
	}
	home, err := os.UserHomeDir()
	return filepath.Join(home, ".local", "share"), err
}

// own are the files that are put there.
var own = []string{"applications/" + linux.ID + ".desktop", "mime/packages/" + linux.ID + ".xml", "icons/hicolor/512x512/apps/" + linux.ID + ".png"}

// inEntry escapes a path for a desktop entry.
func inEntry(path string) string {
	return `"` + strings.NewReplacer(`\`, `\\\\`, `"`, `\\"`, "`", "\\\\`", `$`, `\\$`, `%`, `%%`).Replace(path) + `"`
}

func (c desktop) registerFor(program string) error {
	dir, err := shared()
	if err != nil {
		return err
	}
	entry := strings.ReplaceAll(linux.Entry, "\nExec=spandrel", "\nExec="+inEntry(program))
	for i, content := range [][]byte{[]byte(entry), []byte(linux.MIME), c.Icon} {
		path := filepath.Join(dir, own[i])
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			return err
		}
		if err := os.WriteFile(path, content, 0o644); err != nil {
			return err
		}
	}
	refresh(dir)
	return nil
}

func (c desktop) unregisterAll() error {
	dir, err := shared()
	if err != nil {
		return err
	}
	for _, name := range own {
		if err := os.Remove(filepath.Join(dir, name)); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return err
		}
	}
	refresh(dir)
	return nil
}

// refresh updates the databases. Without the tools the desktop does it at the next login.
func refresh(dir string) {
	exec.Command("update-mime-database", filepath.Join(dir, "mime")).Run()
	exec.Command("update-desktop-database", filepath.Join(dir, "applications")).Run()
}
