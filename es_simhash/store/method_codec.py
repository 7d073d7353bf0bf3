"""The form that the fingerprints of methods have in an Elasticsearch document."""

import base64
import json
from collections.abc import Sequence
from itertools import chain
from typing import Any

from es_simhash.store.fields import (
    BLOCKS,
    ERROR,
    FINGERPRINT,
    SCHEME,
    SCHEMES,
    STATUS,
    STATUS_EMPTY,
    STATUS_UNREADABLE,
)
from es_simhash.store.indexed_methods import NO_WORDS, IndexedMethod, MethodFingerprints


def method_json(texts: Sequence[str], methods: Sequence[IndexedMethod]) -> list[bytes]:
    """Return the member `schemes` of the `simhash` object of each text, without braces around it.

    Args:
        texts: A batch of texts.
        methods: What makes their fingerprints.
    """
    names = [method.name for method in methods]
    columns = [_objects(method.read(texts), method.scheme.name, len(texts)) for method in methods]
    return [
        json.dumps({SCHEMES: dict(zip(names, objects, strict=True))})[1:-1].encode()
        for objects in zip(*columns, strict=True)
    ]


def _objects(features: MethodFingerprints, scheme: str, texts: int) -> list[dict[str, Any]]:
    """Return the object of one scheme for each text."""
    keys = features.block_keys()
    return [
        {SCHEME: scheme, **_unread(features.unreadable[text])}
        if text in features.unreadable
        else {
            SCHEME: scheme,
            FINGERPRINT: base64.b64encode(features.rows(text).tobytes()).decode("ascii"),
            BLOCKS: sorted(set(chain.from_iterable(keys[text]))),
        }
        for text in range(texts)
    ]


def _unread(reason: str) -> dict[str, str]:
    if reason == NO_WORDS:
        return {STATUS: STATUS_EMPTY}
    return {STATUS: STATUS_UNREADABLE, ERROR: f"The text {reason}."}
