package main

import (
	"os"
	"testing"
)

func TestListIsWhatIsLinked(t *testing.T) {
	want, err := list()
	if err != nil {
		t.Fatal(err)
	}
	got, err := os.ReadFile("../../docs/third-party.txt")
	if err != nil {
		t.Fatal(err)
	}
	if string(got) != want {
		t.Error("docs/third-party.txt is not the list of the linked modules; `make licenses` writes it")
	}
}

func TestModuleWithoutLicence(t *testing.T) {
	if err := collect(map[string]component{}, "example.org/x v1.0.0", t.TempDir(), t.TempDir()); err == nil {
		t.Error("a package outside of its module is taken")
	}
	dir := t.TempDir()
	if err := collect(map[string]component{}, "example.org/x v1.0.0", dir, dir); err == nil {
		t.Error("a module without a licence is taken")
	}
	if err := os.WriteFile(dir+"/LICENSE.md", []byte("free\r\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	found := map[string]component{}
	if err := collect(found, "example.org/x v1.0.0", dir, dir+"/sub"); err != nil || found["example.org/x v1.0.0 LICENSE.md"].text != "free" {
		t.Errorf("found %v, %v", found, err)
	}
}
