package tiledb

import (
	"encoding/hex"
	"fmt"
	"sync/atomic"

	"spandrel/model"
)

// lock is what the encrypted tiles of an array are opened with.
type lock struct {
	key  func() []byte // nil without
	told atomic.Bool   // that there is none was reported
}

// bars tells that a tile is encrypted and that there is no key for it. It says so once for each array: that is no damage,
// but nothing behind it can be read.
func (l *lock) bars(c *model.Cursor, g *genericTile) bool {
	if !g.sealed() || l.key() != nil {
		return false
	}
	if !l.told.Swap(true) {
		c.Wrong(keyFails, g.tile.Span, "no key", "the key of the array", model.Graded(model.Note), func(f *model.Finding) { f.Needs = secret },
			model.Saying("encrypted: give the key of the array (32 characters or 64 hexadecimal digits), here or in SPANDREL_TILEDB_KEY"))
	}
	return true
}

// secret is the key of encrypted arrays (2.6, AES_256_GCM). TileDB takes 32 bytes as they are, without any derivation.
var secret = &model.Secret{
	Name:  "TILEDB_KEY",
	Label: "Give the key of the array…",
	Doc:   "The AES-256 key of encrypted arrays: 32 characters, or 64 hexadecimal digits.",
	Check: func(text string) error {
		if keyOf(text) == nil {
			return fmt.Errorf("a key is 32 characters or 64 hexadecimal digits, not %d characters", len(text))
		}
		return nil
	},
}

// keyOf is the key that a text stands for, nil when it is none.
func keyOf(text string) []byte {
	if b, err := hex.DecodeString(text); err == nil && len(b) == 32 {
		return b
	}
	if len(text) != 32 {
		return nil
	}
	return []byte(text)
}
