//go:build !unix

package model

import "os"

func adviseRandom([]byte)   {}
func adviseWillNeed([]byte) {}

func sameOwner(string, os.FileInfo) {}
