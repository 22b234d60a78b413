//go:build ci

package ui

func watchPointer() {} // the test driver has no windows that a pointer could leave
