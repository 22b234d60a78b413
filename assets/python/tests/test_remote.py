import functools
import http.server
import threading

import pytest

import spandrel

from conftest import SAMPLES


@pytest.fixture
def address():
    """Serves the samples over HTTP, and returns the address of the folder."""

    class Handler(http.server.SimpleHTTPRequestHandler):
        def log_message(self, *_):
            pass

    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), functools.partial(Handler, directory=SAMPLES)) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        yield f"http://127.0.0.1:{server.server_port}/"
        server.shutdown()


def test_address(address, sample):
    here, there = sample("npy/good/matrix.npy"), address + "npy/good/matrix.npy"
    assert spandrel.check(there).ok
    assert list(spandrel.open(there).tables["values"]) == list(spandrel.open(here).tables["values"])
    with pytest.raises(spandrel.SpandrelError):
        spandrel.open(address + "nothing.npy")
