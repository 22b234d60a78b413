//go:build ci

package kit

// WatchPointer does nothing: the test driver has no windows that a pointer could leave.
func WatchPointer() {}
