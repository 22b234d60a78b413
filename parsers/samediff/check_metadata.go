package samediff

import (
	"strconv"

	"spandrel/model"
)

// checkMeta applies the rules of metadata (SDF-037 to SDF-039).
func (k *container) checkMeta(c *model.Cursor) {
	m := k.meta
	if m.variant == opaque {
		return
	}
	seen := map[string]bool{}
	for i, e := range m.entries {
		at := model.Finding{Span: e.span, Range: e.at, Found: e.key}
		switch {
		case e.key == "":
			at.Rule, at.Message, at.Fixes = badKey, "a metadata entry without a key", []model.Fix{k.dropEntry(i)}
			c.Report(at)
		case seen[e.key]:
			at.Rule, at.Message, at.Fixes = badKey, "the key "+e.key+" is there twice", []model.Fix{k.dropEntry(i)}
			c.Report(at)
		case i > 0 && m.variant == "" && e.key < m.entries[i-1].key:
			at.Rule, at.Message = keyOrder, "the key "+e.key+" is not in order"
			at.Fixes = []model.Fix{k.sortKeys("sort the keys")}
			c.Report(at)
		}
		seen[e.key] = true
		if e.noValue {
			at.Rule, at.Message, at.Fixes = keyOrder, "the key "+e.key+" has no value", []model.Fix{k.sortKeys("give it an empty value")}
			c.Report(at)
			continue
		}
		if want := reserved(e.key, e.value, "CONTAINER"); want != "" {
			at.Rule, at.Found, at.Expected, at.Message = reservedKey, e.value, want, e.key+" is not "+want
			at.Fixes = []model.Fix{k.reserved(i, want)}
			c.Report(at)
		}
	}
}

// reserved says what was expected of a reserved key, or "" (section 1.4.5).
func reserved(key, value, family string) string {
	switch key {
	case "creation.time", "shard.index":
		if _, err := strconv.ParseUint(value, 10, 63); err != nil {
			return "a decimal number"
		}
	case "nd4j.format.version":
		if value != "1" {
			return "1"
		}
	case "nd4j.format.type":
		if value != family {
			return family
		}
	case "shard.type":
		if value != "graph" && value != "weights" {
			return "graph or weights"
		}
	}
	return ""
}
