"""Adding the fields to an index: only ours, never touching the user's."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from es_simhash.engine.gateway import Client, Gateway
from es_simhash.errors import IndexMissing, MappingConflict
from es_simhash.fingerprints.scheme import DEFAULT, Scheme
from es_simhash.semantics.scheme import DEFAULT_SEMANTICS, SemanticScheme
from es_simhash.storage import resources
from es_simhash.storage.fields import DEFAULT_FIELD

# What decides whether an existing field can serve; other settings are the user's to change.
_DECISIVE = ("type", "dims", "element_type", "doc_values")


@dataclass(frozen=True)
class Installed:
    """What an index was installed with.

    Attributes:
        scheme: Scheme of the fingerprints.
        meaning: Scheme of what is read from the texts; None for fingerprints alone.
    """

    scheme: Scheme
    semantics: SemanticScheme | None


@dataclass(frozen=True)
class Request:
    """A request that `install` makes, or would make: method, path, body."""

    method: str
    path: str
    body: dict[str, Any]


def install(
    client: Client,
    index: str,
    *,
    scheme: Scheme = DEFAULT,
    semantics: SemanticScheme | None = DEFAULT_SEMANTICS,
    field: str = DEFAULT_FIELD,
    dry_run: bool = False,
) -> list[Request]:
    """Add our object to the mapping of an index, which is created when there is none.

    Args:
        client: Of the cluster.
        index: The index.
        scheme: Scheme of the fingerprints.
        meaning: What is read from the texts to find semantic neighbours; None to find versions
            alone. An index that has it keeps it.
        field: Name of our object.
        dry_run: Send nothing that writes.

    Returns:
        The requests made, or to be made with `dry_run`; none when everything is in place.

    Raises:
        MappingConflict: A field of that name exists with another type or another scheme.
    """
    requests = plan(client, index, scheme=scheme, semantics=semantics, field=field)
    if not dry_run:
        for request in requests:
            Gateway.of(client).request(request.method, request.path, request.body)
    return requests


def plan(
    client: Client,
    index: str,
    *,
    scheme: Scheme,
    field: str,
    semantics: SemanticScheme | None = DEFAULT_SEMANTICS,
) -> list[Request]:
    """Find out what is missing, in each index behind the name; nothing is written."""
    try:
        existing = Gateway.of(client).mappings(index)
    except IndexMissing:
        _require_vectors(index, {}, semantics)
        return [
            Request("PUT", f"/{index}", {"mappings": resources.mapping(scheme, field, semantics)})
        ]
    requests = []
    for name, mapping in sorted(existing.items()):
        kept = _kept_semantics(_entry(mapping, field), semantics)
        _require_vectors(name, mapping, kept)
        wanted = resources.mapping(scheme, field, kept)
        if _is_missing(name, mapping, wanted, field):
            path = f"/{name}/_mapping"
            requests.append(Request("PUT", path, _with_other_meta(wanted, mapping)))
    return requests


def _kept_semantics(
    entry: Mapping[str, Any] | None, semantics: SemanticScheme | None
) -> SemanticScheme | None:
    """Who wishes for nothing in particular leaves the index what it has."""
    if entry and entry.get("semantics") and semantics in (None, DEFAULT_SEMANTICS):
        return SemanticScheme.from_meta(entry["semantics"])
    return semantics


def _require_vectors(
    index: str, mapping: Mapping[str, Any], semantics: SemanticScheme | None
) -> None:
    """Refuse a scheme that takes its vectors from a field which has none to search."""
    if semantics is None or semantics.vector_field is None:
        return
    field: Mapping[str, Any] = mapping
    for part in semantics.vector_field.split("."):
        field = field.get("properties", {}).get(part, {})
    needed = {"type": "dense_vector", "element_type": "float", "index": True}
    for name, value in needed.items():
        present = field.get(name, None if name == "type" else value)
        if present != value:
            raise MappingConflict(
                f"Field {semantics.vector_field!r} of index {index!r} has {name} {present!r}, but "
                f"vectors are taken from fields with {value!r} alone; name another one."
            )


def require_installed(client: Client, index: str, field: str = DEFAULT_FIELD) -> Scheme:
    """Return the scheme of an index that has our fields; see `installed`."""
    return installed(client, index, field).scheme


def installed(client: Client, index: str, field: str = DEFAULT_FIELD) -> Installed:
    """Return the schemes of an index that has our fields.

    Raises:
        IndexMissing: There is no such index.
        MappingConflict: It has no such fields, or the indices behind the name differ in scheme.
        SchemeError: They were installed with a version that knows other schemes.
    """
    names = set()
    profiles = {}
    for name, mapping in Gateway.of(client).mappings(index).items():
        entry = _entry(mapping, field)
        if entry is None:
            raise MappingConflict(
                f"Index {name!r} has no fingerprint fields under {field!r}; "
                f"run `es-simhash install {name}` first."
            )
        names.add(entry["scheme"])
        meta = entry.get("semantics")
        profiles[meta and meta["name"]] = meta and SemanticScheme.from_meta(meta)
    if len(names) != 1:
        raise MappingConflict(
            f"{index!r} stands for indices of {len(names)} schemes ({', '.join(sorted(names))}); "
            "ask one of them."
        )
    # Where only some of the indices have it, neighbours are found among their documents.
    profiles.pop(None, None)
    if len(profiles) > 1:
        raise MappingConflict(
            f"The indices behind {index!r} read meanings in {len(profiles)} ways; ask one of them."
        )
    return Installed(Scheme.parse(names.pop()), next(iter(profiles.values()), None))


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
    target = wanted["_meta"][resources.META][field]
    ours, theirs = target.get("semantics"), (entry or {}).get("semantics")
    if ours and theirs and ours != theirs:
        raise MappingConflict(
            f"Field {field!r} of index {index!r} reads meanings as {theirs['name']!r}, not "
            f"{ours['name']!r}; install it under another name with --simhash-field."
        )
    lacking = _lacking(index, mapping.get("properties", {}), wanted["properties"], ())
    return lacking or entry != target


def _lacking(
    index: str, existing: Mapping[str, Any], wanted: Mapping[str, Any], above: tuple[str, ...]
) -> bool:
    """Check whether a wanted field is absent; refuse one that is there and cannot serve."""
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
