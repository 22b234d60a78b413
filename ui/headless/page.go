package headless

import (
	"flag"
	"fmt"
	"html"
	"path/filepath"
	"slices"
	"strings"

	"spandrel/model"
	"spandrel/model/cause"
)

// A page is an HTML report on a document: one file, without external parts.
type page struct {
	strings.Builder
	c diagnosed
	d *model.Document
	g *cause.Diagnosis
}

// Limits of a page, so that a browser can open it: findings, findings with bytes, and bytes of each.
const (
	maxOnPage   = 1000
	maxPictured = 200
	rowBytes    = 16
	around      = 2 * rowBytes
	maxShown    = 8 * rowBytes
)

func pageOf(f *flag.FlagSet, c *call) func() (int, error) {
	s := searching(f)
	return func() (int, error) {
		d, err := c.open(c.args[0])
		if err != nil {
			return Failed, err
		}
		g, err := c.diagnose(d, d.Tree, s)
		if err != nil {
			return Failed, of(c.args[0], err)
		}
		p := &page{c: diagnosed{c, d, g, c.args[0]}, d: d, g: g}
		p.write()
		if _, err := c.Out.Write([]byte(p.String())); err != nil {
			return Failed, err
		}
		return verdictOf(g.Findings), c.ctx.Err()
	}
}

const pageHead = `<!DOCTYPE html>
<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'">
<style>
:root { color-scheme: light dark } body { font: 15px/1.5 system-ui, sans-serif; max-width: 60rem; margin: 2rem auto; padding: 0 1rem }
h1 { font-size: 1.4rem } h2 { font-size: 1.15rem; margin-top: 2rem } h3 { font-size: 1rem; margin-bottom: .2rem }
code, pre, table.hex { font: 13px/1.5 ui-monospace, monospace } section { border-left: 4px solid #8888; padding-left: 1rem; margin: 1.2rem 0 }
section.error { border-color: #d33 } section.warning { border-color: #d90 }
section.proven { border-color: #2a4 }
table.hex td { padding: 0 .25em } td.at { outline: 2px solid #d33 } td.f0 { background: #4af4 }
td.f1 { background: #fa44 } td.f2 { background: #6d64 } td.f3 { background: #d6d4 }
td.address, .small { opacity: .7 } ul { margin: .2rem 0 }
</style>
`

// put writes text between tags; what comes from the file, or from elsewhere, is escaped.
func (p *page) put(format string, text ...string) {
	escaped := make([]any, len(text))
	for i, x := range text {
		escaped[i] = html.EscapeString(printable(x))
	}
	fmt.Fprintf(p, format, escaped...)
}

func (p *page) write() {
	name := filepath.Base(p.d.Path)
	title := "no known format"
	if p.g.Format != nil {
		title = p.g.Format.Title
	}
	p.WriteString(pageHead)
	p.put("<title>%s</title></head><body>\n<h1>%s</h1>\n<p>%s", name, name, title)
	if c, err := p.g.Tree.Snapshot.Content(p.g.Tree.Snapshot.Primary); err == nil {
		p.put(", %s bytes", model.Thousands(c.Len()))
	}
	p.put(". Written by spandrel %s.</p>\n", p.c.Version)
	if len(p.g.Findings) == 0 {
		p.WriteString("<p>No problems found.</p>\n")
	}
	if len(p.g.Causes) > 0 {
		p.WriteString("<h2>What happened</h2>\n")
	}
	for k := range p.g.Causes {
		p.cause(p.c.causeOf(k))
	}
	if len(p.g.Findings) > 0 {
		p.WriteString("<h2>Problems</h2>\n")
	}
	for i := range p.g.Findings[:min(len(p.g.Findings), maxOnPage)] {
		p.finding(i)
	}
	more := int64(max(0, len(p.g.Findings)-maxOnPage))
	for _, n := range p.g.Omitted {
		more += int64(n)
	}
	if more > 0 {
		p.put("<p>%s more are not on this page.</p>\n", model.Thousands(more))
	}
	if !p.g.Deep {
		p.WriteString("<p>The document is large, so only its structure was read; --deep reads everything.</p>\n")
	}
	p.WriteString("</body></html>\n")
}

func (p *page) cause(l causeLine) {
	p.put("<section class=\"%s\"><h3>%s</h3>\n<p>%s</p>\n", l.Grade, l.Text, l.Means)
	said := "This is " + l.Grade + "."
	if e := l.evidence(); e != "" {
		said = "Evidence: " + e + ". " + said
	}
	p.put("<p class=\"small\">%s</p>\n", said)
	if len(l.Repairs) > 0 {
		p.WriteString("<ul>\n")
	}
	for _, r := range l.Repairs {
		p.put("<li>Repair %s: %s%s", fmt.Sprint(r.Number), r.Label, remark(r.Loses, r.Safe))
		for _, x := range r.Changes[:min(len(r.Changes), 8)] {
			p.put("<br><code>%s at 0x%s: %s becomes %s</code>", x.File, fmt.Sprintf("%x", x.Offset), none(x.Was), none(x.Is))
		}
		p.WriteString("</li>\n")
	}
	if len(l.Repairs) > 0 {
		p.WriteString("</ul>\n")
	}
	p.WriteString("</section>\n")
}

func (p *page) finding(i int) {
	f := &p.g.Findings[i]
	x := p.c.describe(i, nil)
	p.put("<section class=\"%s\"><h3>%s</h3>\n<p>", x.Severity, x.Message)
	for i, word := range []string{"Found", "Expected"} {
		if x.said[i] != "" {
			p.put("%s <code>%s</code>. ", word, x.said[i])
		}
	}
	p.put("%s</p>\n<p class=\"small\">%s %s in %s at 0x%s, %s bytes",
		f.Rule.Doc, x.Severity, x.Rule, x.File, fmt.Sprintf("%x", x.Offset), model.Thousands(x.Length))
	if x.Space != "file" {
		p.put(" of the decoded content of %s", x.Space)
	}
	if x.Path != "" {
		p.put(": <code>%s</code>", x.Path)
	}
	if x.Cause > 0 {
		p.put("; explained by cause %s", fmt.Sprint(x.Cause))
	}
	p.WriteString("</p>\n")
	if i < maxPictured {
		p.bytes(f.Where())
	}
	p.WriteString("</section>\n")
}

// bytes draws the bytes of a range and those around it, each field in its own colour, and names the fields.
func (p *page) bytes(r model.Range) {
	size, err := p.g.Tree.Size(p.c.ctx, r.Space)
	if err != nil {
		return
	}
	from := max(0, r.Off-around) &^ (rowBytes - 1)
	to := min(size, (min(r.End(), r.Off+maxShown)+around+rowBytes-1)&^(rowBytes-1))
	if from >= to {
		return
	}
	b, err := p.g.Tree.Bytes(p.c.ctx, model.Range{Space: r.Space, Off: from, Len: to - from})
	if err != nil {
		return
	}
	var spans []*model.Span
	p.g.Tree.Cover(model.Range{Space: r.Space, Off: from, Len: to - from}, func(s *model.Span) bool {
		spans = append(spans, s)
		return len(spans) < maxShown
	})
	p.hex(b, from, r, spans)
	p.fields(spans)
}

// hex draws bytes from an offset on, with those of r marked, each span in its own colour.
func (p *page) hex(b []byte, from int64, r model.Range, spans []*model.Span) {
	p.WriteString("<table class=\"hex\">\n")
	holds := func(r model.Range, at int64) bool { return r.Off <= at && at < r.End() }
	for row := range slices.Chunk(b, rowBytes) {
		p.put("<tr><td class=\"address\">%s</td>", fmt.Sprintf("%08x", from))
		text := slices.Clone(row)
		for i, x := range row {
			class, at := "", from+int64(i)
			if k := slices.IndexFunc(spans, func(s *model.Span) bool { return holds(s.Range, at) }); k >= 0 {
				class = fmt.Sprintf("f%d", k%4)
			}
			if holds(r, at) {
				class += " at"
			}
			if x < ' ' || x >= 0x7f {
				text[i] = '.'
			}
			p.put("<td class=\"%s\">%s</td>", class, fmt.Sprintf("%02x", x))
		}
		p.put("<td>%s</td></tr>\n", string(text))
		from += rowBytes
	}
	p.WriteString("</table>\n")
}

// fields lists the first fields that are drawn.
func (p *page) fields(spans []*model.Span) {
	p.WriteString("<ul class=\"small\">\n")
	for i, s := range spans[:min(len(spans), 24)] {
		p.put("<li><code>%s</code> %s", fmt.Sprintf("%08x", s.Range.Off), s.Path())
		if v, err := p.g.Tree.Value(p.c.ctx, s); err == nil && s.Shape == model.Leaf && s.Range.Len <= model.MaxValue {
			p.put(" = <code>%s</code>", v.String())
		}
		p.WriteString("</li>\n")
		if i == 23 && len(spans) > 24 {
			p.put("<li>and %s more</li>\n", fmt.Sprint(len(spans)-24))
		}
	}
	p.WriteString("</ul>\n")
}
