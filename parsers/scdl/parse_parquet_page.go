package scdl

import (
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/parquet-go/parquet-go/encoding/thrift"
	"github.com/parquet-go/parquet-go/format"
)

// Limits for a decompressed page, in bytes and in values: the library allocates whatever the page header declares.
const (
	maxPage   = 256 << 20
	maxValues = 16 << 20
)

// checkPages checks the page headers of a column chunk: the pages must follow each other within it, must not declare more values than the column has, and
// must not exceed the limits when decompressed.
func checkPages(in io.ReaderAt, m *format.ColumnMetaData, size int64) error {
	left, name := m.NumValues, strings.Join(m.PathInSchema, ".")
	at, end := startOf(m), startOf(m)+m.TotalCompressedSize
	if at < 4 || m.TotalCompressedSize < 0 || end < at || end > size {
		return fmt.Errorf("the pages of %s are not in the file", name)
	}
	head := make([]byte, min(64<<10, end-at))
	for at < end {
		h, n, err := headAt(in, head[:min(int64(len(head)), end-at)], at)
		if err != nil && !errors.Is(err, errThrift) {
			return err
		}
		values, words := int64(h.DataPageHeader.V.NumValues)+int64(h.DataPageHeaderV2.V.NumValues), int64(h.DictionaryPageHeader.V.NumValues)
		left -= values
		at += int64(n) + int64(h.CompressedPageSize)
		if err != nil || h.CompressedPageSize < 0 || h.UncompressedPageSize < 0 || values < 0 || words < 0 || at > end || left < 0 {
			return fmt.Errorf("a page of %s is damaged", name)
		}
		if h.UncompressedPageSize > maxPage || max(values, words) > maxValues {
			return fmt.Errorf("a page of %s with %d bytes and %d values is too large to decompress", name, h.UncompressedPageSize, max(values, words))
		}
	}
	return nil
}

// headAt reads a page header and returns its size in bytes. Most are short, so it tries a short read first.
func headAt(in io.ReaderAt, buf []byte, at int64) (h format.PageHeader, n int, err error) {
	for _, b := range [][]byte{buf[:min(512, len(buf))], buf} {
		if _, err := in.ReadAt(b, at); err != nil && err != io.EOF {
			return h, 0, err
		}
		if n, err = checkThrift(b); err == nil {
			if thrift.Unmarshal(new(thrift.CompactProtocol), b[:n], &h) != nil {
				err = errThrift
			}
			break
		}
	}
	return h, n, err
}
