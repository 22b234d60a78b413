import java.io.File;

import org.nd4j.autodiff.samediff.SDVariable;
import org.nd4j.autodiff.samediff.SameDiff;
import org.nd4j.autodiff.samediff.TrainingConfig;
import org.nd4j.linalg.api.buffer.DataType;
import org.nd4j.linalg.dataset.DataSet;
import org.nd4j.linalg.factory.Nd4j;
import org.nd4j.linalg.learning.config.Adam;
import org.nd4j.linalg.learning.config.IUpdater;
import org.nd4j.linalg.learning.config.Nesterovs;
import org.nd4j.linalg.learning.config.Sgd;

/** Writes graphs with ND4J itself: MakeSameDiff FOLDER. */
public class MakeSameDiff {
    static File folder;

    static void save(SameDiff sd, String name) {
        sd.save(new File(folder, name + ".fb"), true);
    }

    /** two layers, trained for a few steps so that there is a state of the updater. */
    static SameDiff trained(IUpdater updater) {
        Nd4j.getRandom().setSeed(1);
        SameDiff sd = SameDiff.create();
        SDVariable in = sd.placeHolder("in", DataType.FLOAT, -1, 4);
        SDVariable label = sd.placeHolder("label", DataType.FLOAT, -1, 3);
        SDVariable w0 = sd.var("w0", Nd4j.rand(DataType.FLOAT, 4, 5)), b0 = sd.var("b0", Nd4j.zeros(DataType.FLOAT, 5));
        SDVariable w1 = sd.var("w1", Nd4j.rand(DataType.FLOAT, 5, 3)), b1 = sd.var("b1", Nd4j.zeros(DataType.FLOAT, 3));
        SDVariable hidden = sd.nn().tanh("hidden", in.mmul(w0).add(b0));
        SDVariable out = sd.nn().softmax("out", hidden.mmul(w1).add("logits", b1));
        sd.loss().logLoss("loss", label, out);
        sd.setLossVariables("loss");
        sd.setTrainingConfig(TrainingConfig.builder().updater(updater).dataSetFeatureMapping("in").dataSetLabelMapping("label").build());
        DataSet data = new DataSet(Nd4j.rand(DataType.FLOAT, 6, 4), Nd4j.eye(3).castTo(DataType.FLOAT).repeat(0, 2));
        for (int i = 0; i < 3; i++) sd.fit(data);
        return sd;
    }

    static void types() {
        SameDiff sd = SameDiff.create(); // not the unsigned types of 16 to 64 bits: ND4J writes them and cannot read them back
        for (DataType t : new DataType[] {DataType.FLOAT, DataType.DOUBLE, DataType.HALF, DataType.BFLOAT16, DataType.LONG, DataType.INT, DataType.SHORT,
                DataType.BYTE, DataType.UBYTE, DataType.BOOL})
            sd.constant("c_" + t, Nd4j.createFromArray(1, 0, 3, 7).castTo(t).reshape(2, 2));
        sd.constant("f_order", Nd4j.createFromArray(1f, 2f, 3f, 4f, 5f, 6f).reshape(2, 3).dup('f'));
        sd.constant("scalar", Nd4j.scalar(2.5f));
        sd.constant("texts", Nd4j.create("eins", "zwei", "größer"));
        save(sd, "types");
    }

    static void operations() {
        SameDiff sd = SameDiff.create();
        SDVariable x = sd.placeHolder("x", DataType.FLOAT, 1, 2, 8, 8);
        SDVariable w = sd.var("w", Nd4j.linspace(DataType.FLOAT, 1, 36, 36).div(36).reshape(3, 3, 2, 2));
        SDVariable conv = sd.cnn().conv2d("conv", x, w, org.nd4j.linalg.api.ops.impl.layers.convolution.config.Conv2DConfig.builder().kH(3).kW(3).build());
        SDVariable mean = sd.mean("mean", conv, 2, 3);
        SDVariable[] halves = sd.split(new String[] {"left", "right"}, mean, 2, 1);
        sd.math().add("sum", halves[0], halves[1]);
        sd.argmax("most", conv, 1);
        sd.reshape("flat", conv, 1, -1);
        save(sd, "operations");
    }

    static void branches() {
        SameDiff sd = SameDiff.create();
        SDVariable a = sd.placeHolder("a", DataType.FLOAT, 3), b = sd.var("b", Nd4j.createFromArray(1f, 2f, 3f));
        sd.ifCond("choice", null, s -> a.sum().gt(0), s -> a.add(b), s -> a.sub(b));
        save(sd, "branch");
        sd = SameDiff.create();
        SDVariable n = sd.constant("n", Nd4j.scalar(0f));
        sd.whileLoop(new SDVariable[] {n}, (s, v) -> v[0].lt(5), (s, v) -> new SDVariable[] {v[0].add(1)});
        save(sd, "loop");
    }

    public static void main(String[] args) {
        folder = new File(args[0]);
        folder.mkdirs();
        save(trained(new Adam(0.01)), "adam");
        save(trained(new Nesterovs(0.1, 0.9)), "nesterovs");
        save(trained(new Sgd(0.1)), "sgd");
        types();
        operations();
        branches();
        save(SameDiff.create(), "empty");
    }
}
