package samediff

import (
	_ "embed"
	"strconv"
	"strings"
	"sync"
)

//go:embed operations.txt
var operationsText string

// operations are the names of operations, by type name and number.
var operations = sync.OnceValue(func() map[string]map[int64]string {
	out, kind, next := map[string]map[int64]string{}, "", int64(0)
	for line := range strings.Lines(operationsText) {
		if line[0] == '#' {
			continue
		}
		words := strings.Fields(line)
		if line[0] != ' ' {
			kind, words = words[0], words[1:]
			out[kind] = map[int64]string{}
		}
		for _, word := range words {
			if n, err := strconv.ParseInt(word, 10, 64); err == nil {
				next = n
				continue
			}
			if kind == "CUSTOM" {
				next = operationHash(word)
			}
			out[kind][next] = word
			next++
		}
	}
	return out
})

// operationHash is the number by which libnd4j finds an operation: a hash of its name, with each byte as a 16-bit character.
func operationHash(name string) int64 {
	table, h := byteHashes(), uint64(0xBB40E64DA205B064)
	for _, c := range []byte(name) {
		h = h*7664345821815920749 ^ table[c]
		h = h*7664345821815920749 ^ table[0]
	}
	return int64(h)
}

// byteHashes are the values that operationHash mixes in for each byte.
var byteHashes = sync.OnceValue(func() (table [256]uint64) {
	h := uint64(0x544B2FBACAAF1684)
	for i := range table {
		for range 31 {
			h ^= h >> 7
			h ^= h << 11
			h ^= h >> 10
		}
		table[i] = h
	}
	return table
})
