package block

import (
	"fmt"
	"math"
	"strconv"
	"strings"
	"time"
)

const (
	// MaxTicks is the end of year 9999, in units of 100 ns since year 1.
	MaxTicks = 3155378975999999999
	// Missing is the missing value of times and signed integers of old writers (§3.9).
	Missing = math.MinInt64

	ticksPerMinute = 600_000_000
	maxZone        = 840
	unixTicks      = 621355968000000000 // of 1970
)

// Date prints ticks since year 1 as ISO 8601.
func Date(ticks int64) string {
	if ticks < 0 || ticks > MaxTicks {
		return fmt.Sprintf("%d ticks", ticks)
	}
	t := time.Unix((ticks-unixTicks)/1e7, (ticks-unixTicks)%1e7*100).UTC()
	return strings.TrimSuffix(t.Format("2006-01-02T15:04:05.0000000"), ".0000000")
}

// ParseDate reads a date as Date prints it, a date without a clock, or ticks.
func ParseDate(s string) (int64, error) {
	s = strings.TrimSuffix(strings.TrimSpace(s), " ticks")
	if n, err := strconv.ParseInt(s, 10, 64); err == nil {
		if n < 0 || n > MaxTicks {
			return 0, fmt.Errorf("%d is not a date: ticks run from 0 to %d", n, int64(MaxTicks))
		}
		return n, nil
	}
	for _, layout := range []string{"2006-01-02T15:04:05.9999999", "2006-01-02 15:04:05.9999999", "2006-01-02T15:04", "2006-01-02 15:04",
		"2006-01-02"} {
		if t, err := time.Parse(layout, s); err == nil {
			if t.Year() < 1 || t.Year() > 9999 {
				break
			}
			return t.Unix()*1e7 + int64(t.Nanosecond())/100 + unixTicks, nil
		}
	}
	return 0, fmt.Errorf("%q is not a date from year 1 to 9999, such as 2013-08-05T12:30:00", s)
}

// zone prints the minutes of a time zone.
func zone(minutes int64) string {
	sign := '+'
	if minutes < 0 {
		sign, minutes = '-', -minutes
	}
	return fmt.Sprintf("%c%02d:%02d", sign, minutes/60, minutes%60)
}

// parseZone parses a date with its time zone: 2013-08-05T12:30:00+02:00; Z and nothing mean UTC.
func parseZone(s string) (ticks, minutes int64, err error) {
	s = strings.TrimSpace(s)
	at := len(s)
	switch n := len(s); {
	case strings.HasSuffix(s, "Z"):
		s, at = s[:n-1], n-1
	case n > 6 && (s[n-6] == '+' || s[n-6] == '-') && s[n-3] == ':':
		h, err1 := strconv.ParseInt(s[n-5:n-3], 10, 64)
		m, err2 := strconv.ParseInt(s[n-2:], 10, 64)
		if err1 != nil || err2 != nil || m > 59 || h*60+m > maxZone {
			return 0, 0, fmt.Errorf("%q is not a time zone from -14:00 to +14:00", s[n-6:])
		}
		if minutes, at = h*60+m, n-6; s[at] == '-' {
			minutes = -minutes
		}
	}
	if ticks, err = ParseDate(s[:at]); err != nil {
		return 0, 0, err
	}
	if utc := ticks - minutes*ticksPerMinute; utc < 0 || utc > MaxTicks {
		return 0, 0, fmt.Errorf("%q is before year 1 or after year 9999 in UTC", s)
	}
	return ticks, minutes, nil
}

// Duration prints a time span as .NET does: [-][d.]hh:mm:ss[.fffffff].
func Duration(ticks int64) string {
	sign := ""
	u := uint64(ticks)
	if ticks < 0 {
		sign, u = "-", -u
	}
	out := fmt.Sprintf("%02d:%02d:%02d", u/36e9%24, u/6e8%60, u/1e7%60)
	if d := u / 864e9; d > 0 {
		out = fmt.Sprintf("%d.%s", d, out)
	}
	if f := u % 1e7; f > 0 {
		out += fmt.Sprintf(".%07d", f)
	}
	return sign + out
}

// ParseDuration reads a time span as Duration prints it, or ticks.
func ParseDuration(s string) (int64, error) {
	s = strings.TrimSpace(s)
	if n, err := strconv.ParseInt(s, 10, 64); err == nil {
		return n, nil
	}
	bad := fmt.Errorf("%q is not a time span, such as 1.02:03:04.5", s)
	rest, negative := strings.CutPrefix(s, "-")
	days := uint64(0)
	if d, after, ok := strings.Cut(rest, "."); ok && strings.Contains(after, ":") && !strings.Contains(d, ":") {
		n, err := strconv.ParseUint(d, 10, 32)
		if err != nil {
			return 0, bad
		}
		days, rest = n, after
	}
	clock, fraction, _ := strings.Cut(rest, ".")
	parts := strings.Split(clock, ":")
	if len(parts) != 3 || len(fraction) > 7 {
		return 0, bad
	}
	var v [3]uint64
	for i, p := range parts {
		n, err := strconv.ParseUint(p, 10, 16)
		if err != nil || n >= [...]uint64{24, 60, 60}[i] {
			return 0, bad
		}
		v[i] = n
	}
	f, err := strconv.ParseUint((fraction + "0000000")[:7], 10, 64)
	if err != nil || days > 10675199 {
		return 0, bad
	}
	u := days*864e9 + v[0]*36e9 + v[1]*6e8 + v[2]*1e7 + f
	if u > math.MaxInt64 {
		return 0, bad
	}
	if negative {
		return -int64(u), nil
	}
	return int64(u), nil
}
