package samediff

import (
	"strconv"
	"strings"

	"spandrel/model"
)

// ruleText is the rules of section 4: number, severity and what is wrong, a rule a line.
const ruleText = `
001 E first bytes match no family of 1.8
002 I container magic is not the 14-byte form (M12, M16: I; MU: W)
003 E version not in 1…255 in any byte order; W when 2…255
004 W outer integers little-endian
005 I record layout other than R1 detected; states the code
006 W extension disagrees with content
007 E file is a Git-LFS pointer, a Java stream, a foreign FB or another ZIP kind
008 E file empty or shorter than the smallest header of its family (P1 18, SDNB 32, FB 12)
009 W gzip or other wrapper around a known family (1F 8B)
010 E record header truncated (fewer bytes left than a header needs)
011 E length past end of file, or top bit set
012 W bytes after the last record (section_count reached, see 2.4)
013 W type 5–127 unknown
014 I type 128–255 private
015 E HEADER, METADATA, GRAPH or SHARD_INFO duplicated
016 E GRAPH missing (unless weight shard)
017 W HEADER missing
018 W sections out of order, HEADER not first
019 E compression code > 2 or flag bits 4–6 set
020 W compression code 2 (zstd) not decodable here
021 E inflate fails (corrupt, truncated, Adler mismatch)
022 W deflate framing is raw or gzip, not zlib
023 E inflated size exceeds the ratio or total budget
024 E bytes left in the record after the deflate stream ended
025 W flag says uncompressed but data begins with a zlib header and inflates to a valid payload
026 E HEADER compressed
027 W ARRAYS compressed as a whole (no lazy access)
028 E CRC mismatch
029 I CRC absent (bit 7 clear)
030 E zero-length GRAPH or SHARD_INFO
031 W more than 65 536 records
032 E HEADER payload not decodable by any variant
033 E format_version ≠ prologue version
034 E section_count ≠ number of records
035 E ContainerHeader.checksum ≠ 0 and ≠ computed
036 E METADATA payload opaque
037 E metadata key missing, empty or duplicated
038 W metadata keys unsorted, or value missing
039 W reserved key with a malformed value (creation.time not decimal, shard.index not decimal, nd4j.format.version ≠ 1, nd4j.format.type foreign to the family)
040 W METADATA differs from FlatGraph ids 9/10
041 E ARRAYS index length K > payload − 8, or index is not an FB
042 E ARRAYS: two entries with the same variable_name (same or different section)
043 E stub range outside the blob region
044 E blob ranges overlap
045 W gap between blobs not zero, or not 64-aligned
046 E array present inline in GRAPH and again in ARRAYS
047 W ARRAYS entry whose name is no variable of the graph
048 E VARIABLE or CONSTANT without data in GRAPH, ARRAYS, SDNB manifest, external file or another shard (every family, S3/S4; dims with a zero count as data)
049 I ModelContainer buffer as a whole file: no known writer
050 E version ≠ 1
051 E metadataOffset ≠ 32
052 E manifestOffset/Length = −1: save interrupted
053 E manifestOffset < 32, manifestLength < 0, or range past end of file
054 W manifest does not end at end of file
055 E manifest does not start AC ED 00 05
056 E stream uses a tag, class, UID, field name or nesting outside 1.4.4
057 W declared entry count ≠ entries read; capacity or threshold unusual
058 E manifest truncated, handle reference invalid or to the wrong kind
059 E offset < 32 or offset + length > manifestOffset, length < 0
060 E entry range overlaps the FB (offset < 32 + L, L = highest claimed FB byte) or another non-empty entry
061 W gaps between blobs, or before the manifest
062 E manifest name not a graph variable
063 E variable also has an inline buffer
064 E length ≠ product(shape) × width
065 W stub offset/length disagree with the manifest (relative rule), or stub offset equals the absolute offset (first C++ convention)
066 W no stub for an appended array (first 2025 writer)
067 W appended array smaller than 1 MiB
068 W zero-length entry: array was null or empty when saved
069 I FB range contains bytes beyond its effective length
070 W ordering 'f' on an appended array (C++ reader ignores it)
071 W nd4j.format.type missing or not APPENDED_BLOB
080 E central directory unreadable or end record missing
081 E no member is a valid SDNB file
082 E member name absolute, contains .. or a backslash escape
083 E duplicate member name
084 E encrypted member, or method other than 0/8
085 E member CRC-32 or size wrong
086 W deflated SDNB member (no mapping; early C++ readers refuse it)
087 W local header disagrees with central directory
088 E limits exceeded: 1000 entries, 10 GiB, 100:1
089 W unsharded member not named model (or model.sdnb)
090 W both an unsharded model and shards present
091 I other members (resources) present
092 W bytes before the first local header or after the end record
100 E shard_index ≥ shard_count, count < 1, index < 0
101 E index or count differs from the file name
102 E sibling shards carry different counts
103 E shard 0 missing
104 E a weight shard is missing (Java only logs it)
105 W leftover temporary name ending -of-N
106 W single file and shards of the same base coexist (Java loads the shards)
107 W shard_type not graph for index 0 or not weights for others; disagrees with metadata shard.type
108 E same array in two shards
109 W base_filename ≠ actual base (renamed set)
110 W SHARD_INFO present with count 1
111 E isExternal set but no named file found in <base>_external
112 E external file size ≠ required byte count
113 E external file name escapes the directory
120 E root offset outside [4, size − 4] or not multiple of 4
121 E vtable position negative, odd or outside the buffer
122 E vtable size < 4, odd, or past end; table size < 4 or past end
123 I graph without nodes (nothing to execute; C++ reader rejects it)
124 E slot ≥ table size, or field end > table size
125 E slot between 1 and 3 (inside the soffset), two slots overlapping
126 E uoffset 0 or target outside the buffer
127 E vector count × element width past end (64-bit arithmetic)
128 E string length past end
129 W string not followed by 00
130 E string not UTF-8
131 W misaligned scalar or vector elements
132 E same bytes claimed with conflicting types
133 E depth > 64, cycle, or more than 4 000 000 tables
134 I slots beyond the known schema: show as field#id, keep
135 W unreachable non-zero bytes
136 I untrimmed or shared vtable
137 E whole FB above 2 147 483 647 bytes
140 E variable without name, or name duplicated
141 E variable without id, id pair duplicated
142 E node id duplicated
143 E inputPaired refers to no variable id pair
144 W input and inputPaired both non-empty and of different length (Java writes input empty)
145 E outputNames entry is no variable, or used by two nodes
146 W ARRAY variable produced by no node; non-ARRAY variable produced by a node
147 E graph outputs pair unresolved
148 W placeholders list ≠ set of variables with type PLACEHOLDER
149 E lossVariables name unknown
150 E controlDeps / varControlDeps / controlDepFor / controlDepForOp / controlDepsForVar name unknown
151 E enum value outside its list (DType, VarType, OpType, modes)
152 W CUSTOM node without opName; opName with another opType list's number
153 W outputTypes count ≠ outputNames count
154 E dependency cycle among ordinary ops (LOGIC loops excepted)
155 W scopeId ≠ 0 without scopeName, or LOGIC opNum unknown
156 E metadataKeys and metadataValues lengths differ; duplicate key
157 W metadata keys unsorted
158 E trainingConfig is not a JSON object
159 W trainingConfig names unknown variables; lossVariables there ≠ graph list
160 E updaterStateKeys and Values lengths differ, key duplicated
161 E paramName unknown or repeated; W when not VARIABLE type
162 W updater array shape ≠ parameter shape
163 E sub-instance name missing/duplicated, or its bytes are no valid FlatGraph
164 W FlatProperties with more than one value kind, or product(shape) ≠ value count
165 W placeholder carries an array (as in 3.9), or lacks shape
166 W SEQUENCE or INHERIT typed content (dropped on save by current Java)
167 W leftover variable named <v>-grad without <v>
170 E dialect undecidable
171 E rank outside 0…32, negative dim, product overflow
172 E byte count ≠ product × width
173 W SI strides not those of a dense array in the stated order
174 E SI order character not 99/102
175 W SI type bit ≠ dtype, or two type bits
176 W EMPTY bit with a non-empty buffer, or no buffer without EMPTY
177 E dtype INHERIT or not decodable (FLOAT8, HALF2, QINT*, UTF16/32)
178 E byteOrder not 0/1
179 W SI array with byteOrder LE in a Java-written .fb, or byteOrder contradicts value plausibility (all exponents absurd one way, normal the other)
180 W array dtype ≠ variable dtype (Java casts on load)
181 E UTF8 offsets: first ≠ 0, decreasing, end ≠ byte count, in both orders
182 W UTF8 offsets little-endian under byteOrder BE (normal for Java files, breaks C++)
183 W string bytes not UTF-8
184 W BOOL element not 0/1
185 W NaN or infinity in a float array (count and first index)
186 E bufferChunks indices not 0…n−1, or sum ≠ totalBufferSize, or both buffer and chunks present
187 W totalBufferSize ≠ appendedDataLength in a stub
188 I shape vector holds i32 (generation S0/S1)
189 I array whose values all equal one constant in a non-scalar VARIABLE (untrained or placeholder data)`

// rules are all rules, in the order of their numbers.
var rules, byNumber = makeRules()

func makeRules() (all []*model.Rule, by map[int]*model.Rule) {
	grades := map[byte]model.Severity{'E': model.Error, 'W': model.Warning, 'I': model.Note}
	sections := []struct {
		from int
		ref  string
	}{{1, "4.1"}, {10, "4.2"}, {50, "4.3"}, {80, "4.4"}, {100, "4.5"}, {120, "4.6"}, {140, "4.7"}, {170, "4.8"}}
	by = map[int]*model.Rule{}
	for _, l := range strings.Split(strings.TrimSpace(ruleText), "\n") {
		n, _ := strconv.Atoi(l[:3])
		r := &model.Rule{ID: "SDF-" + l[:3], Title: l[6:], Severity: grades[l[4]]}
		for _, s := range sections {
			if n >= s.from {
				r.Ref = s.ref
			}
		}
		all = append(all, r)
		by[n] = r
	}
	return all, by
}

// sdf returns a rule by its number.
func sdf(n int) *model.Rule { return byNumber[n] }
