package scdl

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"strings"
	"testing"

	"spandrel/parsers/internal/suite"
)

// Headers of arrays without names, texts of brackets, matrices of one number, features that are bombs.
func TestScdlLimits(t *testing.T) {
	header := func(f func(n int) []byte) func(int) map[string][]byte {
		return func(n int) map[string][]byte { return map[string][]byte{"header.sch": f(n)} }
	}
	archive := func(change func(f fileset, n int)) func(int) map[string][]byte {
		return func(n int) map[string][]byte {
			f := good()
			change(f, n)
			return f
		}
	}
	start := func(arrays uint32) []byte { return binary.BigEndian.AppendUint32(headOf()[:12:12], arrays) }
	matrix := func(ptr, col, val []byte) func(f fileset, n int) {
		return func(f fileset, n int) {
			f["row_ptr.npy"], f["col_ptr.npy"], f["data.npy"] = bytes.Repeat(ptr, n/3/len(ptr)), bytes.Repeat(col, n/3/len(col)), bytes.Repeat(val, n/3/len(val))
			f["header.sch"] = head(f, []item{{name: "DATA", length: uint64(n / 3 / 4), dtype: 6}, {name: "ROWPTR", length: uint64(n / 3 / 8), dtype: 4},
				{name: "COLPTR", length: uint64(n / 3 / 4), dtype: 3}}, sampleFolders)
		}
	}
	whole := table("x", strings.Repeat("a", 100))
	suite.Limits(t, Format, suite.Hostile{
		"arrays":      header(func(n int) []byte { return append(start(1<<32-1), make([]byte, n)...) }),
		"one-array":   header(func(n int) []byte { return headOf(bytesItems(n / 29)...) }),
		"dimensions":  header(func(n int) []byte { return headOf(item{name: "DATA", dtype: 1, shape: make([]uint32, n/4)}) }),
		"paths":       header(func(n int) []byte { return fileIndex("var_features", slicesOf("../../../etc/passwd", n/23)...) }),
		"paths-empty": header(func(n int) []byte { return fileIndex("var_features", make([]string, n/4)...) }),
		"nested-json": archive(func(f fileset, n int) {
			f["metadata.json"] = []byte(strings.Repeat(`{"a":[`, n/12))
			f["var_features/labels.json"] = []byte(strings.Repeat("[", n/4) + strings.Repeat("]", n/4))
		}),
		"labels": archive(func(f fileset, n int) {
			f["var_features/labels.json"] = []byte("[" + strings.Repeat(`"",`, n/3) + `""]`)
		}),
		"row-numbers": archive(matrix([]byte{255, 255, 255, 255, 255, 255, 255, 255}, []byte{0, 0, 0, 0}, []byte{0, 0, 0, 0})),
		"no-rows":     archive(matrix(make([]byte, 8), bytes.Repeat([]byte{255}, 4), []byte{0, 0, 192, 255})),
		"saw":         archive(matrix(append(make([]byte, 8), 0, 255, 0, 0, 0, 0, 0, 0), []byte{9, 0, 0, 0, 1, 0, 0, 0}, []byte{0, 0, 128, 127})),
		"parquet-nested": archive(func(f fileset, n int) {
			b := append([]byte("PAR1"), bytes.Repeat([]byte{0x1c}, n)...)
			f["var_features/dataframe_0.parquet"] = append(binary.LittleEndian.AppendUint32(b, uint32(n)), "PAR1"...)
		}),
		"parquet-lists": archive(func(f fileset, n int) {
			b := append([]byte("PAR1"), bytes.Repeat([]byte{0x19, 0xf9, 0x7f}, n/3)...)
			f["var_features/dataframe_0.parquet"] = append(binary.LittleEndian.AppendUint32(b, uint32(n/3*3)), "PAR1"...)
		}),
		"parquet-bomb": archive(func(f fileset, n int) {
			f["var_features/dataframe_0.parquet"] = table("x", slicesOf(strings.Repeat("a", 1000), n)...)
		}),
		"files-missing": func(n int) map[string][]byte {
			f, paths := good(), make([]string, n/40)
			for i := range paths {
				paths[i] = fmt.Sprintf("dataframe_%07d.parquet", i)
			}
			f["header.sch"] = fileIndex("var_features", paths...)
			for i := range min(n/300, 3000) {
				f[fmt.Sprintf("var_features/stray_%05d.parquet", i)] = nil
			}
			return f
		},
		"array-files": func(n int) map[string][]byte {
			f, items := good(), make([]item, n/40)
			for i := range items {
				if items[i] = (item{name: fmt.Sprintf("array_%07d", i), length: 1, dtype: 1}); i < min(n/300, 3000) {
					f[items[i].name] = []byte{1}
				}
			}
			f["header.sch"] = headOf(items...)
			return f
		},
		"strangers": func(n int) map[string][]byte {
			f := good()
			for i := range min(n/50, 20_000) {
				f[fmt.Sprintf("stranger_%06d", i)] = []byte{1}
			}
			return f
		},
		"tables": func(n int) map[string][]byte {
			f := good()
			for i := range min(n/len(whole), 5000) {
				f[fmt.Sprintf("var_features/dataframe_%05d.parquet", i)] = whole
			}
			return f
		},
		"links": func(n int) map[string][]byte {
			f := good()
			delete(f, "data.npy")
			f["data.npy -> /dev/zero"], f["obs_features/again -> .."], f["chunk_00000 -> ."] = nil, nil, nil
			f["features -> ../../../../../../../etc"] = nil
			return f
		},
		"archives": func(n int) map[string][]byte {
			f := map[string][]byte{"version.json": []byte(`"0.1.3"`)}
			for i := range min(n/1000, 300) {
				for name, b := range good() {
					f[fmt.Sprintf("a%05d/%s", i, name)] = b
				}
			}
			return f
		},
	})
}

func slicesOf(s string, n int) []string {
	out := make([]string, n)
	for i := range out {
		out[i] = s
	}
	return out
}

func bytesItems(n int) []item {
	out := make([]item, n)
	for i := range out {
		out[i] = one
	}
	return out
}
