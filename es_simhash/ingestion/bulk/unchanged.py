"""Whether the index has a document already, every field of it, with current fingerprints."""

import json
from collections.abc import Mapping
from typing import Any

from es_simhash.fingerprints.text_fingerprints import content_hash
from es_simhash.ingestion.bulk.documents import Document
from es_simhash.store.config import IndexConfig
from es_simhash.store.fields import CONTENT_HASH
from es_simhash.store.paths import has_values
from es_simhash.text.normal_forms import normalise


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
