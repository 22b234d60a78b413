// Package wds is the format of the indexes of webdatasets, which lie beside tar archives whose members make samples: those that follow each other
// and differ behind the first dot of their names only.
//
// NVIDIA DALI (fn.readers.webdataset, wds2idx) has a text NAME.idx for each NAME.tar: a line with the version, v1.2, and the number of samples, then a
// line a sample: for each component its extension, the offset of its payload, its size, and since v1.2 its name. DALI reads by these offsets and never
// looks at the archive's headers, so an index of another archive gives other bytes without an error.
//
// wids (wids-index, ShardListDataset) has a JSON text for all archives: wids_version, and for each under shardlist its url, nsamples, and where
// wids-index wrote it the filesize and md5sum. Samples are counted by it, so a wrong number gives other samples or an index out of range.
package wds
