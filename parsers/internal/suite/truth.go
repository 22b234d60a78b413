package suite

import (
	"bytes"
	"encoding/json"
	"os"
	"testing"
)

// CorpusKey is the key of the encrypted arrays of the corpus.
const CorpusKey = "0123456789abcdeF0123456789abcdeF"

// ReadJSON reads a file of expectations; numbers are kept as written.
func ReadJSON(t testing.TB, path string, v any) {
	t.Helper()
	b, err := os.ReadFile(path)
	if err == nil {
		d := json.NewDecoder(bytes.NewReader(b))
		d.UseNumber()
		err = d.Decode(v)
	}
	if err != nil {
		t.Fatal(err)
	}
}

// SameJSON tells whether a value equals one from a file of expectations.
func SameJSON(got, want any) bool {
	switch want := want.(type) {
	case json.Number:
		if v, ok := got.(float64); ok {
			w, err := want.Float64()
			return err == nil && (v == w || float32(v) == float32(w))
		}
		return got == want.String()
	case []any:
		l, ok := got.([]any)
		for i := range l {
			ok = ok && i < len(want) && SameJSON(l[i], want[i])
		}
		return ok && len(l) == len(want)
	}
	return got == want
}
