package scdl

import (
	"bytes"
	"context"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"path"
	"unicode/utf16"
	"unicode/utf8"

	"spandrel/model"
)

// checkMembers checks metadata.json and version.json.
func (a *archive) checkMembers(c *model.Cursor) {
	rows, known := a.rows()
	if known = known && !a.raws["row_ptr.npy"].lost(); known {
		a.checkRows(c, rows)
	} else if _, err := parseObject(a.read("metadata.json", jsonLimit)); err != nil {
		d := a.at(badMetadata, "metadata.json")
		d.Found, d.About = err.Error(), badJSON{a, "metadata.json", ""}
		c.Report(d)
	}
	var version *string
	if err := parseJSON(a.read("version.json", jsonLimit), &version); err != nil || version == nil {
		d := a.at(badVersion, "version.json")
		if err != nil {
			d.Found = err.Error()
		}
		d.About = badJSON{a, "version.json", `"0.1.3"`}
		c.Report(d)
	}
}

// checkRows compares the rows with metadata.json.
func (a *archive) checkRows(c *model.Cursor, rows int64) {
	text := fmt.Sprintf(`{"num_rows": %d}`, rows)
	meta, err := parseObject(a.read("metadata.json", jsonLimit))
	if err != nil {
		d := a.at(badMetadata, "metadata.json")
		d.Found, d.About = err.Error(), badJSON{a, "metadata.json", text}
		c.Report(d)
		return
	}
	n, ok := meta["num_rows"].(float64)
	if ok && n == float64(rows) {
		return
	}
	if s := a.member("metadata.json", "num_rows"); s != nil && ok {
		var doubt []model.Detail
		if d := a.desc("ROWPTR"); d != nil && d.len_.Uint() != uint64(rows)+1 {
			doubt = append(doubt, model.Doubtful) // row pointers may be what is missing
		}
		c.Wrong(rowCount, s, fmt.Sprint(meta["num_rows"]), model.I(rows), append(doubt, model.Saying("metadata.json: %s", rowCount.Title))...)
		return
	}
	d := a.at(rowCount, "metadata.json")
	d.Found, d.Expected = fmt.Sprint(meta["num_rows"]), fmt.Sprint(rows)
	if len(meta) == 0 {
		d.About = badJSON{a, "metadata.json", text}
	}
	c.Report(d)
}

// statedRows is the number of rows that metadata.json states, or −1.
func (a *archive) statedRows() int64 {
	meta, _ := parseObject(a.read("metadata.json", jsonLimit))
	if n, ok := meta["num_rows"].(float64); ok {
		return int64(n)
	}
	return -1
}

// badJSON is a JSON file that cannot be read, and the text that it should hold if nothing of it can be kept; "" when that is not known.
type badJSON struct {
	a    *archive
	file string
	text string
}

// repairJSON puts a text right that is JSON but for what people and editors do to it, or writes the one that it should be.
func repairJSON(_ context.Context, _ *model.Tree, f *model.Finding) (out []model.Fix) {
	about, ok := f.About.(badJSON)
	if !ok {
		return nil
	}
	a, name := about.a, about.a.name(about.file)
	b := a.read(about.file, jsonLimit)
	if fixed, ok := mendJSON(b); ok {
		out = append(out, model.Fix{Label: "put the text of " + about.file + " right, keeping all of it", Safe: true,
			Edits: []model.Edit{model.FileEdit{File: name, Create: model.Memory(fixed)}}})
	}
	if about.text == "" {
		return out
	}
	fix := model.Fix{Label: "write " + about.file + " anew", Edits: []model.Edit{model.FileEdit{File: name,
		Create: model.Memory([]byte(about.text))}}}
	if len(bytes.TrimSpace(b)) > 2 {
		fix.Loses = "whatever else it held"
	}
	fix.Safe = f.Rule == badMetadata && fix.Loses == ""
	return append(out, fix)
}

// parseJSON reads a JSON text as Python does: it has to be UTF-8, without a mark in front.
func parseJSON(b []byte, to any) error {
	switch {
	case b == nil:
		return errors.New("it is missing, or too long to be read")
	case !utf8.Valid(b):
		return errors.New("it is not valid UTF-8")
	}
	return json.Unmarshal(b, to)
}

func parseObject(b []byte) (meta map[string]any, err error) {
	if err = parseJSON(b, &meta); err == nil && meta == nil {
		err = errors.New("it is no JSON object")
	}
	return meta, err
}

// mendJSON takes back what is done to JSON by hand and by editors: a byte order mark, UTF-16, a comma behind the last member, single
// quotes. ok is false where that is not what is wrong.
func mendJSON(b []byte) ([]byte, bool) {
	if json.Valid(b) && utf8.Valid(b) {
		return nil, false
	}
	if order := binary.ByteOrder(binary.LittleEndian); len(b) >= 2 && (b[0] == 0xff && b[1] == 0xfe || b[0] == 0xfe && b[1] == 0xff) {
		if b[0] == 0xfe {
			order = binary.BigEndian
		}
		var units []uint16
		for i := 2; i+1 < len(b); i += 2 {
			units = append(units, order.Uint16(b[i:]))
		}
		b = []byte(string(utf16.Decode(units)))
	}
	b = bytes.TrimPrefix(b, []byte("\xef\xbb\xbf"))
	if !bytes.Contains(b, []byte{'"'}) {
		b = bytes.ReplaceAll(b, []byte{'\''}, []byte{'"'})
	}
	inText := false
	for i := 0; i < len(b); i++ {
		switch {
		case inText && b[i] == '\\':
			i++
		case b[i] == '"':
			inText = !inText
		case b[i] == ',' && !inText:
			if rest := bytes.TrimSpace(b[i+1:]); len(rest) > 0 && (rest[0] == '}' || rest[0] == ']') {
				b = append(bytes.Clone(b[:i]), b[i+1:]...)
				i--
			}
		}
	}
	return b, len(b) > 0 && json.Valid(b) && utf8.Valid(b)
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
					d := a.at(chunkRows, r.file)
					d.Found, d.Expected = fmt.Sprint(n), fmt.Sprint(want)
					c.Report(d)
				}
				n--
			}
			total[k.key] += n
		}
		a.checkEnds(c, a.raws[path.Join(dir, "row_ptr.npy")], a.raws[path.Join(dir, "data.npy")])
		if all = all && whole; !whole {
			c.Report(model.Finding{Rule: missingChunk, Span: a.root, Found: dir + " is missing or incomplete"})
		}
	}
	for i := range h.arrays {
		d := &h.arrays[i]
		got, ok := total[d.name.Text()]
		if d.name.Text() == "ROWPTR" {
			got++
		}
		if ok && uint64(got) != d.len_.Uint() {
			f := model.Finding{Rule: chunkTotals, Span: d.len_.Span, Found: d.len_.Value.String(), Expected: fmt.Sprint(got)}
			if all && (d.name.Text() == "ROWPTR" || total["DATA"] == total["COLPTR"]) { // otherwise a chunk is what is missing or cut
				f.Fixes = []model.Fix{model.SetTo(d.len_.Span, model.I(got))}
			}
			c.Report(f)
		}
	}
}
