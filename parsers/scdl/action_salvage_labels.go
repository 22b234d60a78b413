package scdl

import (
	"encoding/json"

	"spandrel/model"
	"spandrel/parsers/internal/npyfile"
)

// writeLabels writes the labels of blocks: as readers of the archive expect them, in labels.npy if they can be read there, or in labels.json. Those that cannot
// be read are null.
func (s *saving) writeLabels(f *features, dir string, blocks []int) {
	if texts := s.oldLabels(f, blocks); texts != nil {
		s.files[dir+"/labels.npy"] = model.Memory(npyfile.Texts(texts))
		return
	}
	labels, _ := json.Marshal(s.labels(f, dir, blocks))
	s.files[dir+"/labels.json"] = model.Memory(labels)
}

// oldLabels are the labels of blocks in labels.npy; nil if one of them cannot be read, or labels.json is there.
func (s *saving) oldLabels(f *features, blocks []int) []string {
	name := f.dir + "/labels.npy"
	if s.a.entries[f.dir+"/labels.json"].Regular || !s.a.entries[name].Regular {
		return nil
	}
	h, err := npyfile.Parse(s.a.peek(name, 1<<16))
	if err != nil {
		return nil
	}
	labels, out := s.a.labelsOf(name, h, max(0, len(f.cum)-1)), []string{}
	for _, k := range blocks {
		if k >= len(labels) || labels[k] == nil {
			return nil
		}
		out = append(out, *labels[k])
	}
	return out
}

// labels are the labels of blocks; null if they cannot be read.
func (s *saving) labels(f *features, dir string, blocks []int) []*string {
	var labels []*string
	b, out, kept := s.a.read(f.dir+"/labels.json", jsonLimit), make([]*string, len(blocks)), int64(0)
	whole := jsonFront(b, func(d *json.Decoder) error {
		var x *string
		err := d.Decode(&x)
		if err == nil {
			labels = append(labels, x)
		}
		return err
	})
	for i, k := range blocks {
		if k < len(labels) {
			out[i] = labels[k]
			kept++
		}
	}
	if b != nil && !whole {
		s.parts = append(s.parts, model.SalvagedPart{What: "labels of " + dir, Saved: kept, Of: int64(len(blocks)), Lost: "those after the damage in labels.json"})
	}
	return out
}
