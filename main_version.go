package main

import (
	_ "embed"
	"strings"
)

//go:embed FyneApp.toml
var metadata string

// version is that of FyneApp.toml, where packagers read it too.
var version = func() string {
	_, rest, _ := strings.Cut(metadata, "\nVersion = \"")
	v, _, _ := strings.Cut(rest, "\"")
	return v
}()
