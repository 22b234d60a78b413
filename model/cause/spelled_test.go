package cause

import (
	"bytes"
	"encoding/ascii85"
	"encoding/base32"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"net/url"
	"strings"
	"testing"
)

// TestSpellings takes back what each way of writing bytes as text makes of them, and says that it is that way and no other.
func TestSpellings(t *testing.T) {
	in := []byte(strings.Repeat("\x93NUMPY\x01\x00v\x00{'descr': '<f8'} \xff\xfe\x00\x00\x00\x00", 9) + "end")
	runes := make([]rune, len(in))
	for i, x := range in {
		runes[i] = rune(x)
	}
	quoted, _ := json.Marshal(string(runes))
	var adobe bytes.Buffer
	w := ascii85.NewEncoder(&adobe)
	w.Write(in)
	w.Close()
	std := base64.StdEncoding.EncodeToString(append([]byte("\xfb\xef\xbe"), in...)) // it begins with +
	for _, s := range []struct{ as, text, want string }{
		{"one character 0 or 1", strings.NewReplacer("[", "", "]", "", " ", "").Replace(fmt.Sprintf("%08b", in)), string(in)},
		{"hexadecimal", fmt.Sprintf("% X", in), string(in)},
		{"base32", base32.StdEncoding.EncodeToString(in), string(in)},
		{"each + became a space", strings.ReplaceAll(std, "+", " "), "\xfb\xef\xbe" + string(in)},
		{"list of numbers", strings.Repeat("0\n", 64), strings.Repeat("\x00", 64)},
		{"in base64", base64.RawURLEncoding.EncodeToString(in), string(in)},
		{"its end is missing", std[:101], ("\xfb\xef\xbe" + string(in))[:75]},
		{"%XX", url.PathEscape(string(in)), string(in)},
		{"Ascii85", "<~" + adobe.String() + "~>\n", string(in)},
		{"Ascii85", adobe.String(), string(in)},
		{"hexadecimal", fmt.Sprintf("X'%X'", in), string(in)},
		{"hexadecimal", fmt.Sprintf("\\x%x\n", in), string(in)},
		{"in base64", base64.StdEncoding.EncodeToString(in[:100]) + base64.StdEncoding.EncodeToString(in[100:]), string(in)},
		{"printed form", fmt.Sprintf("bytearray(b'%s')", `\x93NUMPY\x01\x00v\x00{\'descr\'}`), "\x93NUMPY\x01\x00v\x00{'descr'}"},
		{"with a backslash", `\223NUMPY\001\000v\000\000\000\000{'descr'}\\\n`, "\x93NUMPY\x01\x00v\x00\x00\x00\x00{'descr'}\\\n"},
		{"MySQL", strings.Repeat("\x93\\0\xff\\\t\\\n\\\\", 9) + "\n", strings.Repeat("\x93\x00\xff\t\n\\", 9)},
		{"MySQL", strings.Repeat("\x93\\0\n\\'\\Z", 9), strings.Repeat("\x93\x00\n'\x1a", 9)},
		{"list of numbers", strings.Repeat("1.470000000000000000e+02\n", 64), strings.Repeat("\x93", 64)},
		{"words of 16 bits", "0000000 4e93 4d55 5950 0001 0076 277b 6564 6373\n0000010 2772 0020\n0000013\n", "\x93NUMPY\x01\x00v\x00{'descr' "},
		{"in Intel HEX", ":020000040000FA\r\n:0800FC00934E554D50590100CF\r\n:020104000001F8\r\n:00000001FF\r\n", "\x93NUMPY\x01\x00\x00\x01"},
		{"Intel HEX, and its end", ":0800FC00934E554D50590100CF\n:02010400", "\x93NUMPY\x01\x00"},
		{"Docker", "\x01\x00\x00\x00\x00\x00\x00\x06\x93NUMPY\x01\x00\x00\x00\x00\x00\x00\x02\x01\x00", "\x93NUMPY\x01\x00"},
		{"gRPC", "\x00\x00\x00\x00\x06\x93NUMPY\x00\x00\x00\x00\x02\x01\x00", "\x93NUMPY\x01\x00"},
		{"a tape", "\x09\x00\x00\x00\x93NUMPY\x01\x00!\x00\x09\x00\x00\x00\x02\x00\x00\x00??\x02\x00\x00\x00\x00\x00\x00\x00\xff\xff\xff\xff", "\x93NUMPY\x01\x00!??"},
		{"a tape", "\x00\x00\x00\x09\x93NUMPY\x01\x00!\x00\x00\x00\x09\x00\x00\x00\x02??\x00\x00\x00\x02", "\x93NUMPY\x01\x00!??"},
		{"JSON string", string(quoted), string(in)},
		{"by uuencode, and its lines lost", "begin 644 a\r\n)86)C\r\n`\r\nend\r\n", "abc\x00\x00\x00\x00\x00\x00"},
		// As Python's base64.b85encode writes it.
		{"base85", "Xk~0{Z!92pZ*pv8Iv_AHGBY$aHa9pqAYo!-WMyV&XlZI|Y;A6DaB*^Tbai%jczJptK|(`BMF", "hello, world: 0123456789 abcdefghijklmnopqrstuvwxyz ABCDE"},
	} {
		var got []byte
		as := ""
		for _, x := range spellings {
			if got = x.read([]byte(s.text)); len(got) > 0 {
				as = x.text
				break
			}
		}
		if !strings.Contains(as, s.as) || string(got) != s.want {
			t.Errorf("%s: read as %q: %q", s.as, as, got)
		}
	}
}

// TestUniform keeps bytes that are no text apart from each other.
func TestUniform(t *testing.T) {
	if !uniform([]byte{0xff, 0xff}) || uniform([]byte{0xff, 0xaa, 0xff}) || uniform([]byte{0x80, 0x81}) {
		t.Error("bytes above 0x7f are taken for each other")
	}
}
