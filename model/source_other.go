//go:build !unix

package model

func adviseRandom([]byte)     {}
func adviseSequential([]byte) {}
