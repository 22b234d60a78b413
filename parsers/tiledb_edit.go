package parsers

import (
	"spandrel/model"
)

var tdbActions []model.Action

func tdbReview(t *model.Tree, e model.Edit) (warn string, err error) { return "", nil }
