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

// TestRecordStopsAnywhere stops the writing of a record of unsaved edits at each of its steps in each way: the record before is there, or
// the new one, and an error says that it is not.
func TestRecordStopsAnywhere(t *testing.T) {
	survived := 0
	for _, fault := range faults {
		for at := 1; ; at++ {
			dir, d := t.TempDir(), openToy(t, toyFile("one", "two"))
			edits := func() int64 {
				list := Recoveries(dir)
				if len(list) != 1 {
					t.Fatalf("step %d, %v: %d records", at, fault, len(list))
				}
				again, err := Open(bg, d.Path, nil, toy)
				if err != nil {
					t.Fatal(err)
				}
				defer again.Close()
				if err := again.Recover(bg, &list[0]); err != nil {
					t.Fatal(err)
				}
				s, err := again.Tree.Find(bg, "rows[3]/b")
				if err != nil {
					t.Fatal(err)
				}
				v, _ := again.Tree.Value(bg, s)
				return v.Int()
			}
			d.set(t, "rows[3]/b", I(-9))
			if err := d.Record(dir); err != nil {
				t.Fatal(err)
			}
			d.set(t, "rows[3]/b", I(-7))
			disk := &brokenDisk{at: at, fault: fault}
			err, died := func() (err error, died bool) {
				defer func() {
					if r := recover(); r != nil {
						died = r == killed{}
					}
				}()
				return d.Recording().write(dir, disk), false
			}()
			if disk.step < at {
				break
			}
			const last = 5 // an error of it says that the name of the new record may not last
			if got := edits(); got != -9 && got != -7 || !died && (err == nil) != (got == -7) && at != last || err == nil && !died && got != -7 {
				t.Errorf("step %d, %v: %v, and the record says %d", at, fault, err, got)
			}
			survived++
		}
	}
	if survived < 20 {
		t.Errorf("only %d faults were tried", survived)
	}
	t.Logf("faults of records of unsaved edits: %d injected and survived", survived)
}
