package parsers

import flatbuffers "github.com/google/flatbuffers/go"

// sdFlatHeader makes a ContainerHeader (section 2.3).
func sdFlatHeader(format, count, sum int64) []byte {
	b := flatbuffers.NewBuilder(64)
	b.StartObject(3)
	if sum != 0 {
		b.PrependInt64(sum)
		b.Slot(2)
	}
	b.PrependInt32(int32(count))
	b.Slot(1)
	b.PrependInt32(int32(format))
	b.Slot(0)
	b.Finish(b.EndObject())
	return b.FinishedBytes()
}
