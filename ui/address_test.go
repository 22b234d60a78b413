package ui

import (
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"spandrel/model"
)

// A file of a server opens by its address, shows what that costs, and is saved to the disk alone.
func TestAddress(t *testing.T) {
	t.Setenv("SPANDREL_CACHE", "off")
	server := httptest.NewServer(http.FileServer(http.Dir("../testdata")))
	defer server.Close()
	b := emptyBench(t)
	d := b.open(t, server.URL+"/idv/good/stored.idv")
	b.settle(t)
	if d.Format() == nil || !d.Model.Remote() || d.Model.Path != server.URL+"/idv/good/stored.idv" {
		t.Fatalf("%v %q", d.Format(), d.Model.Path)
	}
	if said := b.status.whereabouts(d); !strings.Contains(said, "request") {
		t.Errorf("the status says %q", said)
	}
	if again := b.open(t, server.URL+"/idv/good/stored.idv"); again != d {
		t.Error("the same address has two tabs")
	}
	if d.Model.ChangedOnDisk() != nil || canProtect(d) {
		t.Error("it is taken for a file of the disk")
	}
	if _, err := d.Model.SavePlan(model.SaveOptions{}); err == nil || !strings.Contains(err.Error(), "store") {
		t.Errorf("saving in place: %v", err)
	}
}
