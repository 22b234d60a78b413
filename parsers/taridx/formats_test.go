package taridx

import "spandrel/model"

var formats = []*model.Format{Format}
