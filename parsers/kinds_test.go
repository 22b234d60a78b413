package parsers

import (
	"archive/zip"
	"bytes"
	"context"
	"io"
	"strings"
	"testing"

	"spandrel/model"
	"spandrel/model/cause"
)

// archive is a ZIP of members with these names.
func archive(t *testing.T, names ...string) []byte {
	t.Helper()
	var b bytes.Buffer
	w := zip.NewWriter(&b)
	for _, n := range names {
		m, err := w.Create(n)
		if err != nil {
			t.Fatal(err)
		}
		io.WriteString(m, strings.Repeat(n, 100))
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

// TestOtherKinds opens sound files of other programs: one cause names each, whatever the file is called, and no format judges it.
func TestOtherKinds(t *testing.T) {
	hdf5 := append([]byte("\x89HDF\r\n\x1a\n\x02\x08\x08\x00"), make([]byte, 100)...)
	torch := archive(t, "m/data.pkl", "m/data/0", "m/version")
	for _, k := range []struct {
		name string
		b    []byte
		rule string
		says string
	}{
		{"m.pt", torch, "model.unknown", "The file is a PyTorch file (ZIP)."},
		{"m.safetensors", torch, "", "The file is a PyTorch file (ZIP), not a safetensors file."},
		{"m.pt", torch[:len(torch)/2], "model.unknown", "The file is a PyTorch file (ZIP), and it is truncated: its directory is missing."},
		{"a.jar", archive(t, "META-INF/MANIFEST.MF", "A.class"), "model.unknown", "The file is a Java archive (ZIP)."},
		{"a.docx", archive(t, "[Content_Types].xml", "word/document.xml"), "model.unknown", "The file is a Word document (ZIP)."},
		{"a.h5", hdf5, "model.unknown", "The file is an HDF5 file."},
		{"m.safetensors", hdf5, "", "The file is an HDF5 file, not a safetensors file."},
		{"a.npy", []byte("\x80\x04\x95\x03\x00\x00\x00\x00\x00\x00\x00K\x01."), "", "The file is a Python pickle, not a NumPy array."},
		{"x.idv", []byte("a,b,c\n1,2,3\n4,5,6\n"), "", "The file is a CSV file, not an ML.NET Binary DataView."},
		{"x.idv", []byte("00000000: 7f45 4c46 0201 0100 0000 0000 0000 0000  .ELF............\n"), "", "The file is a hex dump (xxd, hexdump), not an ML.NET Binary DataView."},
		{"x.fb", append([]byte("\x1c\x00\x00\x00TFL3"), make([]byte, 200)...), "", "The file is a TensorFlow Lite model, not a SameDiff model."},
		{"x.json", []byte(`{"error_rate": 0.5}`), "model.unknown", "The file is a JSON file."},
		{"x.svg", []byte("<?xml version='1.0'?><svg></svg>"), "model.unknown", "The file is an SVG image."},
	} {
		d, err := model.OpenBytes(context.Background(), k.name, k.b, All(), nil)
		if err != nil {
			t.Fatal(err)
		}
		g, err := cause.Find(context.Background(), d, cause.Options{Formats: All()})
		if err != nil {
			t.Fatal(err)
		}
		if len(g.Causes) != 1 || g.Causes[0].Text != k.says || len(g.Causes[0].Repairs) > 0 {
			t.Errorf("%s: want %q", k.name, k.says)
			for _, c := range g.Causes {
				t.Logf("   %s %s %d repairs", c.Grade, c.Text, len(c.Repairs))
			}
		}
		if k.rule != "" && (len(g.Findings) != 1 || g.Findings[0].Rule.ID != k.rule) {
			t.Errorf("%s: %v", k.name, g.Findings)
		}
	}
}

// TestNamedAsOurs: a table, notes, and what servers send instead of a file, named as each of our formats are: one cause says what the file is.
func TestNamedAsOurs(t *testing.T) {
	says := map[string][]byte{
		"is a CSV file":   []byte("a,b,c\n1,2,x\n4,5,y\n"),
		"is text":         []byte("Hello, these are some notes\nabout things.\n"),
		"is a web page":   []byte("<!DOCTYPE html>\n<html><head><title>404 Not Found</title></head>\n<body>The requested URL was not found.</body></html>\n"),
		"Access Denied":   []byte(`<?xml version="1.0" encoding="UTF-8"?>` + "\n<Error><Code>AccessDenied</Code><Message>Access Denied</Message></Error>"),
		"message in JSON": []byte(`{"error": "Not Found", "status": 404}`),
	}
	for _, f := range All() {
		for _, ext := range f.Exts {
			for want, b := range says {
				if strings.HasSuffix(ext, ".json") {
					continue // that is text by itself
				}
				d, err := model.OpenBytes(t.Context(), "a"+ext, b, All(), nil)
				if err != nil {
					t.Fatal(err)
				}
				g, err := cause.Find(t.Context(), d, cause.Options{Formats: All()})
				if err != nil {
					t.Fatal(err)
				}
				if len(g.Causes) != 1 || !strings.Contains(g.Causes[0].Text, want) || len(g.Causes[0].Repairs) > 0 {
					t.Errorf("a%s: want %q: %+v", ext, want, g.Causes)
				}
				d.Close()
			}
		}
	}
}
