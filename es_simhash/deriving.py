"""Everything that is written beside a text: its fingerprints, and what it is about."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from es_simhash.concepts.meaning import MeaningScheme
from es_simhash.concepts.reading import meaning_reader
from es_simhash.document import simhash_json
from es_simhash.document_meaning import meaning_json
from es_simhash.fingerprints import fingerprint_batch
from es_simhash.scheme import DEFAULT, Scheme


@dataclass(frozen=True)
class Derivation:
    """How the fields beside a text are made; the same for every document of an index.

    Attributes:
        scheme: Scheme of the fingerprints.
        meaning: Scheme of what is read from the text; None to write fingerprints alone.
        vocabulary: Path of the vocabulary that is weighed, where the scheme names one.
    """

    scheme: Scheme = DEFAULT
    meaning: MeaningScheme | None = None
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
    if derivation.meaning is not None:
        reader = meaning_reader(derivation.meaning, derivation.vocabulary)
        members = meaning_json(reader.read(texts, sources), derivation.meaning.name)
        objects = [b"%b,%b}" % (one[:-1], more) for one, more in zip(objects, members, strict=True)]
    return Derived(objects, (batch.chunk_bounds[1:] - batch.chunk_bounds[:-1]).tolist())
