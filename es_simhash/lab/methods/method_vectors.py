"""Conformance vectors of the methods: what every implementation of their schemes must compute.

`python -m tests.support.method_vectors` writes data/methods/*.json from a second, slow
implementation. The vectors of a published scheme never change: a difference is a bug in the code.
"""

import json
from collections.abc import Iterator, Sequence
from importlib.resources import files
from itertools import chain
from typing import Any

from es_simhash.errors import MissingExtra
from es_simhash.lab.methods.method_protocol import FingerprintFeatures
from es_simhash.lab.methods.method_registry import FINGERPRINT_METHODS
from es_simhash.lab.methods.method_scheme import FingerprintMethod, FingerprintScheme

Vector = dict[str, Any]


def vectors(method: str) -> list[Vector]:
    """Return the published vectors of a method: `name`, `text`, `fingerprint` and `blocks`."""
    folder = files("es_simhash") / "data" / "methods"
    content = json.loads((folder / f"{method}.json").read_text("ascii"))
    published: list[Vector] = content["vectors"]
    return published


def describe(features: FingerprintFeatures, scheme: FingerprintScheme, text: int) -> Vector:
    """Return what is published of one text that was read."""
    rows = features.rows(text)
    return {
        "fingerprint": scheme.string(rows) if len(rows) else None,
        "blocks": sorted(set(chain.from_iterable(features.block_keys()[text]))),
    }


def check(method: FingerprintMethod, expected: Sequence[Vector]) -> Iterator[str]:
    """Compare a method with vectors, each text alone and all together.

    Yields:
        A sentence for each difference.

    Raises:
        MissingExtra: A package that the method needs is not installed.
    """
    method.scheme.require_packages()
    texts = [vector["text"] for vector in expected]
    together = method.read(texts)
    for number, vector in enumerate(expected):
        alone = method.read([vector["text"]])
        for features, place, how in ((alone, 0, "alone"), (together, number, "in a batch")):
            for member, value in describe(features, method.scheme, place).items():
                if value != vector[member]:
                    yield (
                        f"{method.name}, {vector['name']}: {member} {how} is {value!r:.80} and "
                        f"should be {vector[member]!r:.80}"
                    )


def check_all() -> tuple[list[str], list[str]]:
    """Compare every method with its vectors.

    Returns:
        A sentence for each difference, and one for each method that needs a package that is not
        installed.
    """
    differences: list[str] = []
    unchecked: list[str] = []
    for name, method in FINGERPRINT_METHODS.items():
        try:
            differences += check(method, vectors(name))
        except MissingExtra as error:
            unchecked.append(f"{name} was not checked: {error}")
    return differences, unchecked
