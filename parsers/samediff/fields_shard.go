package samediff

import (
	"path"
	"slices"
	"strconv"
	"strings"

	"spandrel/model"
	"spandrel/parsers/samediff/flat"
)

// shard is the content of a SHARD_INFO, and a file name (sections 1.4.6 and 2.3).
type shard struct {
	index, count int64
	kind, base   string
	ext          string
	leftover     bool // the name ends in -of-N: a save was interrupted
	placed       *placed
	span         *model.Span
}

var shardPattern = model.Pattern(`^(.*)\.shard(\d{1,9})-of-(\d{1,9}|N)(\.[^.]*)?$`)

// shardName reads the name of a shard, or nil.
func shardName(name string) *shard {
	m := shardPattern().FindStringSubmatch(path.Base(name))
	if m == nil {
		return nil
	}
	s := &shard{base: m[1], ext: m[4], leftover: m[3] == "N", count: -1}
	s.index, _ = strconv.ParseInt(m[2], 10, 64)
	if !s.leftover {
		s.count, _ = strconv.ParseInt(m[3], 10, 64)
	}
	return s
}

// neighbours are the files of a folder, and the shards among them by base name. They are determined once for all shards of a folder.
type neighbours struct {
	entries map[string]model.Entry
	shards  map[string][]shardFile // in the order of the names
}

type shardFile struct {
	model.Entry
	*shard
}

// beside returns the shards with a base name beside a file, which may be one of them.
func (n *neighbours) beside(base, file string) []shardFile {
	return slices.DeleteFunc(slices.Clone(n.shards[base]), func(e shardFile) bool { return e.Name == file })
}

// statedShards is the number of shards, according to the container of a document, otherwise the name of another shard; 0 if unknown.
func (d *doc) statedShards(others []shardFile) int64 {
	if d.con != nil && d.con.shard != nil && d.con.shard.count > 0 {
		return d.con.shard.count
	}
	for _, e := range others {
		if e.count > 0 {
			return e.count
		}
	}
	return 0
}

// part is the content of a shard with its index: shard.type.
func (s *shard) part() string {
	if s.index == 0 {
		return "graph"
	}
	return "weights"
}

// weightName tells whether a file is by its name a shard that needs no graph.
func weightName(name string) bool {
	s := shardName(name)
	return s != nil && s.index > 0
}

// flatShard reads a ShardInfo.
func flatShard(p *placed, b flat.Buffer) *shard {
	r := b.Root()
	s := &shard{index: b.Num(r, 0, 4), count: b.Num(r, 1, 4), placed: p, span: p.span}
	s.kind, _ = b.Str(r, 2)
	s.base, _ = b.Str(r, 3)
	return s
}

// baseName is the name of a file without its extension and shard suffix.
func baseName(name string) string {
	if s := shardName(name); s != nil {
		return s.base
	}
	name = path.Base(name)
	return strings.TrimSuffix(name, path.Ext(name))
}

// structure returns the graph of shard 0, of a set of files or of the members of an archive, and the expected number of shards;
// nil if the document is no set.
func (d *doc) structure() (g *placed, count int64) {
	if n := shardName(d.file); n != nil && n.index == 0 && len(d.graphs) == 1 {
		return d.graphs[0], n.count
	}
	for _, p := range d.graphs {
		if p.nb == nil {
			continue
		}
		if n := shardName(p.nb.member); n != nil && n.index == 0 {
			return p, n.count
		}
	}
	return nil, 0
}
