package parsers

import (
	"context"

	"spandrel/model"
)

var idvActions []model.Action

func idvRewrite(ctx context.Context, t *model.Tree, edits []model.Edit) ([]model.Edit, error) {
	return edits, nil
}

func (s *idvStream) salvageFixes() []model.Fix                          { return nil }
func (s *idvStream) dropEntry(c *idvColumn, m *idvMetadata) []model.Fix { return nil }
func (s *idvStream) countRows(t *model.Tree) (int64, error)             { return 0, nil }
