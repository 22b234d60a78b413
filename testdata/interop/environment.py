"""What the readers run on: made once in build/interop, from PyPI, Maven Central and Debian's packages."""
import glob
import io
import os
import shutil
import subprocess
import sys
import tarfile
import urllib.request
import zipfile

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.dirname(os.path.dirname(HERE))
BUILD = os.path.join(ROOT, "build", "interop")

# Exact versions; what they need in turn is in the lists too, so that a run next year is this run.
WHEELS = ["tiledb==0.36.0", "numpy==2.4.6", "pyarrow==26.0.1", "pandas==2.3.3", "scipy==1.17.1", "xxhash==4.1.0",
          "safetensors==0.8.0", "ml_dtypes==0.5.4", "gguf==0.19.0", "pillow==13.0.0"]
WITHOUT_DEPENDENCIES = ["bionemo-scdl==0.1.3"]  # torch, anndata and others: read_scdl.py says what stands in for them
DOTNET = ["dotnetcore2==3.1.23", "nimbusml==1.8.0"]
ND4J = "1.0.0-M2.1"
GLZN = "5945015d959f1bb0940760afed090075b125b3bb"


class Skip(Exception):
    """why a reader cannot be had here."""


FAILED = {}  # what could not be made, so that it is not tried twice


def run(args, why, timeout=900, **kw):
    try:
        done = subprocess.run(args, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, timeout=timeout, **kw)
    except (OSError, subprocess.TimeoutExpired) as e:
        raise Skip(f"{why} ({e})") from None
    if done.returncode:
        raise Skip(f"{why} ({(done.stdout.strip().splitlines() or ['no word'])[-1][:150]})")
    return done.stdout


def once(name, make, of=()):
    """the folder build/interop/name, made by make of these packages where it is not there whole, or of others."""
    if name in FAILED:
        raise FAILED[name]
    path = os.path.join(BUILD, name)
    done = os.path.join(path, ".done")
    of = "\n".join(of)
    if not os.path.exists(done) or open(done).read() != of:
        shutil.rmtree(path, ignore_errors=True)
        os.makedirs(path)
        try:
            make(path)
        except Skip as why:
            FAILED[name] = why
            raise
        with open(done, "w") as f:
            f.write(of)
    return path


def pip(python, *args, timeout=900):
    run([python, "-m", "pip", "-q", "--disable-pip-version-check", "--timeout", "20", "--retries", "1", *args], "PyPI does not give the wheels", timeout)


def venv():
    def make(path):
        run([sys.executable, "-m", "venv", path], "this Python makes no virtual environment")
        pip(os.path.join(path, "bin", "python"), "install", *WHEELS)
        pip(os.path.join(path, "bin", "python"), "install", "--no-deps", *WITHOUT_DEPENDENCIES)
    if sys.version_info < (3, 11):
        raise Skip("Python 3.11 or later is needed")
    return os.path.join(once("venv", make, WHEELS + WITHOUT_DEPENDENCIES), "bin", "python")


def tiledb():
    return [venv(), os.path.join(HERE, "read_tiledb.py")]


def scdl():
    return [venv(), os.path.join(HERE, "read_scdl.py")]


def taridx():
    return [venv(), os.path.join(HERE, "read_taridx.py")]


def glzn():
    """the folder with the package glzn, of which there is no release."""
    def make(path):
        url = f"https://codeload.github.com/dsb-ifi/glzn/tar.gz/{GLZN}"
        try:
            with urllib.request.urlopen(url, timeout=20) as answer, tarfile.open(fileobj=io.BytesIO(answer.read())) as t:
                for m in t:
                    m.name = m.name.partition("/")[2]
                    if m.name.startswith("glzn/data/"):
                        t.extract(m, path, filter="data")
        except (OSError, tarfile.TarError) as e:
            raise Skip(f"GitHub does not give glzn ({e})") from None
    return once("glzn", make, [GLZN])


def idv(source=os.path.join(HERE, "ReadIDV.cs")):
    """A program on ML.NET and .NET Core: both come out of wheels that were made for Python 3.7, so they are unpacked, not installed."""
    def make(path):
        wheels = os.path.join(path, "wheels")
        pip(sys.executable, "download", "--no-deps", "--python-version", "3.7", "--only-binary=:all:", "--platform", "manylinux1_x86_64", "-d", wheels, *DOTNET)
        for wheel in glob.glob(os.path.join(wheels, "*.whl")):
            with zipfile.ZipFile(wheel) as z:
                z.extractall(path, [n for n in z.namelist() if n.startswith("dotnetcore2/bin/") or "/libs/Microsoft.ML." in n or "CpuMathNative" in n
                                    or n.endswith(("/Newtonsoft.Json.dll", "/System.Drawing.Common.dll"))])
        shutil.rmtree(wheels)
        os.chmod(os.path.join(path, "dotnetcore2", "bin", "dotnet"), 0o755)
    if not shutil.which("mcs"):
        raise Skip("no C# compiler: install Debian's mono-mcs")
    path = once("dotnet", make, DOTNET)
    libs, name = os.path.join(path, "nimbusml", "internal", "libs"), os.path.basename(source)
    framework = glob.glob(os.path.join(path, "dotnetcore2", "bin", "shared", "Microsoft.NETCore.App", "*"))[0]
    program = os.path.join(libs, name.replace(".cs", ".dll"))
    if not os.path.exists(program) or os.path.getmtime(program) < os.path.getmtime(source):
        refs = [f for p in ("System*.dll", "mscorlib.dll", "netstandard.dll") for f in glob.glob(os.path.join(framework, p))]
        refs += [os.path.join(libs, f"Microsoft.ML.{n}.dll") for n in ("Data", "Core", "DataView")]
        run(["mcs", "-nologo", "-nostdlib", "-noconfig", "-target:exe", "-out:" + program, *("-r:" + r for r in refs), source], name + " does not compile")
        with open(program.replace(".dll", ".runtimeconfig.json"), "w") as f:
            f.write('{"runtimeOptions":{"framework":{"name":"Microsoft.NETCore.App","version":"3.1.0"},'
                    '"configProperties":{"System.Globalization.Invariant":true}}}')
    return [os.path.join(path, "dotnetcore2", "bin", "dotnet"), program]


def samediff(source=os.path.join(HERE, "ReadSameDiff.java")):
    """A program on ND4J, with what stands beside it."""
    def make(path):
        pom = os.path.join(HERE, "pom.xml")
        run(["mvn", "-q", "-B", "-f", pom, f"-Dnd4j={ND4J}", "dependency:copy-dependencies", "-DoutputDirectory=" + os.path.join(path, "lib")],
            "Maven Central does not give ND4J")
    if not shutil.which("javac") or not shutil.which("mvn"):
        raise Skip("no Java compiler or no Maven")
    path = once("nd4j", make, [ND4J])
    name = os.path.basename(source).replace(".java", "")
    classes, sources = os.path.join(path, "classes-" + name), glob.glob(os.path.join(os.path.dirname(source), "*.java"))
    classpath = classes + os.pathsep + os.path.join(path, "lib", "*")
    if not os.path.exists(classes) or os.path.getmtime(classes) < max(map(os.path.getmtime, sources)):
        shutil.rmtree(classes, ignore_errors=True)
        os.makedirs(classes)
        run(["javac", "-nowarn", "-encoding", "UTF-8", "-cp", classpath, "-d", classes, *sources], "the Java programs do not compile")
    return ["java", "-Xmx2g", "-XX:-OmitStackTraceInFastThrow", "-XX:ErrorFile=/dev/null", "-Dfile.encoding=UTF-8", "-cp", classpath, name, ND4J]
