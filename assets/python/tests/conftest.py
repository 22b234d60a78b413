import pathlib
import shutil

import pytest

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
