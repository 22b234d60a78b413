import shutil
import subprocess
import sys

from conftest import SAMPLES

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
