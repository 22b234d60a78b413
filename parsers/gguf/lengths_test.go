package gguf

import (
	"bytes"
	"fmt"
	"slices"
	"strings"
	"testing"

	"spandrel/model"
	"spandrel/model/cause"
	"spandrel/parsers/internal/suite"
)

// A text of the header was replaced by a longer or shorter one, and its length stayed: with the repair the file is as if it had been written with that text.
func TestTextReplaced(t *testing.T) {
	with := func(from, to string) []byte {
		arch, pair, first := "llama", "general.name", "a.weight"
		for _, s := range []*string{&arch, &pair, &first} {
			*s = strings.Replace(*s, from, to, 1)
		}
		return made([][]byte{pairOf("general.architecture", 8, str(arch)...), pairOf(pair, 8, str("a model")...), pairOf("tokenizer.ggml.tokens", 9, append(
			[]byte{8, 0, 0, 0, 2, 0, 0, 0, 0, 0, 0, 0}, append(str("one"), str("two")...)...)...)},
			[][]byte{entryOf(first, 0, 0, 4, 2), three[1], three[2]}, numbers(8, 5, 6))
	}
	for from, to := range map[string]string{"llama": "mistral", "general.name": "general.namespace", "a.weight": "a.w", "a.we": "block.0.attention.output.we"} {
		whole := with(from, to)
		b := bytes.Replace(with("", ""), []byte(from), []byte(to), 1)
		d := opened(t, b)
		found, _ := d.Tree.Findings()
		said := false
		for i := range found {
			if found[i].Rule != otherLength {
				continue
			}
			said = true
			fixes := d.Tree.Fixes(t.Context(), &found[i])
			p, err := d.Plan(t.Context(), "repair", fixes[0].Edits...)
			if err != nil || len(fixes) != 1 || fixes[0].Safe {
				t.Fatal(err, fixes)
			}
			d.Apply(t.Context(), p, nil)
			break
		}
		if got := suite.Bytes(t, d); !said || !bytes.Equal(got, whole) {
			t.Errorf("%s: %v\n%q\n%q", to, found, got, whole)
		}
	}
}

// The architecture was replaced by a longer or shorter name, and the keys that begin with it were not: they tell the old name. So they do if the alignment was
// changed too, to one by which the header ends in another place.
func TestArchitectureReplaced(t *testing.T) {
	with := func(alignment byte) []byte {
		return made([][]byte{pairOf("general.architecture", 8, str("qwen2")...), pairOf("general.alignment", 4, alignment, 0, 0, 0), pairOf("qwen2.block_count", 4, 1, 0, 0, 0)},
			[][]byte{entryOf("a.weight", 0, 0, 16, 2), entryOf("b.weight", 0, 128, 16), entryOf("c.weight", 0, 192, 16)}, numbers(32, 16, 16))
	}
	good := with(32)
	for _, x := range []struct {
		arch      string
		alignment byte
		grade     cause.Grade
	}{{"qwen25", 32, cause.Proven}, {"qwen", 32, cause.Proven}, {"qwen2moe", 32, cause.Possible}, {"qwen25", 64, cause.Possible}} {
		d := opened(t, bytes.Replace(with(x.alignment), []byte("qwen2"), []byte(x.arch), 1))
		for steps := 1; ; steps++ {
			g, err := cause.Find(t.Context(), d, cause.Options{Formats: []*model.Format{Format}, Deep: true})
			if err != nil || len(g.Causes) == 0 || len(g.Causes[0].Repairs) == 0 {
				t.Fatalf("%s, %d: %v %v", x.arch, x.alignment, err, g.Findings)
			}
			c := g.Causes[0]
			if says := fmt.Sprintf("The text %q was written for \"qwen2\", without", x.arch); steps == 1 && (c.Grade < x.grade || !strings.HasPrefix(c.Text, says)) {
				t.Errorf("%s, %d: %s: %s", x.arch, x.alignment, c.Grade, c.Text)
			}
			if err := c.Repairs[0].Make(t.Context(), d); err != nil {
				t.Fatal(err)
			}
			if is := suite.Bytes(t, d); bytes.Equal(is, good) {
				break
			} else if steps == 2 {
				t.Fatalf("%s, %d: %q", x.arch, x.alignment, is)
			}
		}
	}
}

// A word was replaced in all of the header: all lengths are wrong by as much.
func TestWordReplaced(t *testing.T) {
	with := func(word string) []byte {
		return made([][]byte{pairOf("general.architecture", 8, str(word)...), pairOf(word+".block_count", 4, 1, 0, 0, 0), pairOf(word+".context_length", 4, 0, 1, 0, 0),
			pairOf("general.name", 8, str("a "+word)...)}, [][]byte{entryOf("a.weight", 0, 0, 4, 2), entryOf(word+".weight", 0, 32, 5), three[2]}, numbers(8, 5, 6))
	}
	for _, word := range []string{"mistral", "gpt", "deepseek2", "starcoder2"} {
		d := opened(t, bytes.ReplaceAll(with("llama"), []byte("llama"), []byte(word)))
		g, err := cause.Find(t.Context(), d, cause.Options{Formats: []*model.Format{Format}, Deep: true})
		if err != nil || len(g.Causes) == 0 || len(g.Causes[0].Repairs) == 0 {
			t.Errorf("%s: %v %+v", word, err, g.Findings)
			continue
		}
		is, err := g.Causes[0].Repairs[0].To.Content("x.gguf")
		if text := g.Causes[0].Text; err != nil || !strings.HasPrefix(text, "5 texts are ") || !bytes.Equal(all(t, is), with(word)) {
			t.Errorf("%s: %v %s\n%q", word, err, text, all(t, is))
		}
	}
}

// Each idea about a wrong length reads the header again: of a long header only some are tried, and then none is reported.
func TestLongHeaderReread(t *testing.T) {
	for texts, want := range map[int]bool{10: true, 30_000: false} {
		pairs := [][]byte{pairOf("general.architecture", 8, str("gpt")...)}
		for i := range texts {
			pairs = append(pairs, pairOf(fmt.Sprintf("sound.%06d", i), 8, str("a text like many others")...))
		}
		for i := range 20 {
			pairs = append(pairs, pairOf(fmt.Sprintf("last.%06d", i), 8, str("llama")...))
		}
		whole := made(pairs, [][]byte{entryOf("a.weight", 0, 0, 4, 2), three[1], three[2]}, numbers(8, 5, 6))
		found, _ := opened(t, bytes.ReplaceAll(whole, []byte("llama"), []byte("mistral"))).Tree.Findings()
		if said := slices.ContainsFunc(found, func(f model.Finding) bool { return f.Rule == otherLength }); said != want {
			t.Errorf("after %d texts: %v", texts, said)
		}
	}
}
