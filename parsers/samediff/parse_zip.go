package samediff

import (
	"context"
	"fmt"
	"path"
	"strings"

	"spandrel/model"
	"spandrel/parsers/internal/inflate"
	"spandrel/parsers/internal/zipfile"
	"spandrel/parsers/samediff/flat"
)

// zipRules are the rules about the archive itself.
var zipRules = map[zipfile.Kind]*model.Rule{zipfile.NoDirectory: noDirectory, zipfile.NoMember: noDirectory, zipfile.Differs: localHeader,
	zipfile.Junk: aroundArchive, zipfile.WrongData: memberChecksum}

// parseZip reads an archive and the models in it.
func parseZip(c *model.Cursor, d *doc) {
	client := zipfile.Client{Content: func(c *model.Cursor, m *zipfile.Member) { member(c, d, m) }}
	if d.family == familyZipped {
		client.Rules = zipRules
	}
	d.zip = &archive{Archive: &zipfile.Archive{}} // stays empty if the file shrinks meanwhile
	if d.zip.Archive = zipfile.Read(c, client); d.family == familyZipped {
		checkArchive(c, d.zip)
	}
}

// member reads the content of a member: SDNB in place if it is stored, or in an address space of its own if it is deflated.
func member(c *model.Cursor, d *doc, m *zipfile.Member) {
	if isModel(m) {
		d.zip.models++
	}
	switch {
	case m.Encrypted(), isModel(m) && d.zip.models > mostModels:
	case m.Method == 0 && isModel(m) && m.Packed >= 32:
		m.Data = c.Block(zipfile.Data, m.Packed, func(c *model.Cursor) { parseNB(c, d, m.Packed, m.Name) })
		m.Plain = m.Data
	case m.Method == 8 && !tooLarge(m): // the limits are reported with the directory
		m.Data = c.FieldN(zipfile.Data, m.Packed)
		fail := func(err error) model.Finding { return model.Wrong(memberChecksum, m.Data.Span, err, nil) }
		m.Derive(c, zipfile.Inflated, inflate.Transform(inflate.Raw, 6, maxInflated, maxRatio), func(e *model.Cursor) {
			if n := e.Left(); n >= 32 && string(e.Peek(4)) == "SDNB" {
				parseNB(e, d, n, m.Name)
			} else if n > 0 {
				e.Rest(zipfile.Data)
			}
		}, fail)
		d.st.later(m.Plain)
	}
}

// tooLarge tells whether a member is beyond the limits of the format.
func tooLarge(m *zipfile.Member) bool {
	return m.Size > maxInflated || m.Packed > 0 && m.Size/m.Packed > maxRatio
}

// checkArchive applies the rules of section 1.5 to the members.
func checkArchive(c *model.Cursor, z *archive) {
	names, seen := map[string]bool{}, map[string]bool{}
	for _, m := range z.Members {
		names[m.Name] = true
	}
	for _, m := range z.Members {
		if !z.Carved { // otherwise the lost directory is the problem
			z.member(c, m, names, seen)
		}
		seen[m.Name] = true
	}
	plain, shards, others := z.kinds()
	needed := unpacked(plain) + unpacked(shards)
	total := needed + unpacked(others)
	dir := z.Directory.Span
	models := len(plain) + len(shards)
	smaller := func() []model.Fix { return nil }
	if models > 0 && models <= maxMembers && needed <= maxInflated { // the archive would be within the limits without other files
		smaller = func() []model.Fix {
			return z.without("remove the members that are not models", model.Words("%d files", len(others)), others...)
		}
	}
	if n := len(z.Members); n > maxMembers {
		c.Wrong(archiveLimits, dir, model.Words("%d members", n), fmt.Sprintf("at most %d", maxMembers), model.About(smaller))
	}
	if total > maxInflated {
		c.Wrong(archiveLimits, dir, model.Words("%s bytes", model.Thousands(total)), "at most 10 GiB", model.About(smaller))
	}
	if models == 0 {
		c.Wrong(noModelMember, dir, nil, nil)
	}
	if len(plain) > 0 && len(shards) > 0 {
		c.Wrong(modelAndShards, dir, nil, nil, model.About(func() []model.Fix {
			return append(z.without("remove the model, keep the shards", "the whole model", plain...), z.without("remove the shards", "the shards", shards...)...)
		}))
	}
	z.checkShards(c)
	if len(others) > 0 {
		c.Wrong(otherMembers, dir, model.Words("%d other files", len(others)), nil)
	}
	if z.models > mostModels {
		c.Wrong(model.RuleCap, dir, nil, nil, model.Saying("only the content of %d models is read", mostModels))
	}
	if len(z.Members) == zipfile.MaxMembers {
		c.Wrong(model.RuleCap, dir, nil, nil, model.Saying("only %d members are read", zipfile.MaxMembers))
	}
}

// unpacked is how many bytes members have together.
func unpacked(list []*zipfile.Member) (n int64) {
	for _, m := range list {
		n = min(n, 1<<60) + min(m.Size, 1<<60)
	}
	return n
}

// kinds sorts the members: complete models, shards, and others.
func (z *archive) kinds() (plain, shards, others []*zipfile.Member) {
	for _, m := range z.Members {
		switch {
		case shardName(m.Name) != nil && isModel(m):
			shards = append(shards, m)
		case isModel(m):
			plain = append(plain, m)
		default:
			others = append(others, m)
		}
	}
	return plain, shards, others
}

// member applies the rules about a single member.
func (z *archive) member(c *model.Cursor, m *zipfile.Member, names, seen map[string]bool) {
	at := func(r *model.Rule, field string, found any, fixes func() []model.Fix) {
		var place model.Place = z.Directory.Span
		if n := m.Entry[field]; n.Span != nil {
			place = n.Span
		}
		c.Wrong(r, place, found, nil, model.About(fixes), of(m.Name, r))
	}
	if n := m.Name; strings.HasPrefix(n, "/") || strings.Contains(n, "\\") || strings.Contains("/"+n+"/", "/../") ||
		len(n) > 1 && n[1] == ':' {
		at(unsafeName, "name", brief(n), func() []model.Fix { return renamed(m, path.Base(path.Clean("/"+strings.ReplaceAll(n, "\\", "/")))) })
	}
	if seen[m.Name] {
		name := "" // readers would not find the model under another one
		if !isModel(m) {
			name = unused(names, m.Name)
		}
		at(memberTwice, "name", brief(m.Name), func() []model.Fix {
			return append(renamed(m, name), z.without("remove the second one", "the second "+brief(m.Name), m)...)
		})
	}
	stored := func() []model.Fix { return stored(m) }
	switch {
	case m.Encrypted():
		at(memberMethod, "flags", "encrypted", stored)
	case m.Method != 0 && m.Method != 8:
		at(memberMethod, "method", fmt.Sprintf("method %d", m.Method), stored)
	}
	if tooLarge(m) {
		at(archiveLimits, "usize", model.Words("%s bytes from %s", model.Thousands(m.Size), model.Thousands(m.Packed)), stored)
	}
	if !isModel(m) {
		return
	}
	if shardName(m.Name) == nil && m.Name != "model" && m.Name != "model.sdnb" {
		at(memberName, "name", brief(m.Name), func() []model.Fix { return renamed(m, unused(names, "model")) })
	}
	if m.Method == 8 {
		at(memberDeflated, "method", nil, stored)
	}
}

// unused returns an unused name.
func unused(taken map[string]bool, name string) string {
	out := name
	for i := 2; taken[out]; i++ {
		out = fmt.Sprintf("%s-%d", name, i)
	}
	return out
}

// checkShards checks that the shards among the members form a set (SDF-102 to SDF-105).
func (z *archive) checkShards(c *model.Cursor) {
	have, count := map[int64]bool{}, int64(-1)
	var first *shard
	for _, m := range z.Members {
		s := shardName(m.Name)
		if s == nil || !isModel(m) {
			continue
		}
		have[s.index] = true
		if first == nil {
			first = s
		}
		if count < 0 {
			count = s.count
		}
		if s.leftover {
			c.Wrong(leftoverName, m.Entry["name"].Span, brief(m.Name), "a name that ends in the number of shards")
		} else if s.count != count {
			c.Wrong(shardCounts, m.Entry["name"].Span, brief(m.Name), fmt.Sprintf("shards of %d", count))
		}
	}
	if first != nil {
		missing(have, first, count, "%s is missing in the archive: get a complete copy of the archive", func(rule *model.Rule, found, want string, more ...model.Detail) {
			c.Wrong(rule, z.Directory.Span, found, want, more...)
		})
	}
}

// renamed offers a name for a member.
func renamed(m *zipfile.Member, name string) []model.Fix {
	if name == "" || m.Entry["name"].Span == nil {
		return nil
	}
	return []model.Fix{{Label: "rename to " + name, Edits: m.Rename(name)}}
}

// without offers to remove members from the archive, if others remain.
func (z *archive) without(label, loses string, gone ...*zipfile.Member) []model.Fix {
	edits, ok := z.Remove(gone...)
	if !ok {
		return nil
	}
	return []model.Fix{{Label: label, Loses: loses, Edits: edits}}
}

// stored offers to store a compressed member.
func stored(m *zipfile.Member) []model.Fix {
	if !m.Storable() || m.Size > flat.MaxSize {
		return nil
	}
	fix := model.Fix{Label: "store the member uncompressed", Build: func(ctx context.Context, t *model.Tree) ([]model.Edit, error) {
		return m.Store(ctx, t, flat.MaxSize)
	}}
	if by := m.Compression(); by != "" { // its checksum is compared with what it unpacks to
		fix.Safe, fix.Once = true, true
		fix.Says = model.Words("The archive was packed again: %s is compressed with %s, which no reader of models knows.", brief(m.Name), by)
	}
	return []model.Fix{fix}
}
