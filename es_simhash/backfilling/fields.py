"""What is written for a text: every derived field comes from here, and from nowhere else."""

import json
from collections.abc import Mapping, Sequence
from typing import Any

from es_simhash import text
from es_simhash.document import (
    BLOCKS,
    CHUNKS,
    FINGERPRINT,
    PASSAGES,
    STATUS,
    simhash_json,
)
from es_simhash.fingerprints import fingerprint_batch
from es_simhash.limits import MOST_CHUNKS, chunk_refusal
from es_simhash.scheme import Scheme

# What the ingest pipeline says of a text it could not take.
ERROR = "error"
# Members that not every text has, each with the value that means nothing is there. A vector of
# weights (sparse_vector) refuses null; its value would be an empty list.
ABSENT: Mapping[str, Any] = {
    STATUS: None,
    ERROR: None,
    FINGERPRINT: None,
    BLOCKS: None,
    PASSAGES: None,
    CHUNKS: None,
}
# What tells whether a document has to be done is small; the rest is not read.
UNREAD = tuple(name for name in ABSENT if name not in (STATUS, ERROR))


def derived(texts: Sequence[str], scheme: Scheme) -> list[bytes]:
    """Give the JSON of our object for each text."""
    return simhash_json(fingerprint_batch(texts, scheme))


def replacing(fresh: bytes) -> bytes:
    """Give the object so that a partial update leaves nothing of the one that is there.

    Elasticsearch merges objects: a member that is not named stays, and an object inside is merged
    again. So absent members are named, and an object goes into a list, which is never merged and
    means the same to the index. (A script could remove members; it needs a permission.)
    """
    members = json.loads(fresh)
    whole = {name: [value] if isinstance(value, dict) else value for name, value in members.items()}
    return json.dumps({**ABSENT, **whole}).encode()


def refusal(content: str, scheme: Scheme) -> str | None:
    """Give the sentence that refuses a text of too many chunks, before its fingerprints cost."""
    # A text with fewer characters cannot have so many chunks.
    if len(content) < MOST_CHUNKS * scheme.least_tokens:
        return None
    segmentation = text.segment([text.normalise(content)], scheme)
    return chunk_refusal(int(segmentation.text_chunks[-1]))
