package idv

import (
	"context"
	"slices"
	"strings"

	"spandrel/model"
	"spandrel/parsers/internal/zipfile"
)

// A model that was unpacked and packed again as a folder (§9.1): ML.NET looks for its parts at the root of the archive.

// roots are what a model has at the root of its archive.
var roots = []string{"TransformerChain", "TrainingInfo", "DataLoaderModel", "Predictor", "Schema", "Model.key"}

// strange tells whether a member is none of the model's: what macOS adds, or an entry for a folder.
func strange(m *zipfile.Member) bool {
	return strings.HasPrefix(m.Name, "__MACOSX/") || strings.HasSuffix(m.Name, "/") || strings.HasSuffix(m.Name, ".DS_Store")
}

// isRoot tells whether a name begins with a part of a model.
func isRoot(name string) bool {
	first, _, _ := strings.Cut(strings.ReplaceAll(name, `\`, "/"), "/")
	return slices.Contains(roots, first)
}

// folderOf is the folder that contains the whole model, with its separator; "" if the model is at the root.
func folderOf(z *zipfile.Archive) (folder string) {
	for _, m := range z.Members {
		i := strings.IndexAny(m.Name, `/\`)
		switch {
		case strange(m):
		case i < 0 || isRoot(m.Name) || folder != "" && m.Name[:i+1] != folder:
			return ""
		default:
			folder = m.Name[:i+1]
		}
	}
	if folder == "" || !slices.ContainsFunc(z.Members, func(m *zipfile.Member) bool { return isRoot(strings.TrimPrefix(m.Name, folder)) }) {
		return ""
	}
	return folder
}

// inFolder is a model below a folder of its archive.
type inFolder struct {
	z      *zipfile.Archive
	folder string
}

// checkFolder reports a model that is not at the root of its archive.
func checkFolder(c *model.Cursor, z *zipfile.Archive) {
	if folder := folderOf(z); folder != "" {
		c.Wrong(modelInFolder, z.Entries, folder, "the parts of the model at the root of the archive", model.About(inFolder{z, folder}),
			model.Saying("the model is in the folder %s of the archive, where ML.NET does not look for it", strings.Trim(folder, `/\`)))
	}
}

// fromFolder moves the parts of the model to the root of the archive. What macOS added stays: ML.NET does not read it.
var fromFolder = model.Knowing(func(_ context.Context, _ *model.Tree, _ *model.Finding, x inFolder) []model.Fix {
	fix := model.Fix{Label: "move the parts of the model to the root of the archive", Safe: true, Once: true}
	for _, m := range x.z.Members {
		switch {
		case strange(m):
		case m.Entry == nil || m.Entry["name"].Span == nil:
			return nil
		default:
			fix.Edits = append(fix.Edits, m.Rename(strings.TrimPrefix(m.Name, x.folder))...)
		}
	}
	return []model.Fix{fix}
})
