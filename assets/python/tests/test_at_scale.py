import importlib.util
import json
import os
import re
import shutil
import subprocess
import sys

import pytest

import spandrel

from conftest import SAMPLES

PAGE = (SAMPLES.parent / "docs" / "at-scale.md").read_text(encoding="utf-8")


def recipe(section, language):
    """Returns the code of a section of the page."""
    return re.search(rf"## {section}\n.*?```{language}\n(.*?)```", PAGE, re.DOTALL).group(1)


@pytest.fixture
def data(tmp_path):
    """Returns a folder with sound and damaged files, and the paths of those that are damaged."""
    folder = tmp_path / "data"
    shutil.copytree(SAMPLES / "npy" / "good", folder)
    shutil.copytree(SAMPLES / "npy" / "bad", folder, dirs_exist_ok=True)
    damaged = [d.path for d in spandrel.catalogue(folder) if not d and d.path.endswith(".npy")]
    assert 5 < len(damaged) < len(list(folder.iterdir()))
    return folder, damaged


def missing(*modules):
    return [m for m in modules if importlib.util.find_spec(m) is None]


@pytest.mark.parametrize("section, modules", [("Dask", ["dask", "distributed"]), ("Ray", ["ray"]), ("Spark", ["pyspark", "pyarrow", "pandas"])])
def test_recipe(section, modules, data, tmp_path):
    if missing(*modules):
        pytest.skip(f"not installed: {', '.join(missing(*modules))}")
    if section == "Spark" and not shutil.which("java"):
        pytest.skip("Spark needs Java")
    folder, damaged = data
    script = tmp_path / "recipe.py"
    script.write_text(recipe(section, "python"), encoding="utf-8")
    paths = os.pathsep.join([os.path.dirname(os.path.dirname(spandrel.__file__)), os.environ.get("PYTHONPATH", "")])
    environment = {**os.environ, "PYTHONPATH": paths, "PYSPARK_PYTHON": sys.executable, "RAY_ENABLE_UV_RUN_RUNTIME_ENV": "0"}
    done = subprocess.run([sys.executable, str(script), str(folder)], cwd=tmp_path, env=environment, capture_output=True, text=True, timeout=300)
    assert done.returncode == 0, done.stderr[-2000:]
    lines = [line.split("\t") for line in done.stdout.splitlines() if "\t" in line]
    assert sorted(path for path, _ in lines) == sorted(damaged) and all(why for _, why in lines)


def test_slurm(data, shell, tmp_path):
    dataset = pytest.importorskip("pyarrow.dataset")
    folder, _ = data
    for task in range(4):
        environment = {**shell, "DATA": str(folder), "SLURM_ARRAY_TASK_ID": str(task), "SLURM_ARRAY_TASK_COUNT": "4"}
        subprocess.run(["sh", "-c", recipe("Slurm", "sh")], cwd=tmp_path, env=environment, check=True)
    shares = dataset.dataset([str(p) for p in tmp_path.glob("share-*.parquet")]).to_table()
    assert sorted(shares["path"].to_pylist()) == sorted(d.path for d in spandrel.catalogue(folder))


def test_kubernetes(data):
    schemas = pytest.importorskip("kubernetes_validate")
    job = pytest.importorskip("yaml").safe_load(recipe("Kubernetes", "yaml"))
    schemas.validate(job, schemas.latest_version(), strict=True)
    (container,) = job["spec"]["template"]["spec"]["containers"]
    folder, damaged = data
    found, statuses = [], set()
    for pod in range(job["spec"]["completions"]):
        args = [a.replace("$(JOB_COMPLETION_INDEX)", str(pod)).replace("/data", str(folder)) for a in container["args"]]
        done = subprocess.run([spandrel.binary(), *args], capture_output=True, text=True)
        statuses.add(done.returncode)
        lines = [json.loads(line) for line in done.stdout.splitlines()]
        found += {line["document"] for line in lines if line.get("severity") == "error" and line["document"].endswith(".npy")}
    (rule,) = job["spec"]["podFailurePolicy"]["rules"]
    assert statuses <= {0, *rule["onExitCodes"]["values"]}
    assert sorted(found) == sorted(damaged)
