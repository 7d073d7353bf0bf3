"""How the families of a frame are found, and what is returned of them."""

from collections.abc import Sequence
from dataclasses import dataclass

from es_simhash.pairs.merging import Pair
from es_simhash.pairs.representatives import Representative
from es_simhash.spark.candidates import MAX_TEXTS
from es_simhash.spark.engine import DataFrame


@dataclass(frozen=True)
class FrameFamilies:
    """The families of the documents of a frame.

    Attributes:
        documents: A row for each document: `index`, `id`, `routing`, the name of its `family`, and
            whether it is the `representative`.
        links: The pairs of texts that are linked, as `version_pairs` returns them.
        hot: Shingles of so many texts that not all of these were paired by them; none where the
            families are complete.
        left_out: Documents without fingerprints of the scheme: `index`, `id`, `routing`.
    """

    documents: DataFrame
    links: DataFrame
    hot: DataFrame
    left_out: DataFrame


@dataclass(frozen=True)
class FamilyRules:
    """How families are found.

    Attributes:
        representative: Document that represents a family: the longest, the newest or the oldest.
        dismissed: Pairs of ids that are not versions of each other.
        joined: Pairs of ids that are versions of each other, whatever their texts are.
        max_texts: Texts of a shingle that all others with it are compared with.
    """

    representative: Representative = "longest"
    dismissed: Sequence[Pair[str]] = ()
    joined: Sequence[Pair[str]] = ()
    max_texts: int = MAX_TEXTS
