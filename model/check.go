package model

import (
	"fmt"
	"math"
	"strings"
)

// Is is the Check of a field that has one legal value.
func Is(v Value) func(Value) string {
	return func(got Value) string {
		if got.Equal(v) {
			return ""
		}
		return v.String()
	}
}

// AtMost is the Check of a field with values from 0 to most; negative ones are not legal.
func AtMost(most uint64) func(Value) string { return Between(0, most) }

// Between is the Check of a field with values from least to most.
func Between(least, most uint64) func(Value) string {
	want := fmt.Sprintf("%d to %d", least, most)
	return func(v Value) string {
		if n := v.Uint(); n >= least && n <= most && !(v.Kind == Int && v.Int() < 0) {
			return ""
		}
		return want
	}
}

// Zeros is the Check of reserved bytes.
func Zeros(v Value) string {
	if v.IsNumber() && v.Uint() == 0 || !v.IsNumber() && strings.Trim(v.Text(), "\x00") == "" {
		return ""
	}
	return "zeros"
}

// OneOf is the Check of a field whose values all have names.
func OneOf(names Enum) func(Value) string {
	return func(v Value) string {
		if _, ok := names[v.Uint()]; ok {
			return ""
		}
		return "a known value, such as " + names.first()
	}
}

// first is the name of the smallest value.
func (e Enum) first() string {
	least, name := uint64(math.MaxUint64), ""
	for v, s := range e {
		if v <= least {
			least, name = v, fmt.Sprintf("%d (%s)", v, s)
		}
	}
	return name
}
