package idv

import (
	"testing"

	"spandrel/model"
	"spandrel/parsers/internal/suite"
)

// damaged are the bad samples, by the rules that they break.
func damaged(t testing.TB) suite.Damaged {
	docs, all := suite.Damaged{}, allBad()
	all["112-named-data.idv"] = archive(t)
	all["113-folder.zip"] = zipped(t, member{"m/TransformerChain/Model.key", []byte("ML MODEL")}, member{"__MACOSX/m/._Model.key", []byte("mac")},
		member{"m/Schema", sample(false).encode()})
	for name, b := range all {
		docs[name] = func(t testing.TB) *model.Document {
			d := open(t, name, b)
			t.Cleanup(d.Close)
			return d
		}
	}
	return docs
}

// TestFindings compares everything that is found in the bad samples, with its words and its repairs, with testdata/idv/rules.txt.
// Every rule is broken by one.
func TestFindings(t *testing.T) { suite.Transcript(t, Format, damaged(t)) }
