"""HTTP requests to a node that is starting, without the Elasticsearch client."""

import base64
import json
import time
import urllib.error
import urllib.request
from collections.abc import Callable
from typing import Any
from urllib.parse import unquote, urlsplit, urlunsplit

# A proxy from the environment is not for the loopback interface, nor does the client use it.
_opener = urllib.request.build_opener(urllib.request.ProxyHandler({}))


def get_json(url: str, *, timeout: float = 5.0) -> Any:
    """Return the JSON that a GET answers; user and password of the URL are sent as a header.

    Raises:
        OSError: Nothing answers, or not with success (`HTTPError` is one).
        ValueError: The answer is not JSON.
    """
    parts = urlsplit(url)
    host = parts.netloc.rpartition("@")[2]
    request = urllib.request.Request(urlunsplit(parts._replace(netloc=host)))
    if parts.username is not None:
        credentials = f"{unquote(parts.username)}:{unquote(parts.password or '')}".encode()
        request.add_header("Authorization", "Basic " + base64.b64encode(credentials).decode())
    with _opener.open(request, timeout=timeout) as answer:
        return json.load(answer)


def wait_until_ready(url: str, *, seconds: float, alive: Callable[[], bool]) -> bool:
    """Poll until the node answers; False when it dies or time runs out first."""
    deadline = time.monotonic() + seconds
    while alive() and time.monotonic() < deadline:
        if _answers(url):
            return True
        time.sleep(0.2)
    return False


def _answers(url: str) -> bool:
    try:
        # Indices from an earlier run need a moment before they can be searched.
        get_json(f"{url}/_cluster/health?wait_for_status=yellow&timeout=10s", timeout=15)
    except urllib.error.HTTPError as error:
        with error:
            return error.code == 408  # it is up: some index stays red
    except (OSError, ValueError):
        return False
    return True
