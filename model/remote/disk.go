package remote

import (
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"sync"
	"time"

	"github.com/cespare/xxhash/v2"
)

// mostOnDisk is how much of all files is cached in the user's cache folder: then the least recently used blocks are removed.
var mostOnDisk int64 = 2 << 30

// diskCache is the cached blocks of a file in one state. Blocks that cannot be written are not cached; nothing fails because of that.
type diskCache struct {
	dir  string // "": nothing is kept
	mu   sync.Mutex
	have map[int64]bool
}

// room is how much may be written before the folder is tidied again.
var room struct {
	sync.Mutex
	left int64
}

// makeRoom keeps a folder below the limit.
func makeRoom(root string, n int) {
	room.Lock()
	defer room.Unlock()
	if room.left -= int64(n); room.left < 0 {
		room.left = mostOnDisk / 8
		tidy(root, mostOnDisk-room.left)
	}
}

// CacheDir is the cache folder; "" caches nothing.
var CacheDir = sync.OnceValue(func() string {
	dir, err := os.UserCacheDir()
	if err != nil || os.Getenv("SPANDREL_CACHE") == "off" {
		return ""
	}
	return filepath.Join(dir, "spandrel", "remote")
})

// cacheOf is the cache of a file in the state with a tag; without a tag nothing says whether it is the same the next time.
func cacheOf(address, tag string) *diskCache {
	root := CacheDir()
	c := &diskCache{have: map[int64]bool{}}
	if root == "" || tag == "" {
		return c
	}
	sum := sha256.Sum256([]byte(address + "\x00" + tag))
	c.dir = filepath.Join(root, hex.EncodeToString(sum[:12]))
	list, _ := os.ReadDir(c.dir)
	for _, e := range list {
		var b int64
		if n, _ := fmt.Sscanf(e.Name(), "%d", &b); n == 1 && fmt.Sprint(b) == e.Name() {
			c.have[b] = true
		}
	}
	return c
}

func (c *diskCache) has(b int64) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.have[b]
}

// get returns a block of n bytes, or nil.
func (c *diskCache) get(b, n int64) []byte {
	if !c.has(b) {
		return nil
	}
	name := filepath.Join(c.dir, fmt.Sprint(b))
	data, err := os.ReadFile(name)
	if err != nil || int64(len(data)) != n+8 || xxhash.Sum64(data[:n]) != binary.LittleEndian.Uint64(data[n:]) {
		c.mu.Lock()
		delete(c.have, b)
		c.mu.Unlock()
		return nil
	}
	os.Chtimes(name, time.Time{}, time.Now())
	return data[:n:n]
}

// put caches a block, followed by a hash.
func (c *diskCache) put(b int64, data []byte) {
	if c.dir == "" || c.has(b) {
		return
	}
	makeRoom(filepath.Dir(c.dir), len(data))
	os.MkdirAll(c.dir, 0o700)
	name := filepath.Join(c.dir, fmt.Sprint(b))
	temp := name + ".part"
	if written(temp, data, binary.LittleEndian.AppendUint64(nil, xxhash.Sum64(data))) != nil || os.Rename(temp, name) != nil {
		os.Remove(temp)
		return
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	c.have[b] = true
}

// written makes a file of two parts.
func written(path string, a, b []byte) error {
	f, err := os.OpenFile(path, os.O_CREATE|os.O_TRUNC|os.O_WRONLY, 0o600)
	if err != nil {
		return err
	}
	_, errA := f.Write(a)
	_, errB := f.Write(b)
	return errors.Join(errA, errB, f.Close())
}

// tidy removes the least recently used blocks until the others take at most most bytes.
func tidy(root string, most int64) {
	type used struct {
		path string
		size int64
		when time.Time
	}
	var all []used
	total := int64(0)
	filepath.WalkDir(root, func(path string, e fs.DirEntry, err error) error {
		if err == nil && !e.IsDir() {
			if st, err := e.Info(); err == nil {
				total += st.Size()
				all = append(all, used{path, st.Size(), st.ModTime()})
			}
		}
		return nil
	})
	slices.SortFunc(all, func(a, b used) int { return a.when.Compare(b.when) })
	for _, x := range all {
		if total <= most {
			return
		}
		os.Remove(x.path)
		os.Remove(filepath.Dir(x.path)) // if that was the last one
		total -= x.size
	}
}
