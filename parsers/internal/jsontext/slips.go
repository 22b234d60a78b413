package jsontext

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"html"
	"regexp"
	"slices"
	"strings"
	"unicode/utf8"

	"spandrel/model"
)

// Slip is a mistake of someone who edited a JSON text by hand, and the smallest edit that corrects it: Del bytes at At are replaced.
type Slip struct {
	At, Del int64
	With    string
	Says    string // what is wrong, without the place
	Plain   bool   // the edit cannot change a value
}

const (
	mostCorrected = 16 << 20 // bytes of a text that is corrected
	mostSlips     = 1 << 14
	mostSaid      = 3 // slips that a sentence lists
	bom           = "\xef\xbb\xbf"
	pythonTuple   = "parentheses of Python instead of brackets"
)

// literals are the names that Python prints for literals of JSON.
var literals = map[string]string{"True": "true", "False": "false", "None": "null"}

// tolerant is the state of a tolerant parser.
type tolerant struct {
	text  string
	at    int    // of the next token
	end   int    // of the previous token
	open  []byte // brackets around the place
	last  byte   // the previous token: '"' for any value, ':' ',' '{' '['; 0 before the first
	comma int    // the place of the previous comma
	slips []Slip
}

// Slips returns the edits that make one JSON value of a text, or nil if it is one or cannot be corrected with certainty about what was meant.
func Slips(b []byte) []Slip {
	if len(b) > mostCorrected || json.Valid(b) {
		return nil
	}
	if is := unescaped(b); is != nil {
		return []Slip{{0, int64(len(b)), string(is), "characters written as in HTML, such as &quot;", true}}
	}
	m := &tolerant{text: string(b)}
	if strings.HasPrefix(m.text, bom) {
		m.slip(0, len(bom), "", "a byte order mark (BOM)", true)
		m.at = len(bom)
	}
	for m.blanks(); m.at < len(m.text); m.blanks() {
		if !m.token() || len(m.slips) > mostSlips || len(m.open) > model.MaxDepth {
			return nil
		}
	}
	if len(m.open) > 1 || len(m.open) == 1 && !m.shut(closer(m.open[0]), "at the end") || !json.Valid(Corrected(b, m.slips)) {
		return nil // if several brackets are missing, the text is truncated
	}
	return m.slips
}

// markup are quotes as they are written in HTML.
var markup = regexp.MustCompile(`&(quot|apos|#34|#39|#x22|#x27);`)

// unescaped is the JSON text, corrected, of which all was escaped for HTML; nil if it was not.
func unescaped(b []byte) []byte {
	if bytes.ContainsAny(b, `"<>`) || !markup.Match(b) {
		return nil
	}
	is := []byte(html.UnescapeString(string(b)))
	if is = Corrected(is, Slips(is)); !json.Valid(is) {
		return nil
	}
	return is
}

// Corrected is a text after the edits.
func Corrected(b []byte, slips []Slip) (out []byte) {
	at := int64(0)
	for _, s := range slips {
		out = append(append(out, b[at:s.At]...), s.With...)
		at = s.At + s.Del
	}
	return append(out, b[at:]...)
}

// slip notes a mistake; they are in the order of the text, and what is inserted at a place before what is removed there.
func (m *tolerant) slip(at, del int, with, says string, plain bool) {
	s := Slip{int64(at), int64(del), with, says, plain}
	i := len(m.slips)
	for i > 0 && (m.slips[i-1].At > s.At || m.slips[i-1].At == s.At && m.slips[i-1].Del > s.Del) {
		i--
	}
	m.slips = slices.Insert(m.slips, i, s)
}

// blanks skips white space.
func (m *tolerant) blanks() {
	m.at = len(m.text) - len(strings.TrimLeft(m.text[m.at:], " \t\r\n"))
}

// token reads the next token and tells whether it can be understood.
func (m *tolerant) token() bool {
	c, rest := m.text[m.at], m.text[m.at:]
	switch c {
	case '/', '#':
		return m.comment(rest)
	case ',':
		if m.last != '"' {
			m.slip(m.at, 1, "", "a comma too many", false)
		} else {
			m.last, m.comma = c, m.at
		}
		return m.step(1, len(m.open) > 0)
	case ':':
		ok := m.last == '"' && len(m.open) > 0 && m.open[len(m.open)-1] == '{'
		m.last = c
		return m.step(1, ok)
	case ')':
		m.slip(m.at, 1, "]", pythonTuple, false)
		return m.closing(']')
	case '}', ']':
		return m.closing(c)
	}
	m.separate(rest)
	if c == '(' {
		m.slip(m.at, 1, "[", pythonTuple, false)
		c = '['
	}
	if c == '{' || c == '[' {
		m.open, m.last = append(m.open, c), c
		return m.step(1, true)
	}
	m.last = '"'
	if r, n := utf8.DecodeRuneInString(rest); quotes[r] != 0 {
		return m.quoted(rest, r, n)
	}
	n := len(rest) - len(strings.TrimLeft(rest, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789+-."))
	if is := literals[rest[:n]]; is != "" {
		m.slip(m.at, n, is, rest[:n]+" instead of "+is, false)
	}
	return m.step(n, n > 0)
}

// step goes on after n bytes.
func (m *tolerant) step(n int, ok bool) bool {
	m.at += n
	m.end = m.at
	return ok
}

// separate notes that a comma is missing before a value or a name.
func (m *tolerant) separate(rest string) {
	if m.last == '"' && len(m.open) > 0 {
		word := rest
		if n := strings.IndexAny(rest[1:], "\"' \t\r\n,:") + 2; n > 1 {
			word = rest[:n]
		}
		m.slip(m.end, 0, ",", "a comma is missing before "+strings.ToValidUTF8(strings.TrimSpace(word), "\ufffd"), false)
	}
}

// comment removes a comment.
func (m *tolerant) comment(rest string) bool {
	n := strings.IndexByte(rest, '\n')
	if n < 0 {
		n = len(rest)
	}
	if strings.HasPrefix(rest, "/*") {
		n = strings.Index(rest, "*/") + 2
	} else if strings.HasPrefix(rest, "//") || rest[0] == '#' {
		n = len(strings.TrimRight(rest[:n], "\r"))
	} else {
		return false
	}
	m.slip(m.at, n, "", "a comment, which JSON does not have", false)
	m.at += n
	return n > 1
}

// quotes are the marks that begin a text, and those that end it: of JSON, of Python, and those that editors of text make of them.
var quotes = map[rune]rune{'"': '"', '\'': '\'', '“': '”', '”': '”', '„': '“', '‘': '’', '’': '’', '‚': '‘'}

// quoted reads a string after its opening mark of n bytes; other marks than those of JSON are replaced.
func (m *tolerant) quoted(rest string, open rune, n int) bool {
	escaped := false
	for i, r := range rest[n:] {
		switch {
		case r < ' ':
			return false
		case escaped:
			escaped = false
		case r == '\\':
			escaped = true
		case r == quotes[open]:
			inner, end := rest[n:n+i], n+i+utf8.RuneLen(r)
			if open != '"' && strings.ContainsAny(inner, `"\`) {
				return false
			}
			if open == '\'' {
				m.slip(m.at, end, `"`+inner+`"`, "single quotes instead of double quotes", false)
			} else if open != '"' {
				m.slip(m.at, end, `"`+inner+`"`, "typographic quotes instead of straight ones", true)
			}
			return m.step(end, true)
		}
	}
	return false
}

// closer is the bracket that closes another.
func closer(open byte) byte { return open + 2 }

// closing reads a closing bracket; one before it may be missing.
func (m *tolerant) closing(c byte) bool {
	n := len(m.open)
	if n > 1 && closer(m.open[n-1]) != c && closer(m.open[n-2]) == c {
		if !m.shut(closer(m.open[n-1]), "before "+string(c)) {
			return false
		}
		n = len(m.open)
	}
	if n == 0 || closer(m.open[n-1]) != c || m.last == ':' {
		return false
	}
	if m.last == ',' {
		m.slip(m.comma, 1, "", "a comma too many before "+string(c), true)
	}
	m.open, m.last = m.open[:n-1], '"'
	return m.step(1, true)
}

// shut adds a missing bracket after the previous token.
func (m *tolerant) shut(c byte, where string) bool {
	if m.last == ',' {
		m.slip(m.comma, 1, "", "a comma too many "+where, true)
	}
	m.slip(m.end, 0, string(c), string(c)+" is missing "+where, false)
	m.open = m.open[:len(m.open)-1]
	ok := m.last != ':'
	m.last = '"'
	return ok
}

// Saying is a sentence about the slips in a text: their lines and columns, counted from 1, and what is there.
func Saying(b []byte, slips []Slip) string {
	place := func(s Slip) string {
		before := b[:s.At]
		column := len([]rune(string(before[bytes.LastIndexByte(before, '\n')+1:]))) + 1
		return fmt.Sprintf("line %d, column %d", bytes.Count(before, []byte("\n"))+1, column)
	}
	if slips[0].Del == int64(len(b)) {
		return slips[0].Says
	}
	if alike(slips) && len(slips) > mostSaid {
		return model.Words("%s in %d places, the first in %s", slips[0].Says, len(slips), place(slips[0]))
	}
	var out []string
	for _, s := range slips[:min(len(slips), mostSaid)] {
		out = append(out, place(s)+": "+s.Says)
	}
	if n := len(slips) - len(out); n > 0 {
		out = append(out, model.Words("and %d more", n))
	}
	return strings.Join(out, "; ")
}

// alike tells whether all slips in a text are of one kind.
func alike(slips []Slip) bool {
	return !slices.ContainsFunc(slips, func(s Slip) bool { return s.Says != slips[0].Says })
}

// Report reports that the text of an index is not JSON: what its slips are or, if they are not clear, that it is invalid from end on because of err.
func Report(c *model.Cursor, rule *model.Rule, at model.Range, end int64, err error) {
	text := c.PeekAt(at.Off, at.Len)
	slips := Slips(text)
	if len(slips) == 0 {
		c.Wrong(rule, c.Range(at.Off+end, min(1, at.Len-end)), err, "{, entries and }", model.Saying("the index is not a JSON object"))
		return
	}
	s := slips[0]
	c.Wrong(rule, c.Range(at.Off+s.At, s.Del), nil, nil, model.Saying("the index is not valid JSON: %s", Saying(text, slips)))
}

// correction is the fix that corrects slips.
func correction(in model.SpaceID, slips []Slip) model.Fix {
	fix, removed := model.Fix{Label: model.Words("correct the JSON text in %d places", len(slips)), Safe: true}, int64(0)
	for _, s := range slips {
		fix.Safe = fix.Safe && s.Plain
		if s.With == "" {
			removed += s.Del
		}
		fix.Edits = append(fix.Edits, model.Splice{Range: model.Range{Space: in, Off: s.At, Len: s.Del}, With: model.Memory([]byte(s.With)), Loose: true})
	}
	fix.Once = alike(slips) && slips[0].Del > 0 && slips[0].With != "" // an editor or a program did it
	if fix.Copies = fix.Safe && !fix.Once; !fix.Safe && removed > 0 {  // a safe one writes nothing
		fix.Loses = model.Words("%d surplus characters", removed)
	}
	return fix
}

// Fixes offers to correct the slips in the text that is a whole space, unless bad objects to a finding about the result.
func Fixes(ctx context.Context, t *model.Tree, in model.SpaceID, bad func(*model.Finding) bool) []model.Fix {
	size, err := t.Size(ctx, in)
	if err != nil || size > mostCorrected {
		return nil
	}
	b, err := t.Bytes(ctx, model.Range{Space: in, Len: size})
	slips := Slips(b)
	if err != nil || len(slips) == 0 {
		return nil
	}
	fix := correction(in, slips)
	p, err := (&model.Document{Format: t.Format}).PlanOn(ctx, t, fix.Label, fix.Edits...)
	if err != nil {
		return nil
	}
	found, _ := model.Parse(ctx, p.To, t.Format).Findings()
	for i := range found {
		if bad(&found[i]) {
			return nil
		}
	}
	return []model.Fix{fix}
}
