package headless

import (
	"errors"
	"fmt"
	"strconv"
	"time"

	"spandrel/model"
)

// timeIn converts a time of a source to the unit of the column, or parses text.
func timeIn(col *model.Column, unit *model.Clock, v model.Value) (model.Value, error) {
	n := v.Int()
	switch k := col.Clock; {
	case k == nil && col.Kind == model.Text && unit.Length:
		return model.S((time.Duration(n) * unit.Step).String()), nil
	case k == nil && col.Kind == model.Text:
		return model.S(time.Unix(unit.Epoch, 0).UTC().Add(time.Duration(n) * unit.Step).Format(time.RFC3339Nano)), nil
	case k == nil:
		return v, errors.New("it is a time, but the column does not contain times")
	case k.Length != unit.Length:
		return v, errors.New("one is a time, the other a duration")
	default:
		per, times := max(1, int64(k.Step/unit.Step)), max(1, int64(unit.Step/k.Step))
		t := n * times
		if t/times != n || t%per != 0 {
			return v, fmt.Errorf("%s units of %s cannot be expressed in units of %s", strconv.FormatInt(n, 10), unit.Step, k.Step)
		}
		t /= per
		if !k.Length && k.Step <= time.Second {
			t += (unit.Epoch - k.Epoch) * int64(time.Second/k.Step)
		}
		return model.I(t), nil
	}
}

// dateOf parses a date as people, exports and pandas write it; without a zone it is UTC.
func dateOf(text string) (at time.Time, ok bool) {
	for _, layout := range []string{time.RFC3339Nano, "2006-01-02T15:04:05.999999999", "2006-01-02T15:04", "2006-01-02 15:04:05.999999999", "2006-01-02 15:04:05.999999999Z07:00", time.DateOnly} {
		if at, err := time.Parse(layout, text); err == nil {
			return at, true
		}
	}
	return at, false
}

// timeOf is a date or duration that is given as text, in the unit of a column; ok is false if it is none, or no whole number of units.
func timeOf(k *model.Clock, text string) (n int64, ok bool) {
	if k == nil {
		return 0, false
	}
	if k.Length {
		d, err := time.ParseDuration(text)
		return int64(d / k.Step), err == nil && d%k.Step == 0
	}
	at, ok := dateOf(text)
	seconds, fine := at.Unix()-k.Epoch, time.Duration(at.Nanosecond())
	if k.Step > time.Second {
		step := int64(k.Step / time.Second)
		return seconds / step, ok && seconds%step == 0 && fine == 0
	}
	per := int64(time.Second / k.Step)
	n = seconds*per + int64(fine/k.Step)
	return n, ok && fine%k.Step == 0 && (n-int64(fine/k.Step))/per == seconds
}
