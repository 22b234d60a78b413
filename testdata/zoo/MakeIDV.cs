using System;
using System.Collections.Generic;
using System.IO;
using System.Reflection;
using System.Text;
using Microsoft.ML;
using Microsoft.ML.Data;

/// Writes IDV files with ML.NET itself, of texts that its loader reads: TEXT, OUT, rows a block, how it is compressed, which columns become keys,
/// then name, kind, first and last field, and key count of each column, with tabs between; a line in, a JSON object a line out.
class MakeIDV
{
    static readonly MLContext ml = new MLContext(0);

    static void Main()
    {
        var stdout = new StreamWriter(Console.OpenStandardOutput(), new UTF8Encoding(false)) { AutoFlush = true };
        stdout.WriteLine("{\"software\":\"ML.NET\"}");
        var stdin = new StreamReader(Console.OpenStandardInput(), new UTF8Encoding(false));
        for (string line; (line = stdin.ReadLine()) != null;)
        {
            try { Write(line.Split('\t')); stdout.WriteLine("{\"read\":true}"); }
            catch (Exception e)
            {
                while (e is TargetInvocationException && e.InnerException != null) e = e.InnerException;
                stdout.WriteLine("{\"error\":\"" + (e.GetType().Name + " " + e.Message).Replace("\\", "/").Replace("\"", "'").Split('\n')[0].Trim() + "\"}");
            }
        }
    }

    static void Write(string[] f)
    {
        var columns = new List<TextLoader.Column>();
        for (int i = 5; i + 4 < f.Length; i += 5)
        {
            var c = new TextLoader.Column(f[i], (DataKind)Enum.Parse(typeof(DataKind), f[i + 1]), int.Parse(f[i + 2]), int.Parse(f[i + 3]));
            if (f[i + 2] == f[i + 3]) c = new TextLoader.Column(f[i], c.DataKind, int.Parse(f[i + 2]));
            if (f[i + 4] != "0") c.KeyCount = new KeyCount(ulong.Parse(f[i + 4]));
            columns.Add(c);
        }
        var view = (IDataView)ml.Data.LoadFromTextFile(f[0], new TextLoader.Options { Columns = columns.ToArray(), Separators = new[] { '\t' }, AllowSparse = true,
            AllowQuoting = false, HasHeader = true });
        foreach (var name in f[4].Split(new[] { ';' }, StringSplitOptions.RemoveEmptyEntries))
            view = ml.Transforms.Conversion.MapValueToKey(name, name).Fit(view).Transform(view);
        Save(view, f[1], int.Parse(f[2]), f[3]);
    }

    // The settings of the saver are internal.
    static void Save(IDataView view, string path, int rows, string compression)
    {
        var type = typeof(MLContext).Assembly.GetType("Microsoft.ML.Data.IO.BinarySaver") ?? typeof(TextLoader).Assembly.GetType("Microsoft.ML.Data.IO.BinarySaver", true);
        const BindingFlags all = BindingFlags.Instance | BindingFlags.Public | BindingFlags.NonPublic;
        var options = Activator.CreateInstance(type.GetNestedType("Arguments", BindingFlags.Public | BindingFlags.NonPublic));
        options.GetType().GetField("MaxRowsPerBlock").SetValue(options, rows > 0 ? (int?)rows : null);
        options.GetType().GetField("Silent").SetValue(options, true);
        var kind = options.GetType().GetField("Compression");
        kind.SetValue(options, Enum.Parse(Nullable.GetUnderlyingType(kind.FieldType) ?? kind.FieldType, compression));
        object saver = null;
        foreach (var make in type.GetConstructors(all)) // of the environment and the options
            if (make.GetParameters().Length == 2) saver = make.Invoke(new object[] { ml, options });
        var savable = new List<int>();
        foreach (var c in view.Schema) if (!c.IsHidden) savable.Add(c.Index);
        foreach (var save in type.GetMethods(all))
            if (save.Name == "SaveData")
                using (var stream = File.Create(path)) { save.Invoke(saver, new object[] { stream, view, savable.ToArray() }); return; }
        throw new InvalidOperationException("no SaveData");
    }
}
