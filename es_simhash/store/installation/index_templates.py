"""Index templates of the user's: how indices that do not exist yet get the fingerprint fields."""

import logging
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from fnmatch import fnmatchcase
from typing import Any

from es_simhash.errors import InputError
from es_simhash.store import resources
from es_simhash.store.elasticsearch.calls import index_path
from es_simhash.store.elasticsearch.errors import RequestRejected
from es_simhash.store.elasticsearch.gateway import Gateway

_PATH = "_index_template"
# OpenSearch writes no date into the name.
_BACKING = re.compile(r"\.ds-(.+?)(?:-\d{4}\.\d{2}\.\d{2})?-\d+")
# What the server adds to a template, and takes from nobody.
_DATES = re.compile(r"(created|modified)_date")

_logger = logging.getLogger(__name__)


@dataclass(frozen=True)
class IndexTemplate:
    """An index template.

    Attributes:
        name: Its name.
        body: As the request that writes it takes it.
        mapping: Mapping that it gives an index, with those of its components.
    """

    name: str
    body: Mapping[str, Any]
    mapping: Mapping[str, Any]

    @property
    def priority(self) -> int:
        """Which of several that match a name counts: the highest."""
        return int(self.body.get("priority") or 0)

    def composed(self, mapping: Mapping[str, Any]) -> list[tuple[str, dict[str, Any]]]:
        """Return paths and bodies of the requests that compose further fields into it.

        They are in a component template of its own, which has the fields alone: the template stays
        the user's.

        Args:
            mapping: The fields, and the `_meta` of the index.
        """
        component = f"{self.name}-{resources.MAPPINGS}"
        managed = {**resources.load("mappings", f"{resources.MAPPINGS}.json")}
        requests = [
            (f"/_component_template/{component}", {**managed, "template": {"mappings": mapping}})
        ]
        parts = list(self.body.get("composed_of") or ())
        if component not in parts:
            body = {**self.body, "composed_of": [*parts, component]}
            requests.append((index_path(_PATH, self.name), body))
        return requests


def index_template(gateway: Gateway, name: str) -> IndexTemplate:
    """Return the index template of a name.

    Raises:
        InputError: There is none.
    """
    try:
        response = gateway.request("GET", index_path(_PATH, name))
    except RequestRejected as error:
        if error.status != 404:
            raise
        response = {"index_templates": []}
    for entry in response["index_templates"]:
        if entry["name"] == name:
            return _read(gateway, entry)
    raise InputError(
        f"Index template {name!r} does not exist. Get the names with `GET _index_template`.",
        parameter="template",
    )


def matching_template(gateway: Gateway, index: str) -> IndexTemplate | None:
    """Return the index template that an index or a data stream of a name is made from.

    Reading templates needs the cluster privilege `manage_index_templates`.
    """
    entries = gateway.request("GET", index_path(_PATH))["index_templates"]
    fitting = [entry for entry in entries if fits(index, entry["index_template"])]
    if not fitting:
        return None
    return _read(gateway, max(fitting, key=lambda each: each["index_template"].get("priority", 0)))


def data_streams(mappings: Mapping[str, Mapping[str, Any]]) -> Iterator[str]:
    """Yield the data streams that indices belong to, as their names say.

    Args:
        mappings: The mapping of each index.
    """
    names = (match[1] for name in mappings if (match := _BACKING.fullmatch(name)))
    yield from dict.fromkeys(names)


def templates_of_streams(
    gateway: Gateway, mappings: Mapping[str, Mapping[str, Any]]
) -> list[tuple[str, IndexTemplate]]:
    """Return data streams that indices belong to, each with its template; see `data_streams`.

    Where the privilege to read templates is missing, none are returned, with a warning in the log.
    """
    streams = list(data_streams(mappings))
    try:
        found = [(name, matching_template(gateway, name)) for name in streams]
    except RequestRejected as error:
        if error.status != 403:
            raise
        _logger.warning(
            "The index template of data stream %r was not read, as the cluster privilege "
            "manage_index_templates is missing: its next backing index gets the fingerprint fields "
            "from `es-simhash install --template NAME`, or from the next sweep or backfill.",
            streams[0],
        )
        return []
    return [(name, template) for name, template in found if template is not None]


def exception_for(index: str, template: IndexTemplate) -> tuple[str, dict[str, Any]] | None:
    """Return path and body of a template by which an index can be made beside data streams.

    Args:
        index: Its name, which the other template may turn into a data stream.
        template: That template.

    Returns:
        None where it does not match the name, or makes no data streams.
    """
    if not fits(index, template.body) or "data_stream" not in template.body:
        return None
    body = {
        "index_patterns": [index],
        "priority": template.priority + 1,
        "template": {},
        "_meta": {"description": f"An index, no data stream of {template.name}.", "managed": True},
    }
    return index_path(_PATH, f"{index}@template"), body


def fits(index: str, body: Mapping[str, Any]) -> bool:
    """Check whether an index template of this body makes indices of a name."""
    return any(fnmatchcase(index, _as_shell(pattern)) for pattern in body["index_patterns"])


def _as_shell(pattern: str) -> str:
    """Return a pattern of which the star alone is special, as `fnmatch` has it."""
    return pattern.replace("[", "[[]").replace("?", "[?]")


def sendable(body: Mapping[str, Any]) -> dict[str, Any]:
    """Return an index template as it was read so that it can be written."""
    return {key: value for key, value in body.items() if not _DATES.match(key)}


def _read(gateway: Gateway, entry: Mapping[str, Any]) -> IndexTemplate:
    name = entry["name"]
    body = sendable(entry["index_template"])
    simulated = gateway.request("POST", index_path(_PATH, "_simulate", name))
    return IndexTemplate(name, body, simulated["template"].get("mappings", {}))
