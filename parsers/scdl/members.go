package scdl

import (
	"encoding/json"
	"fmt"
	"path"

	"spandrel/model"
)

// checkMembers checks metadata.json and version.json.
func (a *archive) checkMembers(c *model.Cursor) {
	rows, known := a.rows()
	write := func(name, text string) []model.Fix {
		return []model.Fix{{Label: "write " + name, Safe: true, Edits: []model.Edit{model.FileEdit{File: a.name(name), Create: model.Memory([]byte(text))}}}}
	}
	text := fmt.Sprintf(`{"num_rows": %d}`, rows)
	var meta map[string]any
	if b := a.read("metadata.json", jsonLimit); b == nil || json.Unmarshal(b, &meta) != nil || meta == nil {
		d := a.at(scdl050, "metadata.json")
		if known {
			d.Fixes = write("metadata.json", text)
		}
		c.Report(d)
	} else if known {
		if n, ok := meta["num_rows"].(float64); !ok || n != float64(rows) {
			d := a.at(scdl051, "metadata.json")
			d.Found, d.Expected = fmt.Sprint(meta["num_rows"]), fmt.Sprint(rows)
			if s := a.member("metadata.json", "num_rows"); s != nil && ok {
				d.Fixes = []model.Fix{model.SetTo(s, model.I(rows))}
			} else if len(meta) == 0 {
				d.Fixes = write("metadata.json", text)
			}
			c.Report(d)
		}
	}
	var version *string
	if b := a.read("version.json", jsonLimit); b == nil || json.Unmarshal(b, &version) != nil || version == nil {
		d := a.at(scdl052, "version.json")
		d.Fixes = write("version.json", `"0.1.3"`)
		d.Fixes[0].Safe = false
		c.Report(d)
	}
}

// member returns a field of a JSON member file, opening the file.
func (a *archive) member(file, name string) *model.Span {
	s := a.spans[file]
	if s == nil || a.t.Open(background, s) != nil {
		return nil
	}
	return s.Get(name)
}

func (a *archive) checkChunks(c *model.Cursor) {
	h := a.header
	total, all := map[string]int64{}, true
	for i := uint64(0); i < min(h.chunks, maxChunks); i++ {
		dir := fmt.Sprintf("chunk_%05d", i)
		whole := true
		for _, k := range keys[:3] {
			r := a.raws[path.Join(dir, k.file)]
			if r == nil {
				whole = false
				continue
			}
			a.checkRaw(c, r, r.size)
			n := r.count
			if k.key == "ROWPTR" {
				want := int64(min(h.chunkSize, h.rows-min(h.rows, i*h.chunkSize))) + 1
				if n != want {
					d := a.at(scdl101, r.file)
					d.Found, d.Expected = fmt.Sprint(n), fmt.Sprint(want)
					c.Report(d)
				}
				n--
			}
			total[k.key] += n
		}
		a.checkEnds(c, a.raws[path.Join(dir, "row_ptr.npy")], a.raws[path.Join(dir, "data.npy")])
		if all = all && whole; !whole {
			c.Report(model.Finding{Rule: scdl100, Span: a.root, Found: dir + " is missing or incomplete"})
		}
	}
	for i := range h.arrays {
		d := &h.arrays[i]
		got, ok := total[d.name.Text()]
		if d.name.Text() == "ROWPTR" {
			got++
		}
		if ok && uint64(got) != d.len_.Uint() {
			f := model.Finding{Rule: scdl102, Span: d.len_.Span, Found: d.len_.Value.String(), Expected: fmt.Sprint(got)}
			if all { // otherwise a chunk is what is missing
				f.Fixes = []model.Fix{model.SetTo(d.len_.Span, model.I(got))}
			}
			c.Report(f)
		}
	}
}
