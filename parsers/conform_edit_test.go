package parsers

import (
	"fmt"
	"maps"
	"os"
	"regexp"
	"slices"
	"sync"
	"sync/atomic"
	"testing"

	"spandrel/model"
	"spandrel/parsers/internal/suite"
)

// maxEdits is how many leaves of a sample are edited.
const maxEdits = 40

// freely names the fields of a format that a user changes without a thought for the rest of the file: values, names and notes that no other
// field depends on. Setting one is never refused and never makes a finding. An index of TAR files has none: all of it describes the shards.
var freely = map[string]*regexp.Regexp{
	"gguf":        regexp.MustCompile(`^data/[^/]+/values\[\d+\]$|metadata\[[1-9]\]/value$|metadata\[1[0-2]\]/value$|items\[\d+\](/value)?$`),
	"idv":         regexp.MustCompile(`decoded/(text|(items/)?(values|ticks|bits)\[\d+\](/high|/low)?)$|toc\[\d+\]/name/text$`),
	"npy":         regexp.MustCompile(`^(entry\[\d+\]/content/)?data\[\d+\]$`),
	"safetensors": regexp.MustCompile(`^data/|entries\[\d+\]/(format|made by)$`),
	"samediff":    regexp.MustCompile(`blob\[[bw]\]\[\d+\]$|nodes\[\d+\]/opName/text$|entries\[\d+\]/(key|value)/text$`),
	"scdl":        regexp.MustCompile(`(^|/)data\.npy/values\[\d+\]$|row_group\[\d+\]/score$|labels\.json/value\[\d+\]$`),
	"tar":         regexp.MustCompile(`header/(name|linkname|mode|uid|gid|uname|gname|mtime|ctime)$|records\[\d+\]/value$|payload$`),
	"tiledb":      regexp.MustCompile(`payload/(attributes|dimensions)\[\d+\]/name$`),
}

// editTally counts the edits that were tried of one kind of value, those that were accepted, and those that left the document sound.
type editTally struct{ tried, accepted, sound int }

// leastEdits are the lowest shares, in percent, of edits that are accepted and that leave a document sound, by kind of value. Most numbers of
// a header are lengths, counts and codes, which no other value fits: few of those edits are sound.
var leastEdits = map[model.Kind]struct {
	name            string
	accepted, sound int
}{
	model.Uint: {"whole numbers", 90, 13}, model.Int: {"signed numbers", 95, 25}, model.Float: {"floating point", 90, 90},
	model.Bool: {"flags", 100, 100}, model.Text: {"texts", 95, 50}, model.Bytes: {"bytes", 90, 25},
}

// TestEdit gives editable leaves another value, one at a time. A plan that is refused or warns says why. In the new document the value reads back,
// every other value is what it was, and no parser fails; an edit of the payload makes no finding; undo gives the old bytes.
func TestEdit(t *testing.T) {
	t.Parallel()
	var lock sync.Mutex
	all := map[model.Kind]*editTally{}
	untouched := map[string]bool{}
	for format := range freely {
		untouched[format] = true
	}
	t.Run("samples", func(t *testing.T) {
		inEachSample(t, func(t *testing.T, s sample) {
			if !s.good {
				return
			}
			e := newEditor(t, s)
			leaves := editable(t, e.d.Tree)
			step := max(1, len(leaves)/maxEdits)
			for i := 0; i < len(leaves); i += step {
				accepted, sound := e.edit(t, leaves[i])
				lock.Lock()
				n := all[leaves[i].to.Kind]
				if n == nil {
					n = &editTally{}
					all[leaves[i].to.Kind] = n
				}
				n.tried++
				if accepted {
					n.accepted++
				}
				if sound {
					n.sound++
				}
				if accepted && e.free(leaves[i].path) {
					delete(untouched, s.format.Name)
				}
				lock.Unlock()
			}
		})
	})
	for kind, least := range leastEdits {
		n := all[kind]
		if n == nil {
			n = &editTally{}
		}
		suite.Rate("edits of "+least.name, fmt.Sprintf("%d tried, %d accepted, %d leave the document sound", n.tried, n.accepted, n.sound))
		if os.Getenv("SPANDREL_QUICK") != "" {
			continue // one sample a format is no measure
		}
		if n.tried == 0 || n.accepted*100 < least.accepted*n.tried || n.sound*100 < least.sound*n.tried {
			t.Errorf("edits of %s: at least %d %% should be accepted and %d %% sound", least.name, least.accepted, least.sound)
		}
	}
	if len(untouched) > 0 && os.Getenv("SPANDREL_QUICK") == "" {
		t.Errorf("no payload was edited of %v", slices.Sorted(maps.Keys(untouched)))
	}
}

// TestLongerText makes texts longer and shorter. Whatever else a text must be, its length is for the layout to follow: it makes no finding that
// a text of the same length does not make. What follows from the length is every offset, count and padding behind it.
func TestLongerText(t *testing.T) {
	t.Parallel()
	var tried, sound atomic.Int64
	t.Run("samples", func(t *testing.T) {
		inEachSample(t, func(t *testing.T, s sample) {
			if !s.good {
				return
			}
			e := newEditor(t, s)
			seen := map[string]int{}
			for _, leaf := range editable(t, e.d.Tree) {
				sp, err := e.d.Tree.Find(t.Context(), leaf.path)
				if err != nil || leaf.to.Kind != model.Text || sp.Field.Codec.Size() >= 0 {
					continue
				}
				if kind := indices.ReplaceAllString(leaf.path, "[]"); seen[kind] < 2 {
					seen[kind]++
					n := e.longer(t, sp)
					tried.Add(int64(n.tried))
					sound.Add(int64(n.sound))
				}
			}
		})
	})
	suite.Rate("texts of other lengths", fmt.Sprintf("%d tried, %d leave the document sound", tried.Load(), sound.Load()))
	if tried.Load() == 0 || sound.Load()*5 < tried.Load() {
		t.Error("too few texts could be made longer for the test to say anything")
	}
}

var indices = regexp.MustCompile(`\[\d+\]`)

// leaf is an editable leaf and another value for it.
type leafEdit struct {
	path string
	to   model.Value
}

// editable lists the leaves that may be editTally, each with a value that its codec and its check take.
func editable(t *testing.T, tree *model.Tree) (out []leafEdit) {
	ctx := t.Context()
	var walk func(s *model.Span)
	walk = func(s *model.Span) {
		if err := tree.Open(ctx, s); err != nil {
			t.Fatal(err)
		}
		for i := range min(s.Count(), 20) {
			walk(s.Child(i))
		}
		sp := tree.Space(s.Range.Space)
		if s.Shape != model.Leaf || s.State != model.OK || s.Field.Codec == nil || s.Field.Fixed != "" || sp == nil || sp.File != tree.Snapshot.Primary && tree.Snapshot.Primary != "" {
			return
		}
		v, err := tree.Value(ctx, s)
		if err != nil || s.Range.Len > 4096 {
			return
		}
		if to, ok := another(s, v); ok {
			out = append(out, leafEdit{s.Path(), to})
		}
	}
	walk(tree.Root)
	return out
}

// another returns a legal value other than v.
func another(s *model.Span, v model.Value) (model.Value, bool) {
	var try []model.Value
	switch v.Kind {
	case model.Uint:
		try = []model.Value{model.U(v.Uint() + 1), model.U(v.Uint() - 1), model.U(v.Uint() ^ 1)}
	case model.Int:
		try = []model.Value{model.I(v.Int() + 1), model.I(v.Int() - 1)}
	case model.Float:
		try = []model.Value{model.F(v.Float() + 1), model.F(1)}
	case model.Bool:
		try = []model.Value{model.B(!v.Bool())}
	case model.Text:
		if s.Range.Len > 0 && s.Field.Codec.Size() >= 0 {
			try = []model.Value{model.S("z" + v.Text()[min(1, len(v.Text())):]), model.S("y")}
		} else {
			try = []model.Value{model.S(v.Text() + "z"), model.S("other")}
		}
	case model.Bytes:
		if b := []byte(v.Text()); len(b) > 0 {
			b[len(b)-1] ^= 1
			try = []model.Value{model.Raw(b)}
		}
	}
	for _, w := range try {
		if _, err := s.Field.Codec.Encode(w); err == nil && (s.Field.Check == nil || s.Field.Check(w) == "") && !w.Equal(v) {
			return w, true
		}
	}
	return model.Value{}, false
}
