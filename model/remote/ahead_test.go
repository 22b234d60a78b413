package remote

import "testing"

// TestReadAhead: parts of a file that are read side by side are each read ahead; single reads here and there are not.
func TestReadAhead(t *testing.T) {
	f := &file{}
	for i := range int64(20) {
		for _, from := range []int64{0, 1000} {
			ahead := f.onward(from+i, from+i)
			if i == 0 && ahead != 0 || i > 10 && ahead != farAhead {
				t.Errorf("block %d: %d blocks ahead", from+i, ahead)
			}
		}
		if ahead := f.onward(5000+1000*i, 5000+1000*i); ahead != 0 {
			t.Errorf("a single read: %d blocks ahead", ahead)
		}
	}
	for range 10 {
		f.onward(9, 9)
	}
	if ahead := f.onward(9, 9); ahead > 1 {
		t.Errorf("one block again and again: %d blocks ahead", ahead)
	}
}
