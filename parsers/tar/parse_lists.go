package tar

import (
	"spandrel/model"
	"spandrel/parsers/internal/tarfile"
)

// leastApart is how many samples have to be spread over an archive to be certain that they belong together.
const leastApart = 10

// mostLists is how many kinds of members a sample may have.
const mostLists = 32

// apart tells for the samples of an archive in which none has two members next to each other whether it is a list of all samples for one kind of
// file after the other, as `tar cf x.tar *.jpg *.json` writes it: how many lists, and how many members the first has.
func apart(samples []begin) (lists, first int) {
	in, all := map[uint64]bool{}, map[uint64]bool{}
	for i, s := range samples {
		if in[s.key] {
			if clear(in); lists == 0 {
				first = i
			}
			lists++
		}
		in[s.key], all[s.key] = true, true
	}
	if lists++; len(all) < leastApart || lists == 1 || lists > mostLists || len(samples)*5 < lists*len(all)*4 {
		return 0, 0
	}
	return lists, first
}

// lists reports an archive with the members of each sample in several lists.
func (w *chain) lists() {
	if lists, first := apart(w.samples); lists > 0 {
		w.c.Wrong(splitSample, w.c.Range(w.c.Pos(), tarfile.Block), nil, nil, model.Saying("the members are sorted by their extensions, in %d lists of up to %d: webdataset reads each of them as a sample with one member", lists, first))
	}
}
