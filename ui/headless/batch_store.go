package headless

import (
	"errors"
	"fmt"
	"path"

	"spandrel/model"
	"spandrel/model/remote"
)

// walkStore is walk for an address.
func (b *batch) walkStore(address string, send func(*job) error) error {
	one := *b.call // what it opens is not kept
	d, err := one.open(address)
	if err == nil || !errors.Is(err, model.ErrNoFormat) {
		return send(&job{path: address, d: d, err: err})
	}
	list, more, failed := remote.List(b.ctx, address)
	if failed != nil || len(list) == 0 {
		return send(&job{path: address, err: err}) // a file
	}
	if more {
		if err := send(&job{path: address, err: fmt.Errorf("%s: it has more than %s files and folders: the rest is not checked", remote.Shown(address), model.Thousands(int64(len(list))))}); err != nil {
			return err
		}
	}
	for _, e := range list {
		switch {
		case !visible(path.Base(e.Name)):
		case e.Dir:
			err = b.walkStore(e.Name, send)
		default:
			err = send(&job{path: e.Name, found: true})
		}
		if err != nil && !errors.Is(err, model.ErrNoFormat) {
			return err
		}
	}
	return nil
}
