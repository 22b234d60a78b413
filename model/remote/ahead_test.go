package remote

import "testing"

// TestReadAhead: parts of a file that are read side by side share what is read ahead; single reads here and there are not read ahead.
func TestReadAhead(t *testing.T) {
	f := &file{}
	for i := range int64(20) {
		for _, from := range []int64{0, 1000} {
			ahead := f.onward(from+i, from+i)
			if i == 0 && ahead != 0 || i > 12 && ahead != farAhead/2 {
				t.Errorf("block %d: %d blocks ahead", from+i, ahead)
			}
		}
		if ahead := f.onward(5000+1000*i, 5000+1000*i); ahead != 0 {
			t.Errorf("a single read: %d blocks ahead", ahead)
		}
	}
	for range 10 {
		f.onward(90_000, 90_000)
	}
	if ahead := f.onward(90_000, 90_000); ahead > 1 {
		t.Errorf("one block again and again: %d blocks ahead", ahead)
	}
}

// TestReadAheadBeside: a reading goes on although other reads, again and again, are of something not far after it, such as a table of contents that
// is read beside what it lists.
func TestReadAheadBeside(t *testing.T) {
	f := &file{}
	ahead := int64(0)
	for i := range int64(20) {
		f.onward(80, 80)
		ahead = f.onward(i, i)
	}
	if ahead < most {
		t.Errorf("%d blocks ahead", ahead)
	}
}
