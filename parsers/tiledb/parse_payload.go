package tiledb

import (
	"cmp"
	"math"
	"path"
	"slices"
	"strings"
	"sync"

	"spandrel/model"
	"spandrel/parsers/tiledb/filter"
	"spandrel/parsers/tiledb/rule"
	"spandrel/parsers/tiledb/schema"
	"spandrel/parsers/tiledb/storage"
)

// mostMetadata is how many bytes of keys and values are read: far more than anyone writes.
const mostMetadata = 32 << 20

// readMetadata reads the payload of an array or group metadata file.
func readMetadata(c *model.Cursor) {
	if !c.More() {
		return
	}
	if c.Left() > mostMetadata {
		c.Wrong(model.RuleCap, nil, filter.Text(c.Left())+" bytes", "metadata of at most "+filter.Text(mostMetadata))
		return
	}
	storage.Records(c, metaEntries, metaEntry, math.MaxUint64, func(c *model.Cursor) {
		storage.ReadText(c, metaKeyLen, metaKey)
		if c.Field(metaDeleted).Uint() != 0 {
			return
		}
		t, n := uint8(c.Field(metaType).Uint()), c.Field(metaNum)
		size := n.Int() * int64(max(filter.SizeOf(t), 1))
		if size > c.Left() {
			size = c.Left() + 1
		}
		v := storage.ReadValues(c, metaValue, t, size)
		c.LengthOf(n, v).Per(int64(max(filter.SizeOf(t), 1)))
	})
}

// movedTo is the right address of a member with an absolute address.
type movedTo struct {
	uri, relative model.Node
	to            string
}

// mostSteps is how many folders deep a moved member is searched for.
const mostSteps = 4

// movedMember returns where in the group's folder an array or group is whose absolute address refers to another place; "" if it is
// not here, or the address is right. places are the paths of the folder on disk.
func movedMember(s *model.Snapshot, places []string, uri string) string {
	at, local := strings.CutPrefix(uri, "file://")
	if len(places) == 0 || !local && !strings.HasPrefix(uri, "/") {
		return ""
	}
	at = path.Clean(at)
	for _, p := range places {
		if p = "/" + strings.Trim(p, "/") + "/"; strings.HasPrefix(at, p) {
			return ""
		}
	}
	steps := strings.Split(strings.Trim(at, "/"), "/")
	for n := min(mostSteps, len(steps)); n > 0; n-- {
		if in := path.Join(steps[len(steps)-n:]...); model.Clean(in) == nil && objectAt(s, in) != 0 {
			return in
		}
	}
	return ""
}

// readGroup reads the payload of a group details file.
func readGroup(c *model.Cursor) {
	if v := c.Field(groupVersion); v.Uint() < 1 || v.Uint() > 2 {
		c.Wrong(rule.OddMember, v, v.Value, "1 or 2", model.Graded(model.Error), model.Saying("the list of members is of an unknown version"))
	}
	n := c.Field(groupCount)
	most := c.Left() / 14
	if most == 0 {
		storage.CountFits(c, rule.CountTooLarge, n, 14)
		return
	}
	m := memberReader{first: map[string]int64{}, long: c.Left() > storage.Eager, places: sync.OnceValue(c.Tree().Snapshot.Places)}
	members, counted := storage.Records(c, groupMembers, groupMember, math.MaxUint64, m.read)
	if counted {
		c.CountOf(n, members)
	} else if n.Int() > most {
		c.Wrong(rule.CountTooLarge, n, n.Value, "at most "+filter.Text(most))
	}
}

// memberReader reads the members of a group.
type memberReader struct {
	first  map[string]int64 // where each name was seen first
	long   bool             // members are read again when they are shown
	places func() []string  // where the folder is on the disk
}

func (m memberReader) read(c *model.Cursor) {
	at := c.Pos()
	version := c.Field(groupVersion)
	typ, relative := c.Field(memberType), c.Field(memberRel)
	uri := storage.ReadText(c, memberURILen, memberURI)
	key, deleted := uri.Text(), false
	if c.Field(memberNamed).Uint() != 0 {
		key = cmp.Or(storage.ReadText(c, memberNameLen, schema.NameF).Text(), key)
	}
	if version.Uint() >= 2 {
		deleted = c.Field(memberDeleted).Uint() != 0
	}
	if version.Uint() < 1 || version.Uint() > 2 {
		c.Wrong(rule.OddMember, version, version.Value, "1 or 2", model.Graded(model.Error))
	}
	if object := typ.Uint(); object != 1 && object != 2 {
		c.Wrong(rule.OddMember, typ, typ.Value, "GROUP or ARRAY", model.Graded(model.Error))
	}
	m.checkAddress(c, uri, relative, deleted, key)
	if other, seen := m.first[key]; seen && other != at && !deleted {
		c.Wrong(rule.OddMember, uri, key, "a name of its own")
	} else if !seen && (c.Skimming() || !m.long) {
		m.first[key] = at
	}
}

// checkAddress tells whether a member is where the group looks for it.
func (m memberReader) checkAddress(c *model.Cursor, uri, relative model.Node, deleted bool, key string) {
	if relative.Uint() != 0 {
		if clean := path.Clean(uri.Text()); strings.HasPrefix(clean, "..") || strings.HasPrefix(clean, "/") {
			c.Wrong(rule.OddMember, uri, uri.Text(), "an address inside the group")
		}
		return
	}
	if deleted || len(m.first) > mostMembers {
		return
	}
	if at := movedMember(c.Tree().Snapshot, m.places(), uri.Text()); at != "" {
		c.Wrong(rule.MemberMoved, uri, uri.Text(), at+" in this folder", model.About(&movedTo{uri, relative, at}),
			model.Saying("member “%s” is looked up where the group was before it was moved or copied, although it is here", key))
	}
}

// mostMembers is how many arrays and groups inside a group a deep check visits.
const mostMembers = 10_000

// sniff recognises the payload of a generic tile (1.5).
func sniff(c *model.Cursor, version uint32) fileKind {
	b := c.Peek(40)
	if len(b) < 4 {
		return kindOther
	}
	first := uint32(filter.Uint(b, 4))
	small := func(from, to int, most byte) bool { return len(b) >= to && slices.Max(b[from:to]) <= most }
	group := (first == 1 || first == 2) && len(b) >= 12
	schema := first > 0 && (first == version || first <= storage.VersionNewest+8) && small(4, 7, 7) && len(b) >= 40
	switch {
	case first < 256 && namesItself(c):
		return kindEnumeration
	case schema && !(group && filter.Uint(b[4:], 8) < 1<<16 && small(7, 12, 0) && small(16, 18, 2)):
		return kindSchema
	case schema, group && filter.Uint(b[4:], 8) <= uint64(c.Left())/14:
		return kindGroup
	}
	if _, ok := c.Try(readMetadata); ok {
		return kindMetadata
	}
	if b[0] <= 1 && (b[0] == 1 || b[1] <= 2) {
		return kindDelete
	}
	return kindOther
}

// namesItself tells whether a version is followed by two texts, the second named like an enumeration file.
func namesItself(c *model.Cursor) (is bool) {
	c.Try(func(c *model.Cursor) {
		c.Skip(4)
		storage.ReadText(c, metaKeyLen, metaKey)
		is = enumName().MatchString(storage.ReadText(c, metaKeyLen, metaKey).Text())
	})
	return is
}
