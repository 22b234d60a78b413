package idv

import "spandrel/model"

var formats = []*model.Format{Format}
