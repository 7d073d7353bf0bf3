"""The HTTP service over an index with the documents of two tenants, on a port of its own."""

import contextlib
import socket
import threading
import time
import uuid
from collections.abc import Callable, Iterator
from typing import Any

import pytest

from tests.support.shelf import revised, text

FIRST = text(1)
# Ids that need escaping in a URL, or look like what they are not.
ODD_IDS = (
    "a/b c",
    "quote\"d 'id'",
    "../../etc/passwd",
    "x?y=1&z#f%41",
    "ends/",
    "Ünï/中文",
    "<script>alert(1)</script>",
    "x" * 512,
    "two\nlines\n",
    "right\u202eto left\u200c\xa0",
)
KEYS = {"a": "the-key-of-tenant-a", "b": "the-key-of-tenant-b"}


def tenant_documents() -> Iterator[dict[str, Any]]:
    """Yield versions of one text in two tenants, and strangers with odd ids."""
    for number, id in enumerate(("a1", "a2", "b1", "b2", "b3")):
        yield {
            "id": id,
            "text": revised(FIRST, number) if number else FIRST,
            "title": f"Title of {id}",
            "date": f"202{number}-01-01",
            "tenant": id[0],
            "note": {"inner": f"inner of {id}", "secret": f"secret of {id}"},
        }
    for number, id in enumerate(ODD_IDS):
        yield {"id": id, "text": text(50 + number), "title": "<b>odd</b>", "tenant": "a"}


@pytest.fixture(scope="session")
def tenants(cluster_url: str) -> Iterator[str]:
    """Name of the index; tests leave it as it is."""
    from es_simhash.maintenance.families.find_families import find_families
    from es_simhash.store.elasticsearch.connection import connect
    from es_simhash.store.installation.document_settings import configure
    from tests.support.library import fill

    name = f"test-{uuid.uuid4().hex}"
    with connect(cluster_url) as client:
        client.indices.create(
            index=name,
            mappings={"properties": {"tenant": {"type": "keyword"}, "date": {"type": "date"}}},
        )
        fill(client, name, *tenant_documents(), semantics=None)
        configure(client, name, {"title": "title", "date": "date"})
        find_families(client, name)
        client.indices.refresh(index=name)
        yield name
        client.indices.delete(index=f"{name},{name}-simhash", ignore_unavailable=True)


Serve = Callable[..., Any]


@pytest.fixture
def serve(cluster_url: str) -> Iterator[Serve]:
    """Serve an index with a configuration; returns an HTTP client of it."""
    import httpx

    from es_simhash.service.application import application_of
    from es_simhash.store.elasticsearch.connection import connect

    with contextlib.ExitStack() as stack:

        def start(index: str, config: Any = None, *, url: str = cluster_url) -> httpx.Client:
            from es_simhash.service.service_config import ServiceConfig
            from es_simhash.store.elasticsearch.gateway import Gateway

            config = config or ServiceConfig()
            gateway = Gateway(connect(url, timeout=config.limits.seconds))
            stack.enter_context(gateway)
            app = application_of(gateway, index, config)
            address = stack.enter_context(running_app(lambda: app, config))
            # Plain HTTP: a client that may verify reads the certificates of all authorities first.
            client = httpx.Client(base_url=address, timeout=30, verify=False)
            return stack.enter_context(client)

        yield start


@contextlib.contextmanager
def running_app(make: Callable[[], Any], config: Any) -> Iterator[str]:
    """Run an application on a free port during the block; yields its address."""
    import uvicorn

    from es_simhash.service.server import server_settings

    with socket.socket() as listening:
        listening.bind(("127.0.0.1", 0))
        listening.listen(1_024)
        server = uvicorn.Server(server_settings(make, config))
        thread = threading.Thread(target=server.run, kwargs={"sockets": [listening]})
        thread.start()
        while not server.started and thread.is_alive():
            time.sleep(0.01)
        try:
            yield f"http://127.0.0.1:{listening.getsockname()[1]}"
        finally:
            server.should_exit = True
            thread.join()


def tenant_config(**more: Any) -> Any:
    """Return a configuration with a key for each tenant."""
    from es_simhash.service.service_config import ApiKey, ServiceConfig, key_digest

    keys = tuple(
        ApiKey(name, key_digest(key), {"term": {"tenant": name}}) for name, key in KEYS.items()
    )
    return ServiceConfig(keys=keys, **more)


def bearer(credential: str) -> dict[str, str]:
    """Return the header of a key or a token."""
    return {"Authorization": f"Bearer {credential}"}
