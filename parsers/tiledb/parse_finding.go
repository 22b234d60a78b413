package tiledb

// What findings tell their repairs.

// lostMetadata is a fragment whose metadata file is gone.
type lostMetadata struct{ f *frag }
