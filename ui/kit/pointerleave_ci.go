//go:build ci

package kit

func WatchPointer() {} // the test driver has no windows that a pointer could leave
