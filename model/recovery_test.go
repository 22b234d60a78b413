package model

import (
	"bytes"
	"errors"
	"os"
	"path/filepath"
	"testing"
	"time"
)

func TestRecovery(t *testing.T) {
	dir := t.TempDir()
	d := openToy(t, toyFile("one", "two"))
	d.set(t, "names[1]/text", S("unsaved"))
	d.set(t, "rows[3]/b", I(-9))
	if err := d.Record(dir); err != nil {
		t.Fatal(err)
	}
	list := Recoveries(dir)
	if len(list) != 1 {
		t.Fatalf("%d records", len(list))
	}
	again, err := Open(bg, d.Path, nil, toy)
	if err != nil {
		t.Fatal(err)
	}
	defer again.Close()
	if err := again.Recover(bg, &list[0]); err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(again.bytes(t), d.bytes(t)) || !again.Dirty() {
		t.Error("the recovered bytes differ")
	}
	if again.Undo(bg); again.Dirty() {
		t.Error("recovering is not one step")
	}
	os.Chtimes(filepath.Join(d.dir, "a.toy"), time.Now(), time.Now().Add(time.Hour))
	if err := again.Recover(bg, &list[0]); !errors.Is(err, ErrChanged) {
		t.Errorf("recovered over a foreign change: %v", err)
	}
	for d.Undo(bg) != nil {
	}
	if err := d.Record(dir); err != nil || len(Recoveries(dir)) != 0 {
		t.Errorf("a record without edits is left: %v", err)
	}
}
