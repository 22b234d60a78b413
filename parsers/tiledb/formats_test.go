package tiledb

import "spandrel/model"

var formats = []*model.Format{Format}
