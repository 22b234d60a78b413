package headless

import (
	"errors"
	"strings"

	"spandrel/model"
)

// What commands that write report: text on standard error, or JSON lines on standard output, or on
// standard error if the document goes there.

// answer is one line of a report.
type answer struct {
	Kind     string `json:"kind"` // saved, warning, note, repair or done
	Document string `json:"document"`
	Message  string `json:"message"`
	File     string `json:"file,omitempty"`    // of saved: where it is
	How      string `json:"how,omitempty"`     // of saved: written, in place or removed
	Backup   string `json:"backup,omitempty"`  // of saved: the old file
	Repairs  *int   `json:"repairs,omitempty"` // of done, by fix: how many were made, or would be
	DryRun   bool   `json:"dry_run,omitempty"` // nothing was written
	Broken   *bool  `json:"broken,omitempty"`  // of done, by fix: errors are left
}

// tell prints an answer. With --quiet only warnings are printed as text.
func (c *call) tell(a answer) error {
	if len(c.args) > 0 {
		a.Document = c.args[0]
	}
	switch {
	case c.json && c.streams():
		return c.beside(a)
	case c.json:
		return c.line(a)
	case a.Kind == "warning" || a.Kind == "note" && !c.quiet:
		return linef(c.Err, "spandrel: %s: %s", a.Kind, a.Message)
	case c.quiet:
		return nil
	case a.How == "removed":
		return linef(c.Err, "%s: %s", a.File, a.Message)
	case a.Kind == "saved":
		return linef(c.Err, "%s: %s, read back and compared", a.File, a.Message)
	}
	return linef(c.Err, "%s: %s", a.Document, a.Message)
}

// aside says on standard error what is good to know of the output.
func (c *call) aside(kind, text string) error {
	if c.json {
		return c.beside(answer{Kind: kind, Document: c.args[0], Message: text})
	}
	if kind == "warning" {
		text = "warning: " + text
	}
	return linef(c.Err, "spandrel: %s", text)
}

// beside prints an answer as JSON on standard error.
func (c *call) beside(a answer) error {
	b, err := model.MarshalLine(a)
	if err == nil {
		_, err = c.Err.Write(append(b, '\n'))
	}
	return err
}

// streams tells whether the document goes to standard output.
func (c *call) streams() bool { return c.out == "-" }

// inJSON tells whether arguments ask for JSON, before they are parsed: errors in them are reported that way too.
func inJSON(args []string) bool {
	for _, a := range args {
		switch {
		case a == "--":
			return false
		case a == "--json" || a == "--json=true" || a == "-json":
			return true
		}
	}
	return false
}

// fail reports why a command failed.
func fail(env Env, args []string, err error) {
	if !inJSON(args) {
		linef(env.Err, "spandrel: %s", strings.TrimSuffix(said(err), "\n"))
		return
	}
	x, several := trouble(err), joined(nil)
	for one := err; errors.As(one, &several) && len(several.Unwrap()) == 1; {
		one = several.Unwrap()[0]
	}
	if several != nil && len(several.Unwrap()) > 1 {
		x.Document = ""
		for _, one := range several.Unwrap() {
			x.Errors = append(x.Errors, trouble(one))
		}
	}
	x.Kind = "error"
	if b, failed := model.MarshalLine(x); failed == nil {
		env.Err.Write(append(b, '\n'))
	}
}

// refusal is an error as JSON.
type refusal struct {
	Kind     string    `json:"kind,omitempty"`
	Document string    `json:"document,omitempty"` // that it is about; none if it is about the command
	Message  string    `json:"message"`
	Errors   []refusal `json:"errors,omitempty"` // the errors of several documents, which message joins
}

func trouble(err error) refusal {
	f := failure{}
	errors.As(err, &f)
	return refusal{Document: f.document, Message: said(err)}
}
