import os
import pathlib
import shutil

import pytest

import spandrel

SAMPLES = pathlib.Path(__file__).parents[3] / "testdata"


@pytest.fixture
def sample(tmp_path):
    """Returns a function that copies a sample, with what is beside it, and returns the path of the copy."""

    def copy(name):
        source = SAMPLES / name
        folder = tmp_path / source.parent.name
        if not folder.exists():
            shutil.copytree(source.parent, folder)
        return folder / source.name

    return copy


@pytest.fixture
def shell(tmp_path):
    """Returns an environment in which the command spandrel is that of the package, and a folder of the test is the home."""
    if os.name == "nt":
        pytest.skip("the script is for a shell of Unix")
    programs = tmp_path / "bin"
    programs.mkdir()
    (programs / "spandrel").symlink_to(os.path.abspath(spandrel.binary()))
    return {**os.environ, "PATH": f"{programs}{os.pathsep}{os.environ['PATH']}", "HOME": str(tmp_path)}
