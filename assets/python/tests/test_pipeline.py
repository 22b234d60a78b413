import importlib.util
import json
import re
import shutil
import subprocess
import sys

import pytest

import spandrel

from conftest import SAMPLES

ROOT = SAMPLES.parent
PAGE = (ROOT / "docs" / "pipeline.md").read_text(encoding="utf-8")
BAD, GOOD = SAMPLES / "npy" / "bad" / "001-magic.npy", SAMPLES / "safetensors" / "good" / "model.safetensors"


def pytest_in(folder, *args):
    done = subprocess.run([sys.executable, "-m", "pytest", "-p", "no:cacheprovider", *map(str, args)], cwd=folder, capture_output=True, text=True)
    return done.returncode, done.stdout + done.stderr


def test_fixture(spandrel_check, tmp_path):
    assert spandrel_check(GOOD).ok
    (tmp_path / "test_one.py").write_text(f"def test_one(spandrel_check):\n    spandrel_check({str(BAD)!r})\n")
    status, said = pytest_in(tmp_path, "test_one.py")
    assert status == 1 and "proven cause: 3 bytes precede the file" in said


def test_option_collects_files(tmp_path):
    (tmp_path / "test_none.py").write_text("")
    status, said = pytest_in(tmp_path, "--spandrel", BAD, "--spandrel", GOOD, "test_none.py")
    assert status == 1 and "1 failed, 1 passed" in said and "proven cause: 3 bytes precede the file" in said
    data = tmp_path / "data" / "deep"
    data.mkdir(parents=True)
    shutil.copy(GOOD, data)
    (data / "README.md").write_text("not a document")
    status, said = pytest_in(tmp_path, "--spandrel", data.parent, "test_none.py")
    assert status == 0 and "1 passed" in said


def test_fixture_of_the_page(tmp_path):
    (test,) = re.findall(r"```python\n(.*?)```", PAGE, re.DOTALL)
    (tmp_path / "test_page.py").write_text(f"import shutil\n\n\ndef export(path):\n    shutil.copy({str(BAD)!r}, path)\n\n\n{test}")
    status, said = pytest_in(tmp_path, "test_page.py")
    assert status == 1 and "proven cause: 3 bytes precede the file" in said


def test_action(shell, tmp_path):
    script = pytest.importorskip("yaml").safe_load((ROOT / "action.yml").read_text(encoding="utf-8"))["runs"]["steps"][0]["run"]
    environment = {**shell, "RUNNER_TEMP": str(tmp_path), "GITHUB_OUTPUT": str(tmp_path / "output"), "SPANDREL_WHEEL": "", "SPANDREL_VERSION": "",
                   "SPANDREL_BINARY": spandrel.binary(), "SPANDREL_PATHS": f"{GOOD}\n{BAD.parent}/001*.npy"}
    for form in ("github", "sarif", "none"):
        done = subprocess.run(["bash", "-e", "-c", script], env={**environment, "SPANDREL_FORMAT": form}, capture_output=True, text=True)
        assert done.returncode == (2 if form == "none" else 1) and ("::error " in done.stdout) == (form != "sarif"), done.stderr
    log = json.loads((tmp_path / "spandrel.sarif").read_text(encoding="utf-8"))
    assert log["runs"][0]["results"] and (tmp_path / "output").read_text() == f"sarif={tmp_path}/spandrel.sarif\n"


def test_list_of_changed_files(shell, tmp_path):
    (line,) = re.findall(r"^    (git diff .*)", PAGE, re.MULTILINE)
    commit = "git -c user.name=a -c user.email=a@b commit -qm x"
    for name, status in ((GOOD, 0), (BAD, 1)):
        folder = tmp_path / name.stem
        folder.mkdir()
        shutil.copy(GOOD, folder / "was.safetensors")
        shutil.copy(name, folder / f"new{name.suffix}")
        script = f"git init -qb main; git add was.safetensors; {commit}; git checkout -qb b; git add .; {commit}; {line}"
        done = subprocess.run(["sh", "-c", script], cwd=folder, env=shell, capture_output=True, text=True)
        assert done.returncode == status, done.stderr


@pytest.mark.skipif(importlib.util.find_spec("pre_commit") is None, reason="not installed: pre-commit")
def test_hooks(shell, tmp_path):
    """Runs the hook of the repository, and that of the page, which installs a wheel."""
    text = (ROOT / ".pre-commit-hooks.yaml").read_text(encoding="utf-8")
    (local,) = re.findall(r"(- repo: local\n.*?)```", PAGE, re.DOTALL)
    (wheel,) = (ROOT / "build" / "wheel").glob("*.whl")
    work = tmp_path / "work"
    work.mkdir()
    shutil.copy(BAD, work)
    (work / "text.txt").write_text("text")
    (tmp_path / "hooks").mkdir()
    (tmp_path / "hooks" / ".pre-commit-hooks.yaml").write_text(text)
    for folder in (work, tmp_path / "hooks"):
        subprocess.run(["sh", "-ec", "git init -q; git add .; git -c user.name=a -c user.email=a@b commit -qm x"], cwd=folder, check=True)
    for args, config in (
        (["try-repo", str(tmp_path / "hooks")], ""),
        (["run"], "repos:\n" + re.sub(r"https://\S+\.whl", wheel.as_uri(), local)),
    ):
        (work / ".pre-commit-config.yaml").write_text(config)
        done = subprocess.run([sys.executable, "-m", "pre_commit", *args, "--all-files"], cwd=work, env=shell, capture_output=True, text=True)
        assert done.returncode == 1 and "proven cause: 3 bytes precede the file" in done.stdout, done.stdout + done.stderr
