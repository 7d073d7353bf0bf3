"""Synonyms sets of the cluster (`_synonyms`) as files of a vocabulary."""

import hashlib
from functools import cache
from pathlib import Path
from tempfile import TemporaryDirectory
from urllib.parse import quote

from es_simhash.errors import ClusterError, InputError
from es_simhash.store.elasticsearch.calls import Call, Calls
from es_simhash.store.elasticsearch.errors import RequestRejected
from es_simhash.store.elasticsearch.gateway import Gateway

# The most that a page may have; up to 9.2 it is also the most that a set may have.
_PAGE = 10_000
# A name of a set may be longer than that of a file.
_MAX_NAME = 100


def synonyms_set(name: str) -> Calls[list[str]]:
    """Return the rules of a synonyms set, sorted: whoever writes them decides on their ids.

    Raises:
        InputError: There is no such set, or it is empty.
        ClusterError: The cluster has no such sets, or they may not be read.
    """
    path = f"/_synonyms/{quote(name, safe='')}"
    rules: list[str] = []
    after: dict[str, str] = {}
    while True:
        response = yield Call("GET", path, params={"size": _PAGE, **after})
        page = response["synonyms_set"]
        rules += (rule["synonyms"] for rule in page)
        if not page or len(rules) >= response["count"]:
            break
        after = {"search_after": page[-1]["id"]}
    if not rules:
        raise InputError(
            f"Synonyms set {name!r} has no rules. Add one, or name another set.",
            parameter="vocabulary",
        )
    return sorted(rules)


def synonyms_file(gateway: Gateway, name: str) -> str:
    """Return the path of a file with the rules of a synonyms set; it is there while Python runs.

    A file is what worker processes read, and what the digest in the name of a scheme is of.

    Raises:
        InputError: There is no such set, or it is empty.
        ClusterError: The cluster has no such sets, or they may not be read.
    """
    try:
        rules = gateway.run(synonyms_set(name))
    except RequestRejected as error:
        raise _unreadable(name, error) from error
    content = "".join(f"{rule}\n" for rule in rules).encode()
    # What was read of a file is kept by its path: other rules are another file.
    digest = hashlib.sha256(content).hexdigest()[:16]
    path = Path(_folder().name) / f"{quote(name, safe='')[:_MAX_NAME]}-{digest}.txt"
    if not path.exists():
        path.write_bytes(content)
    return str(path)


def _unreadable(name: str, error: RequestRejected) -> Exception:
    if error.status == 403:
        return ClusterError(
            f"Synonyms set {name!r} may not be read. Grant manage_search_synonyms, which is the "
            "role mappings/roles/more/synonyms.json, or name a file.",
            parameter="vocabulary",
        )
    if error.kind == "resource_not_found_exception":
        return InputError(
            f"Synonyms set {name!r} does not exist. Name one of those that `GET _synonyms` lists.",
            parameter="vocabulary",
        )
    if error.status in (400, 404, 405):
        return ClusterError(
            f"The cluster has no synonyms sets, so that {name!r} cannot be read. Write its "
            "rules to a file that ends in .txt, and name that.",
            parameter="vocabulary",
        )
    return error


@cache
def _folder() -> "TemporaryDirectory[str]":
    return TemporaryDirectory(prefix="es-simhash-synonyms-")
