package tiledb

import (
	"context"
	"encoding/binary"
	"fmt"
	"strings"

	"spandrel/model"
	"spandrel/parsers/tiledb/filter"
	"spandrel/parsers/tiledb/schema"
	"spandrel/parsers/tiledb/storage"
)

// Deletions and metadata are files of their own, later than all others (5.3, 5.4).

// deletesFrom is the first version with deletions.
const deletesFrom = 16

// opposite are the negated operators: what is stored is the condition of the cells that survive.
var opposite = map[string]byte{"=": 5, "!=": 4, "<": 3, "<=": 2, ">": 1, ">=": 0}

func deleteCells(ctx context.Context, t *model.Tree, s *model.Span, args map[string]string) ([]model.Edit, error) {
	a := wholeArray(t, s)
	schema := a.schemas.Current()
	list, err := comparisons(args["where"])
	if err != nil {
		return nil, err
	}
	var nodes [][]byte
	for _, c := range list {
		datatype, num, ok := schema.FieldNamed(c.name)
		if !ok {
			return nil, fmt.Errorf("there is no field %q", c.name)
		}
		b, err := storage.ParseCell(datatype, num, c.value)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", c.name, err)
		}
		node := storage.AppendText([]byte{1, opposite[c.op]}, c.name)
		nodes = append(nodes, append(binary.LittleEndian.AppendUint64(node, uint64(len(b))), b...))
	}
	payload := nodes[0]
	if len(nodes) > 1 {
		payload = binary.LittleEndian.AppendUint64([]byte{0, anyOf}, uint64(len(nodes)))
		for _, n := range nodes {
			payload = append(payload, n...)
		}
	}
	v := max(a.writingVersion(), deletesFrom)
	e, err := a.tileFile(ctx, schema, v, payload, "__commits", fmt.Sprintf("%s_%d.del", stamped(a.timestamp()), v))
	return []model.Edit{e}, err
}

func setMetadata(ctx context.Context, t *model.Tree, s *model.Span, args map[string]string) ([]model.Edit, error) {
	a := wholeArray(t, s)
	datatype, ok := schema.DatatypeNamed(args["type"])
	if args["key"] == "" || !ok || datatype == filter.Any {
		return nil, fmt.Errorf("metadata needs a key and a datatype other than ANY")
	}
	num := uint32(len(strings.Fields(args["value"])))
	if !storage.IsNumber(datatype) {
		num = storage.VariableCells
	}
	b, err := storage.ParseCell(datatype, num, args["value"])
	if err != nil {
		return nil, err
	}
	record := append(storage.AppendText(nil, args["key"]), 0, datatype)
	record = binary.LittleEndian.AppendUint32(record, uint32(len(b)/filter.SizeOf(datatype)))
	return a.metadataEdit(ctx, append(record, b...))
}

// metadataEdit writes records as a new file of metadata.
func (a *array) metadataEdit(ctx context.Context, records []byte) ([]model.Edit, error) {
	s := a.schemas.Current()
	now := a.timestamp()
	if a.metas != nil {
		for i := range a.metas.Count() {
			now = max(now, stampOf(a.metas.Child(i).Name()).to+1)
		}
	}
	e, err := a.tileFile(ctx, s, min(s.Layout, writesTo), records, "__meta", stamped(now))
	return []model.Edit{e}, err
}

// inDeletion tells whether a deletion of cells names a field.
func inDeletion(ctx context.Context, a *array, name string) bool {
	for _, b := range deleteCommits(a) {
		if c := conditionOf(ctx, a.lock.Key, b); c != nil && c.names(name) {
			return true
		}
	}
	return false
}
