import java.io.BufferedReader;
import java.io.File;
import java.io.InputStreamReader;
import java.io.PrintStream;
import java.lang.reflect.Field;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collection;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

import org.nd4j.autodiff.functions.DifferentialFunction;
import org.nd4j.autodiff.samediff.SDVariable;
import org.nd4j.autodiff.samediff.SameDiff;
import org.nd4j.autodiff.samediff.VariableType;
import org.nd4j.autodiff.samediff.internal.SameDiffOp;
import org.nd4j.linalg.api.buffer.DataType;
import org.nd4j.linalg.api.ndarray.INDArray;
import org.nd4j.linalg.api.ops.DynamicCustomOp;
import org.nd4j.linalg.factory.Nd4j;
import org.nd4j.shade.jackson.databind.ObjectMapper;

/**
 * Reads SameDiff graphs with ND4J itself: a path a line in, a JSON object a line out. With a tab and a second path behind it
 * ND4J saves the graph there after it has loaded it, and that file is read.
 */
public class ReadSameDiff {
    static final int SHOWN = 5000;
    static final long FED = 1 << 24; // elements of a placeholder: more is no sample's, and fills the memory of whoever runs this

    static Object plain(INDArray a) {
        if (a == null) return null;
        Map<String, Object> out = new LinkedHashMap<>();
        out.put("type", a.dataType().toString());
        out.put("shape", a.shape());
        List<Object> values = new ArrayList<>();
        for (long i = 0; i < Math.min(a.length(), SHOWN); i++) {
            switch (a.dataType()) {
                case UTF8: values.add(a.getString(i)); break;
                case LONG: case UINT64: values.add(a.ravel().getLong(i)); break;
                case BOOL: values.add(a.ravel().getInt((int) i) != 0); break;
                default:
                    double d = a.ravel().getDouble(i);
                    boolean odd = Double.isNaN(d) || Double.isInfinite(d) || d == 0 && 1 / d < 0;
                    values.add(odd ? (Object) ("float:" + d) : (Object) d);
            }
        }
        out.put("values", values);
        return out;
    }

    static Object list(Object o) {
        if (o == null) return null;
        if (o instanceof Object[]) return Arrays.toString((Object[]) o);
        if (o instanceof long[] || o instanceof int[] || o instanceof double[] || o instanceof boolean[]) return o;
        return o.toString();
    }

    static Map<String, Object> op(SameDiffOp o) {
        Map<String, Object> m = new LinkedHashMap<>();
        DifferentialFunction f = o.getOp();
        m.put("op", f.opName());
        m.put("class", f.getClass().getSimpleName());
        m.put("inputs", o.getInputsToOp());
        m.put("outputs", o.getOutputsOfOp());
        m.put("controlDeps", o.getControlDeps());
        m.put("varControlDeps", o.getVarControlDeps());
        if (f instanceof DynamicCustomOp) {
            DynamicCustomOp c = (DynamicCustomOp) f;
            m.put("iArgs", list(c.iArgs()));
            m.put("tArgs", list(c.tArgs()));
            m.put("bArgs", list(c.bArgs()));
            m.put("dArgs", list(c.dArgs()));
        } else {
            m.put("dimensions", list(f.getDimensions() == null ? null : f.getDimensions()));
        }
        return m;
    }

    /** what a forward pass gives, with zeros (ones for unknown lengths) in the placeholders; the reason where there can be none. */
    static Object forward(SameDiff sd) {
        if (sd.getOps().isEmpty()) return null;
        try {
            Map<String, INDArray> in = new HashMap<>();
            for (SDVariable v : sd.variables()) {
                if (v.getVariableType() != VariableType.PLACEHOLDER) continue;
                long[] shape = v.placeholderShape();
                if (shape == null) shape = v.getShape();
                if (shape == null) return "no shape of " + v.name();
                shape = shape.clone();
                long length = 1;
                for (int i = 0; i < shape.length; i++) {
                    if (shape[i] < 0) shape[i] = 1;
                    length *= Math.min(shape[i], FED + 1);
                    if (length > FED) return v.name() + " is too large to be fed";
                }
                in.put(v.name(), Nd4j.ones(v.dataType() == DataType.UTF8 ? DataType.FLOAT : v.dataType(), shape));
            }
            List<String> names = new ArrayList<>();
            for (SDVariable v : sd.variables()) if (v.getVariableType() == VariableType.ARRAY) names.add(v.name());
            Map<String, Object> out = new TreeMap<>();
            for (Map.Entry<String, INDArray> e : sd.output(in, names).entrySet()) out.put(e.getKey(), plain(e.getValue()));
            return out;
        } catch (Throwable t) {
            return "fails: " + t;
        }
    }

    static Object field(SameDiff sd, String name) throws Exception {
        Field f = SameDiff.class.getDeclaredField(name);
        f.setAccessible(true);
        return f.get(sd);
    }

    static Map<String, Object> model(SameDiff sd) throws Exception {
        Map<String, Object> out = new LinkedHashMap<>();
        Map<String, Object> vars = new LinkedHashMap<>();
        for (SDVariable v : sd.variables()) {
            Map<String, Object> m = new LinkedHashMap<>();
            m.put("kind", v.getVariableType().toString());
            m.put("type", String.valueOf(v.dataType()));
            m.put("shape", v.getVariableType() == VariableType.ARRAY ? null : v.getShape());
            boolean data = v.getVariableType() == VariableType.CONSTANT || v.getVariableType() == VariableType.VARIABLE;
            m.put("array", data ? plain(v.getArr(false)) : null);
            vars.put(v.name(), m);
        }
        out.put("variables", vars);
        Map<String, Object> ops = new LinkedHashMap<>();
        for (Map.Entry<String, SameDiffOp> e : sd.getOps().entrySet()) ops.put(e.getKey(), op(e.getValue()));
        out.put("ops", ops);
        out.put("inputs", sd.inputs());
        out.put("loss", sd.getLossVariables());
        out.put("training", sd.getTrainingConfig() == null ? null : new ObjectMapper().readTree(sd.getTrainingConfig().toJson()));
        Map<String, Object> state = new TreeMap<>();
        Map<?, ?> updaters = (Map<?, ?>) field(sd, "updaterMap");
        if (updaters != null) for (Map.Entry<?, ?> e : updaters.entrySet()) {
            Map<String, Object> m = new TreeMap<>();
            Map<?, ?> arrays = ((org.nd4j.linalg.learning.GradientUpdater<?>) e.getValue()).getState();
            for (Map.Entry<?, ?> a : arrays.entrySet()) m.put(String.valueOf(a.getKey()), plain((INDArray) a.getValue()));
            state.put(String.valueOf(e.getKey()), m);
        }
        out.put("state", state);
        out.put("forward", forward(sd));
        return out;
    }

    static Map<String, Object> answer(String line) {
        Map<String, Object> out = new LinkedHashMap<>();
        try {
            String[] parts = line.split("\t");
            if (parts[0].endsWith(".sdnb") || parts[0].endsWith(".sdz")) {
                out.put("read", NativeFile.read(new File(parts[0])));
                return out;
            }
            SameDiff sd = SameDiff.load(new File(parts[0]), true);
            if (parts.length > 1) {
                sd.save(new File(parts[1]), true);
                sd = SameDiff.load(new File(parts[1]), true);
            }
            out.put("read", model(sd));
        } catch (Throwable t) {
            out.remove("read");
            Throwable root = t;
            while (root.getCause() != null) root = root.getCause();
            out.put("error", root.toString());
        }
        return out;
    }

    public static void main(String[] args) throws Exception {
        PrintStream stdout = System.out;
        System.setOut(System.err);
        ObjectMapper json = new ObjectMapper();
        Map<String, Object> hello = new LinkedHashMap<>();
        hello.put("software", "ND4J " + args[0] + ", " + Nd4j.getBackend().getClass().getSimpleName() + ", Java " + System.getProperty("java.version"));
        stdout.println(json.writeValueAsString(hello));
        stdout.flush();
        BufferedReader in = new BufferedReader(new InputStreamReader(System.in));
        for (String line; (line = in.readLine()) != null; ) {
            stdout.println(json.writeValueAsString(answer(line)));
            stdout.flush();
        }
    }
}
