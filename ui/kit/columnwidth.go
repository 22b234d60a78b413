package kit

import (
	"spandrel/ui/paint"
	"spandrel/ui/rows"
)

// ColumnFor is the default width of a column for a text.
func ColumnFor(text string) float32 { return min(WidestColumn, WholeColumn(text)) }

// WholeColumn is the width of a column that shows a text completely, up to many letters.
func WholeColumn(text string) float32 {
	return float32(paint.AtlasAt(1).Text.Width(paint.ClipText(text, WidestColumn))) + 2*rows.CellPad + 4
}

// WidestColumn is the largest default width of a table's column.
const WidestColumn = 260
