import doctest
import re
import shutil
import subprocess
import sys

import pytest

from conftest import SAMPLES


def test_examples(tmp_path, monkeypatch):
    for name in ("idv", "safetensors", "taridx"):
        shutil.copytree(SAMPLES / name, tmp_path / name)
    monkeypatch.chdir(tmp_path)
    text = (SAMPLES.parent / "docs" / "python.md").read_text(encoding="utf-8")
    code = "\n".join(re.findall(r"```pycon\n(.*?)```", text, re.DOTALL))
    examples = doctest.DocTestParser().get_doctest(code, {}, "docs/python.md", None, 0)
    result = doctest.DocTestRunner().run(examples)
    assert result.attempted > 15 and result.failed == 0


def test_arrow_from_the_command(shell, tmp_path, monkeypatch):
    pytest.importorskip("pyarrow")
    shutil.copytree(SAMPLES / "tiledb" / "good" / "sparse-v23", tmp_path / "array")
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("PATH", shell["PATH"])
    (example,) = re.findall(r"```python\n(.*?)```", (SAMPLES.parent / "docs" / "scripts.md").read_text(encoding="utf-8"), re.DOTALL)
    names = {}
    exec(example, names)
    assert names["batch"].num_rows > 0


def test_import_needs_no_other_package():
    code = "import sys, spandrel; print([m for m in ('numpy', 'pandas', 'pyarrow') if m in sys.modules])"
    assert subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout == "[]\n"
