package headless

import (
	"crypto/sha256"
	"encoding/binary"
	"flag"
	"fmt"
	"path/filepath"
	"strconv"
	"strings"
)

// shard is one process's share of the documents. Which share a document belongs to depends only on its path, and
// not on its position in a list, so that adding or removing one while the others run moves no other.
type shard struct {
	text        string
	share, from uint64
}

func sharded(f *flag.FlagSet) *shard {
	s := &shard{}
	f.StringVar(&s.text, "shard", "", "I/N: only share I of N of the documents, by a hash of the printed path, so that N processes with the same paths process each document "+
		"exactly once, even if files appear meanwhile; I counts from 0 or from 1")
	return s
}

// maxShards prevents a typing error from leaving nearly everything out.
const maxShards = 1_000_000

// read reads the flag.
func (s *shard) read() (err error) {
	if s.text == "" {
		return nil
	}
	share, from, ok := strings.Cut(s.text, "/")
	if ok {
		s.from, err = strconv.ParseUint(from, 10, 64)
	}
	if err == nil && ok {
		s.share, err = strconv.ParseUint(share, 10, 64)
	}
	if err != nil || !ok || s.from < 1 || s.from > maxShards || s.share > s.from {
		return fmt.Errorf("--shard %s: use I/N, such as 0/4 to 3/4 or 1/4 to 4/4, for share I of N", s.text)
	}
	s.share %= s.from
	return nil
}

// whole tells whether there is only one share.
func (s *shard) whole() bool { return s == nil || s.from == 0 }

// has tells whether a path is in the share. The hash is the first 8 bytes of its SHA-256, big-endian, with slashes on every system.
func (s *shard) has(path string) bool {
	if s.whole() {
		return true
	}
	sum := sha256.Sum256([]byte(filepath.ToSlash(path)))
	return binary.BigEndian.Uint64(sum[:])%s.from == s.share
}
