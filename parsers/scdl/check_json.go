package scdl

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"unicode/utf8"

	"spandrel/model"
	"spandrel/parsers/internal/npyfile"
)

// metadata checks metadata.json.
func (k *checker) metadata() {
	rows, known := k.rows()
	text := ""
	if known = known && !k.raws["row_ptr.npy"].lost(); known {
		text = fmt.Sprintf(`{"num_rows": %d}`, rows)
	}
	meta, err := parseObject(k.read("metadata.json", jsonLimit))
	if err != nil {
		k.wrong(badMetadata, "metadata.json", err, model.Words("a JSON object"), k.unread("metadata.json", refused, err), model.About(badJSON{a: k.archive, file: "metadata.json", text: text}))
		return
	}
	n, ok := meta["num_rows"].(float64)
	if !known || ok && n == float64(rows) {
		return
	}
	found := fmt.Sprint(meta["num_rows"])
	if s := k.member(k.c.Context(), "metadata.json", "num_rows"); s != nil && ok {
		more := []model.Detail{model.Saying("metadata.json: %s", rowCount.Title)}
		if d := k.desc("ROWPTR"); d != nil && d.len_.Uint() != uint64(rows)+1 {
			more = append(more, model.Doubtful) // row pointers may be missing instead
		}
		if n < float64(rows) { // as concat leaves it
			more = append(more, model.Doubtful, model.Graded(model.Note))
		}
		k.c.Wrong(rowCount, s, found, model.I(rows), more...)
		return
	}
	says := rowCount.Title
	if _, there := meta["num_rows"]; !there {
		found, says = "no num_rows", "it does not say how many cells there are"
	}
	k.wrong(rowCount, "metadata.json", found, rows, model.Saying("metadata.json: %s", says), model.About(badJSON{a: k.archive, file: "metadata.json", text: text, held: len(meta) > 0}))
}

// unread says why a JSON file cannot be read, and the consequences.
func (k *checker) unread(file, therefore string, err error) model.Detail {
	if _, there := k.entries[file]; !there {
		return model.Saying("%s is missing%s", file, therefore)
	}
	return model.Saying("%s cannot be read%s: %s", file, therefore, err)
}

const refused = ", and readers reject the archive"

// version checks version.json.
func (k *checker) version() {
	var version *string
	err := parseJSON(k.read("version.json", jsonLimit), &version)
	text, copied := `"0.1.3"`, false
	if v := copiedVersion(k.archive); v != "" {
		b, _ := json.Marshal(v)
		text, copied = string(b), true
	}
	switch about := model.About(badJSON{a: k.archive, file: "version.json", text: text, copied: copied}); {
	case err != nil:
		k.wrong(badVersion, "version.json", err, nil, k.unread("version.json", "", err), about)
	case version == nil:
		k.wrong(badVersion, "version.json", nil, nil, about)
	}
}

// copiedVersion is the version that the feature folders repeat, "" if they have none or differ.
func copiedVersion(a *archive) (version string) {
	for _, f := range a.folders {
		b := a.peek(f.dir+"/version.npy", 1<<16)
		h, err := npyfile.Parse(b)
		codec := npyfile.CodecOf(h.Descr)
		if err != nil || codec == nil || codec.Kind() != model.Text || len(h.Shape) > 0 {
			return ""
		}
		v, _, err := codec.Decode(b[h.Data:])
		if err != nil || version != "" && v.Text() != version {
			return ""
		}
		version = v.Text()
	}
	return version
}

// statedRows is the number of rows in metadata.json, or −1.
func (a *archive) statedRows() int64 {
	meta, _ := parseObject(a.read("metadata.json", jsonLimit))
	if n, ok := meta["num_rows"].(float64); ok {
		return int64(n)
	}
	return -1
}

// badJSON is a JSON file that cannot be read, and the text that it should contain if nothing of it can be kept; "" if that is not known.
type badJSON struct {
	a      *archive
	file   string
	text   string
	held   bool // it has content stored nowhere else, so it is not rewritten
	copied bool // the whole text is stored elsewhere too
}

// repairJSON writes the text that a file should contain, if that is known. If the present text differs from it in a few bytes only, nothing is lost.
var repairJSON = model.Knowing(func(_ context.Context, _ *model.Tree, f *model.Finding, about badJSON) []model.Fix {
	if about.text == "" || about.held {
		return nil
	}
	b := about.a.read(about.file, jsonLimit)
	fix := model.Fix{Label: "rewrite " + about.file, Edits: []model.Edit{model.FileEdit{File: about.a.name(about.file), Create: model.Memory([]byte(about.text))}}}
	fix.Copies = about.copied && (!json.Valid(b) || string(bytes.TrimSpace(b)) == "null")
	if !fix.Copies && len(bytes.TrimSpace(b)) > 2 && !spoiled(b, about.text) {
		fix.Loses = "its other content"
	}
	fix.Safe = (f.Rule == badMetadata || fix.Copies) && fix.Loses == ""
	return []model.Fix{fix}
})

// spoiled tells whether bytes are a text without its last bracket, or with at most two wrong bytes, such as typographic quotes.
func spoiled(b []byte, text string) bool {
	if len(b) != len(text) {
		return string(b)+"}" == text
	}
	return model.Differ(string(b), text) <= 2
}

// parseJSON parses a JSON text as Python does: it must be UTF-8 without a byte order mark. Errors are phrases that follow the name of
// validFront is how many bytes are valid UTF-8 before the first that are not.
func validFront(b []byte) (at int) {
	for at < len(b) {
		r, n := utf8.DecodeRune(b[at:])
		if r == utf8.RuneError && n <= 1 {
			break
		}
		at += n
	}
	return at
}

// the file.
func parseJSON(b []byte, to any) error {
	switch {
	case b == nil:
		return errors.New("it is missing, or too long to read")
	case len(bytes.TrimSpace(b)) == 0:
		return errors.New("it is empty")
	case validFront(b) < len(b):
		return fmt.Errorf("it is not valid UTF-8 from byte %d on", validFront(b))
	}
	err := json.Unmarshal(b, to)
	var text *json.SyntaxError
	var kind *json.UnmarshalTypeError
	switch {
	case errors.As(err, &text) && text.Offset >= int64(len(b)):
		return errors.New("it ends in the middle: the rest is missing")
	case errors.As(err, &text):
		return fmt.Errorf("it is not valid JSON from byte %d on", text.Offset-1)
	case errors.As(err, &kind):
		return fmt.Errorf("it contains %s", cmp.Or(map[string]string{"array": "a list", "object": "an object", "string": "a text", "bool": "true or false"}[kind.Value], "a number"))
	}
	return err
}

func parseObject(b []byte) (meta map[string]any, err error) {
	if err = parseJSON(b, &meta); err == nil && meta == nil {
		err = errors.New("it is not a JSON object")
	}
	return meta, err
}
