package taridx

import "slices"

// The names in the tables according to the members of their rows.

// votes are the members' names for the entries of a table, by id.
type votes map[int]map[string]bool

func (v votes) add(id int, name string) {
	if v[id] == nil {
		v[id] = map[string]bool{}
	}
	v[id][name] = true
}

// unanimous are the names by id on which all members agree.
func (v votes) unanimous(names []string) map[int]string {
	to := map[int]string{}
	for id, all := range v {
		for name := range all {
			if len(all) == 1 {
				to[id] = name
			}
		}
		if id < len(names) && all[names[id]] {
			to[id] = names[id] // members with other names are wrong
		}
	}
	return to
}

// inverse assigns ids to the names that a table lacks.
func inverse(names map[int]string, table []string) map[string]int {
	ids := map[string]int{}
	for id, name := range names {
		if !slices.Contains(table, name) {
			ids[name] = id
		}
	}
	return ids
}
