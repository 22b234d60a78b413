package parsers

import (
	"fmt"
	"path"
	"strings"

	"spandrel/model"
)

// check applies the rules of section 4.4 to the directory.
func (z *sdZip) check(c *model.Cursor, d *sdDoc, entries, dir model.Node) {
	if d.family != sdZipped {
		return
	}
	if len(z.members) > 1000 {
		c.Report(model.Diagnostic{Rule: sdf(88), Span: dir.Span, Found: fmt.Sprint(len(z.members)), Expected: "at most 1000 entries"})
	}
	seen := map[string]bool{}
	total := int64(0)
	var plain, shards, others, found int
	for _, m := range z.members {
		at := func(rule int, n model.Node, message string, fixes ...model.Fix) {
			c.Report(model.Diagnostic{Rule: sdf(rule), Span: n.Span, Found: n.Value.String(), Message: m.name + ": " + message, Fixes: fixes})
		}
		if n := m.name; strings.HasPrefix(n, "/") || strings.Contains(n, "\\") || strings.Contains("/"+n+"/", "/../") || len(n) > 1 && n[1] == ':' {
			safe := path.Base(path.Clean("/" + strings.ReplaceAll(n, "\\", "/")))
			at(82, m.nameSpan, "the name leads out of the folder", model.Fix{Label: "rename to " + safe, Edits: m.rename(safe)})
		}
		if seen[m.name] {
			fixes := z.remove("drop the second one", func(o *sdMember) bool { return o == m })
			if free := z.unused(m.name); !m.sdnb {
				fixes = append(fixes, model.Fix{Label: "rename to " + free, Edits: m.rename(free)})
			}
			at(83, m.nameSpan, "a second member of that name", fixes...)
		}
		seen[m.name] = true
		switch {
		case m.flags&zipEncrypted != 0:
			at(84, m.dir["flags"], "the member is encrypted")
		case m.method != 0 && m.method != 8:
			at(84, m.dir["method"], "the method is neither stored nor deflate")
		}
		if total = min(total, 1<<62) + min(m.usize, 1<<61); m.usize > sdMaxInflated || m.csize > 0 && m.usize/m.csize > sdMaxRatio {
			var fixes []model.Fix
			if m.method == 8 && m.usize <= sdMaxFlat {
				fixes = m.storing(false)
			}
			at(88, m.dir["usize"], "the member inflates beyond the limits", fixes...)
		}
		if !m.localOK {
			at(80, m.dir["localOffset"], "no member stands where the directory says")
		}
		switch {
		case sdShardName(m.name) != nil && m.sdnb:
			shards++
		case m.sdnb:
			plain++
			if m.name != "model" && m.name != "model.sdnb" {
				name := z.unused("model")
				at(89, m.nameSpan, "the model is not named model", model.Fix{Label: "rename to " + name, Edits: m.rename(name)})
			}
		default:
			others++
		}
		if m.sdnb {
			found++
			if m.method == 8 {
				at(86, m.dir["method"], "a deflated model cannot be mapped", m.storing(true)...)
			}
		}
	}
	if total > sdMaxInflated {
		c.Report(model.Diagnostic{Rule: sdf(88), Span: dir.Span, Found: fmt.Sprint(total), Expected: "at most 10 GiB"})
	}
	if found == 0 {
		c.Report(model.Diagnostic{Rule: sdf(81), Span: dir.Span})
	}
	if plain > 0 && shards > 0 {
		plain := func(m *sdMember) bool { return m.sdnb && sdShardName(m.name) == nil }
		shard := func(m *sdMember) bool { return m.sdnb && sdShardName(m.name) != nil }
		c.Report(model.Diagnostic{Rule: sdf(90), Span: dir.Span, Fixes: append(z.remove("drop the model, keep the shards", plain), z.remove("drop the shards", shard)...)})
	}
	z.checkShards(c, dir)
	if others > 0 {
		c.Report(model.Diagnostic{Rule: sdf(91), Span: dir.Span, Found: sdCount(others, "other member")})
	}
}

// checkShards checks that the members that are shards make a set (SDF-102 to SDF-105).
func (z *sdZip) checkShards(c *model.Cursor, dir model.Node) {
	have, count := map[int64]bool{}, int64(-1)
	for _, m := range z.members {
		s := sdShardName(m.name)
		if s == nil || !m.sdnb {
			continue
		}
		have[s.index] = true
		if count < 0 {
			count = s.count
		}
		if s.leftover {
			c.Report(model.Diagnostic{Rule: sdf(105), Span: m.nameSpan.Span, Found: m.name, Expected: "a name that ends in the number of shards"})
		} else if s.count != count {
			c.Report(model.Diagnostic{Rule: sdf(102), Span: m.nameSpan.Span, Found: m.name, Expected: fmt.Sprintf("shards of %d", count)})
		}
	}
	if len(have) > 0 {
		sdMissing(have, count, func(rule int, found, want string) {
			c.Report(model.Diagnostic{Rule: sdf(rule), Span: dir.Span, Found: found, Expected: want})
		})
	}
}

// rename gives a member another name, in both headers.
func (m *sdMember) rename(name string) []model.Edit {
	edits := []model.Edit{model.SetValue(m.nameSpan.Span, model.S(name))}
	if m.span != nil && m.span.Get("name") != nil {
		edits = append(edits, model.SetValue(m.span.Get("name"), model.S(name)))
	}
	return edits
}

// resize is the fix of a size that is not that of the content, in both headers.
func (m *sdMember) resize(n int64) []model.Fix {
	if m.usize64 || n >= 0xffffffff {
		return nil
	}
	f := model.Fix{Label: fmt.Sprintf("set the size to %d", n), Edits: []model.Edit{model.SetValue(m.dir["usize"].Span, model.U(uint64(n)))}}
	if h := m.head["usize"]; h.Span != nil && m.flags&zipHasDesc == 0 {
		f.Edits = append(f.Edits, model.SetValue(h.Span, model.U(uint64(n))))
	}
	return []model.Fix{f}
}
