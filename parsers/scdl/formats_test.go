package scdl

import "spandrel/model"

var formats = []*model.Format{Format}
