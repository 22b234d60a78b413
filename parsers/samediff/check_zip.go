package samediff

import (
	"fmt"
	"path"
	"strings"

	"spandrel/model"
	"spandrel/parsers/samediff/flat"
)

// check applies the rules of section 4.4 to the directory.
func (z *archive) check(c *model.Cursor, d *doc, entries, dir model.Node) {
	if d.family != familyZipped {
		return
	}
	names := map[string]bool{}
	for _, m := range z.members {
		names[m.name] = true
	}
	seen := map[string]bool{}
	total, needed := int64(0), int64(0) // bytes of all members, and of the models
	var plain, shards, others []*member
	for _, m := range z.members {
		at := func(rule *model.Rule, n model.Node, message string, fixes ...model.Fix) {
			c.Report(model.Finding{Rule: rule, Span: n.Span, Found: n.Value.String(), Message: m.name + ": " + message, Fixes: fixes})
		}
		if n := m.name; strings.HasPrefix(n, "/") || strings.Contains(n, "\\") || strings.Contains("/"+n+"/", "/../") || len(n) > 1 && n[1] == ':' {
			safe := path.Base(path.Clean("/" + strings.ReplaceAll(n, "\\", "/")))
			at(unsafeName, m.dir["name"], "the name leads out of the folder", model.Fix{Label: "rename to " + safe, Edits: m.rename(safe)})
		}
		if seen[m.name] {
			fixes := z.remove("drop the second one", m)
			if free := unused(names, m.name); !m.sdnb {
				fixes = append(fixes, model.Fix{Label: "rename to " + free, Edits: m.rename(free)})
			}
			at(memberTwice, m.dir["name"], "a second member of that name", fixes...)
		}
		seen[m.name] = true
		switch {
		case m.flags&zipEncrypted != 0:
			at(memberMethod, m.dir["flags"], "the member is encrypted")
		case m.method != 0 && m.method != 8:
			at(memberMethod, m.dir["method"], "the method is neither stored nor deflate")
		}
		if total = min(total, 1<<62) + min(m.usize, 1<<61); m.usize > maxInflated || m.csize > 0 && m.usize/m.csize > maxRatio {
			var fixes []model.Fix
			if m.method == 8 && m.usize <= flat.MaxSize {
				fixes = m.storing(false)
			}
			at(archiveLimits, m.dir["usize"], "the member inflates beyond the limits", fixes...)
		}
		if !m.localOK {
			at(noDirectory, m.dir["localOffset"], "no member stands where the directory says")
		}
		switch {
		case shardName(m.name) != nil && m.sdnb:
			shards = append(shards, m)
		case m.sdnb:
			plain = append(plain, m)
			if m.name != "model" && m.name != "model.sdnb" {
				name := unused(names, "model")
				at(memberName, m.dir["name"], "the model is not named model", model.Fix{Label: "rename to " + name, Edits: m.rename(name)})
			}
		default:
			others = append(others, m)
		}
		if m.sdnb {
			if needed = min(needed, 1<<62) + min(m.usize, 1<<61); m.method == 8 {
				at(memberDeflated, m.dir["method"], "a deflated model cannot be mapped", m.storing(true)...)
			}
		}
	}
	models := len(plain) + len(shards)
	limit := func(over bool, found, want string) {
		if over {
			d := model.Finding{Rule: archiveLimits, Span: dir.Span, Found: found, Expected: want}
			if models > 0 && models <= maxMembers && needed <= maxInflated {
				d.Fixes = z.remove("drop the members that are no models", others...)
			}
			c.Report(d)
		}
	}
	limit(len(z.members) > maxMembers, fmt.Sprint(len(z.members)), fmt.Sprintf("at most %d entries", maxMembers))
	limit(total > maxInflated, fmt.Sprint(total), "at most 10 GiB")
	if models == 0 {
		c.Report(model.Finding{Rule: noModelMember, Span: dir.Span})
	}
	if len(plain) > 0 && len(shards) > 0 {
		c.Report(model.Finding{Rule: modelAndShards, Span: dir.Span, Fixes: append(z.remove("drop the model, keep the shards", plain...), z.remove("drop the shards", shards...)...)})
	}
	z.checkShards(c, dir)
	if len(others) > 0 {
		c.Report(model.Finding{Rule: otherMembers, Span: dir.Span, Found: counted(len(others), "other member")})
	}
	if len(z.members) == readMembers {
		c.Report(model.Finding{Rule: model.RuleCap, Span: dir.Span, Message: fmt.Sprintf("%d members are read, the others are not", readMembers)})
	}
}

// checkShards checks that the members that are shards make a set (SDF-102 to SDF-105).
func (z *archive) checkShards(c *model.Cursor, dir model.Node) {
	have, count := map[int64]bool{}, int64(-1)
	for _, m := range z.members {
		s := shardName(m.name)
		if s == nil || !m.sdnb {
			continue
		}
		have[s.index] = true
		if count < 0 {
			count = s.count
		}
		if s.leftover {
			c.Report(model.Finding{Rule: leftoverName, Span: m.dir["name"].Span, Found: m.name, Expected: "a name that ends in the number of shards"})
		} else if s.count != count {
			c.Report(model.Finding{Rule: shardCounts, Span: m.dir["name"].Span, Found: m.name, Expected: fmt.Sprintf("shards of %d", count)})
		}
	}
	if len(have) > 0 {
		missing(have, count, func(rule *model.Rule, found, want string) {
			c.Report(model.Finding{Rule: rule, Span: dir.Span, Found: found, Expected: want})
		})
	}
}

// checkLocal compares a local header with the directory (SDF-087).
func (z *archive) checkLocal(c *model.Cursor, m *member) {
	if !z.ok {
		return
	}
	differ := func(what string, n model.Node, want uint64) {
		c.Report(model.Finding{Rule: localHeader, Span: n.Span, Found: n.Value.String(), Expected: fmt.Sprint(want), Message: m.name + ": " + what + " of the local header is not that of the directory",
			Fixes: []model.Fix{model.SetTo(n.Span, model.U(want))}})
	}
	if name := m.head["name"]; name.Text() != m.name {
		c.Report(model.Finding{Rule: localHeader, Span: name.Span, Found: name.Text(), Expected: m.name, Fixes: []model.Fix{model.SetTo(name.Span, model.S(m.name))}})
	}
	if v := m.head["method"]; v.Uint() != uint64(m.method) {
		differ("the method", v, uint64(m.method))
	}
	if v := m.head["flags"]; v.Uint() != uint64(m.flags) && m.flags&^zipHasDesc == uint16(v.Uint())&^zipHasDesc {
		c.Report(model.Finding{Rule: localHeader, Span: v.Span, Found: v.Value.String(), Expected: fmt.Sprint(m.flags), Message: m.name + ": the local header and the directory disagree about a data descriptor"})
	} else if v.Uint() != uint64(m.flags) {
		differ("the flags", v, uint64(m.flags))
	}
	if m.flags&zipHasDesc == 0 {
		if v := m.head["crc"]; v.Uint() != uint64(m.crc) {
			differ("the CRC", v, uint64(m.crc))
		}
		if v := m.head["csize"]; v.Int() != m.csize && !m.csize64 {
			differ("the stored size", v, uint64(m.csize))
		}
		if v := m.head["usize"]; v.Int() != m.usize && !m.usize64 {
			differ("the size", v, uint64(m.usize))
		}
	}
}
