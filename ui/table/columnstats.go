package table

import (
	"context"
	"fmt"
	"math"
	"math/big"
	"sort"
	"strconv"
	"strings"

	"spandrel/model"
	"spandrel/ui/paint"
)

// columnStats is statistics of a column. Vectors count by their items.
type columnStats struct {
	rows, missing, troubled, numbers int64
	least, most, sum, squares        float64
	leastValue, mostValue            model.Value // numbers of 64 bits are more than a float holds
	leastText, mostText              string
	counts                           map[string]int64 // of values, up to distinctMost
	fractions                        bool             // some numbers are not whole by their type
	vectors                          bool             // counts items, not rows
	more                             bool             // there are more distinct values
	sample                           []float64        // for the histogram: every stride-th number
	stride                           int64            // 0: there is no sample
	distinct                         int              // distinct values that are counted
}

func newStats(distinct int, stride int64) *columnStats {
	return &columnStats{counts: map[string]int64{}, distinct: distinct, stride: stride}
}

const (
	distinctMost  = 10_000
	distinctLeast = 100 // of each of many columns
	sampleMost    = 1 << 16
	bins          = 20 // of a histogram, or one more
	frequent      = 20 // values that are listed
)

// add counts one value.
func (s *columnStats) add(v model.Value, label string) {
	if v.Kind == model.None {
		s.missing++
		return
	}
	text := paint.ClipText(v.String(), 80)
	if label != "" {
		text += " " + label
	}
	if _, known := s.counts[text]; known || len(s.counts) < s.distinct {
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
		s.least, s.leastText, s.leastValue = f, text, v
	}
	if s.numbers == 0 || f > s.most {
		s.most, s.mostText, s.mostValue = f, text, v
	}
	s.sum, s.squares = s.sum+f, s.squares+f*f
	if s.stride > 0 {
		s.keep(f)
	}
	s.numbers++
}

// keep adds every stride-th number to the sample. A full one is thinned by half, so that it always spans the whole column.
func (s *columnStats) keep(f float64) {
	if len(s.sample) == sampleMost && s.numbers%s.stride == 0 {
		for i := range sampleMost / 2 {
			s.sample[i] = s.sample[2*i]
		}
		s.sample, s.stride = s.sample[:sampleMost/2], 2*s.stride
	}
	if s.numbers%s.stride == 0 {
		s.sample = append(s.sample, f)
	}
}

// statsOf reads whole columns. If there are several, none has a sample, and fewer distinct values are counted.
func statsOf(ctx context.Context, t *model.Table, cols []int, progress func(done, total int64)) ([]*columnStats, error) {
	list, stride := make([]*columnStats, len(cols)), int64(0)
	if len(cols) == 1 {
		stride = 1
	}
	for i := range list {
		list[i] = newStats(max(distinctMost/len(cols), distinctLeast), stride)
	}
	err := t.Each(ctx, 0, t.Rows, progress, func(_ int64, row model.Row) error {
		for i, col := range cols {
			list[i].addCell(&row[col])
		}
		return nil
	})
	return list, err
}

// addCell counts a row.
func (s *columnStats) addCell(c *model.Cell) {
	s.rows++
	switch {
	case c.Trouble != "":
		s.troubled++
	case c.Vector:
		s.vectors = true
		for _, v := range c.Items {
			s.add(v, "")
		}
	default:
		s.add(c.Value, c.Label)
	}
}

// statLine is a value, or a range of values, and its frequency.
type statLine struct {
	text  string
	n     int64
	about bool    // counted in a sample
	of    float64 // its share of the most frequent value, for a bar
	where string  // condition that selects its rows; %s is the column. Empty: none
}

// facts are the statistics of the whole column: labels and values.
func (s *columnStats) facts() (out [][2]string) {
	say := func(label, format string, args ...any) {
		out = append(out, [2]string{label, fmt.Sprintf(format, args...)})
	}
	distinct := model.Thousands(int64(len(s.counts)))
	if s.more {
		distinct = "more than " + distinct
	}
	say("rows", "%s", model.Thousands(s.rows))
	say("missing", "%s", model.Thousands(s.missing))
	if s.troubled > 0 {
		say("unreadable", "%s", model.Thousands(s.troubled))
	}
	say("distinct", "%s", distinct)
	if s.numbers > 0 {
		mean := s.sum / float64(s.numbers)
		say("min", "%s", s.leastText)
		say("max", "%s", s.mostText)
		say("mean", "%s", plain(mean))
		say("deviation", "%s", plain(math.Sqrt(max(0, s.squares/float64(s.numbers)-mean*mean))))
	}
	return out
}

// top lists the most frequent values, unless there are many and all are different.
func (s *columnStats) top() (out []statLine) {
	for t, n := range s.counts {
		out = append(out, statLine{text: t, n: n, about: s.more})
	}
	sort.Slice(out, func(i, j int) bool { return out[i].n > out[j].n || out[i].n == out[j].n && out[i].text < out[j].text })
	if len(out) > frequent && out[0].n == 1 {
		return nil // none is there twice
	}
	out = out[:min(len(out), frequent)]
	for i := range out {
		l := &out[i]
		l.of = float64(l.n) / float64(out[0].n)
		value, _, _ := strings.Cut(l.text, " ")
		if s.numbers == 0 {
			value = l.text
		}
		if !s.vectors && value != "" && len(value) < 80 && !strings.ContainsAny(value, "!=<>~%") && strings.TrimSpace(value) == value {
			l.where = "%s = " + value
		}
	}
	return out
}

// plain prints a number without an exponent if that is legible.
func plain(f float64) string {
	if a := math.Abs(f); a == 0 || a >= 1e-4 && a < 1e21 {
		text := strconv.FormatFloat(f, 'f', max(0, 6-int(math.Log10(max(a, 1)))), 64)
		if strings.Contains(text, ".") {
			text = strings.TrimRight(strings.TrimRight(text, "0"), ".")
		}
		return text
	}
	return strconv.FormatFloat(f, 'g', 6, 64)
}

// histogram counts the numbers of a column by range. The ranges have a round length (1, 2 or 5, and zeros) and begin at a
// multiple of it; those of integers are exact, whatever their size.
func (s *columnStats) histogram() []statLine {
	if s.numbers == 0 || s.least == s.most || s.mostValue.Kind == model.Bool {
		return nil
	}
	out, place := s.ranges()
	most := int64(0)
	for _, f := range s.sample {
		l := &out[max(0, min(len(out)-1, place(f)))]
		l.n += s.stride
		most = max(most, l.n)
	}
	for i := range out {
		out[i].of, out[i].about = float64(out[i].n)/float64(most), s.stride > 1
		if s.vectors {
			out[i].where = ""
		}
	}
	return out
}

// ranges are the ranges of the histogram, and a function that finds the range of a number.
func (s *columnStats) ranges() (out []statLine, place func(float64) int) {
	if s.fractions {
		step := roundStep(s.most/bins - s.least/bins)
		first := math.Floor(s.least / step)
		if !(step > 0) || math.Abs(first) > 1<<52 { // ranges that numbers so close, or so large, cannot tell apart
			return []statLine{{text: plain(s.least) + " to " + plain(s.most)}}, func(float64) int { return 0 }
		}
		for k := range int(math.Floor(s.most/step)-first) + 1 {
			i := first + float64(k)
			from, to := plain(max(i*step, -math.MaxFloat64)), plain(min((i+1)*step, math.MaxFloat64))
			out = append(out, statLine{text: from + " to " + to, where: "%[1]s >= " + from + " and %[1]s < " + to})
		}
		return out, func(f float64) int { return int(math.Floor(f/step) - first) }
	}
	step, _ := big.NewFloat(roundStep(math.Max(1, (s.most-s.least)/bins))).Int(nil)
	first, most := new(big.Int).Div(whole(s.leastValue), step), whole(s.mostValue) // Euclid's: it rounds down
	one := big.NewInt(1)
	for from := new(big.Int).Mul(first, step); from.Cmp(most) <= 0; {
		next := new(big.Int).Add(from, step)
		to := new(big.Int).Sub(next, one)
		l := statLine{text: fmt.Sprintf("%d to %d", from, to), where: fmt.Sprintf("%%[1]s >= %d and %%[1]s <= %d", from, to)}
		if len(next.String()) > 9 {
			l.text = short(from) + " to below " + short(next)
		}
		if from.Cmp(to) == 0 {
			l.text, l.where = from.String(), "%s = "+from.String()
		}
		out, from = append(out, l), next
	}
	wide, _ := new(big.Float).SetInt(step).Float64()
	low, _ := new(big.Float).SetInt(first).Float64()
	return out, func(f float64) int { return int(math.Floor(f/wide) - low) }
}

// short prints an integer that ends in zeros with an exponent instead.
func short(n *big.Int) string {
	text := n.String()
	digits := strings.TrimRight(text, "0")
	sign := len(digits) - len(strings.TrimPrefix(digits, "-"))
	if len(text)-len(digits) < 6 {
		return text
	}
	exponent := len(text) - sign - 1
	if lead := digits[:sign+1]; len(digits) > sign+1 {
		return fmt.Sprintf("%s.%se%d", lead, digits[sign+1:], exponent)
	}
	return fmt.Sprintf("%se%d", digits, exponent)
}

// whole is an integer of any size.
func whole(v model.Value) *big.Int {
	if v.Kind == model.Int {
		return big.NewInt(v.Int())
	}
	return new(big.Int).SetUint64(v.Uint())
}

// roundStep is the smallest of 1, 2, 5, 10, 20, 50 … and their tenths that is not below x.
func roundStep(x float64) float64 {
	ten := math.Pow(10, math.Floor(math.Log10(x)))
	for _, k := range []float64{1, 2, 5} {
		if k*ten >= x {
			return k * ten
		}
	}
	return 10 * ten
}
