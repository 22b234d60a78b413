package jsontext

import (
	"encoding/json"
	"strings"
	"testing"
)

// Each slip is found at its place, and the edits make the text that was meant.
func TestSlips(t *testing.T) {
	for text, want := range map[string][2]string{
		"{\"a\": [1, 2,],\n \"b\": 3}":              {`{"a":[1,2],"b":3}`, "line 1, column 12: a comma too many before ]"},
		"{\"a\": 1,\n \"b\": 2,\n}":                 {`{"a":1,"b":2}`, "line 2, column 8: a comma too many before }"},
		"{\"a\": 1\n \"b\": 2}":                     {`{"a":1,"b":2}`, "line 1, column 8: a comma is missing before \"b\""},
		`{"a": [{"x": 1} {"x": 2}]}`:                {`{"a":[{"x":1},{"x":2}]}`, "a comma is missing before {"},
		`{"ä": 'x', 'b': 2}`:                        {`{"b":2,"ä":"x"}`, "line 1, column 7: single quotes instead of double quotes"},
		`{"a": True, "b": [None, False]}`:           {`{"a":true,"b":[null,false]}`, "True instead of true; line 1, column 19: None instead of null"},
		"{ // what\n\"a\": \"http://x#y\" # and\n}": {`{"a":"http://x#y"}`, "line 1, column 3: a comment"},
		"{/* a, b\n */\"a\": 1}":                    {`{"a":1}`, "a comment"},
		"\ufeff{\"a\": 1}":                          {`{"a":1}`, "a byte order mark (BOM)"},
		`{'a': (1, 2), 'b': ((3,), ())}`:            {`{"a":[1,2],"b":[[3],[]]}`, "line 1, column 7: parentheses of Python"},
		`{“a”: ‘x’, „b“: "“y”", ”c”: “”}`:           {`{"a":"x","b":"“y”","c":""}`, "instead of straight ones in 5 places, the first in line 1, column 2"},
		`{“a”: “x ”y” z”}`:                          {"", ""},
		`{&quot;a&quot;: &#34;&lt;&amp;&gt;&#34;}`:  {`{"a":"\u003c\u0026\u003e"}`, "written as in HTML"},
		`{&#39;a&#39;: True}`:                       {`{"a":true}`, "written as in HTML"},
		`{'a': '&lt;'}`:                             {`{"a":"\u0026lt;"}`, "single quotes"},
		`{"a": [1, 2, "b": 3}`:                      {"", ""},
		"{\"a\": {\"b\": [1, 2]\n}":                 {`{"a":{"b":[1,2]}}`, "} is missing at the end"},
		`{"a": {"b": [1, 2}}`:                       {`{"a":{"b":[1,2]}}`, "line 1, column 18: ] is missing before }"},
		`{"a": {"b": [1, 2`:                         {"", ""}, // truncated
		`{"a": }`:                                   {"", ""},
		`{"a" 1}`:                                   {"", ""},
		`{"a": 1} x`:                                {"", ""},
		`{"a": 'it"s'}`:                             {"", ""},
		"{\"a\": \"b\n\"}":                          {"", ""},
		`{"a": "x,]True//'"}`:                       {"", ""}, // nothing is wrong
		strings.Repeat("[", 100_000):                {"", ""},
		`{"a": 1,, "b": 2}`:                         {`{"a":1,"b":2}`, "a comma too many"},
		`{'a': 1, 'b': [2,], 'c': None 'd': 1, }`:   {`{"a":1,"b":[2],"c":null,"d":1}`, "and 5 more"},
	} {
		slips := Slips([]byte(text))
		if want[0] == "" {
			if len(slips) > 0 {
				t.Errorf("%.40s: %v", text, slips)
			}
			continue
		}
		got := Corrected([]byte(text), slips)
		var is any
		if err := json.Unmarshal(got, &is); err != nil {
			t.Errorf("%s: %q: %v", text, got, err)
			continue
		}
		if again, _ := json.Marshal(is); string(again) != want[0] {
			t.Errorf("%s: %s", text, again)
		}
		if says := Saying([]byte(text), slips); !strings.Contains(says, want[1]) {
			t.Errorf("%s: %s", text, says)
		}
	}
}

// Only edits that cannot change a value are plain.
func TestPlainSlips(t *testing.T) {
	for text, want := range map[string]bool{"{\"a\": [1, 2,],}": true, "\ufeff{}": true, "{'a': 1}": false, "[1 2]": false, "[1,,2]": false} {
		plain := true
		for _, s := range Slips([]byte(text)) {
			plain = plain && s.Plain
		}
		if plain != want {
			t.Errorf("%s: %v", text, plain)
		}
	}
}

func FuzzSlips(f *testing.F) {
	f.Add([]byte(`{'a': [1 2,], "b": None // c`))
	f.Fuzz(func(t *testing.T, b []byte) {
		if slips := Slips(b); len(slips) > 0 && !json.Valid(Corrected(b, slips)) {
			t.Errorf("%q", b)
		}
	})
}
