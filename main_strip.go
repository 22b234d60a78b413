//go:build !headless && !no_emoji && (linux || windows)

package main

// A build without the Makefile's tags is one by `fyne package`, which keeps symbols and debug information: two thirds of the program's size.

// #cgo LDFLAGS: -Wl,-s
import "C"
