package samediff

import (
	"fmt"
	"path"
	"sort"
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

// unused returns a name that is not taken.
func unused(taken map[string]bool, name string) string {
	out := name
	for i := 2; taken[out]; i++ {
		out = fmt.Sprintf("%s-%d", name, i)
	}
	return out
}

// remove is the fix that takes members out of the archive, if others stay.
func (z *archive) remove(label string, gone ...*member) []model.Fix {
	if len(gone) == 0 || len(gone) == len(z.members) {
		return nil
	}
	var ranges []model.Range
	for _, m := range gone {
		if m.span == nil || m.dir["name"].Span == nil {
			return nil
		}
		ranges = append(ranges, m.span.Range, m.dir["name"].Span.Parent().Range)
	}
	sort.SliceStable(ranges, func(i, j int) bool { return ranges[i].Off < ranges[j].Off })
	var edits []model.Edit
	for _, r := range ranges {
		edits = append(edits, model.Replace(r, nil))
	}
	return []model.Fix{{Label: label, Edits: edits}}
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

// rename gives a member another name, in both headers.
func (m *member) rename(name string) []model.Edit {
	edits := []model.Edit{model.SetValue(m.dir["name"].Span, model.S(name))}
	if n := m.head["name"]; n.Span != nil {
		edits = append(edits, model.SetValue(n.Span, model.S(name)))
	}
	return edits
}

// correct is the fix of a number that is not that of the content: in the directory and, unless it stands behind the data, in the local
// header.
func (m *member) correct(label, field string, v uint64) []model.Fix {
	f := model.Fix{Label: label, Edits: []model.Edit{model.SetValue(m.dir[field].Span, model.U(v))}}
	if n := m.head[field]; n.Span != nil && m.flags&zipHasDesc == 0 {
		f.Edits = append(f.Edits, model.SetValue(n.Span, model.U(v)))
	}
	return []model.Fix{f}
}

// resize is the fix of a size that is not that of the content.
func (m *member) resize(n int64) []model.Fix {
	if m.usize64 || n >= zipMax32 {
		return nil
	}
	return m.correct(fmt.Sprintf("set the size to %d", n), "usize", uint64(n))
}
