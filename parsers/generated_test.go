package parsers

import (
	"bytes"
	"encoding/xml"
	"fmt"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"spandrel/model"
	"spandrel/parsers/internal/suite"
)

type passage struct {
	file, from, to string
	write          func(all []*model.Format) string
}

// What the README, the pages of the formats, the packages, the desktops and the start page say of the formats comes from their Format values: `make generate`
// writes it, and this test fails where it is stale. Each place is what is between two texts of a file.
var generated = []passage{
	{"README.md", "|---|---|---|\n", "\nThe intact rows, columns", readmeTable},
	{"README.md", "Each format has a page: ", ".\nAny other file opens as bytes", each(", ",
		func(f *model.Format) string { return fmt.Sprintf("[%s](docs/formats/%[1]s.md)", f.Name) })},
	{"FyneApp.toml", "[CanOpen]\nMimeTypes = \"", "\"\n", mimes},
	{"FyneApp.toml", "\nKeywords = [\"hex\", \"binary\", \"repair\", ", "]\n", each(", ",
		func(f *model.Format) string { return strings.Join(quoted(keywords(f)), ", ") })},
	{"assets/linux/org.spandrel.Spandrel.desktop", "\nMimeType=", "\n", mimes},
	{"assets/linux/org.spandrel.Spandrel.desktop", "\nKeywords=hex;binary;repair;", "\n", each("",
		func(f *model.Format) string { return strings.Join(keywords(f), ";") + ";" })},
	{"assets/linux/org.spandrel.Spandrel.metainfo.xml", "    <ul>\n", "    </ul>\n", each("",
		func(f *model.Format) string { return "      <li>" + f.Title + "</li>\n" })},
	{"assets/linux/org.spandrel.Spandrel.metainfo.xml", "    <binary>spandrel</binary>\n", "  </provides>\n",
		eachType(func(_ *model.Format, t *model.FileType) string { return "    <mediatype>" + t.MIME + "</mediatype>\n" })},
	{"assets/linux/org.spandrel.Spandrel.xml", "shared-mime-info\">\n", "</mime-info>\n", eachType(mimeType)},
	{"assets/linux/nfpm.yaml", "  explorer and editor of binary data files\n", "  It shows what every byte", described},
	{"assets/mac/Info.plist", "\t<key>CFBundleDocumentTypes</key>\n\t<array>\n",
		"\t\t<dict>\n\t\t\t<key>CFBundleTypeName</key>\n\t\t\t<string>Folder</string>\n", eachType(macDocument)},
	{"assets/mac/Info.plist", "\t<key>UTExportedTypeDeclarations</key>\n\t<array>\n", "\t</array>\n</dict>\n</plist>\n", eachType(macType)},
	{".pre-commit-hooks.yaml", "  files: '", "'\n", endings},
	{"docs/pipeline.md", "      files: '", "'\n", endings},
	{"docs/messages.md", "<!-- each message -->\n", "\n<!-- end of messages -->", messages},
	{"testdata/samples.go", "// on the start page.\n//\n", "var files embed.FS\n", each("", func(f *model.Format) string {
		return "//go:embed all:" + path.Join(f.Name, f.Sample.From) + "\n"
	})},
	{"testdata/samples.go", "var Samples = []Sample{\n", "}\n", each("", func(f *model.Format) string {
		return fmt.Sprintf("\t{%q, %q, %q},\n", f.Name, path.Join(f.Name, f.Sample.From), f.Sample.Open)
	})},
}

func TestGenerated(t *testing.T) {
	t.Cleanup(func() {
		for _, file := range []string{"linux/org.spandrel.Spandrel.xml", "linux/org.spandrel.Spandrel.metainfo.xml", "mac/Info.plist",
			"windows/spandrel.manifest"} {
			b, err := os.ReadFile(filepath.Join("..", "assets", filepath.FromSlash(file)))
			if err != nil || xml.Unmarshal(b, new(struct{ XMLName xml.Name })) != nil {
				t.Errorf("%s is no XML: %v", file, err)
			}
		}
	})
	for _, g := range append(generated, pages()...) {
		file := filepath.Join("..", filepath.FromSlash(g.file))
		b, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		before, rest, ok := bytes.Cut(b, []byte(g.from))
		old, after, end := bytes.Cut(rest, []byte(g.to))
		if !ok || !end {
			t.Errorf("%s: no %q, and %q after it", g.file, g.from, g.to)
			continue
		}
		want := g.write(All())
		if want == string(old) {
			continue
		}
		if !*suite.Update {
			t.Errorf("%s is stale after %q: run make generate", g.file, g.from)
			continue
		}
		if err := os.WriteFile(file, []byte(string(before)+g.from+want+g.to+string(after)), 0o644); err != nil {
			t.Fatal(err)
		}
	}
}

// Each format has what is generated from its value, and its page.
func TestFormatSaysAll(t *testing.T) {
	for _, f := range All() {
		if len(f.Types) == 0 || f.Files == "" || f.Beyond == "" || f.Sample.From == "" {
			t.Errorf("%s: Types, Files, Beyond and Sample of its Format must be there", f.Name)
		}
		if _, err := os.Stat(filepath.Join("..", "docs", "formats", f.Name+".md")); err != nil {
			t.Error(err)
		}
		for _, ext := range f.Exts {
			if !slices.ContainsFunc(f.Types, func(t model.FileType) bool { return slices.Contains(t.Endings(), ext[1:]) }) {
				t.Errorf("%s: no type of files that end in %s", f.Name, ext)
			}
		}
	}
}

func each(between string, of func(*model.Format) string) func([]*model.Format) string {
	return func(all []*model.Format) string {
		out := make([]string, len(all))
		for i, f := range all {
			out[i] = of(f)
		}
		return strings.Join(out, between)
	}
}

func eachType(of func(*model.Format, *model.FileType) string) func([]*model.Format) string {
	return each("", func(f *model.Format) (out string) {
		for i := range f.Types {
			out += of(f, &f.Types[i])
		}
		return out
	})
}

func mimes(all []*model.Format) string {
	return eachType(func(_ *model.Format, t *model.FileType) string { return t.MIME + ";" })(all)
}

// keywords are the name of a format and the endings of its files.
func keywords(f *model.Format) []string {
	out := []string{f.Name}
	for _, e := range f.Exts {
		if e[1:] != f.Name {
			out = append(out, e[1:])
		}
	}
	return out
}

func quoted(list []string) (out []string) {
	for _, s := range list {
		out = append(out, fmt.Sprintf("%q", s))
	}
	return out
}

func readmeTable(all []*model.Format) string {
	return each("", func(f *model.Format) string { return fmt.Sprintf("| %s | %s | %s |\n", f.Title, f.Files, f.Beyond) })(all)
}

// described is what the package says that it opens, in lines of a control file.
func described(all []*model.Format) string {
	words := strings.Fields("Opens these kinds of files: " + each(", ", func(f *model.Format) string { return f.Title })(all) + ".")
	var b strings.Builder
	line := ""
	for _, w := range words {
		if len(line)+len(w) > 75 {
			fmt.Fprintf(&b, "  %s\n", line)
			line = ""
		}
		line = strings.TrimSpace(line + " " + w)
	}
	fmt.Fprintf(&b, "  %s\n", line)
	return b.String()
}

// endings is the pattern of the names that a hook checks.
func endings(all []*model.Format) string {
	var exts []string
	for _, f := range all {
		for _, e := range f.Exts {
			exts = append(exts, e[1:])
		}
	}
	slices.Sort(exts)
	return `\.(` + strings.Join(exts, "|") + `)$`
}

func escaped(s string) string {
	var b bytes.Buffer
	xml.EscapeText(&b, []byte(s))
	return b.String()
}

// match is a magic as the database of MIME types writes it.
func match(m model.Magic) string {
	var v strings.Builder
	for _, c := range []byte(m.Bytes) {
		if c < ' ' || c > '~' {
			fmt.Fprintf(&v, "\\%03o", c)
		} else {
			v.WriteString(escaped(string(rune(c))))
		}
	}
	return fmt.Sprintf(`<match type="string" offset="%d" value="%s"`, m.At, v.String())
}

func mimeType(_ *model.Format, t *model.FileType) string {
	var b strings.Builder
	fmt.Fprintf(&b, "  <mime-type type=\"%s\">\n    <comment>%s</comment>\n", t.MIME, escaped(t.Name))
	if t.Zip {
		b.WriteString("    <sub-class-of type=\"application/zip\"/>\n")
	}
	if t.Known == "" {
		b.WriteString("    <icon name=\"org.spandrel.Spandrel-document\"/>\n")
	}
	if len(t.Magics) > 0 {
		priority := t.Priority
		if priority == 0 {
			priority = 80
		}
		fmt.Fprintf(&b, "    <magic priority=\"%d\">\n", priority)
		for _, m := range t.Magics {
			if t.Also != nil {
				fmt.Fprintf(&b, "      %s>\n        %s/>\n      </match>\n", match(m), match(*t.Also))
			} else {
				fmt.Fprintf(&b, "      %s/>\n", match(m))
			}
		}
		b.WriteString("    </magic>\n")
	}
	for _, name := range t.Names {
		pattern, weight, ok := strings.Cut(name, " ")
		if fmt.Fprintf(&b, "    <glob pattern=\"%s\"", escaped(pattern)); ok {
			fmt.Fprintf(&b, " weight=\"%s\"", weight)
		}
		b.WriteString("/>\n")
	}
	return b.String() + "  </mime-type>\n"
}

// identifier is the type of files on macOS.
func identifier(t *model.FileType) string {
	if t.Known != "" {
		return t.Known
	}
	return "org.spandrel." + strings.TrimPrefix(strings.TrimPrefix(t.MIME, "application/x-"), "mlnet-")
}

func macDocument(_ *model.Format, t *model.FileType) string {
	return dict("CFBundleTypeName", escaped(t.Name), "CFBundleTypeRole", "Editor", "LSHandlerRank", "Alternate", "LSItemContentTypes",
		[]string{identifier(t)})
}

func macType(_ *model.Format, t *model.FileType) string {
	if t.Known != "" {
		return ""
	}
	kind := "public.data"
	if t.Zip {
		kind = "public.zip-archive"
	}
	return dict("UTTypeIdentifier", identifier(t), "UTTypeDescription", escaped(t.Name), "UTTypeConformsTo", []string{kind},
		"UTTypeTagSpecification", []any{"public.filename-extension", t.Endings(), "public.mime-type", []string{t.MIME}})
}

// dict is a dictionary of a property list, in the second array of the file.
func dict(pairs ...any) string { return value(pairs, "\t\t") }

func value(x any, in string) string {
	switch x := x.(type) {
	case []any:
		out := in + "<dict>\n"
		for i := 0; i < len(x); i += 2 {
			out += fmt.Sprintf("%s\t<key>%s</key>\n%s", in, x[i], value(x[i+1], in+"\t"))
		}
		return out + in + "</dict>\n"
	case []string:
		out := in + "<array>\n"
		for _, s := range x {
			out += value(s, in+"\t")
		}
		return out + in + "</array>\n"
	}
	return fmt.Sprintf("%s<string>%s</string>\n", in, x)
}
