package tar

import (
	"fmt"
	"path"
	"strings"
	"sync"
	"sync/atomic"

	"github.com/cespare/xxhash/v2"

	"spandrel/model"
	"spandrel/parsers/internal/tarfile"
)

// file is stored with a tree.
type file struct {
	members   *model.Span
	ends      int64           // where the last member should end; 0 if it ends inside the file
	inHeader  bool            // the file ends inside the header of that member
	displaced bool            // the last member extends past the end of the file and contains the end of the archive
	lost      bool            // a header is not where it should be
	moved     int64           // by how many bytes members come too late; negative: too early
	torn      int64           // where a header should be after a payload that goes over into others; 0: nowhere
	tornName  string          // the name of that payload's member
	count     int64           // members without helper headers
	last      string          // the name of the last one
	sound     [][]byte        // valid headers to compare damaged ones with, read on demand
	helpers   []int64         // what is no member in the chain: helper headers, which hold long names and records for the next one, ends before members, and what shifts those after it
	described bool            // some of them are helper headers
	repeats   atomic.Bool     // samples are in the archive twice
	sizes     map[int64]int64 // payload sizes that records give, by the offset of the header
	resummed  sync.Once
	resum     []model.Fix      // of checksums, if the texts of several headers were changed
	wiped     map[int64]int64  // zeros that end no archive, and where what describes a member that they cover begins
	beside    map[int64]beside // what is around damaged headers
	samples   []begin          // of a dataset shard: where each sample begins; nil if fewer than two have several members
}

// begin is the first member of a sample, by its index in the table of members, the hash of the sample's key, and the sum of those of its extensions.
type begin struct {
	row       int64
	key, exts uint64
	several   bool // members
}

func detect(name string, head, _ []byte, _ int64) (sure model.Confidence, reason string) {
	named := strings.HasSuffix(strings.ToLower(name), ".tar")
	switch {
	case tarfile.IsHeader(head):
		return 90, ""
	case tarfile.Looks(head):
		return 70, ""
	case renamedFirst(func(off, n int64) []byte { return head[min(off, int64(len(head))):min(off+n, int64(len(head)))] }) != 0:
		return 90, "" // as sure as of a member after it
	case named:
		return 15, ""
	case len(head) < tarfile.Block:
		return 0, "is shorter than a 512-byte header"
	}
	return 0, "the first 512 bytes are not a header: the checksum at 0x94 does not match"
}

// renamedFirst tells by how many bytes the name in the first header became longer or shorter; 0 if it did not. A shorter one in front of a header that is whole
// is a file whose first bytes are missing.
func renamedFirst(read tarfile.Reader) int {
	h, by := tarfile.Renamed(read(0, tarfile.Block+tarfile.MostRenamed))
	if h == nil || by > 0 {
		return by
	}
	first := tarfile.Parse(h)
	next := tarfile.Block + int64(by) + tarfile.Padded(max(0, first.Payload()))
	if _, more := tarfile.Renamed(read(next, tarfile.Block+tarfile.MostRenamed)); more == 0 {
		return 0
	}
	return by
}

func parse(c *model.Cursor) {
	f := &file{wiped: map[int64]int64{}, beside: map[int64]beside{}}
	c.Tree().State = f
	n := f.length(c)
	if n > 0 {
		f.members = c.Sequence(members, member, n, step).Span
	}
	_, zeros := tarfile.PieceAt(c.Context(), c.PeekAt, c.Pos(), c.Pos()+c.Left())
	if rest := c.Left() - zeros; rest < tarfile.Block && model.AllZero(c.PeekAt(c.Pos()+zeros, rest)) {
		zeros = c.Left()
	}
	if zeros < 2*tarfile.Block {
		c.Wrong(noEnd, c.Range(c.Pos()+zeros, 0), model.Words("%d bytes of zeros", zeros), "two blocks of 512 zeros", f.stops())
	}
	if zeros > 0 {
		c.FieldN(end, zeros)
	}
	if c.Left() > 0 {
		n := c.Rest(behind)
		c.Wrong(behindEnd, n, model.Words("%s bytes", model.Thousands(n.Range.Len)), "the end of the file")
	}
}

// stops says where an archive without an end stops.
func (f *file) stops() model.Detail {
	switch {
	case f.displaced:
		return model.Saying("by its size, %s would end past the end of the file, but other members and the end of the archive follow its header: some of its bytes are missing, or are elsewhere", f.last)
	case f.ends > 0:
		return model.Saying("the archive is truncated: it ends inside its last member, so the two blocks of zeros at the end are missing too")
	case f.count == 0 && len(f.helpers) > 0:
		return model.Saying("the archive is truncated: it ends before its first member, after headers that describe it")
	case f.count == 0:
		return model.Saying("the archive has no members and no end")
	}
	return model.Saying("the archive stops after %s without the two blocks of zeros at the end: it was truncated there, or never finished. "+
		"Its %s members are complete; whether more followed is unknown", f.last, model.Thousands(f.count))
}

// chain is the walk along the headers of an archive.
type chain struct {
	*file
	c       *model.Cursor
	at, end int64
	next    described
	group   sample
	macOS   int64 // members that macOS adds
	oddly   int64 // offset of the header of the first
	alone   int64 // offset of a helper header without a member after it so far; -1
	helps   int64 // … of the first of several
	content int64 // offset after the last member's header, if nothing is wrong so far; -1
}

// length returns the length of the chain of members: up to the zeros after the last. After a damaged header it continues at the next one.
func (f *file) length(c *model.Cursor) int64 {
	w := &chain{file: f, c: c, at: c.Pos(), end: c.Pos() + c.Left(), next: undescribed(), alone: -1, helps: -1, content: -1}
	for i := int64(0); w.at < w.end && c.Context().Err() == nil && w.piece(i); i++ {
	}
	if w.alone >= 0 && f.ends == 0 && !f.displaced {
		c.Wrong(cut, c.Range(w.alone, tarfile.Block), "the end of the archive", "the member that the header describes",
			model.Saying("a header that describes the next member is the last one: the member is missing"))
	}
	if w.group.samples == 0 {
		w.lists()
	}
	if w.group.samples < 2 {
		f.samples = nil
	}
	if w.macOS > 0 {
		c.Wrong(fromMacOS, c.Range(w.oddly, tarfile.Block), model.Words("%s of %s members", model.Thousands(w.macOS), model.Thousands(f.count)), nil,
			model.Saying("%s that macOS added: attributes of other files (names with ._) or settings of folders (.DS_Store)", model.Count(w.macOS, "members are files")))
	}
	return w.at - c.Pos()
}

// piece processes child i of the chain, and tells whether there is one.
func (w *chain) piece(i int64) bool {
	piece, n := tarfile.PieceAt(w.c.Context(), w.c.PeekAt, w.at, w.end)
	if piece == tarfile.End {
		return false
	}
	if piece == tarfile.Damaged && w.sound == nil {
		w.sound = append([][]byte{}, tarfile.Headers(w.c.Context(), w.c.PeekAt, w.end)...) // looked for once, even if there are none
	}
	w.lost = w.lost || misplaced(piece, n, i)
	if w.alone = -1; piece != tarfile.Member {
		w.between(piece, n)
		w.next, w.group.key = undescribed(), ""
		if noMember(piece, n) {
			w.helpers = append(w.helpers, i)
		}
		if piece == tarfile.Lost {
			w.tear()
		}
		w.displace()
	} else if n = w.link(n, i); n < 0 {
		return false
	} else if i == 0 || w.content >= 0 {
		w.content = w.at + tarfile.Block
	}
	if w.at += n; w.at > w.end {
		w.overrun(w.at-n, i > 0 || piece == tarfile.Member, piece == tarfile.Lost)
	}
	return true
}

// overrun processes a last piece that should end after the file does. Unless it is sure, only the header shows that this is an archive.
func (w *chain) overrun(start int64, sure, lost bool) {
	w.displaced = tarfile.Ended(w.c.Context(), w.c.PeekAt, start+tarfile.Block, w.end)
	if !w.displaced && (sure || tarfile.Looks(w.c.PeekAt(w.c.Pos(), tarfile.Block))) {
		w.ends, w.inHeader = w.at, lost
	} else {
		w.displace()
	}
	w.at = w.end
}

// displace measures by how many bytes what follows the last member is displaced.
func (w *chain) displace() {
	if w.content >= 0 {
		w.moved, w.content = tarfile.Moved(w.c.Context(), w.c.PeekAt, w.content, w.at, w.end), -1
	}
}

// tear notes that bytes which belong elsewhere fill the padding of the member before a place: where they begin inside it is unknown.
func (w *chain) tear() {
	if w.content < 0 {
		return
	}
	h := tarfile.Parse(w.c.PeekAt(w.content-tarfile.Block, tarfile.Block))
	ends := w.content + max(0, h.Payload())
	if own, ok := w.sizes[w.content-tarfile.Block]; ok {
		ends = w.content + own
	}
	if !model.AllZero(w.c.PeekAt(w.at, tarfile.Block)) && !model.AllZero(w.c.PeekAt(ends, max(0, w.at-ends))) {
		w.torn, w.tornName = w.at, w.last
	}
}

// link processes child i of the chain, a header of n bytes with its payload, and returns its length.
func (w *chain) link(n, i int64) int64 {
	b := w.c.PeekAt(w.at, tarfile.Block)
	h := tarfile.Parse(b)
	if isHelper(h.Typ) {
		w.helpers, w.alone, w.described = append(w.helpers, i), w.at, true
		if w.helps < 0 {
			w.helps = w.at
		}
		w.next.add(h, w.c.PeekAt(w.at+tarfile.Block, max(0, min(h.Size, mostHelper))))
		return n
	}
	if size := w.next.payload(h); size != h.Payload() {
		if w.sizes == nil {
			w.sizes = map[int64]int64{}
		}
		w.sizes[w.at] = size
		n += tarfile.Padded(size) - tarfile.Padded(max(0, h.Payload()))
	}
	w.helps = -1
	w.count++
	w.last, _ = w.next.name(b, h)
	if base := path.Base(w.last); strings.HasPrefix(base, "._") || base == ".DS_Store" {
		if w.macOS++; w.macOS == 1 {
			w.oddly = w.at
		}
	}
	if regular := h.Typ == '0' || h.Typ == 0; regular {
		w.sample(i)
	}
	w.next = undescribed()
	return n
}

// sample adds child i, a file, to its sample.
func (w *chain) sample(i int64) {
	if w.group.hasDuplicate(w.last) {
		grade := model.Warning
		if w.group.samples > 1 {
			grade = model.Error
		}
		w.c.Wrong(sameName, w.c.Range(w.at, tarfile.Block), w.last, "another name, or one member", model.Graded(grade))
	}
	if w.group.began {
		w.samples = append(w.samples, begin{row: i - int64(len(w.helpers)), key: xxhash.Sum64String(w.group.key)})
	}
	if w.group.key != "" {
		s := &w.samples[len(w.samples)-1]
		s.exts, s.several = s.exts+xxhash.Sum64String(strings.ToLower(w.last[len(w.group.key)+1:])), s.exts != 0
	}
}

// step reads a member, or the bytes up to the next one.
func step(c *model.Cursor) {
	piece, n := tarfile.PieceAt(c.Context(), c.PeekAt, c.Pos(), c.Pos()+c.Left())
	n = min(n, c.Left())
	if piece == tarfile.End && n >= 2*tarfile.Block && n == c.Left() {
		piece = tarfile.Stop // a member follows, but is not seen from here
	}
	b := c.Peek(tarfile.Block)
	switch {
	case piece == tarfile.Member:
		readMember(c)
	case piece == tarfile.Damaged:
		readHeader(c, n)
		if n > tarfile.Block {
			c.FieldN(lost, n-tarfile.Block)
		}
	case piece == tarfile.Stop:
		f, more := end, []model.Detail(nil)
		if _, wiped := model.StateOf[*file](c.Tree()).wiped[c.Pos()]; wiped {
			f, more = lost, append(more, model.Saying("%s bytes are zero where members should be: readers stop there, and miss the members after them", model.Thousands(n)))
		}
		c.Wrong(joined, c.FieldN(f, n), model.Words("%s bytes of zeros", model.Thousands(n)), "a header of 512 bytes", more...)
	case model.AllZero(b):
		c.Wrong(noHeader, c.FieldN(lost, n), "zeros", "a header of 512 bytes", model.Saying("there are zeros instead of the header of a member: "+
			"the bytes up to the next header belong to a member whose name and size are lost"))
	default:
		more := passes(c, n)
		if h, by := tarfile.Renamed(c.Peek(tarfile.Block + tarfile.MostRenamed)); h != nil && (c.Pos() > c.Base() || renamedFirst(c.PeekAt) != 0) {
			more = append(more, model.Saying("the header of %s is %d bytes instead of 512: its name was replaced by one of another length, which shifts everything after it",
				tarfile.Parse(h).Name, tarfile.Block+by))
		}
		at := c.Range(c.Pos(), min(n, tarfile.Block)) // zeros after it may be the end of another archive
		c.Wrong(noHeader, model.Spot{Span: c.FieldN(lost, n).Span, Range: at}, model.Opening(b), "a header of 512 bytes", more...)
	}
}

// passes says what a header that is missing after n bytes that belong elsewhere means.
func passes(c *model.Cursor, n int64) []model.Detail {
	f := model.StateOf[*file](c.Tree())
	if f.torn == 0 || f.torn != c.Pos() {
		return nil
	}
	follows := "no header follows"
	if next := c.PeekAt(c.Pos()+n, tarfile.Block); tarfile.IsHeader(next) {
		follows = fmt.Sprintf("the next header, at 0x%x, is that of %s", c.Pos()+n, tarfile.Parse(next).Name)
	}
	return []model.Detail{model.Saying("%s goes over into bytes that are not its own: a piece of the archive that begins inside it is missing, or was overwritten; %s", f.tornName, follows)}
}

// readMember reads a header with its payload and padding.
func readMember(c *model.Cursor) {
	b := c.Peek(tarfile.Block)
	h, ext := tarfile.Parse(b), tarfile.Mapped(c.PeekAt, c.Pos(), c.Pos()+c.Left(), b)
	want := h.Payload()
	if n, ok := model.StateOf[*file](c.Tree()).sizes[c.Pos()]; ok {
		want = n
	}
	size := readHeader(c, 0)
	if h.Size < 0 && want < 0 {
		return
	}
	tarfile.ReadMap(c, ext)
	have := min(want, c.Left())
	if have < want {
		c.Wrong(cut, size, model.Words("%s of %s bytes of %s", model.Thousands(have), model.Thousands(want), h.Name), "all of them")
	}
	body := readPayload(c, h, have)
	if want == h.Size {
		c.LengthOf(size, body).When(have == want)
	}
	full := tarfile.Padded(have) - have
	left := min(full, c.Left())
	pad := c.FieldN(padding, left)
	if have == want && left < full {
		c.Wrong(cut, pad, model.Words("%s bytes", model.Thousands(left)), model.Words("%s bytes", model.Thousands(full)),
			model.Saying("%s is complete, but the archive ends inside its last block, and readers reject it", h.Name))
	}
	c.PadOf(pad, tarfile.Block, 0, body)
	if !model.AllZero([]byte(pad.Text())) {
		c.Wrong(oddPadding, pad, fmt.Sprintf("% x", pad.Text()[:min(16, len(pad.Text()))]), "zeros")
	}
}

// readHeader reads the fields of a header and links its checksum. It returns the size. For a damaged one length is the distance to the next.
func readHeader(c *model.Cursor, length int64) (size model.Node) {
	c.Block(header, tarfile.Block, func(c *model.Cursor) {
		var sum model.Node
		var others []model.Node
		head := tarfile.Parse(c.Peek(tarfile.Block))
		for _, f := range fields {
			if f.Name == "prefix" && head.Typ == 'S' {
				others = append(others, tarfile.ReadTail(c)...)
				break
			}
			n := c.Field(f)
			switch f.Name {
			case "checksum":
				sum = n
				continue
			case "size":
				size = n
			}
			others = append(others, n)
		}
		// Members are read again and again, and findings of links are not reported then: the sum is compared here.
		c.ChecksumOf(sum, tarfile.HeaderSum, others...).When(head.SumOK)
		if !head.SumOK {
			damagedHeader(c, sum, others, length)
		}
	})
	return size
}

// readPayload reads the content of a member: records, a long name, or bytes.
func readPayload(c *model.Cursor, h tarfile.Head, n int64) model.Node {
	switch {
	case (h.Typ == 'x' || h.Typ == 'g') && n <= 1<<20:
		return tarfile.Records(c, n, badRecord)
	case (h.Typ == 'L' || h.Typ == 'K') && n <= 1<<20:
		return c.FieldN(longName, n)
	}
	return c.FieldN(payload, n)
}
