package model

import (
	"path"
	"strings"
)

// Icon says at a glance what a node of the logical view contains.
type Icon uint8

// The icons.
const (
	NoIcon Icon = iota
	IconNumber
	IconText
	IconArray
	IconImage
)

// IconOf returns the icon of values of a type: u32, utf8 or, for vectors, f32[].
func IconOf(typ string, kind Kind) Icon {
	switch {
	case strings.HasSuffix(typ, "]"):
		return IconArray
	case kind == Int || kind == Uint || kind == Float || kind == Bool:
		return IconNumber
	case kind == Text:
		return IconText
	}
	return NoIcon
}

// IconOfFile returns the icon of a file by its extension.
func IconOfFile(name string) Icon {
	switch strings.ToLower(path.Ext(name)) {
	case ".jpg", ".jpeg", ".png", ".webp", ".gif", ".bmp", ".tif", ".tiff", ".ppm":
		return IconImage
	case ".txt", ".json", ".jsonl", ".csv", ".xml", ".html", ".md", ".yaml", ".yml":
		return IconText
	case ".npy", ".npz", ".pth", ".pt", ".safetensors":
		return IconArray
	case ".cls", ".index":
		return IconNumber
	}
	return NoIcon
}
