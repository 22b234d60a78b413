package safetensors

import (
	"cmp"
	"encoding/binary"
	"encoding/json"
	"fmt"
	"maps"
	"path"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"spandrel/model"
	"spandrel/parsers/internal/jsontext"
)

// A checkpoint in several files: according to its index or, without one, to its numbered shards.

const (
	mostShards = 10_000
	leastShard = 10       // bytes of a file of no tensors
	mostHeads  = 64 << 20 // bytes of the headers of all shards together
)

var (
	shardField  = &model.Field{Name: "shard", Doc: "tensors of the model", Ref: "Index"}
	configField = &model.Field{Name: "config.json", Doc: "metadata of the model", Ref: "Index"}
	configText  = &model.Field{Name: "text", Codec: model.UTF8, Ref: "Index"}
	numbered    = regexp.MustCompile(`^(.*)-(\d{5})-of-(\d{5})\.safetensors$`)
)

// index is a checkpoint as a whole.
type index struct {
	weights  map[string]*mapped // by tensor
	order    []*mapped          // of the index
	metadata map[string]json.RawMessage
	total    model.Node          // metadata/total_size
	whole    bool                // the index was read to its end
	shards   map[string]*shard   // by name: those that the index names, and those of the folder that belong to it
	found    map[string][]*shard // the shards that have a tensor
	names    map[string]string   // of the shards, by that in the index, if all of these differ in one way
	capped   bool                // not all headers were read

	elsewhere bool // none of the files that it names is there
}

// mapped is a tensor of the index, and its file.
type mapped struct {
	tensor, file string
	node         model.Node
}

// shard is a file of the checkpoint.
type shard struct {
	name    string
	named   bool // the index names it
	there   bool
	lost    string // its tensors, if it is missing
	size    int64
	span    *model.Span
	tensors []*stored // of its header
	meta    map[string]string
	byName  map[string]*stored
	data    int64 // where its values begin
	needs   int64 // bytes that its header wants it to have
	trouble bool  // its header cannot be read, or it is cut
}

// stored is a tensor in the header of its shard: at is the place of its name.
type stored struct {
	name, dtype string
	shape       []int64
	at          model.Range
	begin, end  int64
}

func (x *index) add(tensor string, n model.Node) {
	w := x.weights[tensor]
	if w == nil {
		w = &mapped{tensor: tensor}
		x.weights[tensor] = w
		x.order = append(x.order, w)
	}
	w.file, w.node = n.Text(), n // readers take the last of those with one name
}

// set is the common name of the numbered shards of a checkpoint, and their number.
type set struct {
	prefix string
	count  int
}

// setsOf are the numbered shards of a folder, by set.
func setsOf(list []model.Entry) map[set][]model.Entry {
	out := map[set][]model.Entry{}
	for _, e := range list {
		if of, ok := setOf(e.Name); ok && e.Regular {
			out[of] = append(out[of], e)
		}
	}
	return out
}

// setOf returns the set that a numbered shard belongs to, according to its name.
func setOf(name string) (of set, ok bool) {
	m := numbered.FindStringSubmatch(name)
	if m == nil {
		return of, false
	}
	n, _ := strconv.Atoi(m[3])
	return set{m[1], n}, true
}

// detectFolder recognises the folder of a checkpoint in several files: with its index, or with at least two numbered shards.
func detectFolder(s *model.Snapshot) (primary string, sure model.Confidence) {
	list, _, err := s.List(".")
	if err != nil {
		return "", 0
	}
	for _, e := range list {
		if isIndex(e.Name) && e.Regular && (primary == "" || e.Name == "model"+indexEnding) {
			primary, sure = e.Name, 90
		}
	}
	if primary == "" {
		for _, shards := range setsOf(list) {
			if len(shards) > 1 {
				return "", 60
			}
		}
	}
	return primary, sure
}

// findShards adds the shards of a checkpoint beside its index, reads their headers and compares them with it. x is nil without an
// index.
func (f *file) findShards(c *model.Cursor, x *index) {
	bare := x == nil
	if bare {
		x = &index{weights: map[string]*mapped{}}
	}
	s := c.Tree().Snapshot
	if s == nil || !s.Folder() {
		return
	}
	list, more, err := s.List(".")
	if err != nil || more {
		return // not all of the folder is known
	}
	f.checkpoint, x.shards, x.found = x, map[string]*shard{}, map[string][]*shard{}
	for _, w := range x.order {
		if x.shards[w.file] == nil && len(x.shards) < mostShards {
			x.shards[w.file] = &shard{name: w.file, named: true}
		}
	}
	entries := map[string]model.Entry{}
	for _, e := range list {
		entries[e.Name] = e
	}
	x.elsewhere = !slices.ContainsFunc(x.order, func(w *mapped) bool { _, ok := entries[path.Clean(w.file)]; return ok })
	x.strays(c, setsOf(list), bare)
	budget := int64(mostHeads)
	for _, name := range slices.Sorted(maps.Keys(x.shards)) {
		budget = x.shards[name].find(c, x, entries, budget)
	}
	if e, ok := entries["config.json"]; ok && e.Regular {
		c.Companion(configField, e, func(c *model.Cursor) { c.Rest(configText) })
	}
	if x.capped {
		c.Wrong(model.RuleCap, c.Span(), nil, nil,
			model.Saying("the headers of the shards are larger than %s bytes: not all are compared with the index", model.Thousands(mostHeads)))
		return
	}
	x.compare(c)
}

// find looks for a shard among the entries of the folder and reads its header, for which budget bytes are left; it returns the new
// budget.
func (h *shard) find(c *model.Cursor, x *index, entries map[string]model.Entry, budget int64) int64 {
	e, ok := entries[path.Clean(h.name)]
	if dir := path.Dir(path.Clean(h.name)); !ok && dir != "." && model.Clean(path.Clean(h.name)) == nil {
		below, _, _ := c.Tree().Snapshot.List(dir)
		if i := slices.IndexFunc(below, func(e model.Entry) bool { return e.Name == path.Clean(h.name) }); i >= 0 {
			e, ok = below[i], true
		}
	}
	if h.there = ok && e.Regular; h.there {
		h.size = e.Size
		h.span = c.Companion(shardField.Named("%s", h.name), e, (&file{}).tensorFile).Span
		if content, err := c.Tree().Snapshot.Content(e.Name); err == nil {
			budget = h.read(content, budget)
		} else {
			h.trouble = true
		}
		x.capped = x.capped || budget < 0
		for _, t := range h.tensors {
			x.found[t.name] = append(x.found[t.name], h)
		}
		if h.trouble { // its errors are reported there
			c.Tree().Open(c.Context(), h.span)
		}
	}
	return budget
}

// read reads the header of a shard, of at most budget bytes, and returns the rest of the budget; negative if it was too small.
func (h *shard) read(c *model.Content, budget int64) int64 {
	b := make([]byte, 8)
	if n, _ := c.ReadAt(b, 0); n < 8 {
		h.trouble = true
		return budget
	}
	n := binary.LittleEndian.Uint64(b)
	if n > uint64(c.Len()-8) || n > maxTaken {
		h.trouble = n > uint64(c.Len()-8)
		if !h.trouble {
			return -1
		}
		return budget
	}
	if budget -= int64(n); budget < 0 {
		return budget
	}
	b = make([]byte, n)
	if k, _ := c.ReadAt(b, 8); k < len(b) {
		h.trouble = true
		return budget
	}
	tokens, _, err := jsontext.Tokens(b)
	h.note(tokens, 8+int64(n))
	h.trouble = err != nil || h.needs > h.size
	return budget
}

// note reads the tensors from the tokens of a header, after which their data begin.
func (h *shard) note(tokens []jsontext.Token, data int64) {
	h.data, h.byName, h.meta = data, map[string]*stored{}, map[string]string{}
	var t *stored
	for _, tok := range tokens {
		switch value, err := strconv.ParseInt(tok.Text, 10, 64); {
		case tok.Kind == jsontext.Key && tok.Depth == 1:
			t = &stored{name: tok.Text, at: model.Range{Space: h.span.Range.Space, Off: 8 + tok.Start, Len: tok.End - tok.Start}}
			if tok.Text != metadata {
				h.tensors, h.byName[t.name] = append(h.tensors, t), t
			}
		case t == nil:
		case tok.Kind == jsontext.Text && tok.Depth == 2:
			h.noteText(t, tok)
		case tok.Kind != jsontext.Number || tok.Depth != 3 || err != nil:
		case tok.Key == "shape" && len(t.shape) < maxDims:
			t.shape = append(t.shape, value)
		case tok.Key == "data_offsets" && tok.Index == 0:
			t.begin = value
		case tok.Key == "data_offsets" && tok.Index == 1:
			t.end = value
			if t.name != metadata {
				h.needs = max(h.needs, data+min(value, 1<<60))
			}
		}
	}
}

// strays adds the numbered shards of the folder that the index does not name. Those of the same number of files are missing in the
// index, those of another number are left from an earlier save.
func (x *index) strays(c *model.Cursor, sets map[set][]model.Entry, bare bool) {
	ours, prefixes := map[set]bool{}, map[string]bool{}
	for _, h := range x.shards {
		if of, ok := setOf(h.name); ok {
			ours[of], prefixes[of.prefix] = true, true
		}
	}
	keys := slices.SortedFunc(maps.Keys(sets), func(a, b set) int {
		return cmp.Or(strings.Compare(a.prefix, b.prefix), cmp.Compare(a.count, b.count))
	})
	for _, of := range keys {
		shards := sets[of]
		if bare && len(shards) > 1 {
			c.Wrong(noIndex, c.Span(), model.Count(int64(len(shards)), "shards"), of.prefix+indexEnding, model.About(of),
				model.Saying("%s, the index of %s, is missing", of.prefix+indexEnding, model.Count(int64(len(shards)), "shards")))
		}
		for _, e := range shards {
			switch {
			case x.shards[e.Name] != nil || len(x.shards) >= mostShards:
				continue
			case bare || !x.whole:
			case ours[of] || x.elsewhere:
				c.Wrong(stray, c.Span(), e.Name, "a file listed in the index", model.Saying("%s is not in the index: its tensors are not loaded",
					e.Name))
			case prefixes[of.prefix]:
				c.Wrong(stray, c.Span(), e.Name, "a file listed in the index", model.Graded(model.Warning),
					model.Saying("%s is from another save of the model: the index does not list it", e.Name))
				continue
			default:
				continue
			}
			x.shards[e.Name] = &shard{name: e.Name}
		}
	}
}

// compare reports where index and shards disagree.
func (x *index) compare(c *model.Cursor) {
	x.rename(c)
	absent, foreign := map[string][]*mapped{}, map[string][]*mapped{}
	all, sum := true, int64(0)
	for _, w := range x.order {
		switch h := x.shards[w.file]; {
		case h == nil:
			all = false
		case !h.there:
			all, absent[w.file] = false, append(absent[w.file], w)
		case h.trouble:
			all = false
		case h.byName[x.stored(w.tensor)] == nil:
			all, foreign[w.file] = false, append(foreign[w.file], w)
		default:
			sum += h.byName[x.stored(w.tensor)].end - h.byName[x.stored(w.tensor)].begin
		}
	}
	for _, name := range slices.Sorted(maps.Keys(absent)) {
		x.shards[name].lost = fmt.Sprintf("%s: %s", model.Count(int64(len(absent[name])), "tensors"), named(absent[name]))
		c.Wrong(noShard, absent[name][0].node, name, "a file of the folder", model.Saying("%s is missing, along with %s", name,
			x.shards[name].lost))
	}
	for _, name := range slices.Sorted(maps.Keys(foreign)) {
		list := foreign[name]
		message := fmt.Sprintf("%s lacks %s listed in the index: %s", name, model.Count(int64(len(list)), "tensors"), named(list))
		if at := x.found[list[0].tensor]; len(at) > 0 {
			message += fmt.Sprintf(" (%s is in %s)", list[0].tensor, at[0].name)
		}
		c.Wrong(foreignShard, list[0].node, name, "a file that contains them", model.Saying("%s", message))
	}
	for _, name := range slices.Sorted(maps.Keys(x.shards)) {
		if unlisted := x.unlisted(x.shards[name]); len(unlisted) > 0 && x.whole && x.names == nil {
			c.Wrong(unlistedTensor, x.shards[name].span, named(unlisted), "tensors listed in the index",
				model.Saying("%s contains %s not listed in the index: %s", name,
					model.Count(int64(len(unlisted)), "tensors"), named(unlisted)))
		}
	}
	if h, key, others := x.otherSave(); h != nil {
		c.Wrong(otherSave, h.span, h.meta[key], others, model.Saying("%s is from another save than the other %d shards: its %s is %s, and theirs is %s",
			h.name, len(x.shards)-1, key, h.meta[key], others))
	} else if all && x.whole && x.total.Span != nil && x.total.Value.Float() != float64(sum) {
		c.Wrong(wrongTotal, x.total, nil, model.I(sum))
	}
}

// named lists the first tensors of a list.
func named(list []*mapped) string {
	var out []string
	for _, w := range list {
		out = append(out, fmt.Sprintf("%.100s", w.tensor))
	}
	return model.Few(out, 3)
}

// extents says how long truncated shards should be, and which shards are missing.
func (x *index) extents() (out []model.Extent) {
	_, _, complete := x.complete()
	for _, name := range slices.Sorted(maps.Keys(x.shards)) {
		if h := x.shards[name]; h.there && h.needs > h.size && h.needs < 1<<60 {
			out = append(out, model.Extent{File: name, Size: h.needs, Says: "the offsets in its header give its length"})
		} else if complete && (x.elsewhere || !numbered.MatchString(name)) {
			continue // all files of the checkpoint exist, so the name is wrong
		} else if !h.there && model.Clean(path.Clean(name)) == nil {
			out = append(out, model.Extent{File: path.Clean(name), Size: leastShard, Least: true,
				Says: "according to the index it contains " + h.lost})
		}
	}
	return out
}

// complete are the shards of the one complete set, all of them sound.
func (x *index) complete() (of set, shards []*shard, ok bool) {
	if x.capped {
		return of, nil, false
	}
	for _, name := range slices.Sorted(maps.Keys(x.shards)) {
		m := numbered.FindStringSubmatch(name)
		if !x.shards[name].there && (m == nil || x.elsewhere) {
			continue // the index alone has such a name, or its names are of another save
		}
		if m == nil || !x.shards[name].there || x.shards[name].trouble {
			return of, nil, false
		}
		n, _ := strconv.Atoi(m[3])
		if of == (set{}) {
			of = set{m[1], n}
		}
		if of != (set{m[1], n}) {
			return of, nil, false
		}
		shards = append(shards, x.shards[name])
	}
	return of, shards, len(shards) == of.count && of.count > 0
}
