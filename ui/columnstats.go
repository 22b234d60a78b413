package ui

import (
	"context"
	"fmt"
	"math"
	"sort"
	"strconv"
	"strings"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/container"
	"fyne.io/fyne/v2/widget"

	"spandrel/model"
	"spandrel/ui/paint"
)

// columnStats is what a column holds. Vectors count by their items.
type columnStats struct {
	rows, missing, troubled, numbers int64
	least, most, sum, squares        float64
	leastText, mostText              string           // as the values print: numbers of 64 bits are more than a float holds
	counts                           map[string]int64 // of values, up to distinctMost
	fractions                        bool             // some numbers are not whole by their type
	more                             bool             // there are more distinct values
	sample                           []float64        // for the histogram: every stride-th number
	stride                           int64
}

const (
	distinctMost = 10_000
	sampleMost   = 1 << 16
	statsPage    = 4096
	bins         = 20
)

// add counts one value. The sample is thinned by half when it is full, so that it always spans the whole column.
func (s *columnStats) add(v model.Value, label string) {
	if v.Kind == model.None {
		s.missing++
		return
	}
	text := paint.ClipText(v.String(), 80)
	if label != "" {
		text += " " + label
	}
	if _, known := s.counts[text]; known || len(s.counts) < distinctMost {
		s.counts[text]++
	} else {
		s.more = true
	}
	f := v.Float()
	if !v.IsNumber() || math.IsNaN(f) || math.IsInf(f, 0) {
		return
	}
	s.fractions = s.fractions || v.Kind == model.Float
	if s.numbers == 0 || f < s.least {
		s.least, s.leastText = f, text
	}
	if s.numbers == 0 || f > s.most {
		s.most, s.mostText = f, text
	}
	s.sum, s.squares = s.sum+f, s.squares+f*f
	if s.numbers%s.stride == 0 {
		if len(s.sample) == sampleMost {
			for i := range sampleMost / 2 {
				s.sample[i] = s.sample[2*i]
			}
			s.sample, s.stride = s.sample[:sampleMost/2], 2*s.stride
		}
		if s.numbers%s.stride == 0 {
			s.sample = append(s.sample, f)
		}
	}
	s.numbers++
}

// statsOf reads a whole column.
func statsOf(ctx context.Context, t *model.Table, col int, progress func(done, total int64)) (*columnStats, error) {
	s := &columnStats{counts: map[string]int64{}, stride: 1}
	for first := int64(0); first < t.Rows; first += statsPage {
		rows, err := t.Read(ctx, first, statsPage)
		if err != nil {
			return s, err
		}
		for _, row := range rows {
			s.rows++
			switch c := row[col]; {
			case c.Trouble != "":
				s.troubled++
			case c.Vector:
				for _, v := range c.Items {
					s.add(v, "")
				}
			default:
				s.add(c.Value, c.Label)
			}
		}
		if progress(first, t.Rows); len(rows) == 0 || ctx.Err() != nil {
			break
		}
	}
	return s, ctx.Err()
}

// String prints the statistics as fixed-width text with a histogram, or the most frequent values where there are no numbers.
func (s *columnStats) String() string {
	var b strings.Builder
	fmt.Fprintf(&b, "rows      %d\nmissing   %d\n", s.rows, s.missing)
	if s.troubled > 0 {
		fmt.Fprintf(&b, "unreadable %d\n", s.troubled)
	}
	distinct := fmt.Sprint(len(s.counts))
	if s.more {
		distinct = "more than " + distinct
	}
	fmt.Fprintf(&b, "distinct  %s\n", distinct)
	if s.numbers > 0 {
		mean := s.sum / float64(s.numbers)
		fmt.Fprintf(&b, "minimum   %s\nmaximum   %s\nmean      %s\ndeviation %s  (standard)\n\n", s.leastText, s.mostText, plain(mean), plain(
			math.Sqrt(max(0, s.squares/float64(s.numbers)-mean*mean))))
		s.histogram(&b)
	}
	type entry struct {
		text string
		n    int64
	}
	var top []entry
	for t, n := range s.counts {
		top = append(top, entry{t, n})
	}
	sort.Slice(top, func(i, j int) bool { return top[i].n > top[j].n || top[i].n == top[j].n && top[i].text < top[j].text })
	b.WriteString("\nmost frequent\n")
	for _, e := range top[:min(len(top), 12)] {
		fmt.Fprintf(&b, "%9d  %s\n", e.n, e.text)
	}
	return b.String()
}

// plain prints a number without an exponent where that can be read.
func plain(f float64) string {
	if a := math.Abs(f); a == 0 || a >= 1e-4 && a < 1e15 {
		text := strconv.FormatFloat(f, 'f', max(0, 6-int(math.Log10(max(a, 1)))), 64)
		if strings.Contains(text, ".") {
			text = strings.TrimRight(strings.TrimRight(text, "0"), ".")
		}
		return text
	}
	return strconv.FormatFloat(f, 'g', 6, 64)
}

func (s *columnStats) histogram(b *strings.Builder) {
	n, step := make([]int, bins), (s.most-s.least)/bins
	if !s.fractions { // of whole numbers, each line is as many of them
		step = math.Ceil((s.most - s.least + 1) / bins)
		n = n[:min(bins, int((s.most-s.least)/step)+1)]
	}
	most := 1
	for _, f := range s.sample {
		i := 0
		if s.most > s.least {
			i = int(min(float64(len(n)-1), (f-s.least)/step))
		}
		n[i]++
		most = max(most, n[i])
	}
	for i, k := range n {
		fmt.Fprintf(b, "%16s  %s %d\n", plain(s.least+step*float64(i)), strings.Repeat("█", (40*k+most-1)/most), int64(k)*s.stride)
	}
}

// statisticsHere asks for those of the column of the chosen cell, or of one of them.
func (t *tablePane) statisticsHere() {
	if t.table == nil || len(t.table.Columns) == 0 {
		t.d.wb.status.say("the document has no table")
		return
	}
	t.d.frame.show(tabTable)
	if t.Current >= 0 && t.SelColumn > 0 {
		t.statistics(t.SelColumn - 1)
		return
	}
	var names []string
	for _, c := range t.table.Columns {
		names = append(names, c.Name)
	}
	t.d.wb.talk.pick("Statistics of a column", names, t.statistics)
}

// statistics reads a column in the background and shows what it holds.
func (t *tablePane) statistics(col int) {
	table, wb := t.table, t.d.wb
	name := table.Columns[col].Name
	wb.submit(model.Job{Title: "statistics of " + name, Priority: model.Index,
		Run: func(ctx context.Context, progress func(done, total int64)) (any, error) {
			return statsOf(ctx, table, col, progress)
		},
		Done: func(v any, err error) {
			s, ok := v.(*columnStats)
			if !ok || err != nil {
				wb.talk.fail("The statistics of "+name+" stopped", err)
				return
			}
			text := widget.NewLabelWithStyle(s.String(), fyne.TextAlignLeading, fyne.TextStyle{Monospace: true})
			wb.shell.box("Column "+name, container.NewScroll(text), fyne.NewSize(640, 620), "Close", nil)
		}})
}
