package headless_test

import (
	"strings"
	"testing"

	"spandrel/ui/headless"
)

// A flag that would have no effect is rejected, with a word on why: whoever gave it expects something of it.
func TestUselessFlags(t *testing.T) {
	const good, bad = "../../testdata/npy/good/vector.npy", "../../testdata/npy/bad/003-cut.npy"
	for command, want := range map[string]string{
		"table " + good + " values --append":                        "--append has no effect without --from",
		"table " + good + " values --key position":                  "--key has no effect without --from",
		"table " + good + " values --dry-run":                       "--dry-run has no effect without --from",
		"table " + good + " values --no-backup":                     "--no-backup has no effect without --from",
		"table " + good + " values --from x.csv --rows 0:1":         "--from and --rows cannot be combined",
		"table " + good + " values --from x.csv --where value=1":    "--from and --where cannot be combined",
		"table " + good + " values --columns value --agg count":     "--columns and --agg cannot be combined",
		"table " + good + " --to parquet":                           "--to has no effect without TABLE; available: values",
		"table " + good + " --labels":                               "--labels has no effect without TABLE",
		"find --bytes --text " + good + " 00":                       "--bytes and --text cannot be combined",
		"find --number u8 --bytes " + good + " 00":                  "--bytes and --number cannot be combined",
		"find --decoded --field " + good + " x":                     "--decoded and --field cannot be combined",
		"diff --stat --limit 3 " + good + " " + bad:                 "--stat and --limit cannot be combined",
		"diff --layout --key a " + good + " " + bad:                 "--layout and --key cannot be combined",
		"diff --key nope " + good + " " + good:                      "--key nope: no table has a column of that name",
		"merge --key nope --dry-run " + strings.Repeat(good+" ", 3): "--key nope: no table has a column of that name",
		"fix --with x --choose 1 " + bad:                            "--with and --choose cannot be combined",
		"fix --upload " + bad:                                       "--upload is for documents in a remote store",
		"set --upload -o x " + good + " header/x=1":                 "--upload and --output cannot be combined",
		"set --from x.jsonl --table values " + good:                 "--table is for cells in the arguments",
		"salvage --upload -o x " + bad:                              "unknown flag: --upload",
		"explain --deep some message":                               "--deep has no effect without PATH",
		"convert --force " + good:                                   "--force has no effect without an action",
		"check -0 " + good:                                          "-0 has no effect without --files-from",
		"check --json --format sarif " + good:                       "not sarif, json",
		"check --format npy,tar " + good:                            "not npy, tar",
		"check --format junit --why " + good:                        "--why has no effect with --format junit",
		"serve --json --stdio":                                      "unknown flag: --json",
		"recover --finish --undo " + good:                           "--finish and --undo cannot be combined",
		"explain --effort -1 " + bad + " x":                         "a number of 0 or more",
	} {
		if status, out, said := run(nil, strings.Fields(command)...); status != headless.Failed || out != "" || !strings.Contains(said, want) {
			t.Errorf("%s: status %d, %q, said %q", command, status, out, said)
		}
	}
}
