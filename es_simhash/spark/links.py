"""Pairs of texts that are linked as versions, compared where their texts are brought together."""

from collections.abc import Iterator
from dataclasses import dataclass
from functools import partial
from typing import Any

from es_simhash.pairs.text_links import links_of
from es_simhash.relation.candidate import StoredText
from es_simhash.relation.decided_pairs import ManualPairs
from es_simhash.spark.candidates import MAX_TEXTS, candidate_pairs, hot_shingles, postings
from es_simhash.spark.engine import Batches, Columns, DataFrame, F, ddl, rows_of, table
from es_simhash.spark.texts import PARTS, stored_parts

LINK: Columns = (("one", "string"), ("other", "string"), ("score", "double"))
# Pairs that are decoded and compared together.
_PAIRS = 500
_COMPARED = ("content_hash", *(name for name, _ in PARTS if name not in ("asked", "least")))


@dataclass(frozen=True)
class VersionPairs:
    """The pairs of texts that are versions of each other.

    Attributes:
        pairs: `one` and `other`, the content hashes of two texts, and their `score`. Documents with
            one text have one hash.
        hot: Shingles that more than `max_texts` texts have, `shingle` and `texts`: these texts were
            paired with the first ones alone. Without any the pairs are complete.
    """

    pairs: DataFrame
    hot: DataFrame


def linked_texts(
    texts: DataFrame,
    threshold: float,
    manual: ManualPairs | None = None,
    *,
    max_texts: int = MAX_TEXTS,
) -> VersionPairs:
    """Return the pairs of texts that are linked.

    Args:
        texts: Distinct texts.
        threshold: Where versions begin.
        manual: What a person decided about them.
        max_texts: Texts of a shingle that all others with it are compared with.
    """
    listed = postings(texts)
    compared = F.struct(*_COMPARED)
    pairs = (
        candidate_pairs(listed, max_texts)
        .join(texts.select(F.col("key").alias("one"), compared.alias("a")), "one")
        .join(texts.select(F.col("key").alias("other"), compared.alias("b")), "other")
        .select("a", "b")
    )
    compare = partial(_links, threshold, (manual or ManualPairs()).dismissed)
    return VersionPairs(pairs.mapInArrow(compare, ddl(LINK)), hot_shingles(listed, max_texts))


def _links(threshold: float, apart: Any, batches: Batches) -> Iterator[Any]:
    """Yield the links among pairs of texts."""
    for rows in rows_of(batches, _PAIRS):
        texts: dict[str, StoredText] = {}
        for row in rows:
            for side in (row["a"], row["b"]):
                if side["content_hash"] not in texts:
                    texts[side["content_hash"]] = stored_parts(side)
        pairs = [(row["a"]["content_hash"], row["b"]["content_hash"]) for row in rows]
        links = links_of(pairs, texts, threshold, apart)
        yield table(LINK, [(one, other, score) for (one, other), score in links.items()])
