package ui

import (
	"net"
	"os"
	"path/filepath"
	"testing"
)

// A later start hands its files over, as whole paths; where no one listens, or one who died left the socket, it opens a window itself.
func TestHandOver(t *testing.T) {
	t.Setenv("XDG_RUNTIME_DIR", t.TempDir())
	t.Setenv("DISPLAY", ":7")
	t.Cleanup(func() { listener = nil })
	if HandOver([]string{"a"}) || listener == nil {
		t.Fatal("handed over to no one")
	}
	got := make(chan []string, 1)
	first := listener
	go receive(first, func(paths []string) { got <- paths })
	if !HandOver([]string{"a b", "/x"}) {
		t.Fatal("no one took it")
	}
	wd, _ := os.Getwd()
	if p := <-got; len(p) != 2 || p[0] != filepath.Join(wd, "a b") || p[1] != "/x" {
		t.Errorf("%q", p)
	}
	at, _ := socket()
	if st, err := os.Stat(at); err != nil || st.Mode().Perm() != 0o600 {
		t.Errorf("others may knock: %v", err)
	}
	t.Setenv("DISPLAY", ":8")
	if there, _ := socket(); there == at {
		t.Error("displays share a window")
	}
	t.Setenv("DISPLAY", ":7")
	first.(*net.UnixListener).SetUnlinkOnClose(false)
	first.Close()
	if HandOver(nil) || listener == nil || listener == first {
		t.Error("a socket that a dead program left is in the way")
	}
	listener.Close()
}
