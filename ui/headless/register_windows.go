package headless

import (
	"errors"
	"strings"

	"golang.org/x/sys/windows"
	"golang.org/x/sys/windows/registry"

	"spandrel/model"
)

// classes is where this user's file types are registered.
const classes = `Software\Classes\`

// class is the name of a format's files there.
func class(f *model.Format) string { return "Spandrel." + f.Name }

func (c desktop) registerFor(program string) error {
	for _, f := range c.Formats {
		for key, value := range map[string]string{"": f.Title, `\DefaultIcon`: `"` + program + `",0`, `\shell\open\command`: `"` + program + `" "%1"`} {
			if err := write(classes+class(f)+key, "", value); err != nil {
				return err
			}
		}
		for _, ext := range f.Exts {
			if err := write(classes+ext+`\OpenWithProgids`, class(f), ""); err != nil {
				return err
			}
		}
	}
	told()
	return nil
}

func write(path, name, value string) error {
	key, _, err := registry.CreateKey(registry.CURRENT_USER, path, registry.SET_VALUE)
	if err != nil {
		return err
	}
	defer key.Close()
	return key.SetStringValue(name, value)
}

func (c desktop) unregisterAll() error {
	for _, f := range c.Formats {
		for _, ext := range f.Exts {
			key, err := registry.OpenKey(registry.CURRENT_USER, classes+ext+`\OpenWithProgids`, registry.SET_VALUE)
			if err != nil {
				continue // no one opens such files
			}
			err = key.DeleteValue(class(f))
			key.Close()
			if err != nil && !errors.Is(err, registry.ErrNotExist) {
				return err
			}
		}
		for _, key := range strings.Fields(`\shell\open\command \shell\open \shell \DefaultIcon`) {
			if err := gone(classes + class(f) + key); err != nil {
				return err
			}
		}
		if err := gone(classes + class(f)); err != nil {
			return err
		}
	}
	told()
	return nil
}

// gone deletes a key without subkeys.
func gone(path string) error {
	if err := registry.DeleteKey(registry.CURRENT_USER, path); err != nil && !errors.Is(err, registry.ErrNotExist) {
		return err
	}
	return nil
}

// told makes open folders show the new types.
func told() {
	const associations = 0x08000000
	windows.NewLazySystemDLL("shell32.dll").NewProc("SHChangeNotify").Call(associations, 0, 0, 0)
}
