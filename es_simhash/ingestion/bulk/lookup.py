"""What an index has of the documents of a batch: where, whether unchanged, and what stays of it."""

import json
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from es_simhash.fingerprints.text_fingerprints import content_hash
from es_simhash.ingestion.bulk.json_documents import Document, loads
from es_simhash.pairs.parted_texts import Values, values_of
from es_simhash.relation.references import DocumentRef, DocumentVersion
from es_simhash.store.config import IndexConfig
from es_simhash.store.fields import CONTENT_HASH, DECIDED, FAMILY, REPRESENTATIVE
from es_simhash.store.intents import Parts
from es_simhash.store.paths import get_object, get_values, has_values
from es_simhash.text.normal_forms import normalise

_OF_FAMILY = (FAMILY, REPRESENTATIVE)
# Sources of documents of the index, by id.
Stored = Mapping[str, Mapping[str, Any]]


class Identity(NamedTuple):
    """The id of a document that was read, and its routing; None when its line names none."""

    id: str
    routing: str | None = None


@dataclass(frozen=True)
class Lookup:
    """What an index has of the documents of a batch.

    Attributes:
        stored: Their sources by id, without the large members.
        routings: Routings of stored documents, by id, where the line names none.
        refused: Why documents cannot be written, by id: the index has the id elsewhere.
        versions: Versions of the documents that are to be replaced where they are, by id: those
            of a data stream or an alias; without an index those that the name alone leads to.
        outdated: Ids of documents that searches do not find by what their members say: those that
            another program read and wrote back without their vectors.
        is_compared: Whether documents that the index has as they are are left out.
    """

    stored: Stored = field(default_factory=dict)
    routings: Mapping[str, str] = field(default_factory=dict)
    refused: Mapping[str, str] = field(default_factory=dict)
    versions: Mapping[str, DocumentVersion] = field(default_factory=dict)
    outdated: Collection[str] = ()
    is_compared: bool = True


def first_of_each_id(identities: Iterable[Identity]) -> dict[str, str | None]:
    """Return the routing of the first document of each id."""
    routings: dict[str, str | None] = {}
    for id, routing in identities:
        routings.setdefault(id, routing)
    return routings


def resolve(wanted: Mapping[str, str | None], found: Mapping[str, Sequence[DocumentRef]]) -> Lookup:
    """Return where documents are to be written; the sources are still missing.

    An id names one document of an index. One that is read without a routing is the one the index
    has, whatever its routing; with another routing it would be a second one of the same id.

    Args:
        wanted: Routings by id, as they were read.
        found: Where the index has documents of these ids.
    """
    routings: dict[str, str] = {}
    refused: dict[str, str] = {}
    for id, refs in found.items():
        routing = wanted[id]
        if len({ref.index for ref in refs}) > 1:
            continue  # which of the indices is written to, the cluster decides
        known = {ref.routing for ref in refs}
        if routing is None and len(known) == 1:
            (stored,) = known
            if stored is not None:
                routings[id] = stored
        elif routing not in known or routing is None:
            refused[id] = _refusal(id, routing, known)
    return Lookup({}, routings, refused)


def _refusal(id: str, routing: str | None, known: Iterable[str | None]) -> str:
    stored = " and ".join(sorted("no routing" if each is None else repr(each) for each in known))
    if routing is None:
        return (
            f"The index has document {id!r} several times, with {stored}. Name one as `_routing`."
        )
    return (
        f"The index has document {id!r} with {stored}, not with routing {routing!r}, and ids are "
        "unique. Delete that one first, or change the id."
    )


def is_unchanged(document: Document, stored: Mapping[str, Any], config: IndexConfig) -> bool:
    """Check whether a document is stored as it is, with fingerprints of the current schemes.

    The content hash is compared too: a program may have changed the text alone.
    """
    simhash = stored.get(config.simhash_field)
    if not isinstance(simhash, Mapping) or not has_values(simhash, config.scheme_members):
        return False
    stored_fields = {name: value for name, value in stored.items() if name != config.simhash_field}
    fields = _parsed_exactly(document.source)
    # As JSON, in which 1, 1.0 and true differ.
    if json.dumps(fields, sort_keys=True) != json.dumps(stored_fields, sort_keys=True):
        return False
    return bool(simhash.get(CONTENT_HASH) == content_hash(normalise(document.text)))


def _parsed_exactly(source: bytes) -> dict[str, Any]:
    """Parse so that a number with more digits than Python keeps equals no other number."""
    fields: dict[str, Any] = json.loads(source, parse_int=_exact_int, parse_float=_exact_float)
    return fields


def _exact_int(digits: str) -> Any:
    return int(digits) if len(digits) < 1000 else {"digits": digits}


def _exact_float(digits: str) -> Any:
    number = float(digits)
    return number if len(digits) <= 17 or repr(number) == digits else {"digits": digits}


def kept_parts(config: IndexConfig) -> Parts:
    """Return the parts of a document that `kept_members` needs."""
    members = [config.path(member) for member in (CONTENT_HASH, *DECIDED)]
    return Parts(fields=(*members, *paths_apart(config)))


def kept_members(
    document: Document, stored: Mapping[str, Any] | None, config: IndexConfig
) -> dict[str, Any]:
    """Return what was decided about the text of a stored document, when that is the text still.

    Without its family a document would be hidden by a `collapse` on it until the next run of
    `families`; with one of documents of another value of the field that keeps documents apart it
    would hide them, so that it loses it.

    Args:
        document: The document that is written.
        stored: The document of the index, as far as it was read; None without one.
        config: How the index is read and fingerprinted.
    """
    kept, stored_hash = _decisions(stored or {}, config)
    if not kept or stored_hash != content_hash(normalise(document.text)):
        return {}
    return _of_these_values(kept, document.source, stored or {}, config)


def with_decisions(
    source: bytes, stored: Mapping[str, Any], config: IndexConfig, names: Collection[str]
) -> bytes:
    """Return a document as `splice` made it, with what was decided about its text meanwhile.

    What it says itself stays.

    Args:
        source: The document, in JSON.
        stored: The document of the index, as far as it was read now.
        config: How the index is read and fingerprinted.
        names: Members that decisions are taken of.
    """
    kept, stored_hash = _decisions(stored, config)
    content, head = source.decode(), f"{{{json.dumps(config.simhash_field)}:"
    if not kept or not content.startswith(head):
        return source
    simhash, end = json.JSONDecoder().raw_decode(content, len(head))
    if stored_hash != simhash.get(CONTENT_HASH):
        return source
    kept = _of_these_values(kept, source, stored, config)
    new = {name: value for name, value in kept.items() if name in names and name not in simhash}
    written = with_members(content[len(head) : end].encode(), new)
    return b"%b%b%b" % (head.encode(), written, content[end:].encode())


def _decisions(stored: Mapping[str, Any], config: IndexConfig) -> tuple[dict[str, Any], Any]:
    """Return what was decided about the text of a stored document, and the hash of that text."""
    simhash = get_object(stored, config.simhash_field)[0] or {}
    kept = {name: simhash[name] for name in DECIDED if simhash.get(name) is not None}
    return kept, simhash.get(CONTENT_HASH)


def _of_these_values(
    kept: dict[str, Any], source: bytes, stored: Mapping[str, Any], config: IndexConfig
) -> dict[str, Any]:
    """Return decisions without the family, where a document is to be kept apart from it now."""
    if config.within and values_apart(loads(source.decode()), config) != values_apart(
        stored, config
    ):
        return {name: value for name, value in kept.items() if name not in _OF_FAMILY}
    return kept


def paths_apart(config: IndexConfig) -> list[str]:
    """Return where documents have the values of the field that keeps documents apart.

    The values of a multi-field are those of its field.
    """
    if not config.within:
        return []
    above = config.within.rpartition(".")[0]
    return [config.within, *([above] if above else [])]


def values_apart(source: Mapping[str, Any], config: IndexConfig) -> Values:
    """Return these values as they are compared; none where no field keeps documents apart."""
    found = (list(get_values(source, path)) for path in paths_apart(config))
    return values_of(next(filter(None, found), []))


def with_members(simhash: bytes, members: Mapping[str, Any]) -> bytes:
    """Return a `simhash` object in JSON with more members."""
    if not members:
        return simhash
    return b"%b,%b" % (simhash[:-1], json.dumps(members).encode()[1:])
