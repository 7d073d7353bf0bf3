"""Names of the fields of the `simhash` object; they are spelled only here."""

from functools import lru_cache

DEFAULT_FIELD = "simhash"

# Members of the object.
SCHEME = "scheme"
STATUS = "status"
CONTENT_HASH = "content_hash"
FINGERPRINT = "fingerprint"
BLOCKS = "blocks"
SHINGLES = "shingles"
CHUNKS = "chunks"
SKETCH = "sketch"
SEMANTIC_SCHEME = "semantic_scheme"
CONCEPTS = "concepts"
ENTITIES = "entities"
VECTOR = "vector"
VECTOR_FINGERPRINT = "vector_fingerprint"
# Where an index learns its own vectors: the vector by the table that was learned, the name of the
# table that a vector is by, and of one that was learned the language of the text.
INDEX_VECTOR = "index_vector"
VECTOR_TABLE, VECTOR_LANGUAGE = "vector_table", "vector_language"
FAMILY = "family"
REPRESENTATIVE = "representative"
DUPLICATE_OF = "duplicate_of"
DUPLICATE_SCORE = "duplicate_score"
# Object of the schemes of methods, which an index may have in addition to its own.
SCHEMES = "schemes"
# Why a text has no fingerprint; not mapped.
ERROR = "error"
# What was decided about a text, and stays with it.
DECIDED = (FAMILY, REPRESENTATIVE, DUPLICATE_OF, DUPLICATE_SCORE)
# What two texts are scored by, in addition to the shingles they share.
SCORED_MEMBERS = (CHUNKS, SKETCH)
# What is stored in packed form (`codec.is_readable`).
PACKED_MEMBERS = (*SCORED_MEMBERS, SHINGLES)
# What nobody wants to read, and what makes a document large. `IndexConfig.large_members` adds those
# of other schemes by their names: a pattern with a star costs more than the document.
LARGE_MEMBERS = (
    FINGERPRINT,
    BLOCKS,
    SHINGLES,
    CHUNKS,
    SKETCH,
    CONCEPTS,
    VECTOR,
    VECTOR_FINGERPRINT,
    INDEX_VECTOR,
)
STATUS_EMPTY = "empty"
# Of a scheme of a method: that cannot read the text.
STATUS_UNREADABLE = "unreadable"

# Object of a sidecar document that says whose fields these are, and of which state of it.
SOURCE = "source"
INDEX, ROUTING, SEQ_NO, PRIMARY_TERM = "index", "routing", "seq_no", "primary_term"


@lru_cache(maxsize=64)
def field_path(field: str, member: str) -> str:
    """Return the full name of a member of the object, as queries spell it."""
    return f"{field}.{member}"
