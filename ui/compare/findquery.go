package compare

import (
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"

	"spandrel/model"
	"spandrel/ui/doc"
	"spandrel/ui/kit"
	"spandrel/ui/rows"
	"spandrel/ui/show"
)

// The kinds of search.
const (
	findText    = "Text"
	findCells   = "Values"
	findExact   = "Text, exact case"
	findUTF16   = "Text as UTF-16"
	findHex     = "Bytes: 50 4b ?? 04"
	FindNumber  = "Number"
	findRegexp  = "Regular expression"
	findStrings = "All strings: at least 6 characters, or this many"
	findFields  = "Fields: name ~ feat, rows > 1000"
	FindMarks   = "Bookmarks"

	findDifferences = "Differences"
)

// FindKinds are the kinds of search, in the order in which they are offered.
var FindKinds = []string{findText, findCells, findExact, findUTF16, findHex, FindNumber, findRegexp, findStrings, findFields, FindMarks, findDifferences}

// Where to search.
const (
	ScopeSpace   = "These bytes"
	scopeFiles   = "All files"
	scopeDecoded = "All, decoded"
)

var findScopes = []string{ScopeSpace, scopeFiles, scopeDecoded}

// numberType is a type of number to search for.
type numberType struct {
	name   string
	codecs []model.Codec // both byte orders, unless the name gives one
}

// numberTypes are the types of numbers, each in both byte orders and in either.
var numberTypes = func() (list []numberType) {
	for _, r := range show.Readings {
		switch {
		case r.Le == nil:
		case r.Be == nil:
			list = append(list, numberType{r.Label, []model.Codec{r.Le}})
		default:
			list = append(list, numberType{r.Label, []model.Codec{r.Le, r.Be}}, numberType{r.Label + " LE", []model.Codec{r.Le}}, numberType{r.Label + " BE", []model.Codec{r.Be}})
		}
	}
	return list
}()

func numberNames() []string {
	return model.Map(numberTypes, func(n numberType) string { return n.name })
}

// Wanted is a search: any of these queries, and where.
type Wanted struct {
	Queries []model.Query
	number  []model.Codec // that queries are of: its types, or none
	wide    string        // the text, where it is looked for as UTF-16 in both byte orders
	strings bool          // texts are listed: their bytes say nothing more
	letters bool          // text is looked for, so a hit is shown as text first
	Scope   string
	Space   model.SpaceID // that the hex pane shows
}

var errNothingWanted = errors.New("type something to search for")

// QueriesOf parses the input as one or more patterns of bytes.
func QueriesOf(kind, number, text string) ([]model.Query, error) {
	if kind == findStrings {
		return stringQueries(text)
	}
	if text == "" {
		return nil, errNothingWanted
	}
	one := func(q model.Query, err error) ([]model.Query, error) {
		if err == nil && q.Len() == 0 {
			err = errNothingWanted
		}
		return []model.Query{q}, err
	}
	switch kind {
	case findHex:
		return one(model.HexQuery(text))
	case findRegexp:
		return one(model.RegexpQuery(text))
	case findUTF16:
		return []model.Query{model.UTF16Query(text, binary.LittleEndian), model.UTF16Query(text, binary.BigEndian)}, nil
	case FindNumber:
		var list []model.Query
		for _, c := range codecsOf(number) {
			q, err := model.ValueQuery(c, strings.TrimSpace(text))
			if err != nil {
				return nil, err
			}
			if b, _ := q.Bytes(); !slices.ContainsFunc(list, func(o model.Query) bool { x, _ := o.Bytes(); return string(x) == string(b) }) {
				list = append(list, q)
			}
		}
		return list, nil
	}
	return one(model.TextQuery(text, kind == findText), nil)
}

// The smallest length of listed text if no number is given, and the range of that number.
const (
	usualString = 6
	leastString = 2
	mostString  = 1000
)

// stringQueries look for runs of at least so many printable characters: as bytes, and as UTF-16 of ASCII.
func stringQueries(text string) ([]model.Query, error) {
	n := usualString
	if text = strings.TrimSpace(text); text != "" {
		var err error
		if n, err = strconv.Atoi(text); err != nil || n < leastString || n > mostString {
			return nil, fmt.Errorf("type the minimum length of a string: a number from %d to %d", leastString, mostString)
		}
	}
	var list []model.Query
	for _, pattern := range []string{`[\t\x20-\x7e]{%d,}`, `(?:[\t\x20-\x7e]\x00){%d,}`} {
		q, err := model.RegexpQuery(fmt.Sprintf(pattern, n))
		if err != nil {
			return nil, err
		}
		list = append(list, q)
	}
	return list, nil
}

func codecsOf(number string) []model.Codec {
	if i := slices.IndexFunc(numberTypes, func(n numberType) bool { return n.name == number }); i >= 0 {
		return numberTypes[i].codecs
	}
	return nil
}

// replacementOf parses the replacement of a match.
func replacementOf(kind, number, text string) ([]byte, error) {
	if text == "" {
		return nil, nil
	}
	switch kind {
	case findHex:
		q, err := model.HexQuery(text)
		if err != nil {
			return nil, err
		}
		b, exact := q.Bytes()
		if !exact {
			return nil, errors.New("?? is not a byte to write")
		}
		return b, nil
	case findUTF16:
		return nil, errors.New("UTF-16 text can only be replaced as bytes, because the byte order is unknown")
	case FindNumber:
		codecs := codecsOf(number)
		if len(codecs) != 1 {
			return nil, errors.New("choose a byte order for the new number")
		}
		return show.BytesOf(codecs[0], text)
	}
	return []byte(text), nil
}

// first returns the first match of any pattern in the searched space from an offset on; with back the last one before it.
func (w *Wanted) first(ctx context.Context, t *model.Tree, from int64, back bool, progress func(done, total int64)) (best model.Range, err error) {
	err = io.EOF
	for _, q := range w.Queries {
		r, e := t.Search(ctx, w.Space, q, from, back, progress)
		switch {
		case errors.Is(e, io.EOF):
		case e != nil:
			return r, e
		case err != nil, (r.Off < best.Off) != back && r.Off != best.Off:
			best, err = r, nil
		}
	}
	return best, err
}

// spaces lists where to search: with scopeDecoded everything is decoded first, as far as possible.
func (w *Wanted) spaces(ctx context.Context, t *model.Tree) (list []*model.Space, err error) {
	if w.Scope == scopeDecoded {
		if err := t.OpenAll(ctx, t.Root); err != nil {
			return nil, err
		}
	}
	for _, sp := range t.Spaces() {
		if w.Scope == ScopeSpace && sp.ID == w.Space || w.Scope == scopeFiles && !sp.Derived() || w.Scope == scopeDecoded {
			list = append(list, sp)
		}
	}
	return list, nil
}

// all lists the matches, at most FindMost, ordered by space and offset.
func (w *Wanted) all(ctx context.Context, t *model.Tree, progress kit.Progress) (items []doc.Place, err error) {
	spaces, err := w.spaces(ctx, t)
	if err != nil {
		return nil, err
	}
	for _, sp := range spaces {
		err := t.SearchAll(ctx, sp.ID, w.Queries, w.strings, progress, func(r model.Range) bool {
			items = append(items, w.hit(ctx, t, sp, r))
			return len(items) < doc.FindMost
		})
		if err != nil && (!sp.Derived() || ctx.Err() != nil) {
			return items, err
		}
		if len(items) == doc.FindMost {
			break
		}
	}
	return items, ctx.Err()
}

// How many bytes of a match are shown, and of a text.
const (
	shownBytes  = 32
	shownString = 200
)

// hit is a match as a row.
func (w *Wanted) hit(ctx context.Context, t *model.Tree, sp *model.Space, r model.Range) doc.Place {
	at, path := fmt.Sprintf("0x%x", r.Off), ""
	if w.Scope != ScopeSpace {
		at += "  " + sp.File
		if sp.Derived() {
			at += ", decoded"
		}
	}
	if s := t.At(r.Space, r.Off); s != nil {
		path = s.Path()
	}
	most := int64(shownBytes)
	if w.strings {
		most = shownString
	}
	b, _ := t.Bytes(ctx, model.Range{Space: r.Space, Off: r.Off, Len: min(r.Len, most)})
	text := fmt.Sprintf("% x  %q", b, b)
	if w.letters {
		text = fmt.Sprintf("%q  % x", b, b)
	}
	if w.strings {
		text = strings.ReplaceAll(strings.ReplaceAll(string(b), "\x00", ""), "\t", " ")
	}
	for i, q := range w.Queries {
		if is, _ := q.Bytes(); i < len(w.number) && string(is) == string(b) { // of a number, its type and byte order say more than letters
			v, _, _ := w.number[i].Decode(b)
			text = fmt.Sprintf("% x  %s %s %s", b, v, w.number[i].Type(), strings.ToUpper(w.number[i].Endian()))
			break
		} else if w.wide != "" && bytes.HasPrefix(is, b) {
			text = fmt.Sprintf("%q  UTF-16 %s", w.wide, []string{"LE", "BE"}[i])
			break
		}
	}
	return doc.Place{At: r, Cells: []rows.Cell{{Text: at, Mono: true}, {Text: path, Tail: true}, {Text: text, Mono: true}}}
}
