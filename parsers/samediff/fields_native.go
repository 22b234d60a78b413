package samediff

import (
	"cmp"
	"encoding/binary"
	"slices"

	"spandrel/model"
	"spandrel/parsers/samediff/manifest"
)

// native is an SDNB file: on its own, in an archive, or in a container.
type native struct {
	doc      *doc
	member   string // of an archive
	base     int64
	graph    *placed
	manifest *manifest.Map
	header   [5]model.Node
	blobs    []*blobArray
	mspan    model.Node
	first    int64 // start of the first array: base of the offsets in stubs
	doubt    bool  // an entry of the manifest does not have a unique place
	moved    bool  // the manifest is not where the header says
	entries  []*appended
	count    model.Node // number of entries according to the manifest
}

// appended is an array that the manifest names: its entry in the tree, and its bytes.
type appended struct {
	*manifest.Entry
	span                   *model.Span
	offsetNode, lengthNode model.Node
	blob                   *blobArray
	guessed                bool // named by a stub only: no readable entry of the manifest names it
}

// manifestRules are the rules for errors that end the reading of a manifest.
var manifestRules = [...]*model.Rule{manifest.NoStream: noManifest, manifest.Foreign: manifestForeign, manifest.Broken: manifestBroken,
	manifest.TooMany: model.RuleCap}

// byName returns the entries of the manifest by name; none if there is no manifest.
func (nb *native) byName() map[string]*appended {
	out := map[string]*appended{}
	if nb != nil {
		for _, e := range nb.entries {
			out[e.Name] = e
		}
	}
	return out
}

// nativeHeader is the header of an SDNB file whose manifest, of n bytes, is at an offset.
func nativeHeader(at, n int64) []byte {
	head := binary.BigEndian.AppendUint32([]byte("SDNB"), 1)
	for _, v := range []int64{at, n, 32} {
		head = binary.BigEndian.AppendUint64(head, uint64(v))
	}
	return head
}

// relaid returns the manifest entries after arrays are replaced, or removed if moved maps them to nil, and the edits of the arrays' bytes.
func (nb *native) relaid(moved map[string]*data) (list []manifest.Entry, edits []model.Edit) {
	order := slices.Clone(nb.entries)
	slices.SortStableFunc(order, func(a, b *appended) int { return cmp.Compare(a.Offset, b.Offset) })
	now, shift := map[string]manifest.Entry{}, int64(0)
	for _, x := range order {
		entry := manifest.Entry{Name: x.Name, Offset: x.Offset + shift, Length: x.Length}
		if a, other := moved[x.Name]; other {
			var with []byte
			if a != nil {
				with = a.raw
			}
			if x.blob.span != nil {
				edits = append(edits, model.Replace(x.blob.span.Range, with))
			}
			entry.Length = int64(len(with))
			shift += entry.Length - x.Length
		}
		now[x.Name] = entry
	}
	for _, x := range nb.entries {
		if a, other := moved[x.Name]; !other || a != nil {
			list = append(list, now[x.Name])
		}
	}
	return list, edits
}

// firstOf is the offset of the first array that has bytes, at most end: stubs count from there.
func firstOf(list []manifest.Entry, end int64) int64 {
	for _, e := range list {
		if e.Length > 0 {
			end = min(end, e.Offset)
		}
	}
	return end
}
