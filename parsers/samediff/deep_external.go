package samediff

import (
	"errors"
	"strings"

	"spandrel/model"
	"spandrel/parsers/samediff/flat"
)

// external checks an array that is in a file of its own (SDF-111 to SDF-113).
func (s *set) external(k *checker, d *doc, x *variable, a *arr) {
	at := k.where(a.at, flat.ArrFiles, 4)
	for _, f := range a.files {
		if err := model.Clean(f); err != nil {
			k.report(externalName, at, f, "a name inside "+baseName(d.file)+"_external", saying("%s: %v", x.name, err))
			return
		}
	}
	o := d.outsideOf(x.name, a)
	if o == nil {
		k.report(externalMissing, k.where(a.at, flat.ArrExternal, 1), strings.Join(a.outsideNames(x.name), ", "), nil,
			saying("%s: none of its files is in %s_external", x.name, baseName(d.file)))
		return
	}
	s.add(x.name, has{doc: d, where: "a file"})
	_, err := k.placed.outsideData(k.ctx, k.t, x.name, a)
	var size sizeWord
	if errors.As(err, &size) {
		k.p.Wrong(externalSize, o.file, model.Words("%d bytes", size.have), model.Words("%d bytes", size.want), of(x.name, externalSize))
	} else if err != nil {
		k.p.Wrong(externalSize, o.file, err, nil, of(x.name, externalSize))
	}
}
