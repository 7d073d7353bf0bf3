"""The `simhash` object of each text of a batch, as JSON."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from es_simhash.fingerprints.fingerprint_batch import FingerprintBatch
from es_simhash.fingerprints.text_fingerprints import fingerprint_batch
from es_simhash.semantics.profiler import semantic_profiler
from es_simhash.store.codec import simhash_json
from es_simhash.store.config import IndexConfig
from es_simhash.store.indexed_methods import method_of_scheme
from es_simhash.store.method_codec import method_json
from es_simhash.store.semantic_codec import semantic_json


@dataclass(frozen=True)
class EncodedBatch:
    """The `simhash` objects of a batch of texts.

    Attributes:
        objects: JSON of the object of each text.
        fingerprints: Fingerprints of the texts, as the objects have them.
    """

    objects: list[bytes]
    fingerprints: FingerprintBatch


def encode(
    texts: Sequence[str],
    config: IndexConfig,
    sources: Sequence[Mapping[str, Any]] | None = None,
) -> EncodedBatch:
    """Return the `simhash` object of each text of a batch.

    Args:
        texts: The texts.
        config: How the index is read and fingerprinted.
        sources: The documents they are from; needed where the scheme names fields of entities.

    Raises:
        InputError: An entity field or a vector has the wrong shape.
        MissingExtra: A scheme needs a package that is not installed.
        SchemeError: This version of the package does not compute a scheme.
    """
    batch = fingerprint_batch(texts, config.scheme)
    objects = simhash_json(batch)
    if config.semantics is not None:
        profiler = semantic_profiler(config.semantics, config.vocabulary, config.table)
        members = semantic_json(profiler.profile(texts, sources), config.semantics.name)
        objects = _with(objects, members)
    if config.schemes:
        methods = [method_of_scheme(each.method, each.name) for each in config.schemes]
        objects = _with(objects, method_json(texts, methods))
    return EncodedBatch(objects, batch)


def _with(objects: list[bytes], members: Sequence[bytes]) -> list[bytes]:
    return [b"%b,%b}" % (one[:-1], more) for one, more in zip(objects, members, strict=True)]
