"""Files at addresses: read, resumed, and one sentence where they may not be read."""

import gzip
import io
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, HTTPServer
from typing import Any

import pytest

from es_simhash.errors import InputError, MissingExtra
from es_simhash.ingestion.bulk.document_batches import BatchLimits
from es_simhash.ingestion.bulk.input_sources import open_sources
from es_simhash.ingestion.sources.remote_files import is_remote
from tests.ingestion.sources.test_source_formats import read

fsspec = pytest.importorskip("fsspec")

TABLE = gzip.compress(b"_id,text\na,One\nb,Two\n")


@pytest.fixture
def bucket() -> Iterator[Any]:
    """A file system in memory, empty."""
    system = fsspec.filesystem("memory")
    system.store.clear()
    system.pipe("/bucket/a.csv.gz", TABLE)
    yield system
    system.store.clear()


def test_an_address_is_read_as_a_file(bucket: Any) -> None:
    (source,) = open_sources(["memory://bucket/a.csv.gz"], io.BytesIO())
    assert source.size() == len(TABLE)
    first, second = source.batches(BatchLimits(1), None)
    assert [row[:2] for row in read([first, second])] == [("a", "One"), ("b", "Two")]
    assert first.checkpoint is not None
    assert source.is_unchanged(first.checkpoint)
    assert read(list(source.batches(BatchLimits(1), first.checkpoint))) == read([second])
    assert first.location(0) == ("memory://bucket/a.csv.gz", 2)


@pytest.mark.parametrize(
    ("error", "reason"),
    [
        (PermissionError("Forbidden"), r"may not be read \(Forbidden\). Check the rights"),
        (FileNotFoundError("x"), "does not exist. Check the address."),
        (RuntimeError("no credentials\nfound"), "cannot be read .no credentials"),
        (ConnectionError(""), "cannot be read .ConnectionError"),
    ],
)
def test_what_may_not_be_read_is_one_sentence(
    bucket: Any, monkeypatch: pytest.MonkeyPatch, error: Exception, reason: str
) -> None:
    def refuse(*arguments: Any, **more: Any) -> Any:
        raise error

    monkeypatch.setattr(type(bucket), "info", refuse)
    with pytest.raises(InputError, match=f"^memory://bucket/a.csv.gz {reason}") as refused:
        open_sources(["memory://bucket/a.csv.gz"], io.BytesIO())
    assert "\n" not in str(refused.value)


@pytest.mark.parametrize(
    ("status", "reason"),
    [
        (404, "does not exist. Check the address."),
        (403, r"may not be read \(403, .*\). Check the rights"),
        (500, r"cannot be read \(500, "),
        (None, r"cannot be read \(Cannot connect to host"),
    ],
)
def test_what_a_web_server_refuses_is_said(status: int | None, reason: str) -> None:
    class Refusing(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            self.send_response(status or 200)
            self.send_header("content-length", "0")
            self.end_headers()

        do_HEAD = do_GET

        def log_message(self, *_: Any) -> None:
            """Print nothing."""

    with HTTPServer(("127.0.0.1", 0), Refusing) as server:
        url = f"http://127.0.0.1:{server.server_port}/a.csv"
        if status is not None:
            threading.Thread(target=server.serve_forever, daemon=True).start()
        else:
            server.server_close()
        with pytest.raises(InputError, match=f"^{url} {reason}"):
            open_sources([url], io.BytesIO())
        if status is not None:
            server.shutdown()


def test_a_stream_that_breaks_off_ends_the_run(
    bucket: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    (source,) = open_sources(["memory://bucket/a.csv.gz"], io.BytesIO())

    class Broken(io.BytesIO):
        def read(self, size: int | None = -1) -> bytes:
            if self.tell():
                raise RuntimeError("reset by peer")
            return super().read(20)

    monkeypatch.setattr(
        type(bucket), "open", lambda *a, **more: Broken(b"_id,text\n" + b"a,b\n" * 9)
    )
    batches = source.batches(BatchLimits(1), None)
    assert [row[0] for row in read([next(batches)])] == ["a"]
    with pytest.raises(InputError, match=r"cannot be read \(reset by peer\)"):
        list(batches)


def test_what_is_needed_for_an_address_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(InputError, match="no-such-scheme"):
        open_sources(["no-such-scheme://a/b"], io.BytesIO())
    # The command is the one that works in this environment.
    with pytest.raises(
        MissingExtra, match=r"sftp://a/b is read with paramiko: .*install paramiko\.$"
    ):
        open_sources(["sftp://a/b"], io.BytesIO())
    monkeypatch.setitem(__import__("sys").modules, "fsspec.core", None)
    with pytest.raises(MissingExtra, match="is read with fsspec"):
        open_sources(["s3://bucket/a.csv"], io.BytesIO())


def test_folders_are_refused(bucket: Any) -> None:
    with pytest.raises(InputError, match="is a folder"):
        open_sources(["memory://bucket"], io.BytesIO())


def test_a_path_is_no_address() -> None:
    assert is_remote("s3://bucket/a")
    assert not any(map(is_remote, ("a.csv", "c:\\a", "folder/x://y", "://x")))
