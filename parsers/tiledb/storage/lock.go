package storage

import (
	"encoding/hex"
	"fmt"
	"sync/atomic"

	"spandrel/model"
	"spandrel/parsers/tiledb/rule"
)

// Lock is the key to the encrypted tiles of an array.
type Lock struct {
	Key  func() []byte // nil without
	Told atomic.Bool   // the missing key was reported
}

// bars tells whether a tile is encrypted without an available key. It reports that once per array: it is no damage,
// but nothing inside can be read.
func (l *Lock) bars(c *model.Cursor, g *GenericTile) bool {
	if !g.Sealed() || l.Key() != nil {
		return false
	}
	if !l.Told.Swap(true) {
		c.Wrong(rule.KeyFails, g.Tile.Span, "no key", "the key of the array", model.Graded(model.Note), func(f *model.Finding) { f.Needs = Secret },
			model.Saying("encrypted: give the key of the array (32 characters or 64 hexadecimal digits), here or in SPANDREL_TILEDB_KEY"))
	}
	return true
}

// Secret is the key of encrypted arrays (2.6, AES_256_GCM). TileDB uses 32 bytes directly, without derivation.
var Secret = &model.Secret{
	Name:  "TILEDB_KEY",
	Label: "Give the key of the array…",
	Doc:   "The AES-256 key of encrypted arrays: 32 characters, or 64 hexadecimal digits.",
	Check: func(text string) error {
		if KeyOf(text) == nil {
			return fmt.Errorf("a key is 32 characters or 64 hexadecimal digits, not %d characters", len(text))
		}
		return nil
	},
}

// KeyOf is the key for a text, nil if the text is not valid.
func KeyOf(text string) []byte {
	if b, err := hex.DecodeString(text); err == nil && len(b) == 32 {
		return b
	}
	if len(text) != 32 {
		return nil
	}
	return []byte(text)
}
