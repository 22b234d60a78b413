package headless

import (
	"errors"
	"flag"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"spandrel/model/remote"
)

// needed are the flags that have an effect only with another one, by command and that flag.
var needed = map[string]map[string]string{
	"check":     {"files-from": "0"},
	"catalogue": {"files-from": "0"},
	"dump":      {"json": "tree"},
	"table":     {"from": "append key dry-run force no-backup upload"},
}

// rivals are flags of which a command can follow only one, by command.
var rivals = map[string][]string{
	"find":    {"bytes text utf16 regexp field number", "ignore-case bytes", "ignore-case number", "decoded field"},
	"diff":    {"layout key", "layout stat", "stat limit"},
	"fix":     {"with rule choose"},
	"recover": {"finish undo"},
	"table": {"from rows", "from columns", "from at", "from slice", "from where", "from group-by", "from agg", "from as-is",
		"columns group-by", "columns agg"},
}

// consistent rejects flags that would have no effect because of other flags, or because PATH is a local file.
func (c *call) consistent(command string) error {
	for flag, list := range needed[command] {
		if !c.given(flag) {
			if err := c.useless("without --"+flag, strings.Fields(list)...); err != nil {
				return err
			}
		}
	}
	for _, list := range append(rivals[command], "upload output") {
		given := slices.DeleteFunc(strings.Fields(list), func(flag string) bool { return !c.given(flag) })
		if len(given) > 1 {
			return fmt.Errorf("--%s and --%s cannot be combined", given[0], given[1])
		}
	}
	if c.upload && !remote.Is(c.args[0]) {
		return errors.New("--upload is for documents in a remote store, and this one is a local file")
	}
	return nil
}

// useless rejects the first of these flags that was given, because it has no effect here.
func (c *call) useless(here string, flags ...string) error {
	for _, flag := range flags {
		if c.given(flag) {
			return fmt.Errorf("%s has no effect %s", strings.Repeat("-", min(len(flag), 2))+flag, here)
		}
	}
	return nil
}

// intValue is a number of 0 or more. Help names it by its type.
type intValue int

func (n *intValue) String() string { return strconv.Itoa(int(*n)) }

func (n *intValue) Set(text string) error {
	x, err := strconv.Atoi(text)
	if err != nil || x < 0 {
		return errors.New("it is not a number of 0 or more")
	}
	*n = intValue(x)
	return nil
}

// number declares a flag whose value is a number of 0 or more.
func number(f *flag.FlagSet, at *int, name string, value int, usage string) {
	*at = value
	f.Var((*intValue)(at), name, usage)
}
