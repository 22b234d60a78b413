package samediff

import (
	"slices"

	"spandrel/model"
	"spandrel/parsers/samediff/flat"
)

// metadataOf checks the keys of the graph (SDF-156, 157, 039, 071).
func (k *graphChecker) metadataOf() {
	keys, values := k.placed.metadata(k.b)
	at := k.where(k.graph, flat.GraphKeys, 4)
	paired := model.About(k.pairKeys(keys, values))
	if len(keys) != len(values) {
		k.report(keysUnpaired, at, model.Words("%d keys, %d values", len(keys), len(values)), nil, paired)
	}
	seen := map[string]bool{}
	for i, key := range keys {
		if seen[key] {
			k.report(keysUnpaired, at, key, nil, paired, saying("the metadata key %s is there twice", key))
		}
		seen[key] = true
		if i > 0 && key < keys[i-1] {
			k.keyOrder(at, keys, i)
		}
		if i >= len(values) || key == "nd4j.format.type" {
			continue
		}
		if want := reserved(key, values[i], ""); want != "" {
			k.report(reservedKey, at, values[i], want, saying("the metadata key %s cannot have this value", key),
				model.About(k.reserved(key, want)))
		}
	}
	if k.placed.nb == nil || k.placed.depth > 0 {
		return
	}
	if kind := valueOf(keys, values, "nd4j.format.type"); kind != "APPENDED_BLOB" {
		k.report(formatType, at, kind, "APPENDED_BLOB", model.About(k.key("nd4j.format.type", "APPENDED_BLOB", true)))
	}
}

// valueOf is the value of a key, the last of those that it has.
func valueOf(keys, values []string, key string) (value string) {
	for i := range min(len(keys), len(values)) {
		if keys[i] == key {
			value = values[i]
		}
	}
	return value
}

// reservedKeys are the keys that the software writes (section 1.4.5).
var reservedKeys = []string{"creation.time", "framework.version", "nd4j.format.type", "nd4j.format.version", "optimization_timestamp",
	"optimized", "optimized_ops",
	"optimized_variables", "original_ops", "original_variables", "required_outputs", "shard.index", "shard.type"}

// keyOrder reports a key that is out of order: damaged where it is one letter away from a key that the software writes and that is
// missing, otherwise in the wrong place.
func (k *graphChecker) keyOrder(at part, keys []string, i int) {
	for _, j := range []int{i, i - 1} {
		for _, want := range reservedKeys {
			if model.Differ(keys[j], want) == 1 && !slices.Contains(keys, want) {
				k.report(graphKeyOrder, at, keys[j], want, saying("the metadata key %s is damaged: it should be %s", keys[j], want),
					model.About(k.renameKey(keys, j, want)))
				return
			}
		}
	}
	k.report(graphKeyOrder, at, keys[i], "a key behind "+brief(keys[i-1]),
		model.About(rootEdit{p: k.placed, label: "sort the keys", keys: map[string]*string{}}))
}
