package wds

import (
	"bytes"
	"regexp"
	"strings"

	"spandrel/model"
)

// heading is the first line of an index of DALI: its version and the number of samples.
var heading = regexp.MustCompile(`^(v\d+\.\d+)( +)(\d{1,18})(\r?\n|$)`)

// componentFirst is a line of such an index: the extension, offset and size of a component, and its name or another component.
var componentFirst = regexp.MustCompile(`^[A-Za-z]\S* \d+ \d+( [^\r\n]+)?\r?\n`)

func detect(name string, head, _ []byte, _ int64) (sure model.Confidence, reason string) {
	name = strings.ToLower(name)
	switch {
	case heading.Match(head):
		return 90, ""
	case isJSON(head) && (quotedVersion.Match(head) || quotedList.Match(head) && quotedCount.Match(head)):
		return 90, ""
	case strings.HasSuffix(name, ".idx") && componentFirst.Match(head):
		return 70, "" // its first line is elsewhere, or lost
	case strings.HasSuffix(name, ".idx") && bytes.HasPrefix(head, []byte("v")):
		return 15, ""
	}
	return 0, "is neither a DALI index (v1.2 and a number) nor a wids index (wids_version and shardlist)"
}

// detectFolder recognises the folder of a dataset with an index of wids and archives, or with one index of DALI.
func detectFolder(s *model.Snapshot) (primary string, sure model.Confidence) {
	list, _, err := s.List(".")
	if err != nil {
		return "", 0
	}
	archives, looked := false, 0
	for _, e := range list {
		archives = archives || strings.HasSuffix(e.Name, ".tar")
	}
	for _, e := range list {
		dali := strings.HasSuffix(e.Name, ".idx")
		if !e.Regular || !dali && !(archives && strings.HasSuffix(e.Name, ".json")) || looked == mostLooked {
			continue
		}
		looked++
		c, err := s.Content(e.Name)
		if err != nil {
			continue
		}
		head := make([]byte, min(e.Size, 4096))
		c.ReadAt(head, 0)
		switch is, _ := detect(e.Name, narrow(head), nil, e.Size); {
		case is < 90:
		case !dali:
			return e.Name, 90
		case primary != "":
			return "", 0 // each DALI index is a separate document
		default:
			primary, sure = e.Name, 60
		}
	}
	return primary, sure
}

// mostLooked is how many files of a folder are looked into for an index.
const mostLooked = 8

// narrow is what a text was before it was saved in UTF-16, which the check says; any other text as it is.
func narrow(head []byte) []byte {
	if bytes.HasPrefix(head, []byte("\xff\xfe")) || bytes.HasPrefix(head, []byte("\xfe\xff")) {
		return bytes.ReplaceAll(head[2:], []byte{0}, nil)
	}
	return head
}

// isJSON tells whether a text begins like a JSON object, perhaps after a byte order mark and a comment.
func isJSON(head []byte) bool {
	head = bytes.TrimLeft(bytes.TrimPrefix(head, []byte("\xef\xbb\xbf")), " \t\r\n")
	return bytes.HasPrefix(head, []byte("{")) || bytes.HasPrefix(head, []byte("//"))
}

// quoted are names in double quotes, or in those of Python, of editors of text, or of HTML, which the check says.
func quoted(names string) *regexp.Regexp {
	return regexp.MustCompile(`["'“”„‘’;](` + names + `)["'“”‘’&]`)
}

var quotedVersion, quotedList, quotedCount = quoted("wids_version|wids-shard-index-v1"), quoted("shardlist"), quoted("nsamples")
