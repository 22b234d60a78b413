package model

import (
	"context"
	"testing"
)

// Tables are listed of a tree, by workers, while the document goes on to another one.
func TestTablesWhileEditing(t *testing.T) {
	f := *toy
	started, next := make(chan bool), make(chan bool)
	f.Tables = func(_ context.Context, t *Tree) []Table {
		started <- true
		<-next
		return []Table{{Name: "names", Rows: t.Root.Get("names").Count()}}
	}
	d, err := OpenBytes(bg, "x", toyFile("one", "two"), nil, &f)
	if err != nil {
		t.Fatal(err)
	}
	tree, got := d.Tree, make(chan int64)
	go func() { got <- tree.Tables(bg)[0].Rows }()
	<-started
	s, err := d.Tree.Find(bg, "names[0]")
	if err != nil {
		t.Fatal(err)
	}
	p, err := d.Plan(bg, "delete", Replace(s.Range, nil))
	if err != nil {
		t.Fatal(err)
	}
	d.Apply(bg, p, nil)
	close(next)
	if n := <-got; n != 2 || d.Tree.Root.Get("names").Count() != 1 {
		t.Errorf("%d names of the tree that was asked, %d now", n, d.Tree.Root.Get("names").Count())
	}
}
