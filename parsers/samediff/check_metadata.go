package samediff

import (
	"strconv"

	"spandrel/model"
)

// checkMetadata applies the rules of metadata (SDF-037 to SDF-039).
func checkMetadata(c *model.Cursor, k *container) {
	m := k.meta
	if m.variant == opaque {
		return
	}
	seen := map[string]bool{}
	for i, e := range m.entries {
		at := model.Spot{Span: e.span, Range: e.at}
		here := model.About(keyAt{k: k, i: i})
		switch {
		case e.key == "":
			c.Wrong(badKey, at, "no key", nil, here)
		case seen[e.key]:
			c.Wrong(badKey, at, brief(e.key), nil, here, saying("the metadata key %s is there twice", e.key))
		case i > 0 && m.variant == "" && e.key < m.entries[i-1].key:
			c.Wrong(keyOrder, at, brief(e.key), nil, here, saying("the metadata key %s is not in its place: keys are sorted", e.key))
		}
		seen[e.key] = true
		if e.noValue {
			c.Wrong(keyOrder, at, brief(e.key), nil, here, saying("the metadata key %s has no value", e.key))
			continue
		}
		if want := reserved(e.key, e.value, "CONTAINER"); want != "" {
			c.Wrong(reservedKey, at, brief(e.value), want, model.About(keyAt{k, i, want}),
				saying("the metadata key %s cannot have this value", e.key))
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
