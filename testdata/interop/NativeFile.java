import java.io.ByteArrayInputStream;
import java.io.File;
import java.io.IOException;
import java.io.InputStream;
import java.io.ObjectInputStream;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.zip.ZipEntry;
import java.util.zip.ZipFile;

import org.nd4j.common.primitives.Pair;
import org.nd4j.graph.FlatArray;
import org.nd4j.graph.FlatGraph;
import org.nd4j.graph.FlatNode;
import org.nd4j.graph.FlatVariable;

/**
 * SDNB files and the archives of them (SDZ), which no release of ND4J reads. What they are made of, releases do have: the manifest is
 * deserialised by Java with ND4J's own Pair, the graph is read with ND4J's classes of FlatBuffers, arrays lie where the manifest says.
 */
class NativeFile {
    static Map<String, Object> read(File file) throws Exception {
        if (!file.getName().endsWith(".sdz")) return model(Files.readAllBytes(file.toPath()));
        Map<String, Object> out = new TreeMap<>();
        try (ZipFile zip = new ZipFile(file)) {
            for (ZipEntry e : Collections.list(zip.entries())) {
                byte[] b;
                try (InputStream in = zip.getInputStream(e)) {
                    b = in.readAllBytes();
                }
                boolean graph = b.length > 4 && new String(b, 0, 4, "US-ASCII").equals("SDNB");
                if (graph && zip.size() == 1) return model(b);
                out.put(e.getName(), graph ? model(b) : sum(b));
            }
        }
        return out;
    }

    static Map<String, Object> model(byte[] b) throws Exception {
        ByteBuffer header = ByteBuffer.wrap(b, 0, 32);
        if (header.getInt() != 0x53444e42 || header.getInt() != 1) throw new IOException("not SDNB 1");
        long at = header.getLong(), length = header.getLong();
        if (header.getLong() != 32 || at < 32 || at + length != b.length) throw new IOException("the manifest is not the end of the file");
        Map<String, Pair<Long, Long>> manifest;
        try (ObjectInputStream in = new ObjectInputStream(new ByteArrayInputStream(b, (int) at, (int) length))) {
            manifest = cast(in.readObject());
        }
        long end = at;
        Map<String, Object> blobs = new LinkedHashMap<>();
        for (Map.Entry<String, Pair<Long, Long>> e : manifest.entrySet()) {
            long from = e.getValue().getFirst(), n = e.getValue().getSecond();
            if (from < 32 || n < 0 || from + n > at) throw new IOException("the array " + e.getKey() + " is not in the file");
            blobs.put(e.getKey(), sum(Arrays.copyOfRange(b, (int) from, (int) (from + n))));
            end = Math.min(end, from);
        }
        Map<String, Object> out = new LinkedHashMap<>();
        out.put("manifest", blobs);
        graph(FlatGraph.getRootAsFlatGraph(ByteBuffer.wrap(Arrays.copyOfRange(b, 32, (int) end))), out);
        return out;
    }

    static void graph(FlatGraph g, Map<String, Object> out) {
        Map<String, Object> variables = new LinkedHashMap<>(), ops = new LinkedHashMap<>();
        for (int i = 0; i < g.variablesLength(); i++) {
            FlatVariable v = g.variables(i);
            List<Object> shape = new ArrayList<>();
            for (int j = 0; j < v.shapeLength(); j++) shape.add(v.shape(j));
            Map<String, Object> m = new LinkedHashMap<>();
            m.put("kind", v.variabletype());
            m.put("type", v.dtype());
            m.put("shape", shape);
            FlatArray a = v.ndarray();
            m.put("array", a == null || a.bufferAsByteBuffer() == null ? null : sum(bytes(a.bufferAsByteBuffer())));
            variables.put(v.name(), m);
        }
        for (int i = 0; i < g.nodesLength(); i++) {
            FlatNode n = g.nodes(i);
            List<Object> outputs = new ArrayList<>();
            for (int j = 0; j < n.outputNamesLength(); j++) outputs.add(n.outputNames(j));
            Map<String, Object> m = new LinkedHashMap<>();
            m.put("op", n.opName() + "/" + n.opNum());
            m.put("outputs", outputs);
            ops.put(n.name(), m);
        }
        List<Object> inputs = new ArrayList<>(), loss = new ArrayList<>();
        for (int i = 0; i < g.placeholdersLength(); i++) inputs.add(g.placeholders(i));
        for (int i = 0; i < g.lossVariablesLength(); i++) loss.add(g.lossVariables(i));
        out.put("variables", variables);
        out.put("ops", ops);
        out.put("inputs", inputs);
        out.put("loss", loss);
        out.put("training", g.trainingConfig());
        out.put("forward", null);
    }

    static byte[] bytes(ByteBuffer b) {
        byte[] out = new byte[b.remaining()];
        b.get(out);
        return out;
    }

    static Object sum(byte[] b) {
        return b.length + " bytes, " + Integer.toHexString(Arrays.hashCode(b));
    }

    @SuppressWarnings("unchecked")
    static <T> T cast(Object o) {
        return (T) o;
    }
}
