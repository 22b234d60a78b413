package headless_test

import (
	"bytes"
	"encoding/base64"
	"encoding/xml"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"

	"github.com/owenrumney/go-sarif/v3/pkg/report/v210/sarif"

	"spandrel/ui/headless"
)

// collection is a folder with documents of several kinds, deep and flat, and with what is none.
func collection(t *testing.T) string {
	t.Helper()
	dir := t.TempDir()
	for to, from := range map[string]string{"good": "taridx/good/one-shard", "a/bad": "taridx/bad/022-n-rows", "b/scdl": "scdl/good/archive", ".hidden": "taridx/bad/022-n-rows"} {
		if err := os.CopyFS(filepath.Join(dir, to), os.DirFS("../../testdata/"+from)); err != nil {
			t.Fatal(err)
		}
	}
	bad, err := os.ReadFile(filepath.Join(dir, "a", "bad", "train.taridx"))
	if err != nil {
		t.Fatal(err)
	}
	for name, b := range map[string][]byte{"README.txt": []byte("nothing of ours"), "a/bad/train.taridx.20260102-030405.bak": bad, "torn <&\x01>.idv": []byte("not one")} {
		if runtime.GOOS == "windows" && strings.ContainsAny(name, "<\x01>") {
			name = "torn &.idv"
		}
		if err := os.WriteFile(filepath.Join(dir, name), b, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

// A folder is checked as a whole: each document once, in order, whatever works on it; what is no document is passed over, but not what
// has the name of one.
func TestCheckFolder(t *testing.T) {
	dir := collection(t)
	status, out, err := run(nil, "check", "--json", dir)
	if status != headless.Found || err != "" {
		t.Errorf("status %d, %s", status, err)
	}
	files := map[string]bool{}
	for _, l := range lines(t, out) {
		files[l["file"].(string)] = true
	}
	if torn := slices.ContainsFunc(slices.Collect(maps.Keys(files)), func(s string) bool { return strings.HasPrefix(s, "torn ") }); !torn || !files["train.taridx"] || len(files) != 2 {
		t.Errorf("findings in %v", files)
	}
	runtime.GOMAXPROCS(runtime.GOMAXPROCS(1))
	for range 3 {
		if _, again, _ := run(nil, "check", "--json", dir); again != out {
			t.Fatal("checking again prints something else")
		}
	}
	status, _, err = run(nil, "check", filepath.Join(dir, "good"), filepath.Join(dir, "missing"))
	if status != headless.Failed || !strings.Contains(err, "missing") {
		t.Errorf("%d %s", status, err)
	}
	empty := t.TempDir()
	if status, _, err := run(nil, "check", empty); status != headless.Failed || !strings.Contains(err, "a folder of no known format") {
		t.Errorf("a folder without documents: %d %s", status, err)
	}
}

// A folder that opens as the document of one index has another fold's too.
func TestCheckFolds(t *testing.T) {
	dir := t.TempDir()
	if err := os.CopyFS(dir, os.DirFS("../../testdata/taridx/good/three-shards")); err != nil {
		t.Fatal(err)
	}
	b, err := os.ReadFile(filepath.Join(dir, "train.taridx"))
	if err != nil {
		t.Fatal(err)
	}
	if status, out, _ := run(nil, "check", dir); status != headless.Done {
		t.Fatalf("status %d: %s", status, out)
	}
	if err := os.WriteFile(filepath.Join(dir, "val.taridx"), b[:len(b)/2], 0o600); err != nil {
		t.Fatal(err)
	}
	if status, out, _ := run(nil, "check", dir); status != headless.Found || !strings.Contains(out, "val.taridx") {
		t.Errorf("status %d: %s", status, out)
	}
}

// What lies in the folder of a document and is no part of it is checked by itself.
func TestCheckBesideDocument(t *testing.T) {
	dir := t.TempDir()
	if err := os.CopyFS(dir, os.DirFS("../../testdata/taridx/good/three-shards")); err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"features.npy", "more/features.npy"} {
		at := filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(at), 0o750); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(at, []byte("\x93NUMPY cut"), 0o600); err != nil {
			t.Fatal(err)
		}
		if status, out, _ := run(nil, "check", dir); status != headless.Found || !strings.Contains(out, at) || strings.Contains(out, ".tar:") {
			t.Errorf("status %d: %s", status, out)
		}
		if err := os.Remove(at); err != nil {
			t.Fatal(err)
		}
	}
}

// The logs for other programs are what those programs read.
func TestCheckStandards(t *testing.T) {
	dir := collection(t)
	status, out, err := run(nil, "check", "--format", "sarif", dir, filepath.Join(dir, "missing"))
	if status != headless.Failed {
		t.Errorf("status %d %s", status, err)
	}
	report, parsed := sarif.FromString(out)
	if parsed != nil {
		t.Fatal(parsed)
	}
	if err := report.Validate(); err != nil { // against the schema of SARIF; the library writes null and no language where there is none, which that does not allow
		for line := range strings.Lines(err.Error()) {
			if line = strings.Trim(line, " []\n"); line != "" && !strings.HasSuffix(line, "given: null") && !strings.Contains(line, "language: ") {
				t.Error(line)
			}
		}
	}
	first := report.Runs[0]
	if len(first.Results) < 2 || len(first.Tool.Driver.Rules) == 0 || len(first.Invocations[0].ToolExecutionNotifications) != 1 {
		t.Errorf("%d results, %d rules", len(first.Results), len(first.Tool.Driver.Rules))
	}
	prints := map[string]bool{}
	for _, r := range first.Results {
		at := r.Locations[0].PhysicalLocation
		if print := r.PartialFingerprints["primaryLocationLineHash"]; prints[print] || print == "" || *at.Region.StartLine != 1 {
			t.Errorf("%s: fingerprint %q, line %d", *r.RuleID, print, *at.Region.StartLine)
		} else {
			prints[print] = true
		}
		file := strings.TrimPrefix(*at.ArtifactLocation.URI, "file://") // with the letter of a drive, on Windows
		if !strings.HasPrefix(file, "/") || *r.RuleID == "" || *r.Message.Text == "" || !slices.Contains([]string{"error", "warning", "note"}, r.Level) {
			t.Errorf("%s: %s %s", *at.ArtifactLocation.URI, r.Level, *r.RuleID)
		}
	}
	status, out, _ = run(nil, "check", "--format", "junit", dir)
	var suites struct {
		Suite struct {
			Tests    int `xml:"tests,attr"`
			Failures int `xml:"failures,attr"`
			Case     []struct {
				Name    string `xml:"name,attr"`
				Failure *struct {
					Type string `xml:"type,attr"`
				} `xml:"failure"`
			} `xml:"testcase"`
		} `xml:"testsuite"`
	}
	if err := xml.Unmarshal([]byte(out), &suites); err != nil {
		t.Fatal(err)
	}
	failed := 0
	for _, c := range suites.Suite.Case {
		if c.Failure != nil {
			failed++
		}
	}
	if s := suites.Suite; status != headless.Found || s.Tests != len(s.Case) || s.Failures != failed || failed != 2 {
		t.Errorf("status %d, %d failures of %d: %s", status, failed, s.Tests, out)
	}
	// A format of files and one of the output go together.
	if status, out, _ := run(nil, "check", "--format", "taridx,json", filepath.Join(dir, "good", "train.taridx")); status != headless.Done || out != "" {
		t.Errorf("%d %s", status, out)
	}
}

// A fix of a log, done byte by byte, is the repair. A repair whose bytes are not all known is none.
func TestSarifFixes(t *testing.T) {
	good, err := os.ReadFile("../../testdata/npy/good/matrix.npy")
	if err != nil {
		t.Fatal(err)
	}
	long := filepath.Join(t.TempDir(), "long.npy")
	before := "HTTP/1.1 200 OK\r\nX-Long: " + strings.Repeat("y", 120) + "\r\n\r\n"
	if err := os.WriteFile(long, append([]byte(before), good...), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, path := range []string{long, "../../testdata/npy/bad/009-header-len.npy"} {
		_, out, _ := run(nil, "check", "--format", "sarif", path)
		report, err := sarif.FromString(out)
		if err != nil {
			t.Fatal(err)
		}
		bad, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		results := report.Runs[0].Results
		i := slices.IndexFunc(results, func(r *sarif.Result) bool { return len(r.Fixes) > 0 })
		if i < 0 {
			t.Fatalf("no fix: %s", out)
		}
		fix := results[i].Fixes[0].ArtifactChanges[0].Replacements[0]
		var is []byte
		if fix.InsertedContent != nil {
			if is, err = base64.StdEncoding.DecodeString(*fix.InsertedContent.Binary); err != nil {
				t.Fatal(err)
			}
		}
		at := fix.DeletedRegion.ByteOffset
		repaired := filepath.Join(t.TempDir(), "repaired.npy")
		if err := os.WriteFile(repaired, slices.Replace(bad, at, at+*fix.DeletedRegion.ByteLength, is...), 0o600); err != nil {
			t.Fatal(err)
		}
		if status, out, _ := run(nil, "check", repaired); status != headless.Done || out != "" {
			t.Errorf("%s: status %d: %s", path, status, out)
		}
	}
	change := fmt.Sprintf(`"length":%d,"new_length":0,"was":"%x"`, len(before), before[:64])
	if _, out, _ := run(nil, "check", "--json", long); !strings.Contains(out, change) {
		t.Errorf("a long change is not as long as it is: %s", out)
	}
	archive, err := os.ReadFile("../../testdata/npy/good/arrays.npz")
	if err != nil {
		t.Fatal(err)
	}
	cut := filepath.Join(t.TempDir(), "cut.npz")
	if err := os.WriteFile(cut, archive[:bytes.Index(archive, []byte("PK\x01\x02"))], 0o600); err != nil {
		t.Fatal(err)
	}
	if _, out, _ := run(nil, "check", "--json", cut); !strings.Contains(out, "rebuild the directory") {
		t.Fatal(out)
	}
	if _, out, _ := run(nil, "check", "--format", "sarif", cut); strings.Contains(out, `"fixes"`) {
		t.Errorf("a fix that lacks bytes: %s", out)
	}
}

// A page holds what is wrong and nothing from elsewhere; what the file says is text on it.
func TestReport(t *testing.T) {
	out := filepath.Join(t.TempDir(), "page.html")
	status, printed, err := run(nil, "report", samples+"bad/022-n-rows/train.taridx", "-o", out)
	if status != headless.Found || printed != "" {
		t.Fatalf("%d %s %s", status, printed, err)
	}
	b, _ := os.ReadFile(out)
	page := string(b)
	for _, want := range []string{"<!DOCTYPE html>", "TIX-022", "n_rows", `class="f`, " at\"", "Repair 1"} {
		if !strings.Contains(page, want) {
			t.Errorf("the page has no %q", want)
		}
	}
	for _, no := range []string{"<script", "http://", "https://", "src=", "url("} {
		if strings.Contains(page, no) {
			t.Errorf("the page has %q", no)
		}
	}
	hostile := filepath.Join(t.TempDir(), "<img src=x>.idv")
	if runtime.GOOS == "windows" {
		hostile = filepath.Join(t.TempDir(), "a&b.idv")
	}
	if err := os.WriteFile(hostile, []byte("<script>alert(1)</script>"), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, page, _ := run(nil, "report", hostile); strings.Contains(page, "<script") || strings.Contains(page, "<img") || strings.Contains(page, "a&b") {
		t.Error("the name or the content of the file is not escaped")
	}
}

// rulesOf are the rules that a document breaks.
func rulesOf(t *testing.T, path string) map[string]bool {
	_, out, _ := run(nil, "check", "--deep", "--json", path)
	rules := map[string]bool{}
	for l := range strings.Lines(out) {
		m := lines(t, l)[0]
		if m["grade"] == nil && m["severity"] != "note" {
			rules[m["rule"].(string)] = true
		}
	}
	return rules
}

// A slice shows what the document shows, is smaller, and has none of its content; the document stays.
func TestSlice(t *testing.T) {
	dir := t.TempDir()
	path, out := filepath.Join(dir, "x.safetensors"), filepath.Join(dir, "small.safetensors")
	header := `{"secret-a":{"dtype":"F32","shape":[64],"data_offsets":[0,256]},"b":{"dtype":"F32","shape":[2],"data_offsets":[256,300]}}`
	b := append([]byte{byte(len(header)), 0, 0, 0, 0, 0, 0, 0}, header...)
	for range 300 {
		b = append(b, 's')
	}
	if err := os.WriteFile(path, b, 0o600); err != nil {
		t.Fatal(err)
	}
	want := rulesOf(t, path)
	status, said, err := run(nil, "slice", path, "-o", out)
	if status != headless.Done || len(want) == 0 {
		t.Fatalf("%d %s %s, %v", status, said, err, want)
	}
	small, _ := os.ReadFile(out)
	if got := rulesOf(t, out); !maps.Equal(got, want) {
		t.Errorf("the slice shows %v, the document %v", got, want)
	}
	if strings.Contains(string(small), "ssss") || len(small) > len(b) {
		t.Errorf("the slice has content, or %d bytes of %d: %q", len(small), len(b), small)
	}
	if now, _ := os.ReadFile(path); string(now) != string(b) {
		t.Error("the document changed")
	}
	if status, _, err := run(nil, "slice", samples+"good/one-shard/train.taridx", "-o", out); status != headless.Failed || !strings.Contains(err, "no problems") {
		t.Errorf("%d %s", status, err)
	}
}

// The manual has every command with every flag.
func TestManual(t *testing.T) {
	status, page, _ := run(nil, "man")
	if status != headless.Done || !strings.HasPrefix(page, ".TH SPANDREL 1") {
		t.Fatalf("%d %.60s", status, page)
	}
	_, help, _ := run(nil, "help", "check")
	for flag := range strings.FieldsSeq(help) {
		if strings.HasPrefix(flag, "--") && len(flag) > 3 && !strings.Contains(page, strings.ReplaceAll(strings.TrimRight(flag, ",;."), "-", `\-`)) {
			t.Errorf("no %s", flag)
		}
	}
	for _, name := range []string{"check", "slice", "report", "completion"} {
		if !strings.Contains(page, ".SS spandrel "+name) {
			t.Errorf("no %s", name)
		}
	}
}
