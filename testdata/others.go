package testdata

import (
	"errors"
	"os"
)

// Others is what other programs do to a file of which one works.
var Others = []struct {
	What string
	Do   func(path string) error
}{
	{"emptied", func(path string) error { return os.Truncate(path, 0) }},
	{"cut", func(path string) error {
		st, err := os.Stat(path)
		if err != nil {
			return err
		}
		return os.Truncate(path, st.Size()/2)
	}},
	{"grown", func(path string) error {
		f, err := os.OpenFile(path, os.O_WRONLY|os.O_APPEND, 0)
		if err != nil {
			return err
		}
		_, err = f.Write(make([]byte, 5000))
		return errors.Join(err, f.Close())
	}},
	{"replaced", func(path string) error {
		return errors.Join(os.WriteFile(path+".other", []byte("of another program"), 0o600), os.Rename(path+".other", path))
	}},
	{"written over", func(path string) error { return os.WriteFile(path, []byte("of another program"), 0o600) }},
	{"deleted", os.Remove},
}
