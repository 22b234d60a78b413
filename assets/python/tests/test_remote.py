import functools
import hashlib
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


@pytest.fixture
def bucket(monkeypatch):
    """Serves the objects in a dict as an S3 bucket without signatures, with conditional reads and writes. `meanwhile` is called before each write."""

    class Bucket(dict):
        meanwhile = staticmethod(lambda: None)

    objects = Bucket()

    class Handler(http.server.BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def log_message(self, *_):
            pass

        def name(self):
            return self.path.partition("?")[0].partition("/bucket/")[2]

        def answer(self, status, body=b"", **headers):
            self.send_response(status)
            for name, value in headers.items():
                self.send_header(name.replace("_", "-"), value)
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            if self.command != "HEAD":
                self.wfile.write(body)

        def do_GET(self):
            if not self.name():
                self.answer(200, b"<ListBucketResult><IsTruncated>false</IsTruncated></ListBucketResult>")
                return
            b = objects.get(self.name())
            if b is None:
                self.answer(404, b"<Error><Code>NoSuchKey</Code></Error>")
            elif self.headers.get("If-Match", tag(b)) != tag(b):
                self.answer(412, b"<Error><Code>PreconditionFailed</Code></Error>")
            else:
                named = {"ETag": tag(b), "Last_Modified": "Mon, 01 Jan 2024 00:00:00 GMT"}
                first, _, last = self.headers.get("Range", "bytes=0-")[6:].partition("-")
                part = b[int(first):int(last or len(b)) + 1]
                if "Range" in self.headers:
                    self.answer(206, part, Content_Range=f"bytes {first}-{int(first) + len(part) - 1}/{len(b)}", **named)
                else:
                    self.answer(200, b, **named)

        do_HEAD = do_GET

        def do_PUT(self):
            body = self.rfile.read(int(self.headers["Content-Length"]))
            objects.meanwhile()
            old = objects.get(self.name())
            if old is None or self.headers["If-Match"] != tag(old):
                self.answer(412, b"<Error><Code>PreconditionFailed</Code></Error>")
                return
            objects[self.name()] = body
            self.answer(200, ETag=tag(body))

    def tag(b):
        return f'"{hashlib.md5(b).hexdigest()}"'

    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        monkeypatch.setenv("AWS_ENDPOINT_URL", f"http://127.0.0.1:{server.server_port}")
        monkeypatch.setenv("AWS_NO_SIGN_REQUEST", "1")
        monkeypatch.setenv("SPANDREL_CACHE", "off")
        yield objects
        server.shutdown()


def test_upload(bucket):
    for name, what in ("x.npy", "npy/good/matrix.npy"), ("x.idv", "idv/good/stored.idv"), ("bad.idv", "idv/bad/005-compatible-too-old.idv"):
        bucket[name] = (SAMPLES / what).read_bytes()
    before = dict(bucket)
    at = "s3://bucket/"
    with pytest.raises(spandrel.SpandrelError, match="--upload"):
        spandrel.set(at + "x.npy", {"0/value": 7}, table="values")
    assert spandrel.set(at + "x.npy", {"0/value": 7}, table="values", upload=True, dry_run=True) and bucket == before
    spandrel.set(at + "x.npy", {"0/value": 7}, table="values", upload=True)
    assert next(iter(spandrel.open(at + "x.npy").tables["values"]))["value"] == 7
    spandrel.convert(at + "x.idv", "rename-column", at="toc[0]", name="first", upload=True)
    assert "first" in spandrel.open(at + "x.idv").tables["rows"].columns
    repair = spandrel.check(at + "bad.idv").repairs[0]
    spandrel.fix(at + "bad.idv", choose=repair.id, upload=True)
    assert spandrel.check(at + "bad.idv").ok
    spandrel.write(at + "x.npy", "values", [{"value": n} for n in range(6)], upload=True)
    assert [row["value"] for row in spandrel.open(at + "x.npy").tables["values"]] == list(range(6))

    def another():
        bucket["x.npy"] = before["x.npy"]

    bucket.meanwhile = another
    with pytest.raises(spandrel.SpandrelError, match="replaced"):
        spandrel.set(at + "x.npy", {"0/value": 8}, table="values", upload=True)
    assert bucket["x.npy"] == before["x.npy"]
