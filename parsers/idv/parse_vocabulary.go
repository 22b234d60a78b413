package idv

import (
	"slices"
	"strings"

	"spandrel/model"
	"spandrel/parsers/idv/block"
	"spandrel/parsers/internal/zipfile"
)

// A vocabulary of a model archive (§9.1): what the keys of columns stand for. ML.NET saves it as a head of 256 bytes, a map for each column, the texts that the
// maps refer to, and the name of its assembly.
var (
	vocabularyContent = &model.Field{Name: "content", Doc: "a vocabulary: the terms that keys stand for", Ref: "§9.1"}
	partHead          = &model.Field{Name: "head", Ref: "§9.1"}
	partMagic         = &model.Field{Name: "signature", Codec: model.BytesOf(8), Doc: `ML\0MODEL`, Ref: "§9.1"}
	partVersions      = &model.Field{Name: "versions", Codec: model.BytesOf(8), Ref: "§9.1"}
	mapsAt            = &model.Field{Name: "mapsOffset", Codec: model.I64LE, Show: model.ShowHex, Ref: "§9.1"}
	mapsLength        = &model.Field{Name: "mapsLength", Codec: model.I64LE, Ref: "§9.1"}
	endsAt            = &model.Field{Name: "endsOffset", Codec: model.I64LE, Show: model.ShowHex, Doc: "0: there are no texts", Ref: "§9.1"}
	endsLength        = &model.Field{Name: "endsLength", Codec: model.I64LE, Ref: "§9.1"}
	lettersAt         = &model.Field{Name: "charactersOffset", Codec: model.I64LE, Show: model.ShowHex, Doc: "0: there are no texts", Ref: "§9.1"}
	lettersLength     = &model.Field{Name: "charactersLength", Codec: model.I64LE, Ref: "§9.1"}
	partKind          = &model.Field{Name: "kind", Codec: model.BytesOf(8), Doc: `TERM\0MAN`, Ref: "§9.1"}
	partRest          = &model.Field{Name: "rest", Codec: model.BytesOf(256 - 72), Doc: "versions, loader and assembly", Ref: "§9.1"}
	vocabularyFields  = []*model.Field{partMagic, partVersions, mapsAt, mapsLength, endsAt, endsLength, lettersAt, lettersLength, partKind, partRest}

	mapCount   = &model.Field{Name: "mapCount", Codec: model.I32LE, Doc: "one for each column", Ref: "§9.1"}
	mapBlock   = &model.Field{Name: "maps", Ref: "§9.1"}
	mapList    = &model.Field{Name: "list", Ref: "§9.1"}
	mapField   = &model.Field{Name: "map", Ref: "§9.1"}
	mapKind    = &model.Field{Name: "kind", Codec: model.U8, Doc: "0: texts; 1: values of a codec", Ref: "§9.1"}
	mapCodec   = &model.Field{Name: "loadName", Codec: model.UTF8, Doc: "name of the codec", Ref: "§3.1"}
	mapParams  = &model.Field{Name: "parameters", Codec: model.RawBytes, Ref: "§3.1"}
	termCount  = &model.Field{Name: "count", Codec: model.I32LE, Ref: "§9.1"}
	termIDs    = &model.Field{Name: "terms", Doc: "which text each term is", Ref: "§9.1"}
	termID     = &model.Field{Name: "term", Codec: model.I32LE, Ref: "§9.1"}
	termValues = &model.Field{Name: "terms", Codec: model.RawBytes, Doc: "the terms, as a block of the codec", Ref: "§9.1"}
	ends       = &model.Field{Name: "ends", Doc: "where each text ends among the characters", Ref: "§9.1"}
	endOfText  = &model.Field{Name: "end", Codec: model.I64LE, Ref: "§9.1"}
	partBytes  = &model.Field{Name: "bytes", Codec: model.RawBytes, Doc: "the name of the assembly, and the end mark", Ref: "§9.1"}
	letters    = &model.Field{Name: "characters", Codec: model.RawBytes, Doc: "the texts, in UTF-16", Ref: "§9.1"}
)

// partSignature begins the parts of a model.
const partSignature = "ML\x00MODEL"

// vocabulary is what a member holds: its maps, and the texts that they share.
type vocabulary struct {
	label         string
	space         model.SpaceID
	maps          []terms
	ends, letters model.Range
}

// terms are those of a map: the numbers of texts, or a block of a codec.
type terms struct {
	codec *block.Codec // nil: texts
	at    model.Range
	n     int64
}

// isVocabulary tells whether a member is one by its name and beginning.
func isVocabulary(m *zipfile.Member) bool {
	return strings.HasSuffix(strings.ReplaceAll(m.Name, `\`, "/"), "Vocabulary/Model.key") && strings.HasPrefix(string(m.Front), partSignature)
}

// parseVocabulary reads a vocabulary whose parts follow each other as ML.NET writes them; of others it shows the bytes.
func parseVocabulary(c *model.Cursor, st *state, name string) {
	v := &vocabulary{label: name[:len(name)-len(`\Model.key`)], space: c.Range(0, 0).Space}
	h := map[*model.Field]int64{}
	c.Struct(partHead, func(c *model.Cursor) {
		for _, f := range vocabularyFields {
			if n := c.Field(f); f.Codec == model.I64LE {
				h[f] = n.Int()
			}
		}
	})
	texts := h[mapsAt] + h[mapsLength]
	if h[mapsAt] != c.Pos() || h[endsLength] > 0 && (h[endsAt] != texts || h[lettersAt] != texts+h[endsLength]) {
		c.Rest(partBytes)
		return
	}
	c.Block(mapBlock, h[mapsLength], func(c *model.Cursor) {
		n := c.Field(mapCount)
		c.CountedBy(n, mapList, 1, func(c *model.Cursor, _ int64) {
			c.Struct(mapField, func(c *model.Cursor) { v.maps = append(v.maps, parseTerms(c)) })
		})
	})
	v.ends = c.Elements(ends, endOfText, h[endsLength]/8).Range
	v.letters = c.FieldN(letters, h[lettersLength]).Range
	c.Rest(partBytes)
	st.mu.Lock()
	defer st.mu.Unlock()
	st.vocabularies = append(slices.DeleteFunc(st.vocabularies, func(old *vocabulary) bool { return old.space == v.space }), v)
}

// parseTerms reads the terms of a column.
func parseTerms(c *model.Cursor) terms {
	if c.Field(mapKind).Int() == 0 {
		n, ids := c.CountedElements(termCount, termIDs, termID)
		return terms{at: ids.Range, n: n.Int()}
	}
	_, name := c.Prefixed(length, mapCodec)
	c.Prefixed(paramLength, mapParams)
	codec := &block.Codec{Name: name.Text(), Kind: block.LoadNames[name.Text()]}
	n, size := c.Field(termCount).Int(), c.Left()
	if width := codec.Kind.Width(); width > 0 {
		size = min(size, max(0, n)*width)
	}
	return terms{codec: codec, at: c.FieldN(termValues, size).Range, n: n}
}
