using System;
using System.Collections.Generic;
using System.Globalization;
using System.IO;
using System.IO.Compression;
using System.Reflection;
using System.Text;
using Microsoft.ML;
using Microsoft.ML.Data;

/// Reads IDV files with ML.NET itself: a path a line in, a JSON object a line out. Of a .zip every stream is read that starts as IDV does.
/// With a tab and a second path behind it ML.NET saves there what it loaded, and that file is read.
class ReadIDV
{
    static readonly MLContext ml = new MLContext(0);

    static void Main()
    {
        var stdout = new StreamWriter(Console.OpenStandardOutput(), new UTF8Encoding(false)) { AutoFlush = true };
        var version = typeof(MLContext).Assembly.GetCustomAttribute<AssemblyInformationalVersionAttribute>();
        stdout.WriteLine("{\"software\":" + Text("ML.NET " + version.InformationalVersion.Split('@')[0].Trim() + ", " +
            System.Runtime.InteropServices.RuntimeInformation.FrameworkDescription) + "}");
        var stdin = new StreamReader(Console.OpenStandardInput(), new UTF8Encoding(false));
        for (string line; (line = stdin.ReadLine()) != null;)
        {
            string answer;
            try { answer = "{\"read\":" + Read(line) + "}"; }
            catch (Exception e) { answer = "{\"error\":" + Text(Reason(e)) + "}"; }
            stdout.WriteLine(answer);
        }
    }

    static string Reason(Exception e)
    {
        while (e is TargetInvocationException && e.InnerException != null) e = e.InnerException;
        return e.GetType().Name + ": " + e.Message.Split('\n')[0];
    }

    static string Read(string line)
    {
        var paths = line.Split('\t');
        if (paths.Length > 1)
            using (var to = File.Create(paths[1])) ml.Data.SaveAsBinary(ml.Data.LoadFromBinary(paths[0]), to);
        var path = paths[paths.Length - 1];
        if (path.EndsWith(".zip")) return Archive(path);
        if (path.EndsWith(".tdv")) return View(Transposed(path));
        return View(ml.Data.LoadFromBinary(path));
    }

    // The loader of transposed files is internal.
    static IDataView Transposed(string path)
    {
        var type = typeof(MLContext).Assembly.GetType("Microsoft.ML.Data.IO.TransposeLoader", true);
        const BindingFlags all = BindingFlags.Instance | BindingFlags.Public | BindingFlags.NonPublic;
        foreach (var make in type.GetConstructors(all))
        {
            var p = make.GetParameters();
            if (p.Length != 3 || p[2].ParameterType != typeof(IMultiStreamSource)) continue;
            return (IDataView)make.Invoke(new object[] { ml, Activator.CreateInstance(p[1].ParameterType), new MultiFileSource(path) });
        }
        throw new InvalidOperationException("no constructor of TransposeLoader fits");
    }

    static string Archive(string path)
    {
        var parts = new List<string>();
        using (var zip = ZipFile.OpenRead(path))
            foreach (var entry in zip.Entries)
            {
                var bytes = new MemoryStream();
                using (var stream = entry.Open()) stream.CopyTo(bytes);
                var all = bytes.ToArray();
                int at = IsIDV(all, 0) ? 0 : IsIDV(all, 4) ? 4 : -1;
                string read = "{\"bytes\":" + all.Length + ",\"sum\":" + Sum(all) + "}";
                if (at >= 0)
                {
                    var temp = Path.GetTempFileName();
                    try
                    {
                        File.WriteAllBytes(temp, new ArraySegment<byte>(all, at, all.Length - at).ToArray());
                        read = View(ml.Data.LoadFromBinary(temp));
                    }
                    finally { File.Delete(temp); }
                }
                parts.Add(Text(entry.FullName) + ":" + read);
            }
        return "{\"members\":{" + string.Join(",", parts) + "}}";
    }

    static bool IsIDV(byte[] b, int at)
    {
        return b.Length >= at + 256 && BitConverter.ToUInt64(b, at) == 0x00425644004C4D43UL;
    }

    static ulong Sum(byte[] b)
    {
        ulong h = 14695981039346656037UL;
        foreach (var x in b) h = unchecked((h ^ x) * 1099511628211UL);
        return h >> 12;
    }

    static string View(IDataView view)
    {
        var columns = new List<string>();
        foreach (var c in view.Schema)
            columns.Add("{\"name\":" + Text(c.Name) + ",\"type\":" + Text(c.Type.ToString()) + ",\"hidden\":" + (c.IsHidden ? "true" : "false") +
                ",\"annotations\":" + Annotations(c) + ",\"values\":" + Column(view, c) + "}");
        return "{\"rows\":" + (view.GetRowCount()?.ToString() ?? "null") + ",\"columns\":[" + string.Join(",", columns) + "]}";
    }

    static string Annotations(DataViewSchema.Column c)
    {
        var parts = new List<string>();
        foreach (var a in c.Annotations.Schema)
        {
            string value;
            try { value = (string)Generic("Annotation", a.Type.RawType).Invoke(null, new object[] { c.Annotations, a }); }
            catch (Exception e) { value = "{\"error\":" + Text(Reason(e)) + "}"; }
            parts.Add(Text(a.Name) + ":{\"type\":" + Text(a.Type.ToString()) + ",\"value\":" + value + "}");
        }
        return "{" + string.Join(",", parts) + "}";
    }

    static string Annotation<T>(DataViewSchema.Annotations annotations, DataViewSchema.Column a)
    {
        T value = default(T);
        annotations.GetGetter<T>(a)(ref value);
        return Value(value);
    }

    static string Column(IDataView view, DataViewSchema.Column c)
    {
        try { return (string)Generic("Cells", c.Type.RawType).Invoke(null, new object[] { view, c }); }
        catch (Exception e) { return "{\"error\":" + Text(Reason(e)) + "}"; }
    }

    static string Cells<T>(IDataView view, DataViewSchema.Column c)
    {
        var values = new List<string>();
        using (var cursor = view.GetRowCursor(new[] { c }))
        {
            var get = cursor.GetGetter<T>(c);
            T value = default(T);
            while (cursor.MoveNext()) { get(ref value); values.Add(Value(value)); }
        }
        return "[" + string.Join(",", values) + "]";
    }

    static MethodInfo Generic(string name, Type of)
    {
        return typeof(ReadIDV).GetMethod(name, BindingFlags.Static | BindingFlags.NonPublic).MakeGenericMethod(of);
    }

    static string Value(object v)
    {
        var type = v.GetType();
        if (type.IsGenericType && type.GetGenericTypeDefinition() == typeof(VBuffer<>))
            return (string)Generic("Vector", type.GetGenericArguments()[0]).Invoke(null, new[] { v });
        if (v is ReadOnlyMemory<char> text) return Text(text.ToString());
        if (v is bool b) return b ? "true" : "false";
        if (v is float f) return Real(f, (uint)BitConverter.SingleToInt32Bits(f), ((double)f).ToString("R", CultureInfo.InvariantCulture));
        if (v is double d) return Real(d, (ulong)BitConverter.DoubleToInt64Bits(d), d.ToString("R", CultureInfo.InvariantCulture));
        if (v is TimeSpan span) return span.Ticks.ToString();
        if (v is DateTime time) return time.Ticks.ToString();
        if (v is DateTimeOffset zone) return "[" + zone.Ticks + "," + (long)zone.Offset.TotalMinutes + "]";
        if (v is DataViewRowId id) return "[" + id.Low + "," + id.High + "]";
        return Convert.ToString(v, CultureInfo.InvariantCulture);
    }

    static string Real(double d, ulong bits, string text)
    {
        return double.IsNaN(d) || double.IsInfinity(d) || d == 0 && bits != 0 ? "\"bits:" + bits.ToString("x") + "\"" : text;
    }

    static string Vector<T>(VBuffer<T> v)
    {
        var values = new List<string>();
        foreach (var x in v.GetValues().ToArray()) values.Add(Value(x));
        var indices = v.IsDense ? "null" : "[" + string.Join(",", v.GetIndices().ToArray()) + "]";
        return "{\"length\":" + v.Length + ",\"indices\":" + indices + ",\"values\":[" + string.Join(",", values) + "]}";
    }

    static string Text(string s)
    {
        var b = new StringBuilder("\"");
        foreach (char c in s)
            if (c == '"' || c == '\\') b.Append('\\').Append(c);
            else if (c < 32 || c > 126) b.Append("\\u").Append(((int)c).ToString("x4"));
            else b.Append(c);
        return b.Append('"').ToString();
    }
}
