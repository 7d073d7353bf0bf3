"""Everything that is written beside a text: its fingerprints, and what it is about."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from es_simhash.fingerprints.scheme import DEFAULT, Scheme
from es_simhash.fingerprints.text_fingerprints import fingerprint_batch
from es_simhash.semantics.profile import SemanticScheme
from es_simhash.semantics.profiler import semantic_profiler
from es_simhash.storage.codec import simhash_json
from es_simhash.storage.semantic_codec import semantic_json


@dataclass(frozen=True)
class Derivation:
    """How the fields beside a text are made; the same for every document of an index.

    Attributes:
        scheme: Scheme of the fingerprints.
        meaning: Scheme of what is read from the text; None to write fingerprints alone.
        vocabulary: Path of the vocabulary that is weighed, where the scheme names one.
    """

    scheme: Scheme = DEFAULT
    semantics: SemanticScheme | None = None
    vocabulary: str | None = None


@dataclass(frozen=True)
class Derived:
    """What is written beside each text of a batch.

    Attributes:
        objects: JSON of our object, one for each text.
        chunks: Number of chunks of each text.
    """

    objects: list[bytes]
    chunks: list[int]


def derive(
    texts: Sequence[str],
    derivation: Derivation,
    sources: Sequence[Mapping[str, Any]] | None = None,
) -> Derived:
    """Make our object for each text of a batch.

    Args:
        texts: The texts.
        derivation: How.
        sources: The documents they are from; needed where the scheme names fields of entities.

    Raises:
        InputError: An entity field or a vector has the wrong shape.
        MissingExtra: The scheme needs a package that is not installed.
    """
    batch = fingerprint_batch(texts, derivation.scheme)
    objects = simhash_json(batch)
    if derivation.semantics is not None:
        reader = semantic_profiler(derivation.semantics, derivation.vocabulary)
        members = semantic_json(reader.read(texts, sources), derivation.semantics.name)
        objects = [b"%b,%b}" % (one[:-1], more) for one, more in zip(objects, members, strict=True)]
    return Derived(objects, (batch.chunk_bounds[1:] - batch.chunk_bounds[:-1]).tolist())
