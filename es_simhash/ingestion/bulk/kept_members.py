"""Members of a stored `simhash` object that stay when a document is written again as a whole."""

import json
from collections.abc import Mapping
from typing import Any

from es_simhash.fingerprints.text_fingerprints import content_hash
from es_simhash.store.config import IndexConfig
from es_simhash.store.fields import CONTENT_HASH, DECIDED
from es_simhash.store.paths import get_object
from es_simhash.text.normal_forms import normalise


def kept_fields(config: IndexConfig) -> list[str]:
    """Return the fields of `_source` that `kept_members` needs."""
    return [config.path(member) for member in (CONTENT_HASH, *DECIDED)]


def kept_members(
    text: str, stored: Mapping[str, Any] | None, config: IndexConfig
) -> dict[str, Any]:
    """Return what was decided about the text of a stored document, when that is the text still.

    Without its family a document would be hidden by a `collapse` on it until the next run of
    `families`.

    Args:
        text: Text of the document that is written.
        stored: The document of the index, as far as it was read; None without one.
        config: How the index is read and fingerprinted.
    """
    simhash = get_object(stored, config.simhash_field)[0] if stored else None
    kept = (
        {name: simhash[name] for name in DECIDED if simhash.get(name) is not None}
        if simhash
        else {}
    )
    if not simhash or not kept or simhash.get(CONTENT_HASH) != content_hash(normalise(text)):
        return {}
    return kept


def with_members(simhash: bytes, members: Mapping[str, Any]) -> bytes:
    """Return a `simhash` object in JSON with more members."""
    if not members:
        return simhash
    return b"%b,%b" % (simhash[:-1], json.dumps(members).encode()[1:])
