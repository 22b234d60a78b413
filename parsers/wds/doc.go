// Package wds reads the indexes of webdatasets, which are beside tar archives whose members form samples: consecutive members
// whose names differ only after the first dot.
//
// NVIDIA DALI (fn.readers.webdataset, wds2idx) has a text NAME.idx for each NAME.tar: a line with the version, v1.2, and the number of samples, then a
// line per sample: for each component its extension, the offset of its payload, its size, and since v1.2 its name. DALI reads at these offsets and never
// checks the archive's headers, so an index of another archive yields other bytes without an error.
//
// wids (wids-index, ShardListDataset) has a JSON text for all archives: wids_version, and for each under shardlist its url, nsamples, and if
// wids-index wrote it the filesize and md5sum. Samples are counted with it, so a wrong number yields other samples or an index out of range.
package wds
