package model

import (
	"os"
	"sync"
)

// Secret is something that a format needs from the user and that is not stored in any file, such as the key of encrypted files. A format
// lists its secrets in Format.Secrets, and marks the findings that one would settle with Finding.Needs.
//
// A window offers such a finding's "Give the key…" (Label), asks for a text without showing it, and rejects it with the text
// of Check. It then calls Give and parses the document's snapshot again, in a worker:
//
//	d.Tree = model.Parse(ctx, d.Tree.Snapshot, d.Format)
//
// Edits and history stay. Secrets exist only in memory: no file, setting, log or finding repeats them.
type Secret struct {
	Name  string // TILEDB_KEY: the environment variable is SPANDREL_TILEDB_KEY
	Label string // Give the key…
	Doc   string // which keys are valid
	Check func(text string) error

	mu    sync.Mutex
	given string
}

// Value returns what the user gave last, otherwise the environment variable SPANDREL_<Name>; "" without either.
func (s *Secret) Value() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.given != "" {
		return s.given
	}
	return os.Getenv("SPANDREL_" + s.Name)
}

// Give sets the secret until the program ends; "" forgets it. Trees that were parsed before do not see it.
func (s *Secret) Give(text string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.given = text
}
