package headless

// problem is a line of `check --json`.
type problem struct {
	Kind     string       `json:"kind"`     // cause or finding
	Document string       `json:"document"` // its path, as it was given or found
	Rule     string       `json:"rule"`
	Severity string       `json:"severity"`
	Path     string       `json:"path"`
	File     string       `json:"file"`
	Space    string       `json:"space"`
	Offset   int64        `json:"offset"`
	Length   int64        `json:"length"`
	Found    string       `json:"found"`
	Expected string       `json:"expected"`
	Message  string       `json:"message"`
	Fixes    []problemFix `json:"fixes"`
	Cause    int          `json:"cause,omitempty"`

	said [2]string // found and expected as repairs say values
}

// text is a finding in a sentence.
func (p *problem) text() string {
	text := p.Message
	if p.said[0] != "" {
		text += "; found " + p.said[0]
	}
	if p.said[1] != "" {
		text += ", expected " + p.said[1]
	}
	return text
}

type problemFix struct {
	Label string `json:"label"`
	Safe  bool   `json:"safe"`
}

// causeLine is a cause in `check --json`. It also has the fields of a finding, so that a program that only knows
// findings can read it as one, at the place of the damage, with its repairs.
type causeLine struct {
	problem
	Grade    string       `json:"grade"`
	Text     string       `json:"text"`
	Means    string       `json:"means"`
	Evidence []string     `json:"evidence"`
	Explains int          `json:"explains"`
	Of       int          `json:"of"`
	Repairs  []repairLine `json:"repairs"`
	Why      *whyLine     `json:"why,omitempty"` // with --why
}

type repairLine struct {
	Number  int          `json:"number"`
	ID      string       `json:"id"` // of what it changes: fix --choose ID makes this repair or none
	Label   string       `json:"label"`
	Safe    bool         `json:"safe"`
	Loses   string       `json:"loses"`
	Changes []changeLine `json:"changes"`
}

// changeLine is a run of bytes before and after a repair. Was and Is are its first bytes, and all of them if they have its lengths.
type changeLine struct {
	File      string `json:"file"`
	Offset    int64  `json:"offset"`
	Length    int64  `json:"length"`
	NewLength int64  `json:"new_length"`
	Was       string `json:"was"`
	Is        string `json:"is"`
}
