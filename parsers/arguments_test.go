package parsers

import (
	"cmp"
	"path"
	"strings"
	"testing"

	"spandrel/model"
)

// oddArguments are values that make no sense.
var oddArguments = []string{"", " ", "0", "-1", "7", "2147483648", "18446744073709551616", "9223372036854775807", "1e400", "NaN", "é", "a/b", "../x", "/x", `..\x`,
	"a\x00b", "\xff", "..", "a=b", "x=1", ",", "[", "[-1, 3]", "[0]", strings.Repeat("n", 70000), "a:INT32,a:INT32", "b:var", "x:FLOAT64:enum=e"}

// TestActionArguments gives each parameter of each action odd values: nothing crashes, and no file outside the folder is named.
func TestActionArguments(t *testing.T) {
	for _, f := range All() {
		t.Run(f.Name, func(t *testing.T) {
			t.Parallel()
			tried := 0
			for _, s := range samples(t, f) {
				if !s.good {
					continue
				}
				d, err := model.Open(t.Context(), s.path, All(), nil)
				if err != nil || d.Format != f {
					continue
				}
				t.Cleanup(d.Close)
				wrongIn(t, d, d.Tree)
				for i := range f.Actions {
					for _, at := range targets(d.Tree, &f.Actions[i]) {
						for _, args := range oddly(&f.Actions[i]) {
							if tried++; !testing.Short() || tried%5 == 0 {
								checkArguments(t, d, &f.Actions[i], at, args)
							}
						}
					}
				}
			}
		})
	}
}

// oddly are the arguments of an action with one of them odd.
func oddly(a *model.Action) (out []map[string]string) {
	for _, p := range a.Params {
		for _, v := range oddArguments {
			args := map[string]string{}
			for _, q := range a.Params {
				args[q.Name] = cmp.Or(storing[a.Name][q.Name], q.Default, "0")
			}
			args[p.Name] = v
			out = append(out, args)
		}
	}
	return out
}

func checkArguments(t *testing.T, d *model.Document, a *model.Action, at *model.Span, args map[string]string) {
	defer func() {
		if r := recover(); r != nil {
			t.Errorf("%s: %s at %q with %.200q crashes: %v", d.Path, a.Name, at.Path(), args, r)
		}
	}()
	edits, err := a.Plan(t.Context(), d.Tree, at, args)
	if err != nil {
		return
	}
	p, err := d.PlanOn(t.Context(), d.Tree, a.Label, edits...)
	if err != nil {
		return
	}
	for _, q := range p.Patches {
		if name := path.Clean(q.File); name != q.File || path.IsAbs(name) || strings.HasPrefix(name, "..") || strings.ContainsAny(name, "\\\x00") {
			t.Errorf("%s: %s at %q with %.200q writes %q", d.Path, a.Name, at.Path(), args, q.File)
		}
	}
	wrongIn(t, d, model.Parse(t.Context(), p.To, d.Format))
}
