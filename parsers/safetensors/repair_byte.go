package safetensors

import (
	"context"
	"maps"
	"slices"
	"strings"

	"spandrel/model"
	"spandrel/model/correct"
)

// Bytes of a header are wrong: they are found because everything fits then, from the brackets to the places of all tensors.

const (
	mostHeader = 64 << 10 // of a header that is searched
	mostBefore = 160      // legal bytes before a problem that may be wrong
	mostEntry  = 512      // … and from it on
)

// mostRead is how many bytes all searches in a file parse together; less if very many files are tried.
var mostRead int64 = 1 << 25

// grammar is a header as the libraries write it: without blanks, or as Python's json module writes it.
var grammar = func() *correct.Grammar {
	list := func(of string) string { return of + "(, ?" + of + ")*" }
	const (
		text   = `"([^"\\\x00-\x1f\x80-\xff]|\\.|` + correct.UTF8 + `)*"`
		number = `(0|[1-9][0-9]*)`
	)
	types := strings.Join(slices.Sorted(maps.Keys(dtypes)), "|")
	tensor := text + `: ?\{"dtype": ?"(` + types + `)", ?"shape": ?\[(` + list(number) + `)?\], ?"data_offsets": ?\[` + number + `, ?` + number + `\]\}`
	notes := `"__metadata__": ?\{(` + list(text+": ?"+text) + `)?\}`
	return correct.NewGrammar(`\{(` + notes + `, ?)?` + list(tensor) + `\} *`)
}()

// wrongBytes offers the bytes of the header with which it is valid.
func wrongBytes(ctx context.Context, t *model.Tree, f *model.Finding) []model.Fix {
	s := model.StateOf[*file](t)
	if s == nil || s.head == nil || s.head.Range.Len > mostHeader {
		return nil
	}
	b, err := t.Bytes(ctx, s.head.Range)
	if err != nil {
		return nil
	}
	at, size := f.Where(), t.Root.Range.End()-s.head.Range.End()
	return model.TextRepair{
		Grammar: grammar, Of: "the header", At: s.head.Range, Near: model.Range{Space: at.Space, Off: at.Off - mostBefore, Len: mostBefore + min(at.Len, mostEntry)},
		Fits:   func(text []byte) bool { return whole(text, size) },
		Valid:  func(text []byte) bool { _, ok := extent(text); return ok },
		Budget: func(n int64) bool { return s.searched.Add(n) <= mostRead },
	}.Fixes(ctx, b)
}
