package scdl

import (
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/parquet-go/parquet-go/encoding/thrift"
	"github.com/parquet-go/parquet-go/format"
)

// What a page may unpack to, in bytes and in values: the library makes room for what its head says.
const (
	maxPage   = 256 << 20
	maxValues = 16 << 20
)

// checkPages looks over the heads of the pages of a column chunk: they lie one behind the other in its bytes, none claims more values
// than the column has, and what they unpack to has bounds.
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

// headAt reads the head of a page, most of which are short, and how long it is.
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
