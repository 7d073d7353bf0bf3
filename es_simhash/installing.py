"""Adding the fields to an index: only ours, never touching the user's."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import elasticsearch

from es_simhash import resources
from es_simhash.cluster import plain_errors
from es_simhash.document import DEFAULT_FIELD
from es_simhash.errors import IndexMissing, MappingConflict
from es_simhash.scheme import DEFAULT, Scheme

# What decides whether an existing field can serve; other settings are the user's to change.
_DECISIVE = ("type", "dims", "element_type", "doc_values")


@dataclass(frozen=True)
class Request:
    """A request that `install` makes, or would make: method, path, body."""

    method: str
    path: str
    body: dict[str, Any]


def install(
    client: elasticsearch.Elasticsearch,
    index: str,
    *,
    scheme: Scheme = DEFAULT,
    field: str = DEFAULT_FIELD,
    dry_run: bool = False,
) -> list[Request]:
    """Add our object to the mapping of an index, which is created when there is none.

    Returns:
        The requests made, or to be made with `dry_run`; none when everything is in place.

    Raises:
        MappingConflict: A field of that name exists with another type or another scheme.
    """
    requests = plan(client, index, scheme=scheme, field=field)
    if not dry_run:
        with plain_errors(client):
            for request in requests:
                client.perform_request(
                    request.method,
                    request.path,
                    body=request.body,
                    headers={"content-type": "application/json", "accept": "application/json"},
                )
    return requests


def plan(
    client: elasticsearch.Elasticsearch, index: str, *, scheme: Scheme, field: str
) -> list[Request]:
    """Find out what is missing, in each index behind the name; nothing is written."""
    wanted = resources.mapping(scheme, field)
    try:
        existing = _mappings(client, index)
    except IndexMissing:
        return [Request("PUT", f"/{index}", {"mappings": wanted})]
    return [
        Request("PUT", f"/{name}/_mapping", _with_other_meta(wanted, mapping))
        for name, mapping in sorted(existing.items())
        if _is_missing(name, mapping, wanted, field)
    ]


def require_installed(
    client: elasticsearch.Elasticsearch, index: str, field: str = DEFAULT_FIELD
) -> Scheme:
    """Give the scheme of an index that has our fields.

    Raises:
        IndexMissing: There is no such index.
        MappingConflict: It has no such fields, or the indices behind the name differ in scheme.
    """
    names = set()
    for name, mapping in _mappings(client, index).items():
        entry = _entry(mapping, field)
        if entry is None:
            raise MappingConflict(
                f"Index {name!r} has no fingerprint fields under {field!r}; "
                f"run `es-simhash install {name}` first."
            )
        names.add(entry["scheme"])
    if len(names) != 1:
        raise MappingConflict(
            f"{index!r} stands for indices of {len(names)} schemes ({', '.join(sorted(names))}); "
            "ask one of them."
        )
    return Scheme.parse(names.pop())


def _mappings(client: elasticsearch.Elasticsearch, index: str) -> dict[str, dict[str, Any]]:
    with plain_errors(client):
        answer = client.indices.get_mapping(index=index)
    found = {name: entry["mappings"] for name, entry in answer.body.items()}
    if not found:
        raise IndexMissing(f"No index matches {index!r}; see `GET _cat/indices` for names.")
    return found


def _entry(mapping: Mapping[str, Any], field: str) -> dict[str, Any] | None:
    found: dict[str, Any] | None = mapping.get("_meta", {}).get(resources.META, {}).get(field)
    return found


def _is_missing(
    index: str, mapping: Mapping[str, Any], wanted: Mapping[str, Any], field: str
) -> bool:
    entry = _entry(mapping, field)
    scheme = wanted["_meta"][resources.META][field]["scheme"]
    if entry is not None and entry["scheme"] != scheme:
        raise MappingConflict(
            f"Field {field!r} of index {index!r} holds scheme {entry['scheme']!r}, not {scheme!r}; "
            "install the new scheme under another name with --simhash-field."
        )
    lacking = _lacking(index, mapping.get("properties", {}), wanted["properties"], ())
    return lacking or entry != wanted["_meta"][resources.META][field]


def _lacking(
    index: str, existing: Mapping[str, Any], wanted: Mapping[str, Any], above: tuple[str, ...]
) -> bool:
    """Tell whether a wanted field is absent; refuse one that is there and cannot serve."""
    lacking = False
    for name, field in wanted.items():
        path = (*above, name)
        present = existing.get(name)
        if present is None:
            lacking = True
            continue
        for key in _DECISIVE:
            default = "object" if key == "type" else None
            ours, theirs = field.get(key, default), present.get(key, default)
            if ours != theirs and not (
                key == "doc_values" and theirs is None and ours is not False
            ):
                raise MappingConflict(
                    f"Field {'.'.join(path)!r} of index {index!r} has {key} {theirs!r}, but "
                    f"{ours!r} is needed; choose another name with --simhash-field."
                )
        inner = field.get("properties", {})
        lacking |= _lacking(index, present.get("properties", {}), inner, path)
    return lacking


def _with_other_meta(wanted: dict[str, Any], mapping: Mapping[str, Any]) -> dict[str, Any]:
    """Keep the user's `_meta`: a mapping request replaces the whole of it."""
    meta = {**mapping.get("_meta", {})}
    meta[resources.META] = {**meta.get(resources.META, {}), **wanted["_meta"][resources.META]}
    return {**wanted, "_meta": meta}
