package samediff

import (
	"context"
	"fmt"
	"slices"
	"sync"

	"spandrel/model"
	"spandrel/parsers/internal/zipfile"
)

// state is stored with a tree: its files, and the frames that contain more.
type state struct {
	mu   sync.Mutex
	docs []*doc
	lazy []*model.Span // frames that are opened on demand
	// placed are the buffers, by the spans that contain their objects.
	placed map[*model.Span]*placed
	// outside are the opened files of external arrays, by name.
	outside map[string]*outside
	unread  int // number of shards beside the file, if there are too many to read
}

// tooManyShards is an error if all shards of a set are needed and there are too many to be read.
func (s *state) tooManyShards() error {
	if s.unread == 0 {
		return nil
	}
	return fmt.Errorf("there are %s other shards beside this one; with more than %d none is read, and checks against them are skipped",
		model.Thousands(int64(s.unread)), mostBeside)
}

// doc is one file of the document.
type doc struct {
	st     *state
	file   string
	at     model.Range // all of it
	family string
	con    *container
	zip    *archive
	nbs    []*native
	graphs []*placed // the models: FlatGraph buffers, without sub-instances
	flats  []*placed
}

// add adds to a list of the state under its lock, because several workers open frames.
func add[T any](s *state, list *[]T, v T) {
	s.mu.Lock()
	defer s.mu.Unlock()
	*list = append(*list, v)
}

// later notes a frame that is opened on demand, so that deep checks find it.
func (s *state) later(n model.Node) {
	if n.Span != nil {
		add(s, &s.lazy, n.Span)
	}
}

// frame returns the frame noted as number i; nil after the last.
func (s *state) frame(i int) *model.Span {
	s.mu.Lock()
	defer s.mu.Unlock()
	if i >= len(s.lazy) {
		return nil
	}
	return s.lazy[i]
}

func (s *state) snapshot() []*doc {
	s.mu.Lock()
	defer s.mu.Unlock()
	return append([]*doc(nil), s.docs...)
}

// own returns the files of the document without the other shards of a set: these have arrays, but no graph of their own.
func (s *state) own() []*doc {
	all := s.snapshot()
	return slices.DeleteFunc(all, func(d *doc) bool { return d != all[0] && shardName(d.file) != nil })
}

// openAll opens every frame that is read on demand: compressed sections and members, graphs inside graphs, the other files.
func (s *state) openAll(ctx context.Context, t *model.Tree) error {
	for i := 0; ; i++ {
		next := s.frame(i)
		if next == nil {
			return nil
		}
		if err := t.Open(ctx, next); err != nil {
			return err
		}
	}
}

// holder returns the buffer whose objects a span contains, or nil.
func (s *state) holder(span *model.Span) *placed {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.placed[span]
}

// main returns the main file of a document; an empty one if there is none.
func main(t *model.Tree) *doc {
	if st, ok := t.State.(*state); ok && len(st.docs) > 0 {
		return st.docs[0]
	}
	return &doc{st: &state{}}
}

// archive is a ZIP archive (section 1.5).
type archive struct {
	*zipfile.Archive
	models int // members that look like a model
}

// outside is a file of the folder: a FlatArray, or the bare elements.
type outside struct {
	span  *model.Span // the bare elements
	array *placed
	file  *model.Span
}
