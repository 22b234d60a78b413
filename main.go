//go:build !headless

// Command spandrel opens binary data files of machine-learning tools and shows every byte as what it is.
package main

import (
	_ "fyne.io/fyne/v2/app"
	_ "fyne.io/fyne/v2/test"
	_ "fyne.io/fyne/v2/driver/software"
	_ "fyne.io/fyne/v2/widget"
	_ "github.com/apache/arrow-go/v18/arrow/ipc"
	_ "github.com/apache/arrow-go/v18/parquet/pqarrow"
	_ "github.com/cespare/xxhash/v2"
	_ "github.com/edsrzf/mmap-go"
	_ "github.com/google/flatbuffers/go"
	_ "github.com/klauspost/compress/flate"
	_ "github.com/klauspost/compress/zlib"
	_ "github.com/klauspost/compress/zstd"
	_ "github.com/pierrec/lz4/v4"
	_ "github.com/dsnet/compress/bzip2"
	_ "github.com/sqweek/dialog"
	_ "golang.org/x/image/webp"
	_ "golang.org/x/image/font/opentype"
	_ "golang.org/x/sys/unix"
)

func main() {}
