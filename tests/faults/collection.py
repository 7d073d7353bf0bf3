"""A small collection in which it is known what is a copy, a version, and no document at all."""

import random
from typing import Any

from tests.support.made_up_texts import make_text, revise

# The field that is a number in the mapping: a document with a word there is rejected. Dates are in
# the order of the documents.
NUMBER, DATE = "n", "published"
_ORIGINALS, _OTHERS = 6, 8
_WORDS = 60


def make_collection(seed: int) -> list[dict[str, Any]]:
    """Return documents in an order of that seed: originals, their copies and versions, others.

    Two of them are rejected by the mapping.
    """
    chosen = random.Random(seed)
    documents: list[dict[str, Any]] = []
    for number in range(_ORIGINALS):
        original = make_text(1000 * seed + number, _WORDS)
        documents.append({"id": f"{number}", "text": original})
        documents.append({"id": f"{number}-copy", "text": original.upper()})
        changed = revise(original, number, 0.03, first=10)
        documents.append({"id": f"{number}-version", "text": f"{changed} and so on"})
    for number in range(_OTHERS):
        text = make_text(1000 * seed + 500 + number, _WORDS)
        documents.append({"id": f"other-{number}", "text": text})
    for number in range(2):
        text = make_text(1000 * seed + 700 + number, _WORDS)
        documents.append({"id": f"rejected-{number}", "text": text, NUMBER: "no number"})
    chosen.shuffle(documents)
    for number, document in enumerate(documents):
        document.setdefault(NUMBER, number)
        document[DATE] = f"2020-01-{number + 1:02}"
        document["title"] = f"Document {number} of the collection {seed}"
    return documents


def is_rejected(document: dict[str, Any]) -> bool:
    """Check whether the mapping rejects a document."""
    return not isinstance(document[NUMBER], int)
