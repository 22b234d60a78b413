package samediff

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"

	"spandrel/model"
	"spandrel/parsers/samediff/flat"
)

// whole is a model without its container: what a conversion reads from any container, and writes to any.
type whole struct {
	ctx    context.Context
	t      *model.Tree
	g      *placed           // the graph; in a set, that of shard 0
	set    bool              // the model is a set of files, or of archive members
	arrays []*data           // arrays of its variables, wherever they are
	by     map[string]*data  // the same by name
	more   []*placed         // the graphs of other shards with updater state
	meta   map[string]string // without the keys that describe how the file was made
	kinds  map[string]int64  // variables of the graph, by name
	left   []string          // parts of the document that no other container can store
}

// madeKeys are the metadata that every container has of its own: they describe the container and its origin.
var madeKeys = []string{"shard.index", "shard.type", "nd4j.format.type", "nd4j.format.version", "converted.from", "converted.sha256"}

// readWhole reads the model of a document. It refuses if a part of it is damaged, which would look sound in another container.
func readWhole(ctx context.Context, t *model.Tree) (*whole, error) {
	st := main(t).st
	if err := errors.Join(st.tooManyShards(), st.openAll(ctx, t)); err != nil {
		return nil, err
	}
	if err := undamaged(ctx, t); err != nil {
		return nil, err
	}
	w := &whole{ctx: ctx, t: t}
	if err := w.find(st); err != nil {
		return nil, err
	}
	w.arrays, w.by = st.arrays(ctx, t)
	if k := w.g.doc.con; k != nil && k.meta != nil {
		w.meta = k.metadataMap()
	} else {
		w.meta, _ = w.g.metadataMap(ctx, t)
	}
	for _, key := range madeKeys {
		delete(w.meta, key)
	}
	return w, errors.Join(w.states(st), w.others(st), w.names())
}

// damaging are the errors that a conversion would hide, because it rewrites checksums, picks one of two arrays, and leaves out those that it cannot
// read.
var damaging = setOf(inflateFailed, inflatesTooFar, afterStream, sectionChecksum, wholeChecksum, metadataUnreadable, badKey, noIndex, arrayTwice, blobOutside,
	blobOverlap, arrayInBoth, memberTwice, memberMethod, memberChecksum, noDirectory, shardCounts, arrayInTwo, keysUnpaired, chunksBroken, noManifest,
	manifestForeign, manifestBroken, saveInterrupted, manifestOutside, recordTooLong, recordCut, sectionTwice, variableName, externalMissing,
	externalSize, externalName)

// ambiguous are warnings about arrays that ND4J reads differently from their shape and type: a conversion would confuse the two.
var ambiguous = setOf(stridesDiffer, emptyBit)

// undamaged is an error if a model cannot be converted, after reading all of it, because a part is damaged.
func undamaged(ctx context.Context, t *model.Tree) error {
	var mu sync.Mutex
	var found []model.Finding
	p := &model.Probe{Progress: func(int64, int64, string) {}, Report: func(f model.Finding) {
		mu.Lock()
		found = append(found, f)
		mu.Unlock()
	}}
	if err := errors.Join(deep(ctx, t, p), t.CheckSums(ctx)); err != nil {
		return err
	}
	known, _ := t.Findings()
	return refuse(append(known, found...), func(f *model.Finding) bool {
		return ambiguous[f.Rule] || illegible(f) || f.Grade() == model.Error && damaging[f.Rule]
	})
}

// find looks for the graph: the only one of the document, or that of shard 0 of a set that is complete.
func (w *whole) find(st *state) error {
	docs := st.snapshot()
	for _, d := range docs {
		g, count := d.structure()
		if g == nil {
			continue
		}
		have := int64(len(docs))
		if d.zip != nil {
			have = int64(len(d.nbs))
		}
		if w.g, w.set = g, true; have != count {
			return fmt.Errorf("only %d of %d shards are present", have, count)
		}
		return nil
	}
	switch d := docs[0]; {
	case weightName(d.file):
		return errors.New("shard 0, which contains the graph, is missing")
	case len(d.graphs) != 1:
		return fmt.Errorf("%d graphs, where one is needed", len(d.graphs))
	default:
		w.g = d.graphs[0]
	}
	return nil
}

// states notes which other shards have updater state.
func (w *whole) states(st *state) error {
	for _, d := range st.snapshot() {
		for _, q := range d.graphs {
			if q == w.g {
				continue
			}
			n := int64(0)
			err := q.view(w.ctx, w.t, func(b flat.Buffer) error { _, n, _ = b.Vec(q.GraphAt(b), flat.GraphUpdater, 4); return nil })
			if err == nil && n > 0 {
				w.more, err = append(w.more, q), q.Copyable()
			}
			if err != nil {
				return fmt.Errorf("%s: %w", d.file, err)
			}
		}
	}
	return nil
}

// others notes what is in the files besides the model: members of an archive, and sections of other programs.
func (w *whole) others(st *state) error {
	var members, sections []string
	for _, d := range st.snapshot() {
		if d.zip != nil {
			_, _, more := d.zip.kinds()
			for _, m := range more {
				members = append(members, brief(m.Name))
			}
		}
		if d.con == nil {
			continue
		}
		more, err := d.con.others()
		if err != nil {
			return err
		}
		sections = append(sections, more...)
	}
	w.leave("other files of the archive are left out: %s", members)
	w.leave("sections of other programs are left out: those of type %s", sections)
	return nil
}

// others are the section types of other programs; an unreadable section of the model is an error.
func (k *container) others() (types []string, err error) {
	for _, s := range k.sections {
		if s.rec.typ > shardInfo {
			types = append(types, fmt.Sprint(s.rec.typ))
		} else if s.variant == opaque || s.rec.code() > 1 {
			return nil, fmt.Errorf("the section %s cannot be read", sectionNames[s.rec.typ])
		}
	}
	return types, nil
}

// maxNamed is how many names of omitted parts are listed.
const maxNamed = 10

// leave notes what the converted model does not contain.
func (w *whole) leave(text string, names []string) {
	if len(names) > 0 {
		w.left = append(w.left, fmt.Sprintf(text, model.Few(names, maxNamed)))
	}
}

// names sorts the arrays like the variables of the graph. Those without a variable come last.
func (w *whole) names() error {
	return w.g.view(w.ctx, w.t, func(b flat.Buffer) error {
		v := w.g.open(b)
		w.kinds = map[string]int64{}
		for i := range v.vars {
			w.kinds[v.vars[i].name] = v.vars[i].kind
		}
		place := func(a *data) int {
			if i, ok := v.byName[a.name]; ok {
				return i
			}
			return len(v.vars)
		}
		slices.SortStableFunc(w.arrays, func(a, b *data) int { return place(a) - place(b) })
		return nil
	})
}

// owned tells whether an array is in the graph itself.
func (w *whole) owned(a *data) bool { return a.where == "inline" && a.graph == w.g }
