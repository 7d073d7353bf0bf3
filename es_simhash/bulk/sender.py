"""Requests to the cluster: the documents of a batch, and what the index has of them."""

import random
import re
import threading
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NoReturn, TypeVar
from urllib.parse import quote

import elastic_transport
import elasticsearch

from es_simhash.bulk.order import Stopped
from es_simhash.bulk.preparation import Prepared
from es_simhash.engine.cluster import address, plain_errors
from es_simhash.errors import ClusterError
from es_simhash.storage.fields import LARGE_MEMBERS, field_path

# Too many requests; a gateway or a shard that is not there for now.
_PASSING = frozenset({429, 502, 503, 504})
# The request as a whole is refused for what one document has, or for its size.
_DIVIDED = frozenset({400, 413})
_JSON = {"accept": "application/json", "content-type": "application/json"}
_NDJSON = {"accept": "application/json", "content-type": "application/x-ndjson"}
# Where Elasticsearch quotes the document.
_QUOTATION = re.compile(r"(\.? Preview of field's value: |\s+at \[Source: ).*", re.DOTALL)

Answer = TypeVar("Answer")


@dataclass(frozen=True)
class Patience:
    """How long a cluster that is busy or away is asked again.

    Attributes:
        first: Seconds before the second request; doubled each time.
        longest: Most seconds between two requests.
        total: Seconds after which the run ends.
    """

    first: float = 0.5
    longest: float = 30.0
    total: float = 300.0


class Busy(Exception):
    """The cluster cannot take a request now."""


class Sender:
    """Sends prepared batches and asks again where that may help.

    Args:
        client: The client; used by several threads.
        index: Where documents go.
        field: Field of our object.
        patience: How long to ask again.
    """

    def __init__(
        self,
        client: elasticsearch.Elasticsearch,
        index: str,
        field: str,
        patience: Patience,
    ) -> None:
        # We ask again ourselves: only what was rejected, and for longer.
        self._client = client.options(max_retries=0)
        self._index = index
        path = "/" + quote(index, safe=",")
        left_out = ",".join(field_path(field, member) for member in LARGE_MEMBERS)
        self._bulk = (
            f"{path}/_bulk?filter_path=errors,items.*.status,items.*.error.type,"
            "items.*.error.reason,items.*.error.caused_by.type"
        )
        self._mget = f"{path}/_mget?_source_excludes={quote(left_out)}"
        self._patience = patience
        self._stopped = threading.Event()

    def stop(self) -> None:
        """End all waiting."""
        self._stopped.set()

    def look_up(self, ids: Sequence[str]) -> dict[str, dict[str, Any]]:
        """Return the documents of the index that have these ids."""
        if not ids:
            return {}

        def ask() -> Any:
            return self._request(self._mget, {"ids": list(dict.fromkeys(ids))}, _JSON)

        answer = self._patiently(ask)
        return {
            each["_id"]: each["_source"]
            for each in answer["docs"]
            if each.get("found") and "_source" in each
        }

    def send(self, prepared: Prepared) -> dict[int, str]:
        """Write the documents of a batch.

        Returns:
            The reason for each document that was refused for good, by its number in the body.

        Raises:
            ClusterError: The cluster takes no document at all, or is busy or away for too long.
        """
        failures: dict[int, str] = {}
        pending = list(range(len(prepared.ids)))

        def attempt() -> None:
            nonlocal pending
            pending = self._attempt(prepared, pending, failures)
            if pending:
                raise Busy(f"it rejects {len(pending)} documents of a batch for now")

        if pending:
            self._patiently(attempt)
        return failures

    def _attempt(
        self, prepared: Prepared, numbers: Sequence[int], failures: dict[int, str]
    ) -> list[int]:
        """Send some documents of a batch; give those to be sent again."""
        try:
            answer = self._request(self._bulk, _body(prepared, numbers), _NDJSON)
        except Busy:
            raise
        except elasticsearch.ApiError as error:
            if error.status_code not in _DIVIDED:
                self._give_up(error)
            return self._divide(prepared, numbers, failures, error)
        if not answer["errors"]:
            return []
        return self._rejected(numbers, answer["items"], failures)

    def _divide(
        self,
        prepared: Prepared,
        numbers: Sequence[int],
        failures: dict[int, str],
        error: elasticsearch.ApiError,
    ) -> list[int]:
        """Find the document for which a whole request is refused."""
        if len(numbers) == 1:
            failures[numbers[0]] = f"Elasticsearch refuses the request: {error.message}."
            return []
        middle = len(numbers) // 2
        rejected: list[int] = []
        for half in (numbers[:middle], numbers[middle:]):
            try:
                rejected += self._attempt(prepared, half, failures)
            except Busy:
                rejected += half
        return rejected

    def _rejected(
        self, numbers: Sequence[int], items: Sequence[Mapping[str, Any]], failures: dict[int, str]
    ) -> list[int]:
        again = []
        for number, item in zip(numbers, items, strict=True):
            (result,) = item.values()
            if "error" not in result:
                continue
            if self._is_passing(result):
                again.append(number)
            else:
                failures[number] = _reason(result["error"])
        return again

    def _is_passing(self, result: Mapping[str, Any]) -> bool:
        """Tell a rejection that may pass from one that stays; a refusal of everything ends it.

        The block of a full disk comes with 429 as well, and lasts until somebody makes room.
        """
        error, status = result["error"], result["status"]
        if error["type"] == "cluster_block_exception":
            raise ClusterError(
                f"Index {self._index!r} takes no documents ({error['reason'].rstrip(';. ')}); free "
                "disk space or lift the block, then run the same again to go on."
            )
        if status in (401, 403) or error["type"] == "index_not_found_exception":
            raise ClusterError(
                f"Index {self._index!r} takes no documents ({_reason(error).rstrip('.')}); check "
                "its name and the privileges, then run the same again to go on."
            )
        return status in _PASSING

    def _request(self, target: str, body: Any, headers: Mapping[str, str]) -> Any:
        """Send one request.

        Raises:
            Busy: Asking again may help.
        """
        try:
            answer = self._client.perform_request("POST", target, body=body, headers=headers)
        except elasticsearch.ApiError as error:
            if error.status_code in _PASSING:
                raise Busy(f"it answers {error.status_code}") from error
            raise
        except elastic_transport.TlsError as error:
            self._give_up(error)
        except elastic_transport.TransportError as error:
            raise Busy(f"no answer, {type(error).__name__}") from error
        return answer.body

    def _give_up(self, error: Exception) -> NoReturn:
        with plain_errors(self._client):
            raise error
        raise AssertionError("plain_errors raises what it is given")  # pragma: no cover

    def _patiently(self, ask: Callable[[], Answer]) -> Answer:
        """Ask until there is an answer, waiting twice as long each time.

        Raises:
            ClusterError: There is none after all the time.
            Stopped: The run has ended.
        """
        waited, pause = 0.0, self._patience.first
        while True:
            try:
                return ask()
            except Busy as error:
                if waited >= self._patience.total:
                    raise ClusterError(
                        f"{address(self._client)} cannot take documents for {waited:.0f} s "
                        f"({error}); run the same again later to go on."
                    ) from error
            except elasticsearch.ApiError as error:
                self._give_up(error)
            # Jitter, or all threads would come back at once.
            seconds = min(pause, self._patience.longest) * random.uniform(0.5, 1.0)
            if self._stopped.wait(seconds):
                raise Stopped
            waited, pause = waited + seconds, pause * 2


def _body(prepared: Prepared, numbers: Sequence[int]) -> bytes:
    if len(numbers) == len(prepared.ids):
        return prepared.body
    starts = [0, *prepared.ends]
    return b"".join(prepared.body[starts[each] : starts[each + 1]] for each in numbers)


def _reason(error: Mapping[str, Any]) -> str:
    """Return Elasticsearch's reason without the text of the document that it may quote."""
    reason = _QUOTATION.sub("", str(error.get("reason") or error.get("type"))).rstrip(". ")
    cause = error.get("caused_by", {}).get("type")
    return f"{reason} ({cause})." if cause else f"{reason}."
