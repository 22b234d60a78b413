package idv

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// readable tells whether the rows of a column can be read.
func (c *column) readable() bool { return c.codec.Readable() && c.compression <= 1 }

func (m *metadata) readable() bool {
	return m.codec.Readable() && m.compression <= 1
}

// plausible tells whether an entry looks like one of a sound directory.
func (c *column) plausible(tail int64) bool {
	return c.name.n > 0 && utf8.ValidString(c.name.s) && !strings.ContainsFunc(c.name.s, unicode.IsControl) && c.codec.NameLen > 0 &&
		utf8.ValidString(c.codec.Name) && c.compression <= 2 && c.rpb > 0 &&
		c.lookup >= headerSize && c.lookup < tail && (c.meta == 0 || c.meta >= headerSize && c.meta < tail)
}
