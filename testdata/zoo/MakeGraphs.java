import java.io.BufferedReader;
import java.io.File;
import java.io.FileDescriptor;
import java.io.FileOutputStream;
import java.io.InputStreamReader;
import java.io.PrintStream;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;

import org.nd4j.autodiff.samediff.SDVariable;
import org.nd4j.autodiff.samediff.SameDiff;
import org.nd4j.autodiff.samediff.TrainingConfig;
import org.nd4j.linalg.api.buffer.DataType;
import org.nd4j.linalg.api.ndarray.INDArray;
import org.nd4j.linalg.dataset.DataSet;
import org.nd4j.linalg.factory.Nd4j;
import org.nd4j.linalg.learning.config.*;

/** Writes random graphs with ND4J itself: a path, a tab and a seed a line in, a JSON object a line out. */
public class MakeGraphs {
    static final String[] SCRIPTS = {"abcdefgh", "äöüß", "ЖшяЩ", "語漢字", "abc_/.0"};
    static final DataType[] TYPES = {DataType.FLOAT, DataType.DOUBLE, DataType.HALF, DataType.BFLOAT16, DataType.LONG, DataType.INT, DataType.SHORT, DataType.BYTE,
            DataType.UBYTE, DataType.BOOL};

    static String name(Random r, String unique) {
        String s = SCRIPTS[r.nextInt(SCRIPTS.length)];
        StringBuilder b = new StringBuilder();
        for (int i = 1 + r.nextInt(9); i > 0; i--) b.append(s.charAt(r.nextInt(s.length())));
        return b + unique;
    }

    static INDArray array(Random r) {
        int[][] shapes = {{1}, {3}, {2, 3}, {1, 1}, {2, 1, 4}, {1 + r.nextInt(30)}};
        int[] shape = shapes[r.nextInt(shapes.length)];
        int n = 1;
        for (int k : shape) n *= k;
        double[] v = new double[n];
        for (int i = 0; i < n; i++) v[i] = r.nextInt(4) == 0 ? 0 : r.nextInt(200) / 4.0 - (r.nextBoolean() ? 20 : 0);
        INDArray a = Nd4j.createFromArray(v).reshape(shape).castTo(TYPES[r.nextInt(TYPES.length)]);
        if (r.nextInt(8) == 0) return Nd4j.scalar(r.nextFloat());
        if (r.nextInt(12) == 0) return Nd4j.create("eins", "zwei " + name(r, ""), "");
        // ND4J 1.0.0-M2.1 reads the arrays of UINT8 in order f that it wrote as if they were in order c.
        return r.nextInt(4) == 0 && shape.length > 1 && a.dataType() != DataType.UBYTE ? a.dup('f') : a;
    }

    static IUpdater updater(Random r) {
        IUpdater[] all = {new Adam(0.01), new Nesterovs(0.1, 0.9), new Sgd(0.1), new RmsProp(0.01), new AdaGrad(0.1), new AdaMax(0.01), new Nadam(0.01), new AMSGrad(0.01), new AdaDelta()};
        return all[r.nextInt(all.length)];
    }

    static void trained(Random r, SameDiff sd) {
        int in = 2 + r.nextInt(4), out = 2 + r.nextInt(3), width = 1 + r.nextInt(8);
        SDVariable x = sd.placeHolder("in", DataType.FLOAT, -1, in), label = sd.placeHolder("label", DataType.FLOAT, -1, out), h = x;
        for (int k = 0; k < r.nextInt(3); k++) {
            SDVariable w = sd.var(name(r, "w" + k), Nd4j.rand(DataType.FLOAT, k == 0 ? in : width, width));
            h = r.nextBoolean() ? sd.nn().tanh(h.mmul(w)) : sd.nn().relu(h.mmul(w), 0);
            in = width;
        }
        h = h.mmul(sd.var("last", Nd4j.rand(DataType.FLOAT, in, out))).add(sd.var("bias", Nd4j.zeros(DataType.FLOAT, out)));
        sd.loss().meanSquaredError("loss", label, h, null);
        sd.setLossVariables("loss");
        sd.setTrainingConfig(TrainingConfig.builder().updater(updater(r)).dataSetFeatureMapping("in").dataSetLabelMapping("label").build());
        int features = (int) x.getShape()[1];
        for (int i = r.nextInt(3); i > 0; i--) sd.fit(new DataSet(Nd4j.rand(DataType.FLOAT, 4, features), Nd4j.rand(DataType.FLOAT, 4, out)));
    }

    static void graph(Random r, SameDiff sd) {
        List<SDVariable> there = new ArrayList<>();
        for (int i = r.nextInt(5); i >= 0; i--) {
            INDArray a = array(r);
            SDVariable v = r.nextBoolean() || !a.dataType().isFPType() ? sd.constant(name(r, "c" + i), a) : sd.var(name(r, "v" + i), a);
            if (a.dataType().isFPType()) there.add(v);
        }
        if (r.nextBoolean()) there.add(sd.placeHolder(name(r, "p"), DataType.FLOAT, 1 + r.nextInt(3), 4));
        for (int i = r.nextInt(9); i > 0 && !there.isEmpty(); i--) {
            SDVariable a = there.get(r.nextInt(there.size()));
            switch (r.nextInt(8)) {
                case 0: there.add(sd.math().tanh(a)); break;
                case 1: there.add(a.mul(2.5)); break;
                case 2: there.add(sd.math().abs(name(r, "o" + i), a)); break;
                case 3: there.add(sd.sum(a)); break;
                case 4: there.add(a.add(a)); break;
                case 5: there.add(sd.castTo(a, DataType.DOUBLE)); break;
                case 6: there.add(sd.expandDims(a, 0)); break;
                default: there.add(sd.nn().sigmoid(a));
            }
        }
    }

    public static void main(String[] args) throws Exception {
        PrintStream out = new PrintStream(new FileOutputStream(FileDescriptor.out), true, "UTF-8");
        System.setOut(System.err);
        Nd4j.create(1);
        out.println("{\"software\":\"ND4J\"}");
        BufferedReader in = new BufferedReader(new InputStreamReader(System.in, "UTF-8"));
        for (String line; (line = in.readLine()) != null; ) {
            String[] f = line.split("\t");
            Random r = new Random(Long.parseLong(f[1]));
            Nd4j.getRandom().setSeed(r.nextInt());
            try {
                SameDiff sd = SameDiff.create();
                boolean trained = r.nextInt(3) == 0;
                if (trained) trained(r, sd);
                else if (r.nextInt(12) > 0) graph(r, sd);
                sd.save(new File(f[0]), r.nextInt(4) > 0);
                out.println("{\"read\":\"" + (trained ? "trained" : "graph") + " of " + sd.variables().size() + " variables\"}");
            } catch (Exception | Error e) {
                out.println("{\"error\":\"" + (e.getClass().getSimpleName() + " " + e.getMessage()).replace("\\", "/").replace("\"", "'").split("\n")[0] + "\"}");
            }
        }
    }
}
