package main

import (
	_ "embed"
	"regexp"
)

//go:embed FyneApp.toml
var metadata string

// version is that of FyneApp.toml, where packagers read it too.
var version = regexp.MustCompile(`(?m)^Version = "(.+)"$`).FindStringSubmatch(metadata)[1]
