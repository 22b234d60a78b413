package tiledb

import (
	"encoding/hex"
	"fmt"

	"spandrel/model"
)

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

// key is the key as the user had given it when the tree asked first; nil without.
func (d *doc) key() []byte { return d.readKey() }

// writingKey is the key to write with, nil for what is not encrypted.
func (d *doc) writingKey(crypt bool) ([]byte, error) {
	if !crypt {
		return nil, nil
	}
	if key := d.key(); key != nil {
		return key, nil
	}
	return nil, fmt.Errorf("the array is encrypted: give its key")
}

// locked tells that a tile is encrypted and that there is no key for it. It says so once for each array: that is no damage,
// but nothing behind it can be read.
func (a *array) locked(c *model.Cursor, g *genericTile) bool {
	if !g.sealed() || a.d.key() != nil {
		return false
	}
	if !a.lockTold.Swap(true) {
		c.Wrong(keyFails, g.tile.Span, "no key", "the key of the array", model.Graded(model.Note), func(f *model.Finding) { f.Needs = secret },
			model.Saying("encrypted: give the key of the array (32 characters or 64 hexadecimal digits), here or in SPANDREL_TILEDB_KEY"))
	}
	return true
}
