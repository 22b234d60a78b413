"""The pytest plugin: `--spandrel PATH` checks files as tests, and the fixture `spandrel_check` checks one in a test."""

from __future__ import annotations

import os

import pytest

from ._check import check
from ._run import objects


def pytest_addoption(parser):
    parser.getgroup("spandrel").addoption(
        "--spandrel", action="append", default=[], metavar="PATH", help="check this file, or in this folder every file named as a format's, as a test; may be repeated")


@pytest.fixture
def spandrel_check():
    """Returns a function that fails the test if a file has an error, and says what happened to the file; otherwise it returns the report."""

    def checked(path, **options):
        __tracebackhide__ = True
        report = check(path, **options)
        assert report.ok, str(report)
        return report

    return checked


def pytest_collection_modifyitems(session, config, items):
    for path in config.getoption("spandrel"):
        items += [Checked.from_parent(session, name=f"spandrel: {file}", file=file) for file in _files(path)]


def _files(path):
    if not os.path.isdir(path):
        return [path]
    ends = tuple(end for form in objects("formats") for end in form["extensions"])
    return sorted(
        os.path.join(folder, name)
        for folder, _, names in os.walk(path) for name in names if name.lower().endswith(ends) and not name.startswith("."))


class Checked(pytest.Item):
    """The check of one file as a test."""

    def __init__(self, *, file, **rest):
        super().__init__(**rest)
        self.file = file

    def runtest(self):
        report = check(self.file)
        if not report.ok:
            pytest.fail(str(report), pytrace=False)

    def reportinfo(self):
        return self.file, None, self.name
