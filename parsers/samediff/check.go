package samediff

// whenRead are the checks of the parts of a model as they are read. What must read everything is in the deep checks.
var whenRead = checks{container: checkContainer, metadata: checkMetadata, shard: checkShard, set: setNames, manifest: checkManifest,
	archive: checkArchive}
