package cause

import (
	"archive/zip"
	"bytes"
	"context"
	"slices"
	"strings"
	"testing"

	"spandrel/model"
)

// doubted returns why a change from one content to another is not proven, where what is set says what else is known of it.
func doubted(t *testing.T, f *model.Format, was, is []byte, set func(*search, *trial)) string {
	t.Helper()
	snap := (&model.Snapshot{Primary: "a.toy"}).With("a.toy", model.BytesContent(was))
	read := func(s *model.Snapshot) *verdict {
		v := judge(t.Context(), s, f, nil)
		if err := check(t.Context(), v.tree, nil); err != nil {
			t.Fatal(err)
		}
		v.note()
		return v
	}
	to := snap.With("a.toy", model.BytesContent(is))
	r := &search{ctx: t.Context(), all: t.Context(), o: Options{Formats: []*model.Format{f, other}}, base: read(snap)}
	x := &trial{snap: to, format: f, res: read(to)}
	if set != nil {
		set(r, x)
	}
	return r.doubt(x)
}

// other is a format that a file may begin as.
var other = &model.Format{Name: "other", Title: "Other", Magics: []model.Magic{{Bytes: "OTHERFMT"}}}

// weakly is a format of 8 bytes and a sum that says little of them.
var weakly = &model.Format{Name: "weak", Title: "Weak", Detect: toy.Detect, Parse: func(c *model.Cursor) {
	c.Field(fMagic)
	data := c.FieldN(fData, 8)
	sum := *model.CRC32
	sum.Weak = true
	c.ChecksumOf(c.Field(fSum), &sum, data)
}}

// zipped is a format whose reader sees nothing of an archive but that it is one.
var zipped = &model.Format{Name: "zipped", Title: "Zipped", Parse: func(c *model.Cursor) { c.Rest(fData) },
	Detect: func(_ string, head, _ []byte, _ int64) (model.Confidence, string) {
		if bytes.HasPrefix(head, []byte("PK")) {
			return 99, ""
		}
		return 0, "no archive"
	}}

// TestDoubt: each guard by itself keeps a repair from being called proven that nothing else is against.
func TestDoubt(t *testing.T) {
	sound := toyFile(text(500))
	bad := bytes.Clone(sound)
	bad[300] ^= 4
	returned := toyFile(strings.ReplaceAll(text(499), "\r", "") + "\r")
	again := *toy
	again.Magics = []model.Magic{{Bytes: toyMagic, Again: true}}
	before := func(b []byte) []byte { return append(b, sound...) }
	var zip0 bytes.Buffer
	w := zip.NewWriter(&zip0)
	m, _ := w.Create("a.npy")
	m.Write(make([]byte, 1<<16))
	w.Close()
	archive := bytes.Clone(zip0.Bytes())
	archive[bytes.LastIndex(archive, []byte("PK\x01\x02"))+12] ^= 1
	magic := bytes.Clone(sound)
	magic[7] = '2'
	weak, weakBad := []byte(toyMagic+"abcdefgh\x50\x72\xef\xae"), []byte(toyMagic+"abcdefgi\x50\x72\xef\xae")

	rowed := *toy // with more rows as it is than it should have
	rowed.Tables = func(_ context.Context, t *model.Tree) []model.Table {
		c, _ := t.Snapshot.Content("a.toy")
		b := make([]byte, c.Len())
		c.ReadAt(b, 0)
		return []model.Table{{Name: "rows", Rows: 5 - int64(b2i(bytes.Equal(b, sound)))}}
	}

	loose := *toy // with values at its end that nothing checks
	loose.Parse = func(c *model.Cursor) {
		c.Field(fMagic)
		c.FieldN(&model.Field{Name: "values", Codec: model.RawBytes}, c.Left())
	}
	inside := *toy // whose bytes are read only on demand
	inside.Parse = func(c *model.Cursor) {
		c.Field(fMagic)
		c.Frame(&model.Field{Name: "inside"}, c.Left(), func(c *model.Cursor) {
			n := c.Field(&model.Field{Name: "n", Codec: model.U8})
			c.FieldN(fData, int64(n.Uint()))
		})
	}
	ended := *toy
	ended.Extents = func(context.Context, *model.Tree) []model.Extent { return []model.Extent{{Size: 100}} }

	for name, x := range map[string]struct {
		format  *model.Format
		was, is []byte
		set     func(*search, *trial)
		why     string
	}{
		"nothing":  {toy, bad, sound, nil, ""},
		"chance":   {toy, bad, sound, func(_ *search, x *trial) { x.chance = 0.01 }, "agree by chance"},
		"idle":     {toy, sound, toyFile(text(499)), nil, "not remove any error"},
		"unopened": {toy, bad, magic, nil, "no longer be recognised"},
		"capped":   {toy, bad, sound, func(_ *search, x *trial) { x.res.keys[finding{model.Note, model.RuleCap.ID, "records"}] = 1 }, "a limit of this program"},
		"several": {toy, bad, nil, func(_ *search, x *trial) {
			x.snap, x.patches = nil, []patch{{"a.toy", 300, 1, sound[300:301]}, {"a.toy", 302, 1, sound[302:303]}}
			x.res.count = [4]int{}
		}, "proven on its own"},
		"weak": {weakly, weakBad, weak, func(r *search, x *trial) {
			x.field = &suspect{span: r.base.tree.Root.Get("data")}
			x.res.count = [4]int{}
		}, "the same checksum"},
		"inside": {toy, before([]byte("OTHERFMT and more")), sound, func(r *search, x *trial) {
			r.base.format, x.op, x.res.fits, x.at.File = nil, trimFile, true, "a.toy"
		}, "begins like Other"},
		"part":   {&again, before([]byte("some bytes in front")), sound, func(_ *search, x *trial) { x.op = trimFile }, "begins like a complete one"},
		"wiped":  {toy, before(make([]byte, 4096)), sound, nil, "may have replaced its header"},
		"remade": {toy, sound[:8], sound, func(_ *search, x *trial) { x.fix = &model.Fix{Copies: true} }, "remain to compare with"},
		"remade longer": {toy, bad, append(bytes.Clone(sound), "more"...), func(r *search, x *trial) {
			x.fix, x.res.count = &model.Fix{Copies: true}, [4]int{}
			r.extents = map[string]model.Extent{"a.toy": {Size: int64(len(bad)), By: r.base.tree.At(r.base.tree.Root.Range.Space, 300)}}
		}, "would no longer have it"},
		"shorter": {toy, bad, sound, func(r *search, _ *trial) { r.extents = map[string]model.Extent{"a.toy": {Size: 1000}} }, "shorter than it should be"},
		"brings": {toy, bad, sound, func(r *search, x *trial) {
			x.field, x.raw = &suspect{span: r.base.tree.Root.Get("count"), file: "a.toy", raw: []byte{1, 0, 0, 0}}, []byte{2, 0, 0, 0}
			x.res.keys[finding{model.Error, "TOY-9", "count"}] = 1
		}, "causes another error"},
		"short": {toy, bad, sound, func(r *search, x *trial) { // 600 with one byte changed, where it should be 500
			x.field, x.raw = &suspect{span: r.base.tree.Root.Get("count"), file: "a.toy", path: "count", raw: []byte{0x58, 2, 0, 0xab}}, []byte{0xf4, 1, 0, 0}
		}, "may have been 600"},
		"turned":              {&loose, bad, sound, func(r *search, x *trial) { x.op, x.at.File, r.base.count[model.Error] = rotateFile, "a.toy", 1 }, "nothing checks the values"},
		"longer, with errors": {toy, before([]byte("some bytes in front")), bad, func(_ *search, x *trial) { x.op, x.begins = trimFile, true }, "to which the removed bytes may belong"},
		"spoiled":             {toy, bad, sound, func(r *search, _ *trial) { r.spoiled = map[string]bool{"a.toy": true} }, "in a transfer as text"},
		"text":                {toy, bytes.Replace(returned, []byte("\r"), []byte("\n"), 1), returned, nil, "same transfer as text"},
		"longer":              {&ended, bad, sound, func(_ *search, x *trial) { x.op = trimFile }, "still be longer"},
		"twice":               {toy, slices.Insert(bytes.Clone(sound), 340, sound[300:340]...), sound, nil, "may have replaced other bytes"},
		"twice, by a length": {toy, slices.Insert(bytes.Clone(sound), 340, sound[300:340]...), sound, func(r *search, _ *trial) {
			r.extents = map[string]model.Extent{"a.toy": {Size: int64(len(sound))}}
		}, ""},
		"alike": {toy, bad, sound, func(r *search, x *trial) {
			x.op = rewriteFile
			r.base.snap = r.base.snap.With("b.toy", model.BytesContent(sound))
			x.snap = r.base.snap.With("a.toy", model.BytesContent(sound)).With("b.toy", model.BytesContent(bad))
		}, "the same but for 1 byte"},
		"named": {toy, bad, sound, func(r *search, x *trial) {
			x.op = rewriteFile
			first, second := model.BytesContent(sound), model.BytesContent(before(make([]byte, 64)))
			r.base.snap = r.base.snap.With("x_01.toy", first).With("x_03.toy", second)
			x.snap = r.base.snap.With("x_01.toy", second).With("x_03.toy", first)
		}, "may have been renamed"},
		"replaced": {toy, append(bytes.Clone(bad), "\uFFFD"...), sound, func(r *search, x *trial) {
			x.field = &suspect{span: r.base.tree.Root.Get("magic"), file: "a.toy", value: model.U(300), raw: []byte{44, 1}}
			x.raw, r.front = []byte{46, 1}, maxTransform
		}, "contains U+FFFD"},
		"less": {toy, bad, append(bytes.Clone(sound), "behind the end"...), func(_ *search, x *trial) { x.res.count = [4]int{} },
			"without a meaning"},
		"left": {&inside, []byte(toyMagic + "\x05hello"), []byte(toyMagic + "\x04hello"), func(r *search, x *trial) {
			n, _ := r.base.tree.AtOpen(t.Context(), r.base.tree.Root.Range.Space, 8)
			x.field, x.raw, r.base.count[model.Error] = &suspect{span: n, file: "a.toy", off: 8, path: "n", raw: []byte{5}}, []byte{4}, 1
		}, "1 byte after n would have no meaning"},
		"fewer": {&rowed, bad, sound, nil, "5 rows now and would have 4"},
		"fuse":  {zipped, zip0.Bytes(), archive, func(r *search, _ *trial) { r.base.count[model.Error] = 1 }, "another reader"},
	} {
		t.Run(name, func(t *testing.T) {
			if why := doubted(t, x.format, x.was, x.is, x.set); x.why == "" && why != "" || !strings.Contains(why, x.why) {
				t.Errorf("it is doubted for %q, want %q", why, x.why)
			}
		})
	}
}

// TestLate: a search that ran out of time has not tried all rivals of a repair after which problems remain.
func TestLate(t *testing.T) {
	over, stop := context.WithCancel(t.Context())
	stop()
	r := &ranking{search: &search{ctx: over, all: t.Context(), base: &verdict{}}}
	x := &trial{op: rewriteFile, kind: legal, res: &verdict{}}
	if why := r.chosen(x); why != "" {
		t.Errorf("a repair after which nothing is wrong is doubted: %s", why)
	}
	x.res.count[model.Warning] = 1
	if why := r.chosen(x); why != "the search was not exhaustive" {
		t.Errorf("a repair after which a problem remains is not doubted, but %q", why)
	}
}
