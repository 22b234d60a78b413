package storage

import (
	"errors"
	"fmt"

	"spandrel/model"
	"spandrel/parsers/tiledb/filter"
	"spandrel/parsers/tiledb/rule"
)

// Coding is how the chunks of a tile are filtered; the user may give its key later.
type Coding struct {
	Filters []filter.Filter
	Tile    filter.TileType
	Key     func() []byte
}

// Keyed is the coding with the present key.
func (c Coding) Keyed() filter.Coding {
	return filter.Coding{Filters: c.Filters, Tile: c.Tile, Key: c.Key()}
}

// BrokenChunk is a chunk at which a pipeline failed.
type BrokenChunk struct {
	Coding
	At model.Range // with its header
}

// FilterFinding is the rule that a pipeline violated, at the bytes of the tile. g is nil for tiles of data files.
func FilterFinding(err error, tile model.Node, g *GenericTile, how Coding) model.Finding {
	d := model.Wrong(rule.PartUndecoded, tile, nil, nil, model.Saying("%s", err))
	d.Found = ""
	var e *filter.Error
	if !errors.As(err, &e) {
		d.Rule = model.RuleUndecoded
		return d
	}
	d.Found, d.Expected, d.Message = e.Found, e.Expected, describeError(e)
	digest := map[uint8]int64{filter.MD5: 16, filter.SHA256: 32}[e.Filter]
	size := int64(4)
	switch {
	case e.Kind == filter.Auth:
		d.Rule, d.Needs, size = rule.KeyFails, Secret, filter.TagBytes
	case e.Kind == filter.Limit:
		d.Rule = model.RuleCap
	case e.Kind == filter.Unsupported && e.Filter == filter.Zstd:
		d.Rule, d.Severity = model.RuleUndecoded, model.Note
	case e.Kind == filter.Unsupported:
		d.Rule = rule.UnknownFilter
	case e.Kind == filter.Spare:
		if d.Rule = rule.PartLengths; !e.Usable {
			d.Severity = model.Error
		}
	case e.Kind == filter.Checksum && digest > 0:
		d.Rule, size = rule.DigestDiffers, digest
	case e.Where == "header":
		if d.Rule = rule.ChunkBeyond; g != nil && g.total < 0 && g.Chunks <= eagerChunks {
			return model.Wrong(nil, nil, nil, nil) // reading the chunks has reported it
		}
	case e.Where == "metadata":
		d.Rule = rule.SpareMetadata
	case e.Filter == filter.Gzip && e.Err != nil || e.Kind == filter.Checksum:
		d.Rule = rule.ZlibDamaged
	}
	switch {
	case g != nil && e.Usable && d.Rule != rule.ZlibDamaged:
		d.About = g
	case e.ChunkSize > 0 && !e.Usable:
		d.About = BrokenChunk{how, model.Range{Space: tile.Range.Space, Off: tile.Range.Off + e.ChunkAt, Len: e.ChunkSize}}
	}
	locate(&d, e, tile, size)
	return d
}

// describeError says in the user's words which chunk of a tile cannot be read, and why.
func describeError(e *filter.Error) string {
	name := filter.NameOf(e.Filter)
	var why string
	switch {
	case e.Kind == filter.Auth:
		why = "it does not decrypt: the key is missing or wrong, or bytes were changed"
	case e.Kind == filter.Limit:
		why = "it decompresses to more than the limit. " + model.RaiseLimit
	case e.Kind == filter.Unsupported:
		why = "this program cannot reverse " + name
	case e.Kind == filter.Checksum && (e.Filter == filter.MD5 || e.Filter == filter.SHA256):
		why = "its bytes do not match the checksum stored with it (" + name + ")"
	case e.Kind == filter.Checksum:
		why = "its decompressed content does not match its checksum"
	case e.Where == "header":
		why = "the lengths before it do not fit its bytes"
	case e.Where == "options":
		why = "the schema's options of " + name + " do not fit it"
	case e.Where == "metadata":
		why = "what " + name + " recorded for it is damaged"
	case e.Filter >= filter.Gzip && e.Filter <= filter.Bzip2 && e.Index >= 0:
		why = "its compressed bytes (" + name + ") are damaged"
	case e.Index >= 0:
		why = "its bytes are not valid for " + name + " makes"
	default:
		why = e.What
	}
	switch {
	case e.Chunk < 0:
		return "the tile cannot be read: " + why
	case e.Usable:
		return fmt.Sprintf("chunk %d can be read, but has errors: %s", e.Chunk, why)
	}
	return fmt.Sprintf("chunk %d cannot be read: %s", e.Chunk, why)
}

// locate points a finding at the bytes of the chunk at which a pipeline failed: size bytes of the metadata, or the data
// from the part on. Bytes that another filter produced are not in the file: then it is the whole chunk.
func locate(d *model.Finding, e *filter.Error, tile model.Node, size int64) {
	if e.ChunkSize == 0 {
		return
	}
	r := model.Range{Space: tile.Range.Space, Off: tile.Range.Off + e.ChunkAt, Len: e.ChunkSize}
	if e.ChunkOff >= 0 && e.ChunkOff < r.Len {
		n := r.Len - e.ChunkOff
		if e.Where == "metadata" {
			n = min(n, size)
		}
		r.Off, r.Len = r.Off+e.ChunkOff, n
	}
	d.Range = r
	leaf := map[string]*model.Field{"metadata": chunkMetadata, "data": chunkFiltered}[e.Where]
	if list := tile.Get(ChunkList.Name); list != nil && list.Ready() && leaf != nil {
		if s := list.Child(int64(e.Chunk)); s != nil && s.Get(leaf.Name) != nil && s.Get(leaf.Name).Range.Contains(r) {
			d.Span = s.Get(leaf.Name)
		}
	}
}
