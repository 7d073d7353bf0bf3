"""Single requests to Elasticsearch, retried by one policy, with our errors."""

import json
from collections.abc import Callable, Mapping
from typing import Any, TypeVar

from es_simhash.errors import ClusterError, InputError
from es_simhash.store.elasticsearch.answer_shapes import readable, require_readable
from es_simhash.store.elasticsearch.calls import Calls
from es_simhash.store.elasticsearch.client import (
    Elasticsearch,
    elastic_transport,
    elasticsearch,
    json_value,
)
from es_simhash.store.elasticsearch.errors import (
    RequestRejected,
    address,
    translated,
    translated_errors,
)
from es_simhash.store.elasticsearch.load_bound import PARAMS, PATH, LoadBound, is_costly
from es_simhash.store.elasticsearch.operations import operation
from es_simhash.store.elasticsearch.retry import RETRYABLE, RetryPolicy, Unavailable, Waiter
from es_simhash.text.escaping import one_line

_JSON, _NDJSON = "application/json", "application/x-ndjson"

Response = TypeVar("Response")


def headers_of(body: Any) -> dict[str, str]:
    """Return the headers of a request; a list or bytes are sent as NDJSON."""
    if body is None:
        return {"accept": _JSON}
    kind = _NDJSON if isinstance(body, (list, bytes)) else _JSON
    return {"accept": _JSON, "content-type": kind}


def require_sendable(body: Any) -> None:
    """Check that the body of a request is JSON, as what users filter by may be anything.

    Raises:
        InputError: It holds half of a character, a number that JSON has not, or something else.
    """
    if body is None or isinstance(body, bytes):
        return
    try:
        json.dumps(body, ensure_ascii=False, allow_nan=False, default=json_value).encode()
    except UnicodeEncodeError as error:
        raise InputError(
            f"A request cannot hold {error.object[error.start]!r}, which is half of a character. "
            "Correct the id, the name or the filter that has it."
        ) from error
    except (elastic_transport.SerializationError, TypeError, ValueError, RecursionError) as error:
        reason = one_line(str(error))[:200]
        raise InputError(
            f"A request cannot be written as JSON ({reason}). Correct the filter."
        ) from error


class Requests:
    """Sends single requests; safe to use from several threads.

    Without a policy a request is sent as the client sends it, and waits for nothing. With one, it
    is retried while the cluster is busy or unreachable.

    Args:
        client: The client.
        retry: How long to retry; None for no waiting.
        waiter: Waits between retries; shared by all that a run sends.
        load: How busy the nodes may be; None for no bound.
    """

    def __init__(
        self,
        client: Elasticsearch,
        retry: RetryPolicy | None = None,
        *,
        waiter: Waiter | None = None,
        load: LoadBound | None = None,
    ) -> None:
        # With a policy we retry ourselves: only what was rejected, and for longer. Another node
        # that may answer at once is the client's part.
        others = len(client.transport.node_pool.all()) - 1
        self._client = (
            client if retry is None else client.options(max_retries=others, retry_on_status=())
        )
        self.retry = retry
        self._waiter = waiter or Waiter()
        self._load = load

    def __repr__(self) -> str:
        return f"{type(self).__name__}({self.address!r}, retry={self.retry!r})"

    @property
    def address(self) -> str:
        """Addresses of the cluster, without secrets."""
        return address(self._client)

    def stop(self) -> None:
        """End all waiting of this gateway and of those made from it."""
        self._waiter.stop()

    def wait(self, seconds: float) -> None:
        """Wait.

        Raises:
            Stopped: The run has ended.
        """
        self._waiter.wait(seconds)

    def request(
        self,
        method: str,
        path: str,
        body: Any = None,
        *,
        params: Mapping[str, Any] | None = None,
    ) -> Any:
        """Send a request and return the body of the response; a list is sent as NDJSON.

        Raises:
            IndexMissing: There is no such index.
            RequestRejected: The cluster answers with an error.
            ClusterError: The cluster cannot be reached, or is busy for too long.
        """
        return self.retried(lambda: self.send(method, path, body, params=params))

    def run(self, calls: Calls[Response]) -> Response:
        """Return the result of calls, each sent and retried by the policy.

        Raises:
            ClusterError: A call is rejected, or the cluster is busy or unreachable for too long.
            Stopped: The run has ended.
        """
        may_retry = self.retry is not None

        def attempt() -> Any:
            response = self.send(call.method, call.path, call.body, params=call.params)
            with readable(call.path):
                return call.read(response, may_retry)

        try:
            call = next(calls)
            while True:
                if call.delay:
                    self.wait(call.delay)
                try:
                    answer = self.retried(attempt)
                except BaseException as error:
                    call = calls.throw(error)
                else:
                    with readable(call.path):
                        call = calls.send(answer)
        except StopIteration as stop:
            result: Response = stop.value
            return result

    def retried(self, attempt: Callable[[], Response]) -> Response:
        """Return the response of an attempt, retried by the policy.

        Args:
            attempt: Sends requests by `send`; raises `Unavailable` where a retry may help.

        Raises:
            ClusterError: The cluster rejects the request, or is busy or unreachable for too long.
            Stopped: The run has ended.
        """
        with translated_errors(self._client), readable(""):
            if self.retry is not None:
                return self._waiter.retry(attempt, self.retry, self._gave_up)
            try:
                return attempt()
            except Unavailable as error:
                raise self._gave_up(error, 0) from error

    def _gave_up(self, error: Unavailable, waited: float) -> ClusterError:
        return ClusterError(
            f"{self.address} is busy or unreachable for {waited:.0f} s ({error}). "
            "Run it again later to resume."
        )

    def send(
        self,
        method: str,
        path: str,
        body: Any = None,
        *,
        params: Mapping[str, Any] | None = None,
    ) -> Any:
        """Send a request once, for use within `retried`; raises the client's errors.

        Where there is a bound of the load, it waits before.

        Raises:
            InputError: The body is not JSON.
            Unavailable: There is a policy, and a retry may help.
        """
        require_sendable(body)
        if is_costly(path):
            self.hold(self.wait)
        try:
            with readable(path):
                answer = self._client.perform_request(
                    method,
                    path,
                    params=params,
                    headers=headers_of(body),
                    body=body,
                    **operation(method, path),
                ).body
            require_readable(method, path, body, answer)
            return answer
        except elasticsearch.ApiError as error:
            if self.retry is not None and error.status_code in RETRYABLE:
                raise Unavailable(f"it answers {error.status_code}") from error
            raise
        except elastic_transport.TlsError:
            raise
        except elastic_transport.TransportError as error:
            if self.retry is None:
                raise
            raise Unavailable(f"no answer, {type(error).__name__}") from error

    def hold(self, wait: Callable[[float], None]) -> None:
        """Wait while a node is busier than the bound allows; not at all where there is none.

        Args:
            wait: Waits for so many seconds.

        Raises:
            ClusterError: The cluster does not say how busy it is.
        """
        if self._load is not None:
            self._load.hold(self._node_stats, wait)

    def _node_stats(self) -> Any:
        try:
            return self.request("GET", PATH, params=PARAMS)
        except RequestRejected as error:
            if error.status not in (401, 403):
                raise
            raise ClusterError(
                "The cluster does not say how busy its nodes are. Grant the cluster privilege "
                "monitor, which is the role mappings/roles/more/load.json, or leave out max_load.",
                parameter="max_load",
            ) from error

    def once(self, method: str, path: str, body: Any = None) -> Any:
        """Send a request that may fail and is not retried.

        Raises:
            ClusterError: The request is rejected, or the cluster is busy or unreachable.
        """
        try:
            with translated_errors(self._client):
                return self.send(method, path, body)
        except Unavailable as error:
            raise translated(error.__cause__ or error, self._client) from error
