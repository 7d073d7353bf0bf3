"""Texts in parts, by the values of a field that keeps the families of their documents apart."""

from collections import defaultdict
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from itertools import product
from typing import Any

from es_simhash.fingerprints.hashing import digest_of_key
from es_simhash.pairs.merging import Node

# The values of a document, in order, each once; none of a document without a value.
Values = tuple[str, ...]
# The value, or the values, as a caller names them.
Within = str | int | Sequence[str | int]


def values_of(values: Iterable[Any]) -> Values:
    """Return the values of a field as they are compared: a set, each as a keyword field has it."""
    return tuple(sorted({_keyword(value) for value in values if value is not None}))


def _keyword(value: Any) -> str:
    return str(value).lower() if isinstance(value, bool) else str(value)


def no_values(document: object) -> Values:
    """Return no values: nothing keeps documents apart."""
    return ()


def parts_of(
    copies: Mapping[str, Iterable[Node]], values: Callable[[Node], Values]
) -> list[tuple[Values, dict[str, list[Node]]]]:
    """Return the documents of each text, parted by their values; the parts in order.

    Documents of one text may be in several parts. Those without a value are a part as well: what
    is not known to be of one owner is of no family of an owner.

    Args:
        copies: Of each text, the documents that have it, by its hash.
        values: Of a document.
    """
    parts: dict[Values, dict[str, list[Node]]] = defaultdict(lambda: defaultdict(list))
    for text, documents in copies.items():
        for document in documents:
            parts[values(document)][text].append(document)
    return sorted((part, dict(texts)) for part, texts in parts.items())


def names_in_part(texts: Sequence[str], part: Values) -> list[str]:
    """Return names of texts that are those of no other part: without values, their hashes."""
    return [digest_of_key(text, *part) for text in texts] if part else list(texts)


def claim_of(content_hash: str, part: Values) -> str:
    """Return the key under which a text is reserved: each part may have a document with it."""
    return f"{content_hash}-{digest_of_key(*part)}" if part else content_hash


def parted_pairs(
    joined: Iterable[tuple[str, str]], values: Mapping[str, Collection[Values]]
) -> list[tuple[str, str]]:
    """Return the joined pairs whose documents have different values.

    Args:
        joined: Pairs of ids.
        values: Of documents with a text, by id.
    """
    return sorted(
        (a, b)
        for a, b in joined
        if any(one != other for one, other in product(values.get(a, ()), values.get(b, ())))
    )
