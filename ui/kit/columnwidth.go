package kit

import (
	"spandrel/ui/paint"
	"spandrel/ui/rows"
)

// ColumnFor is how wide a column becomes by itself for a text.
func ColumnFor(text string) float32 { return min(WidestColumn, WholeColumn(text)) }

// WholeColumn is how wide a column is that shows a text whole, up to many letters.
func WholeColumn(text string) float32 {
	return float32(paint.AtlasAt(1).Text.Width(paint.ClipText(text, WidestColumn))) + 2*rows.CellPad + 4
}

// WidestColumn is how wide columns of tables become by themselves.
const WidestColumn = 260
