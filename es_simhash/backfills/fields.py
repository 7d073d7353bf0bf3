"""What is written for a text: every derived field comes from here, and from nowhere else."""

import json
from collections.abc import Iterator, Mapping, Sequence
from itertools import islice
from typing import Any

from es_simhash.backfills.documents import Task
from es_simhash.errors import InputError
from es_simhash.fingerprints.scheme import Scheme
from es_simhash.fingerprints.text_fingerprints import content_hash, text_batches
from es_simhash.semantics.entities.document_fields import upstream_entities
from es_simhash.storage.encoding import encode
from es_simhash.storage.fields import (
    BLOCKS,
    CHUNKS,
    CONCEPTS,
    CONTENT_HASH,
    DUPLICATE_OF,
    DUPLICATE_SCORE,
    ENTITIES,
    FAMILY,
    FINGERPRINT,
    SCHEME,
    SEMANTIC_SCHEME,
    SHINGLES,
    STATUS,
    VECTOR,
    VECTOR_FINGERPRINT,
)
from es_simhash.text.limits import MAX_CHUNKS, chunk_limit_error
from es_simhash.text.segmentation import normalise, segment

# What the ingest pipeline says of a text it could not take.
ERROR = "error"
# Members that not every text has, each with the value that means nothing is there; a vector of
# weights (sparse_vector) refuses null.
ABSENT: Mapping[str, Any] = {
    STATUS: None,
    ERROR: None,
    FINGERPRINT: None,
    BLOCKS: None,
    SHINGLES: None,
    CHUNKS: None,
    SEMANTIC_SCHEME: None,
    CONCEPTS: [],
    ENTITIES: None,
    VECTOR: None,
    VECTOR_FINGERPRINT: None,
}
# What was decided about a text, and goes with it: the next run of `families` looks at the new one.
# That two documents are not versions of each other (`dismissed`) is remembered whatever they say.
DECIDED = (FAMILY, DUPLICATE_OF, DUPLICATE_SCORE)
# What tells whether a document has to be done is small; the rest is not read.
UNREAD = tuple(name for name in ABSENT if name not in (STATUS, ERROR, SEMANTIC_SCHEME))


def derived(
    texts: Sequence[str], sources: Sequence[Mapping[str, Any]], task: Task
) -> Iterator[bytes]:
    """Yield the JSON of our object for each text.

    Args:
        texts: The texts.
        sources: The documents they are from, with the entities they bring.
        task: Says how.
    """
    rest = iter(sources)
    for batch in text_batches(texts):
        yield from encode(batch, task.config, list(islice(rest, len(batch)))).objects


def is_current(stored: Mapping[str, Any], task: Task) -> bool:
    """Check whether our object was made the way the task makes it, from whatever text."""
    semantics = task.semantics is None or stored.get(SEMANTIC_SCHEME) == task.semantics.name
    return semantics and stored.get(SCHEME) == task.scheme.name


def fits(content: str, stored: Mapping[str, Any]) -> bool:
    """Check whether our object was made from this text."""
    return bool(stored.get(CONTENT_HASH) == content_hash(normalise(content)))


def replacing(fresh: bytes, stored: Mapping[str, Any]) -> bytes:
    """Return the object so that a partial update leaves nothing of the one that is there.

    Elasticsearch merges objects: a member that is not named stays, and an object inside is merged
    again. So absent members are named, and an object goes into a list, which is never merged and
    means the same to the index. (A script could remove members; it needs a permission.)

    Args:
        fresh: The object of the text as it is now.
        stored: The small members of the one that is there.
    """
    members = json.loads(fresh)
    whole = {name: [value] if isinstance(value, dict) else value for name, value in members.items()}
    another = stored.get(CONTENT_HASH) not in (None, members[CONTENT_HASH])
    gone = dict.fromkeys(name for name in DECIDED if another and name in stored)
    return json.dumps({**ABSENT, **gone, **whole}).encode()


def refusal(content: str, source: Mapping[str, Any], task: Task) -> str | None:
    """Return the sentence that refuses a document, before its fingerprints cost; None for none."""
    try:
        upstream_entities(source, task.entity_fields)
    except InputError as error:
        return str(error)
    return _chunk_refusal(content, task.scheme)


def _chunk_refusal(content: str, scheme: Scheme) -> str | None:
    # A text with fewer characters cannot have so many chunks.
    if len(content) < MAX_CHUNKS * scheme.min_chunk_tokens:
        return None
    segmentation = segment([normalise(content)], scheme)
    return chunk_limit_error(int(segmentation.text_chunks[-1]))
