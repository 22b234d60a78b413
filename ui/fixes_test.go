package ui

import (
	"testing"

	"spandrel/model"
)

// A fix that is offered twice is one button; one that costs something else is another.
func TestFixesAreOfferedOnce(t *testing.T) {
	list := distinct([]model.Fix{{Label: "a"}, {Label: "b"}, {Label: "a"}, {Label: "a", Loses: "a row"}})
	if len(list) != 3 || list[0].Label != "a" || list[1].Label != "b" || list[2].Loses == "" {
		t.Errorf("%+v", list)
	}
}
