"""`es-simhash warm`: ask a running service for the documents most read, so that it keeps them."""

import json
import os
import re
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from http.client import HTTPConnection, HTTPException, HTTPSConnection
from pathlib import Path
from typing import Annotated
from urllib.parse import quote, urlsplit

import click

from es_simhash.cli.commands import command
from es_simhash.cli.files import read_text, refused_file, require_writable
from es_simhash.cli.progress import progress_bar
from es_simhash.constraints import constraints
from es_simhash.errors import EsSimhashError, InputError
from es_simhash.ingestion.bulk.whole_files import replace_file
from es_simhash.text.counting import counted, plural
from es_simhash.text.escaping import masked_url, one_line

# Seconds that an answer may take, and for how long a service that is busy is asked again.
_TIMEOUT, _PATIENCE = 60.0, 300.0
# Requests from one record of how far it is to the next.
_STEP = 50
# What a header may have; of HTTP, its letters are those of Latin 1.
_HEADER_VALUE = re.compile(r"[ -~\xa0-\xff]+")
# Status for documents that are there, that are not, and that cannot be compared, as without text.
_ANSWERED, _MISSING, _INCOMPARABLE = 200, 404, 422


@command
def warm(
    ids: str,
    *,
    service: str = "http://127.0.0.1:8000",
    rate: Annotated[float, constraints(maximum=10_000, above=0)] = 10.0,
    size: Annotated[int | None, constraints(1, 1_000)] = None,
    key_variable: str | None = None,
    checkpoint: Path | None = None,
    quiet: bool = False,
) -> None:
    """Ask a running service for the documents most read, so that it keeps them.

    It asks as the widget does. IDS is a file with an id a line, the most read first, or - for
    standard input. A document that is not there or cannot be compared is counted and passed over;
    while the service is busy the command waits as long as the answer says. Each worker of a service
    keeps its own answers, and what is kept in a proxy is kept for all.

    Args:
        service: Address of the service.
        rate: Most requests a second.
        size: Relations that the pages ask for; None for the default of the service.
        key_variable: Environment variable with the API key; None for a service without keys.
        checkpoint: File that says how far a run came, so that the same command goes on there; it is
            removed at the end.
        quiet: Show no progress.
    """
    # Not splitlines: an id may hold a line separator of Unicode.
    lines = (line.removesuffix("\r") for line in read_text(ids).split("\n"))
    wanted = [line for line in lines if line]
    asked = _Service(service, _key(key_variable))
    done = _Checkpoint(checkpoint, wanted)
    counts = dict.fromkeys((_ANSWERED, _MISSING, _INCOMPARABLE), 0)
    query = "?" + "&".join([*([f"size={size}"] if size else []), "evidence=false"])
    with progress_bar(quiet=quiet) as bar:
        try:
            for number, id in done.rest():
                began = time.monotonic()
                counts[asked.status(f"/v1/related/{quote(id, safe='')}{query}")] += 1
                done.count = number + 1
                bar("documents", done.count, len(wanted))
                if done.count % _STEP == 0:
                    done.write()
                time.sleep(max(0.0, began + 1 / rate - time.monotonic()))
        except BaseException:
            # Where it cannot be written, the last one stays, and the run goes on from there.
            with suppress(InputError):
                done.write()
            raise
        finally:
            asked.close()
    done.remove()
    click.echo(_summary(counts))


def _summary(counts: Mapping[int, int]) -> str:
    """Return the sentence that says how many documents were asked for."""
    missing, unread = counts[_MISSING], counts[_INCOMPARABLE]
    others = f"{missing:,} {plural(missing, 'is', 'are')} not there"
    if unread:
        others += f", {unread:,} cannot be compared"
    return f"Asked for {counted(counts[_ANSWERED], 'document')}; {others}."


def _key(variable: str | None) -> str | None:
    if variable is None:
        return None
    # A file that it was read from ends with a new line, which is no part of the key.
    key = os.environ.get(variable, "").rstrip("\r\n")
    if not key:
        raise InputError(
            f"key_variable names {variable}, which is not in the environment. Set it.",
            parameter="key_variable",
        )
    if not _HEADER_VALUE.fullmatch(key):
        raise InputError(
            f"key_variable names {variable}, whose value no header can have. Set it to a key.",
            parameter="key_variable",
        )
    return key


def _connection(address: str) -> tuple[HTTPConnection, str]:
    """Return a connection to a service, which is not opened yet, and the start of its paths.

    Raises:
        InputError: That is no address.
    """
    # What is no port, no IPv6 address or no name of a host.
    with suppress(ValueError, HTTPException):
        parts = urlsplit(address)
        is_plain = parts.username is None and parts.password is None
        if parts.scheme in ("http", "https") and parts.hostname and is_plain:
            kind = HTTPSConnection if parts.scheme == "https" else HTTPConnection
            return kind(parts.hostname, parts.port, timeout=_TIMEOUT), parts.path.rstrip("/")
    raise InputError(
        "service must be an address such as http://127.0.0.1:8000, without a password, got "
        f"{masked_url(address)!r}.",
        parameter="service",
    )


class _Service:
    """A service that is asked over one connection.

    Args:
        address: Its address.
        key: API key; None for none.
    """

    def __init__(self, address: str, key: str | None) -> None:
        self._address = address
        self._connection, self._prefix = _connection(address)
        self._headers = {"Accept-Encoding": "gzip", **({"X-Api-Key": key} if key else {})}

    def status(self, path: str) -> int:
        """Ask until the service is no longer busy, and return 200, 404 or 422.

        Raises:
            EsSimhashError: It does not answer, or rejects the request.
        """
        until = time.monotonic() + _PATIENCE
        while True:
            status, retry, reason = self._ask(path)
            if status in (_ANSWERED, _MISSING, _INCOMPARABLE):
                return status
            if status not in (429, 503) or time.monotonic() > until:
                raise EsSimhashError(
                    f"{self._address} answers {status}: {one_line(reason)} Run the same command "
                    "again when that is mended."
                )
            time.sleep(min(retry, _TIMEOUT))

    def _ask(self, path: str) -> tuple[int, float, str]:
        for is_last in (False, True):
            try:
                self._connection.request("GET", f"{self._prefix}{path}", headers=self._headers)
                answer = self._connection.getresponse()
                body = answer.read()
                break
            except (OSError, HTTPException, UnicodeError) as error:
                # An idle connection may have been closed.
                self._connection.close()
                if is_last:
                    raise EsSimhashError(
                        f"{self._address} does not answer: {error}. Start the service, or set "
                        "--service."
                    ) from error
        retry = answer.headers.get("Retry-After", "")
        detail = ""
        with suppress(ValueError, AttributeError):
            detail = str(json.loads(body).get("detail", ""))
        return answer.status, float(retry) if retry.isdecimal() else 1.0, detail

    def close(self) -> None:
        """Close the connection."""
        self._connection.close()


class _Checkpoint:
    """How far a list of ids was asked for.

    Args:
        file: Where that is kept; None for nowhere.
        ids: The ids.

    Raises:
        InputError: The file is of other ids, or cannot be written.
    """

    def __init__(self, file: Path | None, ids: Sequence[str]) -> None:
        self._file, self._ids = file, ids
        self.count = 0
        if file is None or not file.exists():
            require_writable(file, "checkpoint")
            return
        try:
            kept = json.loads(file.read_text("utf-8"))
            self.count, last = kept["count"], kept["last"]
            is_same = ids[self.count - 1] == last
        except (OSError, ValueError, KeyError, TypeError, IndexError):
            is_same = False
        if not is_same:
            raise InputError(
                f"File {str(file)!r} is no checkpoint of these ids. Remove it to begin anew.",
                parameter="checkpoint",
            )
        self.write()

    def rest(self) -> Iterator[tuple[int, str]]:
        """Yield the ids that were not asked for yet, with their places."""
        for number in range(self.count, len(self._ids)):
            yield number, self._ids[number]

    def write(self) -> None:
        """Keep how far it is.

        Raises:
            InputError: The file cannot be written.
        """
        if self._file is None or not self.count:
            return
        content = json.dumps({"count": self.count, "last": self._ids[self.count - 1]})
        try:
            replace_file(self._file, content)
        except OSError as error:
            raise refused_file(self._file, error, "checkpoint") from error

    def remove(self) -> None:
        """Remove the file: all was asked for."""
        if self._file is not None:
            self._file.unlink(missing_ok=True)
