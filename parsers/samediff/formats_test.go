package samediff

import "spandrel/model"

var formats = []*model.Format{Format}
