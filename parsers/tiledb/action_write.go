package tiledb

import (
	"context"
	"crypto/rand"
	"encoding/hex"
	"fmt"

	"spandrel/model"
	"spandrel/parsers/tiledb/storage"
)

// Writing generic tiles and parts of schemas (7.1), for files that did not exist before. Files that exist are edited in place
// through their links.

func randomHex() (string, error) {
	var b [16]byte
	_, err := rand.Read(b[:])
	return hex.EncodeToString(b[:]), err
}

// newSchema is the edit that writes a payload as a new schema file of the array, later than all others (7.3).
func newSchema(ctx context.Context, a *array, version uint32, payload []byte, crypt bool, now uint64) (model.Edit, error) {
	for _, name := range a.schemas.Order {
		if s := stampOf(name); s.ok && s.to >= now {
			now = s.to + 1
		}
	}
	id, err := randomHex()
	if err != nil {
		return nil, err
	}
	key, err := a.d.writingKey(crypt)
	if err != nil {
		return nil, err
	}
	b, err := storage.WriteTile(ctx, version, payload, key)
	if err != nil {
		return nil, err
	}
	return model.FileEdit{File: a.path("__schema", fmt.Sprintf("__%d_%d_%s", now, now, id)), Create: model.Memory(b)}, nil
}
