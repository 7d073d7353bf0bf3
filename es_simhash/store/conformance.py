"""Conformance vectors: what every implementation of docs/fingerprint.md must compute.

`scripts/build_vectors.py` writes data/vectors.json from data/vectors.input.json. The vectors of a
published scheme never change: a difference is a bug in the code.
"""

import json
from collections.abc import Iterator
from importlib.resources import files
from itertools import pairwise, takewhile
from typing import Any

import numpy as np
import xxhash

from es_simhash.fingerprints.fingerprint_batch import TextFingerprints
from es_simhash.fingerprints.fingerprint_scheme import DEFAULT, Scheme
from es_simhash.fingerprints.hashing import xxh64
from es_simhash.fingerprints.text_fingerprints import fingerprint, fingerprint_batch
from es_simhash.store.codec import shingle_terms, simhash_json, simhash_object
from es_simhash.text.normal_forms import normalise
from es_simhash.text.segmentation import segment
from es_simhash.text.tokens import Segmentation

Vector = dict[str, Any]

_SHOWN = 60  # characters of a value in a difference
# Where carries and rotations go wrong: both ends, the sign bit, the halves, alternating bits.
_EDGE_VALUES = [
    *(0, 1, 0x7F, 0xFF, 0xFFFFFFFF, 1 << 32, (1 << 63) - 1, 1 << 63, (1 << 64) - 1),
    *(0x5555555555555555, 0xAAAAAAAAAAAAAAAA, 0x9E3779B97F4A7C15),
]
# The seeds of the published schemes, and those that overflow.
_SEEDS = (0, 1, 2, (1 << 63) - 1, (1 << 64) - 1)
_RANDOM_VALUES = 1_000


def vectors() -> list[Vector]:
    """Return the published vectors."""
    content = (files("es_simhash") / "data" / "vectors.json").read_text("utf-8")
    published: list[Vector] = json.loads(content)["vectors"]
    return published


def keyed_vectors() -> tuple[str, list[Vector]]:
    """Return a key, and the published vectors with it; `check` needs it configured."""
    content = (files("es_simhash") / "data" / "vectors.json").read_text("utf-8")
    keyed = json.loads(content)["keyed"]
    return keyed["key"], keyed["vectors"]


def describe(content: str, scheme: Scheme = DEFAULT) -> Vector:
    """Return the fingerprints of a text with the steps that lead to them."""
    normalised = normalise(content)
    segmentation = segment([normalised], scheme)
    fingerprints = fingerprint(content, scheme)
    tokens = _tokens(segmentation)
    return {
        "text": content,
        "scheme": scheme.name,
        "normalised": normalised,
        "content_hash": fingerprints.content_hash,
        "tokens": tokens,
        "chunks": list(_chunks(tokens, segmentation, fingerprints)),
        "shingles": _shingles(fingerprints),
        "simhash": simhash_object(fingerprints),
    }


def _tokens(segmentation: Segmentation) -> list[str]:
    codes = segmentation.codes
    bounds = zip(segmentation.starts, segmentation.ends, strict=True)
    return ["".join(map(chr, codes[start:end])) for start, end in bounds]


def _chunks(
    tokens: list[str], segmentation: Segmentation, fingerprints: TextFingerprints
) -> Iterator[dict[str, Any]]:
    bounds = segmentation.chunks.tolist()
    for row, (first, end) in enumerate(pairwise(bounds)):
        yield {
            "first_token": first,
            "end_token": end,
            "characters": "".join(f" {token}" for token in tokens[first:end]),
            "length": int(fingerprints.chunk_characters[row]),
            "fingerprint": fingerprints.chunks[row].tobytes().hex(),
        }


def _shingles(fingerprints: TextFingerprints) -> list[dict[str, Any]]:
    numbers, levels = fingerprints.shingles.tolist(), fingerprints.levels.tolist()
    rows = zip(numbers, levels, shingle_terms(fingerprints.shingles), strict=True)
    return [{"number": number, "level": level, "term": term} for number, level, term in rows]


def check(expected: list[Vector]) -> list[str]:
    """Compare this implementation with vectors, each text alone and all of a scheme together.

    Returns:
        A sentence for each difference; none when all are equal.
    """
    differences = [difference for vector in expected for difference in _check_alone(vector)]
    for scheme in sorted({vector["scheme"] for vector in expected}):
        of_scheme = [vector for vector in expected if vector["scheme"] == scheme]
        differences += _check_together(of_scheme, Scheme.parse(scheme))
    return differences


def _check_alone(vector: Vector) -> Iterator[str]:
    computed = describe(vector["text"], Scheme.parse(vector["scheme"]))
    for member, value in computed.items():
        if value != vector.get(member):
            yield _difference(vector["name"], member, vector.get(member), value)


def _check_together(expected: list[Vector], scheme: Scheme) -> Iterator[str]:
    batch = fingerprint_batch([vector["text"] for vector in expected], scheme)
    for vector, raw in zip(expected, simhash_json(batch), strict=True):
        computed = json.loads(raw)
        if computed != vector["simhash"]:
            yield _difference(vector["name"], "simhash in a batch", vector["simhash"], computed)


def _difference(name: str, member: str, expected: object, computed: object) -> str:
    # Long values are shown from shortly before the first character that differs.
    wanted, actual = json.dumps(expected), json.dumps(computed)
    equal = takewhile(lambda pair: pair[0] == pair[1], zip(wanted, actual, strict=False))
    begin = max(0, sum(1 for _ in equal) - _SHOWN // 2)
    part = slice(begin, begin + _SHOWN)
    return f"{name}: {member}, from character {begin}: {actual[part]} should be {wanted[part]}"


def check_hashing() -> Iterator[str]:
    """Yield a sentence for each value that XXH64 over arrays hashes otherwise than xxhash does.

    The values are edge cases and random ones, new in each run.
    """
    generator = np.random.default_rng()
    random = generator.integers(0, 1 << 64, _RANDOM_VALUES, np.uint64, endpoint=False)
    values = np.concatenate([np.array(_EDGE_VALUES, np.uint64), random])
    for seed, hashes in zip(_SEEDS, xxh64(values, *_SEEDS), strict=True):
        for value, computed in zip(values.tolist(), hashes.tolist(), strict=True):
            expected = xxhash.xxh64_intdigest(value.to_bytes(8, "little"), seed)
            if computed != expected:
                yield (
                    f"XXH64 of {value:#x}, seed {seed:#x}: "
                    f"{computed:016x} should be {expected:016x}"
                )
