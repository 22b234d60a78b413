package samediff

import (
	"bytes"
	"encoding/hex"
	"testing"

	"spandrel/parsers/samediff/manifest"
)

// javaStream is what ObjectOutputStream of JDK 17 writes for the map of one name, U+1F642 U+0000 é, to (472, 8).
const javaStream = "aced0005737200176a6176612e7574696c2e4c696e6b6564486173684d617034c04e5c106cc0fb0200015a000b6163636573734f72646572787200116a6176612e7574696c2e" +
	"486173684d61700507dac1c31660d103000246000a6c6f6164466163746f724900097468726573686f6c6478703f4000000000000c7708000000100000000174000aeda0bdedb982c080c3a973" +
	"72001f6f72672e6e64346a2e636f6d6d6f6e2e7072696d6974697665732e5061697200000000000000770200024c00036b65797400124c6a6176612f6c616e672f4f626a6563743b4c00057661" +
	"6c756571007e000578707372000e6a6176612e6c616e672e4c6f6e673b8be490cc8f23df0200014a000576616c7565787200106a6176612e6c616e672e4e756d62657286ac951d0b94e08b0200" +
	"00787000000000000001d87371007e000700000000000000087800"

// TestSameDiffModified reads and writes names as Java streams hold them.
func TestSameDiffModified(t *testing.T) {
	const name = "\U0001F642\x00é"
	raw, _ := hex.DecodeString(javaStream)
	m := manifest.Read(raw)
	if m.Err != nil || len(m.Entries) != 1 || m.Entries[0].Name != name {
		t.Fatalf("read %+v %v", m.Entries, m.Err)
	}
	if got := manifest.Write(m.Entries); !bytes.Equal(got, raw) {
		t.Errorf("written %x", got)
	}
	for _, s := range []string{"", "a", name, "\uFFFD", "bad\xff\xed\xa0\x80", "日本"} {
		if got := manifest.FromModified(manifest.ToModified(s)); got != s {
			t.Errorf("%q becomes %q", s, got)
		}
	}
}

// TestSameDiffEmoji finds the array of a name outside of the basic plane, and keeps it when the variable is renamed.
func TestSameDiffEmoji(t *testing.T) {
	const from, to = "w\U0001F642", "\U0001F600 x"
	g := tableSpec{1: []tableSpec{varOf(1, from, 0, tableSpec{4: stub(5, []int64{2}, 0, 8)})}, 9: []string{"nd4j.format.type"},
		10: []string{"APPENDED_BLOB"}}
	d := openModel(t, "e.sdnb", nbOf(fb(g), []string{from}, [][]byte{floats(1, 2)}))
	if bad := errorsOf(t, d); len(bad) > 0 {
		t.Fatal(bad)
	}
	actOn(t, d, "rename-variable", "", "from", from, "to", to)
	d = openModel(t, "e.sdnb", bytesOf(t, d, "e.sdnb"))
	if bad := errorsOf(t, d); len(bad) > 0 {
		t.Fatal(bad)
	}
	if got := elements(t, d, to); len(got) != 2 || got[1] != 2 {
		t.Errorf("%v", got)
	}
}
