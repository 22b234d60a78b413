package tiledb

import (
	"context"
	"fmt"
	"math"
	"time"

	"spandrel/model"
	"spandrel/parsers/tiledb/filter"
)

// timeUnits are the lengths of the units of DATETIME_WEEK to DATETIME_NS.
var timeUnits = [...]time.Duration{7 * 24 * time.Hour, 24 * time.Hour, time.Hour, time.Minute, time.Second, time.Millisecond,
	time.Microsecond, time.Nanosecond}

// timeText is a date or time value for people; "" where it has no calendar form.
func timeText(t uint8, v int64) string {
	const firstTime = 31
	switch unit := int(t) - filter.Year; {
	case v == math.MinInt64:
		return "not a time"
	case unit == 0:
		return fmt.Sprint(1970 + v)
	case unit == 1 && v > -1<<32 && v < 1<<32:
		return time.Date(1970, time.Month(1+v), 1, 0, 0, 0, 0, time.UTC).Format("2006-01")
	case unit >= 2 && unit < 2+len(timeUnits):
		step := int64(timeUnits[unit-2])
		perSecond := int64(time.Second) / max(step, 1)
		if perSecond > 1 {
			return time.Unix(floorDiv(v, perSecond),
				(v-floorDiv(v, perSecond)*perSecond)*step).UTC().Format("2006-01-02 15:04:05.999999999")
		}
		if seconds := step / int64(time.Second); v > -1<<40 && v < 1<<40 {
			return time.Unix(v*seconds, 0).UTC().Format("2006-01-02 15:04:05")
		}
	case t >= firstTime && t < firstTime+6:
		step := timeUnits[2+int(t)-firstTime]
		if v > -int64(48*time.Hour/step) && v < int64(48*time.Hour/step) {
			return (time.Duration(v) * step).String()
		}
	}
	return ""
}

func floorDiv(a, b int64) int64 {
	if q := a / b; a%b != 0 && a < 0 {
		return q - 1
	}
	return a / b
}

func timeNote(t uint8) func(context.Context, *model.Tree, *model.Span) string {
	return func(_ context.Context, tree *model.Tree, s *model.Span) string {
		b, ok := tree.Cached(s.Range)
		if !ok || len(b) != 8 {
			return ""
		}
		return timeText(t, int64(filter.Uint(b, 8)))
	}
}
