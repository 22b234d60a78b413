package scdl

import "spandrel/model"

// messages are what readers of the format say, as people report it. The more particular come first.
var messages = []model.Message{
	{Reader: "bionemo-scdl (numpy)", Text: "mmap length is greater than file size",
		Rules: []string{"SCDL-047", "SCDL-102", "model.truncated"},
		Means: "An array file is shorter than the archive says."},
}
