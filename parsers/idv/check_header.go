package idv

import (
	"encoding/binary"
	"fmt"
	"strings"

	"spandrel/model"
)

// checkHeader checks a complete header (§1).
func checkHeader(s *directory, peek peek) {
	b := peek(s.base, headerSize)
	signature := binary.LittleEndian.Uint64(b)
	at := func(off int64) int64 { return s.base + off }
	if signature != headSignature {
		s.report(finding{rule: noSignature, at: at(0), n: 8, found: fmt.Sprintf("%x", b[:8]), expected: "434d4c0044564200"})
	}
	if s.rows < 0 {
		s.report(finding{rule: rowsNegative, at: at(40), n: 8, found: fmt.Sprint(s.rows), expected: "0 or more"})
	}
	if s.columnCount < 0 {
		s.report(finding{rule: columnsNegative, at: at(48), n: 4, found: fmt.Sprint(s.columnCount), expected: "0 or more"})
	}
	if s.rows > 0 && strings.HasSuffix(strings.ReplaceAll(s.label, `\`, "/"), "Loader/Schema.idv") {
		s.report(finding{rule: schemaRows, at: at(40), n: 8, found: fmt.Sprint(s.rows), expected: "0"})
	}
	if s.columnCount == 0 && s.rows > 0 {
		s.report(finding{rule: rowsOnly, at: at(48), n: 4, found: model.Words("%d rows", s.rows)})
	}
	if !model.AllZero(b[52:]) {
		s.report(finding{rule: deadSpace, at: at(52), n: 204})
	}
	checkTail(s, peek)
}

// checkVersions checks the two version fields (§1.2).
func checkVersions(s *directory) {
	version := func(rule *model.Rule, off int64, v, other uint64, want string) {
		f := finding{rule: rule, at: s.base + off, n: 8, found: versionText(v), expected: want}
		if other >= versionBase+4 && other <= versionBase+6 { // all writers write the same number into both fields
			set := model.U(other)
			f.set, f.ask = &set, rule == versionUnknown
		}
		s.report(f)
	}
	switch implied, known := versionOf(s.cols); {
	case s.compatible > s.version && known && implied == s.compatible: // the types of its columns are of that version
		version(newerThanItself, 8, s.version, s.compatible, versionText(s.compatible)+", as the types of the columns")
	case s.compatible > s.version:
		version(newerThanItself, 16, s.compatible, s.version, "at most "+versionText(s.version))
	}
	if s.version < versionBase+2 {
		version(versionTooOld, 8, s.version, 0, "1.1.1.2 or later")
	}
	if s.compatible < versionBase+4 {
		version(readerTooOld, 16, s.compatible, s.version, "1.1.1.4 to 1.1.1.6")
	}
	if s.compatible > versionBase+6 {
		version(readerTooNew, 16, s.compatible, 0, "1.1.1.4 to 1.1.1.6")
	}
	if s.version < versionBase+1 || s.version > versionBase+6 {
		version(versionUnknown, 8, s.version, s.compatible, "1.1.1.1 to 1.1.1.6")
	}
}

// checkTail checks the stated places of directory and tail.
func checkTail(s *directory, peek peek) {
	at := func(off int64) int64 { return s.base + off }
	toc := func(rule *model.Rule, sev model.Severity, want string) {
		s.report(finding{rule: rule, sev: sev, at: at(24), n: 8, found: fmt.Sprint(s.toc), expected: want})
	}
	switch {
	case s.columnCount <= 0:
	case s.toc < headerSize:
		toc(directoryInHeader, 0, "256 or more")
		if s.toc < 0 {
			toc(directoryOutside, 0, fmt.Sprintf("256 to %d", s.size))
		}
	case s.toc >= s.size:
		toc(directoryOutside, 0, fmt.Sprintf("256 to %d", s.size))
	case s.toc >= s.tail && s.tail >= headerSize:
		toc(directoryOutside, model.Warning, fmt.Sprintf("below the tail at %d", s.tail))
	}
	switch {
	case s.tail < headerSize:
		s.report(finding{rule: tailInHeader, at: at(32), n: 8, found: fmt.Sprint(s.tail), expected: "256 or more"})
	case s.tail > s.size-8:
		s.report(finding{rule: cutShort, at: at(32), n: 8, found: fmt.Sprint(s.tail), expected: fmt.Sprintf("at most %d", s.size-8)})
	default:
		if b := peek(at(s.tail), 8); len(b) == 8 && binary.LittleEndian.Uint64(b) != tailSignature {
			s.report(finding{rule: noTail, at: at(s.tail), n: 8, found: fmt.Sprintf("%x", b), expected: "00425644004c4d43"})
		} else if s.tail+8 < s.size {
			s.report(finding{rule: behindTail, at: at(s.tail + 8), n: s.size - s.tail - 8, found: model.Words("%d bytes", s.size-s.tail-8)})
		}
	}
}
