//go:build !unix

package model

import "os"

func adviseRandom([]byte)     {}
func adviseSequential([]byte) {}

func sameOwner(string, os.FileInfo) {}
