package tiledb

import (
	"context"
	"crypto/rand"
	"encoding/hex"
	"fmt"

	"spandrel/model"
	"spandrel/parsers/tiledb/fragment"
	"spandrel/parsers/tiledb/schema"
	"spandrel/parsers/tiledb/storage"
)

// Writing new files (7.1). Existing files are edited in place through their links.

// randomHex makes the name of a file unique.
func randomHex() string {
	var b [16]byte
	rand.Read(b[:]) // never fails
	return hex.EncodeToString(b[:])
}

// stamped is the name of a file with a time (1.3).
func stamped(at uint64) string { return fmt.Sprintf("__%d_%d_%s", at, at, randomHex()) }

// tileFile is the edit that writes a payload as a new file of the array: a generic tile, encrypted if the schema is.
func (a *array) tileFile(ctx context.Context, s *schema.Schema, version uint32, payload []byte, names ...string) (model.Edit, error) {
	key, err := a.d.writingKey(s.Crypt)
	if err != nil {
		return nil, err
	}
	b, err := storage.WriteTile(ctx, version, payload, key)
	return model.FileEdit{File: a.path(names...), Create: model.Memory(b)}, err
}

// fragmentOf is a fragment that so far consists of a footer only.
func (a *array) fragmentOf(dir string, foot fragment.Footer) *frag {
	f := a.newFrag(dir)
	f.meta = &fragment.Metadata{Footer: &foot}
	f.slots = f.meta.Slots()
	foot.SlotCount = len(f.slots)
	return f
}
