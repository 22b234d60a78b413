package ui

import (
	"spandrel/ui/paint"
	"spandrel/ui/rows"
)

// columnFor is how wide a column becomes by itself for a text.
func columnFor(text string) float32 {
	return min(widestColumn, float32(paint.AtlasAt(1).Text.Width(paint.ClipText(text, widestColumn)))+2*rows.CellPad+4)
}

// widestColumn is how wide columns of tables become by themselves.
const widestColumn = 260
