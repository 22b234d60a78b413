package main

import (
	"os"
	"os/exec"
	"regexp"
	"strings"
	"testing"
)

// The version is that of FyneApp.toml; what cannot read it there says the same.
func TestOneVersion(t *testing.T) {
	if !regexp.MustCompile(`^\d+\.\d+\.\d+$`).MatchString(version) {
		t.Fatalf("FyneApp.toml has version %q", version)
	}
	changes, err := os.ReadFile("CHANGELOG.md")
	if err != nil {
		t.Fatal(err)
	}
	if head := regexp.MustCompile(`(?m)^## (.*)$`).FindStringSubmatch(string(changes)); head == nil || head[1] != version {
		t.Errorf("CHANGELOG.md begins with %q, should be %s", head, version)
	}
	recipes, err := os.ReadFile("docs/pipeline.md")
	if err != nil {
		t.Fatal(err)
	}
	wheels := regexp.MustCompile(`spandrel-(\d[^-]*)-py3`).FindAllStringSubmatch(string(recipes), -1)
	for _, w := range wheels {
		if w[1] != version {
			t.Errorf("docs/pipeline.md names the wheel of %s, should be %s", w[1], version)
		}
	}
	if len(wheels) == 0 {
		t.Error("docs/pipeline.md names no wheel")
	}
	if _, err := exec.LookPath("make"); err != nil {
		t.Skip("no make")
	}
	got, err := exec.Command("make", "-s", "--eval", "print-version: ; @echo $(VERSION)", "print-version").Output()
	if err != nil || strings.TrimSpace(string(got)) != version {
		t.Errorf("make packages version %q (%v), should be %s", got, err, version)
	}
}
