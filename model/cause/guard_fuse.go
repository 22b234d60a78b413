package cause

import (
	"archive/tar"
	"archive/zip"
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"path"
	"slices"

	"spandrel/model"
)

// fuse asks an independent reader about every archive and JSON text that a repair changes. What it reads completely is not broken, whatever this
// program thinks of it; and after a repair it must still read everything that it read before.
func (g guarded) fuse() string {
	for _, name := range changed(g.base.snap, g.to) {
		was, is, ok := both(g.base.snap, g.to, name)
		if !ok || movedFrom(g, name, is) {
			continue
		}
		if why := fused(g.all, name, was, is); why != "" {
			return why
		}
	}
	return ""
}

// movedFrom tells whether a content is that of another file of the document: then files are swapped, not changed inside.
func movedFrom(g guarded, name string, is *model.Content) bool {
	for _, other := range changed(g.base.snap, g.to) {
		if c, err := g.base.snap.Content(other); err == nil && other != name && firstDifference(g.all, c, is, 0) < 0 {
			return true
		}
	}
	return false
}

// fused says why a file must not change from one content to another; "" for nothing.
func fused(ctx context.Context, name string, was, is *model.Content) string {
	head := bytesAt(was, 0, 512)
	var read func(context.Context, *model.Content) (map[string]string, error)
	what := ""
	switch {
	case bytes.HasPrefix(head, []byte("PK\x03\x04")):
		read, what = zipMembers, "ZIP"
	case len(head) == 512 && bytes.HasPrefix(head[257:], []byte("ustar")):
		read, what = tarMembers, "tar"
	case path.Ext(name) == ".json":
		if valid(was) && !valid(is) {
			return name + " would no longer be valid JSON"
		}
		return ""
	default:
		return ""
	}
	before, err := read(ctx, was)
	if err != nil {
		return ""
	}
	if memberOf(ctx, is, before) {
		return "" // the archive is replaced by its content
	}
	after, err := read(ctx, is)
	switch {
	case err != nil:
		return fmt.Sprintf("another reader can read the whole %s archive now, but not after the repair", what)
	case maps.Equal(before, after):
		return fmt.Sprintf("another reader gets the same data from the unchanged %s archive", what)
	}
	for m := range before {
		if _, ok := after[m]; !ok {
			return fmt.Sprintf("member %q of the %s archive would be lost", m, what)
		}
	}
	return ""
}

// maxFused is how much is unpacked to ask the other reader.
const maxFused = 4 << 30

// zipMembers reads all members of a ZIP archive, verifies their checksums, and returns a hash of each; an error if one cannot be read.
func zipMembers(ctx context.Context, c *model.Content) (map[string]string, error) {
	a, err := zip.NewReader(c, c.Len())
	if err != nil {
		return nil, err
	}
	out, left := map[string]string{}, int64(maxFused)
	for i, f := range a.File {
		r, err := f.Open()
		if err != nil {
			return nil, err
		}
		sum, err := hashed(ctx, r, &left)
		r.Close()
		if err != nil {
			return nil, err
		}
		out[unique(out, f.Name, i)] = sum
	}
	return out, nil
}

// tarMembers does the same for a tar archive, which must end properly.
func tarMembers(ctx context.Context, c *model.Content) (map[string]string, error) {
	end := bytesAt(c, max(0, c.Len()-1024), 1024)
	if len(bytes.TrimLeft(end, "\x00")) > 0 || len(end) < 1024 {
		return nil, io.ErrUnexpectedEOF
	}
	a := tar.NewReader(io.NewSectionReader(c, 0, c.Len()))
	out, left := map[string]string{}, int64(maxFused)
	for i := 0; ; i++ {
		h, err := a.Next()
		if err == io.EOF {
			return out, nil
		}
		if err != nil {
			return nil, err
		}
		sum, err := hashed(ctx, a, &left)
		if err != nil {
			return nil, err
		}
		out[unique(out, h.Name, i)] = fmt.Sprint(h.Typeflag, h.Linkname, h.Size, sum)
	}
}

// unique is a key for a member whose name may occur more than once.
func unique(taken map[string]string, name string, i int) string {
	if _, ok := taken[name]; ok {
		return fmt.Sprintf("%s (%d)", name, i)
	}
	return name
}

func hashed(ctx context.Context, r io.Reader, left *int64) (string, error) {
	sum := sha256.New()
	for {
		n, err := io.CopyN(sum, r, min(*left, 1<<20))
		*left -= n
		switch {
		case err == io.EOF:
			return string(sum.Sum(nil)), nil
		case err != nil:
			return "", err
		case *left <= 0 || ctx.Err() != nil:
			return "", io.ErrShortBuffer
		}
	}
}

// memberOf tells whether a content is that of a member.
func memberOf(ctx context.Context, c *model.Content, members map[string]string) bool {
	left := int64(maxFused)
	sum, err := hashed(ctx, io.NewSectionReader(c, 0, c.Len()), &left)
	return err == nil && slices.Contains(slices.Collect(maps.Values(members)), sum)
}

// valid tells whether a content is one JSON text.
func valid(c *model.Content) bool {
	return c.Len() <= maxTransform && json.Valid(bytesAt(c, 0, c.Len()))
}
