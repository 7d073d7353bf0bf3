"""Hits of searches and entries of multi-gets as rows."""

from collections.abc import Mapping, Sequence
from typing import Any

from es_simhash.errors import UnreadableParts
from es_simhash.relation.references import DocumentRef
from es_simhash.store import fields
from es_simhash.store.codec import REPAIR, PackedParts, PackedText, bytes_of, document_name
from es_simhash.store.config import IndexConfig
from es_simhash.store.elasticsearch.hits import Hit, ref_of, version_of
from es_simhash.store.intents import Parts
from es_simhash.store.paths import get_path
from es_simhash.store.rows import Place, Row, SharingText
from es_simhash.store.source import stored_text, text_of


def row_of(hit: Hit, parts: Parts, config: IndexConfig, *, strict: bool = False) -> Row:
    """Return a search hit, or an entry of a multi-get that was found, as a row.

    Args:
        hit: The hit.
        parts: What was asked for.
        config: Of the index.
        strict: Whether a field of the text that holds something else is an error.

    Raises:
        InputError: It does.
        UnreadableParts: The stored fingerprint is not of the scheme of the index.
    """
    source, values = hit.get("_source", {}), hit.get("fields", {})

    def member(name: str) -> str | None:
        return stored_text(source, config.path(name))

    read_text = text_of if strict else stored_text
    has_members = parts.members or parts.stored
    date = parts.date
    represents = get_path(source, config.path(fields.REPRESENTATIVE)) if parts.members else None
    ref = ref_of(hit)
    return Row(
        ref,
        source=source if parts.fields or parts.whole else {},
        text=read_text(source, config.text_field) if parts.text else None,
        scheme=member(fields.SCHEME) if parts.members else None,
        content_hash=_hash_of(member(fields.CONTENT_HASH)) if has_members else None,
        status=member(fields.STATUS) if parts.members else None,
        family=member(fields.FAMILY) if parts.members else _family(values, parts, config),
        represents=represents if isinstance(represents, bool) else None,
        duplicate_of=member(fields.DUPLICATE_OF) if parts.members else None,
        stored=_stored(hit, config) if parts.stored else None,
        fingerprint=_fingerprint(hit, config) if parts.fingerprint else None,
        has_fingerprint=_has_fingerprint(hit, config) if parts.has_fingerprint else None,
        date=None if date is None else date.of_hit(hit),
        dates=0 if date is None else len(values.get(date.name) or ()),
        values={name: values.get(name, ()) for name in parts.values} if parts.values else {},
        simhash=_simhash(source, parts, config) if parts.simhash else {},
        version=version_of(hit, ref) if "_seq_no" in hit else None,
        writes=hit.get("_version"),
        score=hit.get("_score") or 0.0,
    )


def sharing_text_of(hit: Hit, place: Place, config: IndexConfig) -> SharingText:
    """Return a hit of a search whose score is the number of shared shingles.

    Of thousands of hits, rows would take three times as long.

    Args:
        hit: The hit, without an id.
        place: Where it is in the snapshot.
        config: Of the index.
    """
    text = PackedText.of(hit, config.simhash_field)
    return SharingText(place, int(hit["_score"]), text)


def missing_row(id: str) -> Row:
    """Return the row of an id that no document has."""
    return Row(DocumentRef(None, id), found=False)


def _hash_of(value: str | None) -> str | None:
    """Return a content hash; None for what is none, as others may write anything there."""
    return value if value is not None and value.isascii() else None


def _simhash(source: Mapping[str, Any], parts: Parts, config: IndexConfig) -> dict[str, Any]:
    stored = get_path(source, config.simhash_field)
    members = stored if isinstance(stored, Mapping) else {}
    return {name: members[name] for name in parts.simhash if name in members}


def _family(values: Mapping[str, Sequence[Any]], parts: Parts, config: IndexConfig) -> str | None:
    families = values.get(config.path(fields.FAMILY)) if parts.family else None
    return str(families[0]) if families else None


def _stored(hit: Hit, config: IndexConfig) -> PackedParts | None:
    """Return the stored parts of a text; None for one that has no fingerprints.

    Where one of the parts is missing, they cannot be read.
    """
    source = hit.get("_source", {})
    content_hash = stored_text(source, config.path(fields.CONTENT_HASH))
    terms = get_path(source, config.path(fields.SHINGLES))
    terms = terms if isinstance(terms, list) else []
    text = None if content_hash is None else PackedText.of(hit, config.simhash_field)
    if text is None and not terms:
        return None
    chunks, sketch = (text.packed_chunks, text.packed_sketch) if text else ("", "")
    return PackedParts(hit["_index"], hit["_id"], chunks, sketch, content_hash or "", terms)


def _has_fingerprint(hit: Hit, config: IndexConfig) -> bool | None:
    is_entry = "found" in hit
    return None if is_entry else bool(hit.get("fields", {}).get(config.path(fields.FINGERPRINT)))


def _fingerprint(hit: Hit, config: IndexConfig) -> bytes | None:
    vectors = hit.get("fields", {}).get(config.path(fields.FINGERPRINT))
    if not vectors:
        return None
    stored = bytes_of(vectors[0])
    if len(stored) != config.scheme.bits // 8:
        raise UnreadableParts(
            f"The stored fingerprint of {document_name(hit['_index'], hit['_id'])} has "
            f"{len(stored)} bytes, not those of scheme {config.scheme.name!r}. {REPAIR}"
        )
    return stored
